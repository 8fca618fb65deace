"""Converts the terms of batches to rdflib's nodes, and back."""

from collections.abc import Callable, Container, Iterable
from typing import Any, Final, final

from rdflib.term import Node, URIRef

from jelly_rdflib.core.batch import Batch, BatchSource, NodeMaker
from jelly_rdflib.operations import GivenStatement, Operation

@final
class LiteralRules:
    def __init__(
        self,
        *,
        converters: dict[Any, Any],
        original_converters: dict[Any, Any],
        specific: list[Any],
        original_specific: list[Any],
        generic: list[Any],
        original_generic: list[Any],
    ) -> None: ...

class NodeTypes:
    def __init__(
        self,
        *,
        iri: type[str],
        blank_node: type[str],
        literal: type[str],
        triple_term: Callable[[Any, Any, Any], Any],
        default_graph: object,
        recognized_datatypes: Container[Any],
        literal_rules: LiteralRules | None = None,
    ) -> None: ...
    iri: Final[type[str]]
    blank_node: Final[type[str]]
    literal: Final[type[str]]
    triple_term: Final[Callable[[Any, Any, Any], Any]]
    default_graph: Final[Any]
    recognized_datatypes: Final[Container[Any]]
    literal_rules: Final[LiteralRules | None]

@final
class NodeFactory(NodeMaker):
    def __init__(
        self,
        types: NodeTypes,
        *,
        normalize: bool | None = None,
        max_xml_tags: int = ...,
        max_terms: int = ...,
        keeps_directions: bool = False,
    ) -> None: ...
    normalize: Final[bool | None]

@final
class NodeBatches(BatchSource):
    def __init__(
        self, types: NodeTypes, operations: Iterable[Operation], *, has_graphs: bool = True
    ) -> None: ...

class NodeSink:
    # Any, since the methods `end_frame` and `encode_frame` differ from format to format.
    @property
    def encoder(self) -> Any: ...
    def __init__(self, types: NodeTypes, encoder: Any) -> None: ...

class OperationSink(NodeSink):
    @property
    def in_transaction(self) -> bool: ...
    def header(self, key: str, value: Node) -> None: ...
    def begin(self) -> None: ...
    def commit(self) -> None: ...
    def abort(self) -> None: ...
    def add(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None: ...
    def delete(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None: ...
    def add_prefix(self, prefix: str, iri: URIRef, graph: Node | None = None) -> None: ...
    def delete_prefix(
        self, prefix: str, iri: URIRef | None = None, graph: Node | None = None
    ) -> None: ...
    def end_patch(self) -> None: ...
    def write(self, item: Operation, /) -> None: ...
    def write_all(self, items: Iterable[Operation] | Batch, /) -> None: ...

class StatementSink(NodeSink):
    def add(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None: ...
    def add_namespace(self, prefix: str, iri: URIRef) -> None: ...
    def write(self, item: GivenStatement, /) -> None: ...
    def write_all(self, items: Iterable[GivenStatement] | Batch, /) -> None: ...

"""Encodes statements to the frames of a Jelly-RDF stream."""

from collections.abc import Callable, Iterable, Mapping

from rdflib.term import Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.frame_encoder import FrameEncoder
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.operations import Statement
from jelly_rdflib.options import StreamOptions

class StatementFrameEncoder(FrameEncoder):
    def __init__(
        self,
        types: NodeTypes,
        options: StreamOptions,
        sink: Callable[[bytes], object] | None = None,
    ) -> None: ...
    @property
    def options(self) -> StreamOptions: ...
    def add(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None: ...
    def add_namespace(self, prefix: str, iri: URIRef) -> None: ...
    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None: ...
    def encode_frame(
        self,
        statements: Iterable[Statement] | Batch,
        *,
        namespaces: Iterable[tuple[str, URIRef]] = (),
        metadata: Mapping[str, bytes] | None = None,
    ) -> bytes: ...
    def finish(self) -> None: ...
    def abandon(self) -> None: ...

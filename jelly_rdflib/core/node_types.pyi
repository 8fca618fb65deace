"""The classes that terms become: the core knows what it needs of them, but not whose they are."""

from collections.abc import Callable, Container
from typing import Any

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
    ) -> None: ...
    @property
    def iri(self) -> type[str]: ...
    @property
    def blank_node(self) -> type[str]: ...
    @property
    def literal(self) -> type[str]: ...
    @property
    def triple_term(self) -> Callable[[Any, Any, Any], Any]: ...
    @property
    def default_graph(self) -> Any: ...
    @property
    def recognized_datatypes(self) -> Container[Any]: ...

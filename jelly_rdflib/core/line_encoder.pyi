"""Writes statements as lines of N-Quads, of which other syntaxes can be made."""

from collections.abc import Callable

from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.output import Output

class LineEncoder(Output):
    def __init__(
        self,
        types: NodeTypes,
        sink: Callable[[bytes], object],
        *,
        title: str,
        check_text: Callable[[int, bytes], None],
        check_statement: Callable[[str, str, str], None] | None,
        has_graphs: bool,
        has_triple_terms: bool,
    ) -> None: ...
    def put_lines(self) -> None: ...
    def put_prefix(self, prefix: str, iri: str) -> None: ...
    def take_lines(self) -> bytes: ...

"""Encodes operations as RDF Patch text."""

from collections.abc import Callable

from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.output import Output

class TextPatchEncoder(Output):
    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object]) -> None: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...

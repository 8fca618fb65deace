"""Converts RDF and RDF Patch in Thrift's compact protocol to batches and back."""

from collections.abc import Callable, Mapping
from typing import Any, final

from jelly_rdflib.core.batch import BatchSource, HasDefaultGraph, NodeMaker
from jelly_rdflib.core.io import Output
from jelly_rdflib.options import Limits

def decimal_text(value: int, scale: int) -> bytes: ...
def double_text(bits: int) -> bytes: ...

@final
class ThriftBatchReader(BatchSource):
    def __init__(
        self, source: Any, factory: NodeMaker, limits: Limits, *, is_patch: bool = True
    ) -> None: ...

class ThriftEncoder(Output):
    def __init__(
        self,
        types: HasDefaultGraph,
        sink: Callable[[bytes], object],
        *,
        is_patch: bool = True,
    ) -> None: ...
    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None: ...
    def abandon(self) -> None: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...

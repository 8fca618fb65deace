"""Reads and writes RDF Patch in Thrift's compact protocol: bytes to batches, and back."""

from collections.abc import Callable
from typing import Any, final

from jelly_rdflib.core.batch import BatchSource, HasDefaultGraph, NodeMaker
from jelly_rdflib.core.io import Output
from jelly_rdflib.options import Limits

@final
class ThriftBatchReader(BatchSource):
    def __init__(self, source: Any, factory: NodeMaker, limits: Limits) -> None: ...

class ThriftPatchEncoder(Output):
    def __init__(self, types: HasDefaultGraph, sink: Callable[[bytes], object]) -> None: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...

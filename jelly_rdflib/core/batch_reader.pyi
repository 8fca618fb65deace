"""Iterates over the batches, the operations and the statements of a stream."""

from collections.abc import Callable, Iterator
from typing import Any, final

from jelly_rdflib.core.batch import Batch, RowIterator
from jelly_rdflib.core.frame_decoder import FrameDecoder
from jelly_rdflib.errors import ApplyError, DecodeError
from jelly_rdflib.operations import Statement
from jelly_rdflib.options import Limits

class BatchSource(Iterator[Batch]):
    def __next__(self) -> Batch: ...
    def place_error(self, error: DecodeError | ApplyError) -> None: ...
    def close(self) -> None: ...
    @property
    def options(self) -> Any: ...

@final
class ChosenBatches(BatchSource):
    def __init__(
        self, source: Any, choose: Callable[[bytes], Callable[[Any], BatchSource]]
    ) -> None: ...

@final
class BatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        decoder: FrameDecoder,
        limits: Limits,
        statement_decoder: FrameDecoder | None = None,
    ) -> None: ...

@final
class OperationReader(RowIterator):
    def __init__(self, batches: BatchSource, *, limits: Limits | None = None) -> None: ...
    def place_error(self, error: DecodeError | ApplyError) -> None: ...
    def close(self) -> None: ...
    @property
    def options(self) -> Any: ...

@final
class StatementReader(Iterator[Statement]):
    def __init__(self, batches: BatchSource, *, limits: Limits | None = None) -> None: ...
    def __next__(self) -> Statement: ...
    def place_error(self, error: DecodeError | ApplyError) -> None: ...
    def close(self) -> None: ...
    @property
    def options(self) -> Any: ...

"""Reads a part of a long stream, from a place where the decoder's state is known."""

from typing import Any, TypeAlias, final

from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.frame_decoder import FrameDecoder
from jelly_rdflib.options import Limits

Place: TypeAlias = tuple[int, int, int, int, int]

@final
class PartReader(BatchSource):
    def __init__(
        self, source: Any, decoder: FrameDecoder, limits: Limits, *, offset: int, is_last: bool
    ) -> None: ...

@final
class StreamScanner:
    def __init__(
        self,
        source: Any,
        decoder: FrameDecoder,
        limits: Limits,
        *,
        spacing: int,
        counts_frames: bool = False,
    ) -> None: ...
    def __iter__(self) -> StreamScanner: ...
    def __next__(self) -> tuple[int, Place, bytes]: ...
    def close(self) -> None: ...

"""Iterates over the batches of a stream of frames."""

from typing import Any, final

from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.frame_decoder import FrameDecoder
from jelly_rdflib.options import Limits

@final
class BatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        decoder: FrameDecoder,
        limits: Limits,
        statement_decoder: FrameDecoder | None = None,
    ) -> None: ...

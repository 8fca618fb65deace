"""Decodes the frames of a Jelly-Patch stream to batches."""

from typing import Any, final

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.options import Limits, PatchOptions

@final
class PatchFrameDecoder:
    def __init__(self, factory: NodeFactory, limits: Limits) -> None: ...
    def decode_frame(self, data: Any, *, offset: int = 0) -> Batch: ...
    def finish(self) -> Batch: ...
    @property
    def options(self) -> PatchOptions | None: ...

"""Decodes the frames of a Jelly-Patch stream to batches."""

from typing import final

from jelly_rdflib.core.frame_decoder import FrameDecoder
from jelly_rdflib.options import PatchOptions

@final
class PatchFrameDecoder(FrameDecoder):
    @property
    def options(self) -> PatchOptions | None: ...

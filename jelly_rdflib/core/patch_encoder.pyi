"""Encodes operations to the frames of a Jelly-Patch stream."""

from collections.abc import Callable

from jelly_rdflib.core.frame_encoder import FrameEncoder
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.options import PatchOptions

class PatchFrameEncoder(FrameEncoder):
    def __init__(
        self,
        types: NodeTypes,
        options: PatchOptions,
        sink: Callable[[bytes], object] | None = None,
    ) -> None: ...
    @property
    def options(self) -> PatchOptions: ...
    def encode_frame(self, write: Callable[[], object]) -> bytes: ...
    def finish(self) -> None: ...

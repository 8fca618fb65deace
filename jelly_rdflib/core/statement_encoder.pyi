"""Encodes statements to the frames of a Jelly-RDF stream."""

from collections.abc import Callable, Mapping

from jelly_rdflib.core.frame_encoder import FrameEncoder
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.options import StreamOptions

class StatementFrameEncoder(FrameEncoder):
    def __init__(
        self,
        types: NodeTypes,
        options: StreamOptions,
        sink: Callable[[bytes], object] | None = None,
    ) -> None: ...
    @property
    def options(self) -> StreamOptions: ...
    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None: ...
    def encode_frame(
        self, write: Callable[[], object], metadata: Mapping[str, bytes] | None = None
    ) -> bytes: ...
    def finish(self) -> None: ...
    def abandon(self) -> None: ...

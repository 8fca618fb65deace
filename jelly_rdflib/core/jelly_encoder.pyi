"""Encodes batches as frames of Jelly-RDF and Jelly-Patch."""

from collections.abc import Callable, Mapping
from typing import final

from jelly_rdflib.core.batch import HasDefaultGraph
from jelly_rdflib.core.io import Output
from jelly_rdflib.options import PatchOptions, StreamOptions

class FrameEncoder(Output):
    def write_first_ids(self) -> None: ...

@final
class PatchFrameEncoder(FrameEncoder):
    def __init__(
        self,
        types: HasDefaultGraph,
        options: PatchOptions,
        sink: Callable[[bytes], object] | None = None,
    ) -> None: ...
    @property
    def options(self) -> PatchOptions: ...
    def encode_frame(self, write: Callable[[], object]) -> bytes: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...

@final
class StatementFrameEncoder(FrameEncoder):
    def __init__(
        self,
        types: HasDefaultGraph,
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

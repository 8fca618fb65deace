"""Decodes the frames of Jelly-RDF and Jelly-Patch to batches, and counts the parts of frames."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, TypeAlias, TypedDict, final, type_check_only

from jelly_rdflib.core.batch import Batch, BatchSource, NodeMaker
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions, StreamOptions

class FrameDecoder:
    def __init__(
        self,
        factory: NodeMaker,
        limits: Limits,
        *,
        faults: list[DecodeError] | None = None,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None: ...
    def decode_frame(self, data: Any, *, offset: int = 0) -> Batch: ...
    @property
    def draft_options(self) -> dict[str, str] | None: ...
    def finish(self) -> Batch: ...
    def restart(self) -> None: ...
    def save(self) -> bytes: ...
    def restore(self, checkpoint: bytes) -> None: ...
    @property
    def found_options(self) -> bool: ...
    @property
    def is_broken(self) -> bool: ...

@final
class PatchFrameDecoder(FrameDecoder):
    @property
    def options(self) -> PatchOptions | None: ...
    @property
    def stream_type(self) -> int: ...

@final
class StatementFrameDecoder(FrameDecoder):
    def __init__(
        self,
        factory: NodeMaker,
        limits: Limits,
        *,
        strict: bool = True,
        is_quiet: bool = False,
        drop_directions: bool = False,
        faults: list[DecodeError] | None = None,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None: ...
    @property
    def options(self) -> StreamOptions | None: ...

def holds_changes(frame: bytes) -> bool | None: ...

@final
class FrameReader(Iterator[bytes]):
    def __init__(self, source: Any, limits: Limits, *, delimited: bool = False) -> None: ...
    def __next__(self) -> bytes: ...
    def close(self) -> None: ...

@final
class BatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        decoder: FrameDecoder,
        limits: Limits,
        statement_decoder: FrameDecoder | None = None,
        *,
        offset: int | None = None,
        is_last: bool = True,
    ) -> None: ...
    @property
    def draft_options(self) -> dict[str, str] | None: ...
    def save(self) -> bytes: ...

Place: TypeAlias = tuple[int, int, int, int, int]

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

MESSAGE_NAMES: dict[int, str]
ROW_NAMES: set[str]

class UnexpectedKind(IntEnum):
    UNKNOWN_FIELD = ...
    SECOND_FIELD = ...
    SECOND_MEMBER = ...
    GRAPH_FIELD = ...
    UNEXPECTED_KINDS = ...

@type_check_only
class Tally(TypedDict):
    count: int
    size: int

@type_check_only
class Counts(TypedDict):
    rows: list[Tally]
    metadata: Tally
    terms: list[int]
    repeated: list[int]

@type_check_only
class LookupCounts(TypedDict):
    size: int
    entries: int
    replaced: int
    unused: int
    highest_id: int
    references: int
    text_size: int

@final
class FrameStatistics:
    def __init__(self, batches: BatchReader) -> None: ...
    def count(self) -> bool: ...
    def locate(self, rows: list[int]) -> list[tuple[int, int | None]]: ...
    def find_unexpected_fields(self) -> list[tuple[int, str, int, int, int]]: ...
    @property
    def is_patch(self) -> bool: ...
    @property
    def is_in_graph(self) -> bool: ...
    @property
    def is_delimited(self) -> bool: ...
    @property
    def position(self) -> int: ...
    @property
    def last_frame(self) -> tuple[int, int, int, int, int]: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def lookups(self) -> list[LookupCounts]: ...

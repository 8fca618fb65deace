"""Converts the rows of batches to Arrow columns and back."""

from collections.abc import Iterable
from typing import Any, Final, final

from jelly_rdflib.core.batch import Batch, NodeMaker
from jelly_rdflib.options import Limits

@final
class TermCondition:
    def __init__(
        self,
        factory: NodeMaker,
        limits: Limits,
        values: Iterable[str] | None,
        *,
        is_negated: bool = False,
        accepts_null: bool = False,
        any_spelling: bool = False,
    ) -> None: ...
    accepts_null: Final[bool]
    unknown: Final[list[str]]

@final
class RowFilter:
    def __init__(
        self,
        *,
        ops: Iterable[int] | None = None,
        s: Iterable[TermCondition] = (),
        p: Iterable[TermCondition] = (),
        o: Iterable[TermCondition] = (),
        g: Iterable[TermCondition] = (),
    ) -> None: ...

@final
class RowSelection:
    def __init__(
        self, filter: RowFilter | None, max_held: int, *, keeps_prefixes: bool = False
    ) -> None: ...
    filter: RowFilter | None
    keeps_prefixes: bool
    def select(self, batch: Batch, start: int, stop: int) -> list[Batch]: ...

TERM_COLUMNS: tuple[str, ...]

@final
class RowColumnsBuilder:
    def __init__(
        self,
        *,
        columns: Iterable[str],
        max_text_size: int,
        is_struct: bool = False,
        is_dictionary: bool = False,
        filter: RowFilter | None = None,
        counts_frames: bool = False,
        place: tuple[int, int, int, int, int] | None = None,
        max_rows: int = ...,
        max_bytes: int = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def place(self) -> tuple[int, int, int, int, int]: ...
    def is_full(self) -> bool: ...
    def append(self, batch: Batch, start: int = 0, stop: int | None = None) -> int: ...
    def drain(self) -> dict[str, Any]: ...

@final
class TextColumnView:
    def __init__(self, count: int, first: int, valid: Any, offsets: Any, data: Any) -> None: ...

@final
class ColumnBatches:
    def __init__(self, factory: NodeMaker, limits: Limits) -> None: ...
    def make(
        self, start: int, columns: dict[str, TextColumnView | None], first: int = 0
    ) -> tuple[Batch, int]: ...

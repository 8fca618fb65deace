"""Turns batches into the buffers of Arrow columns."""

from collections.abc import Iterable
from typing import Any, final

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.row_filter import RowFilter

TERM_COLUMNS: tuple[str, ...]

@final
class RowColumnsBuilder:
    def __init__(
        self,
        *,
        columns: Iterable[str],
        max_text_size: int,
        is_struct: bool = False,
        filter: RowFilter | None = None,
        counts_frames: bool = False,
        place: tuple[int, int, int, int, int] | None = None,
        max_rows: int = ...,
        max_bytes: int = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def place(self) -> tuple[int, int, int, int, int]: ...
    @property
    def is_full(self) -> bool: ...
    def append(self, batch: Batch, start: int = 0) -> int: ...
    def take(self) -> dict[str, Any]: ...

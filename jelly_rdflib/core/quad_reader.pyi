"""Reads the statements that another library's parser makes into batches."""

from collections.abc import Iterator
from typing import Any, final

from jelly_rdflib.core.batch_builder import BatchBuilder

@final
class QuadCount:
    made: int
    read: int

@final
class QuadReader:
    def __init__(
        self,
        quads: Iterator[Any],
        builder: BatchBuilder,
        library: Any,
        *,
        has_graphs: bool,
        max_nesting_depth: int,
        max_expansion: int,
        free_text: int,
        count: QuadCount,
    ) -> None: ...
    def read(self, first: Any, rows: int, text: int) -> bool: ...

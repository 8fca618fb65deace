"""Reads the statements that another library's parser makes into batches."""

from collections.abc import Iterator
from typing import Any, final

from jelly_rdflib.core.batch_builder import BatchBuilder

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
    ) -> None: ...
    @property
    def count(self) -> int: ...
    def read(self, source: Any, rows: int, text: int) -> bool: ...
    def put(self, quad: Any) -> None: ...

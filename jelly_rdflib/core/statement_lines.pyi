"""Writes statements as lines of N-Quads: those of batches, and of nodes."""

from collections.abc import Callable, Iterable
from typing import Any, final

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.output import Output

@final
class StatementLines:
    def __init__(
        self,
        types: NodeTypes,
        is_good: Callable[[int, bytes], bool],
        output: Output,
        *,
        has_graphs: bool,
        piece: int,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def take(self) -> bytes: ...
    def add_line(self, line: bytes) -> None: ...
    def add(self, s: Any, p: Any, o: Any, g: Any) -> bool: ...
    def add_all(
        self,
        statements: Iterable[Any],
        add_other: Callable[[Any], object],
        hand_on: Callable[[], object],
    ) -> None: ...
    def add_batch(
        self, batch: Batch, add_row: Callable[[int], object], hand_on: Callable[[], object]
    ) -> None: ...

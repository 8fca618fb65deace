"""Makes batches of Arrow columns of operations, whose terms are N-Triples text."""

from typing import Any, final

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.options import Limits

@final
class TextColumnView:
    def __init__(self, count: int, first: int, valid: Any, offsets: Any, data: Any) -> None: ...

@final
class ColumnBatches:
    def __init__(self, factory: NodeFactory, limits: Limits) -> None: ...
    def make(self, start: int, columns: dict[str, TextColumnView | None]) -> tuple[Batch, int]: ...

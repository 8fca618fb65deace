"""Reads RDF Patch text as batches."""

from collections.abc import Iterable
from typing import Any, final

from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits

@final
class TextBatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        factory: NodeFactory,
        limits: Limits,
        *,
        faults: list[DecodeError] | None = None,
    ) -> None: ...
    @property
    def position(self) -> int: ...
    @property
    def line_count(self) -> int: ...
    def locate(self, rows: Iterable[int]) -> list[tuple[int, int, int]]: ...

"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from collections.abc import Iterable
from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.output import Output

class FrameEncoder(Output):
    def write(self, item: tuple[Any, ...]) -> None: ...
    def write_all(self, items: Iterable[tuple[Any, ...]] | Batch) -> None: ...
    def write_batch(self, batch: Batch) -> None: ...

"""Decodes frames of either format to batches: what Jelly-RDF and Jelly-Patch share of a stream."""

from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, RepeatedOptions

class FrameDecoder:
    def __init__(
        self,
        factory: NodeFactory,
        limits: Limits,
        *,
        faults: list[DecodeError] | None = None,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None: ...
    def decode_frame(self, data: Any, *, offset: int = 0) -> Batch: ...
    def finish(self) -> Batch: ...
    def save(self) -> bytes: ...
    def restore(self, state: Any) -> None: ...
    @property
    def options(self) -> Any: ...
    @property
    def found_options(self) -> bool: ...

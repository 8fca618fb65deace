"""Reads N-Triples and N-Quads as batches."""

from typing import Any, final

from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.options import Limits

@final
class LineBatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        factory: NodeFactory,
        limits: Limits,
        *,
        has_graphs: bool,
        strict: bool,
    ) -> None: ...

"""Reads RDF Patch text as batches."""

from typing import Any, final

from jelly_rdflib.core.batch_reader import BatchSource
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.options import Limits

@final
class TextBatchReader(BatchSource):
    def __init__(self, source: Any, factory: NodeFactory, limits: Limits) -> None: ...

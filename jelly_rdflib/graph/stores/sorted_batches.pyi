"""The quads of a `JellyStore` as sorted batches, optionally without those of another."""

from typing import final

from rdflib.term import Node

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.store.quads import QuadStore

@final
class StoreBatches(BatchSource):
    def __init__(
        self,
        store: QuadStore,
        default_graph: Node,
        *,
        only_default: bool = False,
        op: int = ...,
        has_graphs: bool = False,
        without: tuple[QuadStore, Node, bool] | None = None,
    ) -> None: ...

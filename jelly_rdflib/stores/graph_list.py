"""Which graphs a store lists, so that those a transaction made can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from traceback import clear_frames
from typing import Any

from rdflib.graph import Graph
from rdflib.store import Store
from rdflib.term import Node

__all__ = ["GraphList"]


class GraphList:
    """The graphs that a store which keeps empty graphs lists, and those that are new.

    In such a store a graph comes to be with its first statement and does not go with its last.

    Args:
        store: Any store; for one that does not keep empty graphs nothing is done.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: set[Node] | None = None
        self._new: dict[Node, Graph] = {}

    def note(self, graph: Graph) -> None:
        """Take note that a statement is about to be added to the graph."""
        if not self._store.graph_aware:
            return
        if self._known is None:
            self._known = self._list()
        if graph.identifier not in self._known:
            self._new[graph.identifier] = graph

    def keep(self) -> None:
        """Take the new graphs for known: the transaction was committed."""
        if self._known is not None:
            self._known.update(self._new)
        self._new.clear()

    def restore(self) -> None:
        """Remove the new graphs, whose statements are gone already."""
        if not self._new:
            return
        # A store need not list its default graph, and to remove that would be to empty it.
        listed = self._list()
        for identifier, graph in self._new.items():
            # It has statements if others made it meanwhile.
            if identifier in listed and not self._has_statements(graph):
                self._store.remove_graph(graph)
        self._new.clear()

    def _has_statements(self, graph: Graph) -> bool:
        return next(iter(self._store.triples((None, None, None), graph)), None) is not None

    def _list(self) -> set[Node]:
        contexts: Iterator[Any] | None = None
        try:
            contexts = self._store.contexts()
            # Some stores yield graphs, some their names.
            return {
                context.identifier if isinstance(context, Graph) else context
                for context in contexts
            }
        except BaseException as error:
            # Where that was interrupted there may still be an iterator, here or in the store's own
            # code. As long as there is, Oxigraph waits with each change, so undoing would take
            # forever.
            contexts = None
            clear_frames(error.__traceback__)
            raise

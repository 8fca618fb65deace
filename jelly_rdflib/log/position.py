"""The position of a target in a log, kept in the target's own data.

It is a statement in a graph of its own, and part of the change that a patch makes. A store with
transactions has both or neither. In any other store changes come one after another and the position
last; what breaks off before it is done again, from the patch's start, and that comes to the same,
since for each statement the last thing that a patch does to it counts. The old position goes only
after the new one is there.
"""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.apply import apply
from jelly_rdflib.log.chain import Chain
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.stores.target import Target

__all__ = ["POSITION", "Position"]

POSITION = URIRef("urn:x-jelly-rdflib:position")
"""The predicate that says which patch of a log was applied last."""


class Position:
    """Where a target is in a log.

    Args:
        graph: The dataset.
        name: The graph in it that has the position; it is also the position's subject.

    Raises:
        TypeError: The target is no dataset.
    """

    def __init__(self, graph: Graph, name: URIRef) -> None:
        target = Target(graph)
        if not target.is_dataset:
            raise TypeError("a position is kept in a graph of its own: that takes a Dataset")
        self._graph = graph
        self._target = target
        self._name = name

    def find(self, chain: Chain) -> int:
        """Return the version that the target has; 0 if it has no position.

        An old position that was left, when a replay broke off, is removed.

        Raises:
            LogError: It is one that the log does not have.
        """
        versions = {id: chain.resolve(id) for id in self._ids()}
        if not versions:
            return 0
        newest = max(versions, key=lambda id: versions[id])
        removals = self._removals(newest)
        if removals:
            apply(removals, self._graph)
        return versions[newest]

    def moves(self, entry: LogEntry) -> list[Operation]:
        """Return the operations that set the position, to come after those of a patch."""
        move = (Op.A, self._name, POSITION, entry.id, self._name)
        return [move, *self._removals(entry.id)]

    def _removals(self, newest: Node) -> list[Operation]:
        old = [id for id in self._ids() if id != newest]
        return [(Op.D, self._name, POSITION, id, self._name) for id in old]

    def _ids(self) -> list[Node]:
        context = self._target.context(self._name)
        found = self._target.store.triples((self._name, POSITION, None), context)
        return [triple[2] for triple, _ in found]

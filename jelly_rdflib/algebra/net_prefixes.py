"""What is left of many operations on prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeAlias

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import Node

from jelly_rdflib.operations import Op, Operation

_Name: TypeAlias = tuple[str, Node]


@dataclass(frozen=True)
class _Numbered:
    """An operation and its place among all."""

    number: int
    operation: Operation


@dataclass(frozen=True)
class _Ends:
    """The first and the last operation on a prefix."""

    first: _Numbered
    last: _Numbered


class NetPrefixes:
    """What counts of operations on prefixes, transaction by transaction.

    In RDF Patch a prefix is bound for a graph, and in another one it may stand for another IRI. In
    rdflib it is bound for all graphs, and an IRI has no more than one, so that to bind a prefix may
    unbind another. What is left does the same by either rule.

    Examples:
        >>> prefixes = NetPrefixes()
        >>> for iri in ("urn:a#", "urn:b#", "urn:a#"):
        ...     prefixes.take((Op.PA, "ex", iri, None))
        >>> for operation in prefixes.operations():
        ...     print(operation[0].name, operation[2])
        PA urn:b#
        PA urn:a#
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._committed = _Table()
        self._pending = _Table()

    def __len__(self) -> int:
        """How many operations are kept, at the most."""
        return sum(len(t.names) + len(t.iris) for t in (self._committed, self._pending))

    def commit(self) -> None:
        """End the transaction."""
        self._committed.append(self._pending)
        self.abort()

    def abort(self) -> None:
        """End the transaction, as if nothing had come in it."""
        if self._pending.names:
            self._pending = _Table()

    def take(self, operation: Operation, *, is_pending: bool = False) -> None:
        """Take an operation on a prefix.

        Args:
            operation: An `Op.PA` or `Op.PD`.
            is_pending: Is it of a transaction that has not ended?
        """
        numbered = _Numbered(next(self._numbers), operation)
        graph = DATASET_DEFAULT_GRAPH_ID if operation[3] is None else operation[3]
        table = self._pending if is_pending else self._committed
        table.put((operation[1], graph), _Ends(numbered, numbered))
        if operation[0] == Op.PA:
            table.iris[str(operation[2])] = numbered

    def operations(self, *, is_effective: bool = False) -> list[Operation]:
        """Return what counts, in its order.

        Args:
            is_effective: Each of the operations that were taken has changed something, and bound no
                prefix and no IRI that was bound. Then it is known what was bound before the first.
        """
        left = self._committed.effective() if is_effective else self._committed.last()
        in_order = {numbered.number: numbered.operation for numbered in left}
        return [in_order[number] for number in sorted(in_order)]


class _Table:
    """Operations by what they are on.

    Attributes:
        names: The first and last operation by prefix and graph.
        iris: The last operation that bound a prefix to it, by IRI.
    """

    def __init__(self) -> None:
        self.names: dict[_Name, _Ends] = {}
        self.iris: dict[str, _Numbered] = {}

    def put(self, name: _Name, ends: _Ends) -> None:
        before = self.names.get(name)
        self.names[name] = ends if before is None else replace(before, last=ends.last)

    def append(self, later: _Table) -> None:
        for name, ends in later.names.items():
            self.put(name, ends)
        self.iris.update(later.iris)

    def last(self) -> Iterator[_Numbered]:
        for ends in self.names.values():
            yield ends.last
        # These have taken the IRI from whatever prefix it had.
        yield from self.iris.values()

    def effective(self) -> Iterator[_Numbered]:
        graphs: dict[str, int] = {}
        for prefix, _ in self.names:
            graphs[prefix] = graphs.get(prefix, 0) + 1
        # What such a prefix takes an IRI from must be bound to it again.
        taken = {_iri(ends.last) for (prefix, _), ends in self.names.items() if graphs[prefix] > 1}
        for (prefix, _), ends in self.names.items():
            if graphs[prefix] > 1:
                # In rdflib they are one, so what was bound before can't be told by each.
                yield ends.last
                continue
            was_bound = ends.first.operation[0] == Op.PD
            is_bound = ends.last.operation[0] == Op.PA
            iri = _iri(ends.last)
            if was_bound and is_bound and _iri(ends.first) == iri and iri not in taken:
                continue
            if was_bound:
                yield ends.first
            if is_bound:
                yield ends.last


def _iri(numbered: _Numbered) -> str | None:
    iri = numbered.operation[2]
    return None if iri is None else str(iri)

"""The net effect of many operations on prefixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from typing import TypeAlias

from rdflib.term import Node

from jelly_rdflib.operations import Op, Operation, PrefixChange

_Name: TypeAlias = tuple[str, Node | None]
# An operation, preceded by its number among all operations on prefixes.
_Numbered: TypeAlias = tuple[int, PrefixChange]


class NetPrefixes:
    """Keeps the prefix operations that have a net effect, transaction by transaction.

    In RDF Patch a prefix is bound for a graph, and may have another IRI in another graph. In rdflib
    it is bound for all graphs, and an IRI has one prefix, so that binding a prefix may unbind
    another one. Under either rule, the kept operations have the same effect as all operations.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._committed = _Kept()
        self._pending = _Kept()

    def __len__(self) -> int:
        """Return an upper bound on the number of kept operations."""
        return sum(len(kept.last) + len(kept.iris) for kept in (self._committed, self._pending))

    def commit(self) -> None:
        """End the transaction."""
        for name, numbered in self._pending.first.items():
            self._committed.first.setdefault(name, numbered)
        self._committed.last.update(self._pending.last)
        self._committed.iris.update(self._pending.iris)
        self.abort()

    def abort(self) -> None:
        """End the transaction, and drop its operations."""
        if self._pending.last:
            self._pending = _Kept()

    def take(self, operation: PrefixChange, *, is_pending: bool) -> None:
        """Add an `Op.PA` or `Op.PD`, of the open transaction or outside of transactions."""
        kept = self._pending if is_pending else self._committed
        numbered = next(self._numbers), operation
        name = operation[1], operation[3]
        kept.first.setdefault(name, numbered)
        kept.last[name] = numbered
        if operation[0] == Op.PA:
            kept.iris[str(operation[2])] = numbered

    def operations(self, *, is_effective: bool) -> list[Operation]:
        """Return the operations that have a net effect, in order.

        With ``is_effective`` each operation has changed something, and each `Op.PA` has bound a
        free prefix to a free IRI. So the bindings before the first operation are known.
        """
        kept = self._committed
        # Keep the last operation on each IRI, too: it may have taken the IRI from another prefix.
        left = kept.effective() if is_effective else chain(kept.last.values(), kept.iris.values())
        return [operation for _, operation in sorted(dict(left).items())]


class _Kept:
    """The first and the last operation by prefix and graph, and the last `Op.PA` by IRI."""

    def __init__(self) -> None:
        self.first: dict[_Name, _Numbered] = {}
        self.last: dict[_Name, _Numbered] = {}
        self.iris: dict[str, _Numbered] = {}

    def effective(self) -> Iterator[_Numbered]:
        graphs = Counter(prefix for prefix, _ in self.last)
        # A prefix of several graphs may have taken its IRI from a prefix that must be bound again.
        taken = {_iri(last) for (prefix, _), last in self.last.items() if graphs[prefix] > 1}
        for name, first in self.first.items():
            last = self.last[name]
            if graphs[name[0]] > 1:
                # In rdflib these graphs share the prefix, so the first operation for a graph does
                # not show the old IRI.
                yield last
                continue
            was_bound, is_bound = first[1][0] == Op.PD, last[1][0] == Op.PA
            iri = _iri(last)
            if was_bound and is_bound and _iri(first) == iri and iri not in taken:
                continue
            if was_bound:
                yield first
            if is_bound:
                yield last


def _iri(numbered: _Numbered) -> str | None:
    iri = numbered[1][2]
    return None if iri is None else str(iri)

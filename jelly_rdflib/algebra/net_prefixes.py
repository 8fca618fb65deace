"""The net effect of many operations on prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import TypeAlias

from rdflib.term import Node

from jelly_rdflib.operations import Op, Operation, PrefixChange

# An operation, preceded by its number among all operations on prefixes.
_Numbered: TypeAlias = tuple[int, PrefixChange]


class NetPrefixes:
    """Keeps the prefix operations that have a net effect, transaction by transaction.

    In RDF Patch a prefix is bound for a graph, and may have another IRI in another graph. In rdflib
    it is bound for all graphs, and an IRI has one prefix, so that binding a prefix may unbind
    another one. Under either rule, the kept operations have the same effect as all operations,
    unless these are known to be effective in rdflib.
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
        for prefix, numbered in self._pending.first.items():
            self._committed.first.setdefault(prefix, numbered)
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
        kept.first.setdefault(operation[1], numbered)
        kept.last[operation[1], operation[3]] = numbered
        if operation[0] == Op.PA:
            kept.iris[str(operation[2])] = numbered

    def operations(self, *, is_effective: bool) -> list[Operation]:
        """Return the operations that have a net effect, in order.

        With ``is_effective`` each operation has changed something in rdflib, and each `Op.PA` has
        bound a free prefix to a free IRI. So the bindings before the first operation are known.
        Then only rdflib's rule counts: a prefix has at most one deletion and one addition.
        """
        kept = self._committed
        # Keep the last operation on each IRI, too: it may have taken the IRI from another prefix.
        left = kept.effective() if is_effective else chain(kept.last.values(), kept.iris.values())
        return [operation for _, operation in sorted(dict(left).items())]


class _Kept:
    """The first operation by prefix, the last one by prefix and graph, the last `Op.PA` by IRI."""

    def __init__(self) -> None:
        self.first: dict[str, _Numbered] = {}
        self.last: dict[tuple[str, Node | None], _Numbered] = {}
        self.iris: dict[str, _Numbered] = {}

    def effective(self) -> Iterator[_Numbered]:
        last = {each[1][1]: each for each in sorted(self.last.values())}
        for prefix, first in self.first.items():
            was_bound, is_bound = first[1][0] == Op.PD, last[prefix][1][0] == Op.PA
            if was_bound and is_bound and _iri(first) == _iri(last[prefix]):
                continue
            if was_bound:
                yield first
            if is_bound:
                yield last[prefix]


def _iri(numbered: _Numbered) -> str | None:
    iri = numbered[1][2]
    return None if iri is None else str(iri)

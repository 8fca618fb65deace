"""Counts the operations of a stream by graph, by predicate and by transaction."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.operations import Op
from jelly_rdflib.terms import TripleTerm

DEFAULT_GRAPH = "default graph"
# Up to this number, each transaction has an entry; above it, neighbours share one.
MAX_SIZES = 1024
# The number and the bytes of graphs that are counted one by one, and likewise of predicates. The
# names after them are counted together.
MAX_NAMES = 100_000
MAX_NAME_BYTES = 12 << 20

_MARK = re.compile(b"[%c%c%c%c]" % (Op.TX, Op.TC, Op.TA, Op.END))


@dataclass
class Sizes:
    """The numbers of statements that transactions added and deleted, in order.

    ``added`` and ``deleted`` have an entry each for every ``step`` transactions; the last entry may
    stand for fewer. ``histogram`` has the number of transactions by their number of statements.
    """

    step: int = 1
    added: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    count: int = 0
    histogram: Counter[int] = field(default_factory=Counter)

    def append(self, added: int, deleted: int) -> None:
        """Add a transaction."""
        self.histogram[added + deleted] += 1
        if self.count % self.step == 0:
            if len(self.added) == MAX_SIZES:
                self.added, self.deleted = _pair_up(self.added), _pair_up(self.deleted)
                self.step *= 2
            self.added.append(0)
            self.deleted.append(0)
        self.added[-1] += added
        self.deleted[-1] += deleted
        self.count += 1

    @property
    def median(self) -> int:
        """The size that half of the transactions don't exceed; 0 without transactions."""
        seen = 0
        for size in sorted(self.histogram):
            seen += self.histogram[size]
            if 2 * seen >= self.count:
                return size
        return 0


def _pair_up(numbers: list[int]) -> list[int]:
    return [one + other for one, other in zip(numbers[::2], numbers[1::2], strict=True)]


class NameCounts:
    """The numbers of added and of deleted statements by name: exact for the names that come first.

    After `MAX_NAMES` or `MAX_NAME_BYTES` is reached, new names are counted together, as ``others``.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, list[int]] = {}
        self.others = [0, 0]
        self._bytes = 0

    @property
    def distinct(self) -> str:
        """The number of different names, in words."""
        if not any(self.others):
            return f"{len(self.numbers):,}"
        return f"more than {len(self.numbers):,}" if self.numbers else "at least 1"

    def count(self, name: str | None, op: int, count: int) -> None:
        """Count a name; None is a name that is too long to be stored."""
        numbers = self.others
        if name is not None:
            if name not in self.numbers and self._has_room(name):
                self.numbers[name] = [0, 0]
            numbers = self.numbers.get(name, self.others)
        numbers[op == Op.D] += count

    def _has_room(self, name: str) -> bool:
        # Refused names count too. So the others are the names that come last, even shorter ones.
        self._bytes += sys.getsizeof(name)
        return len(self.numbers) < MAX_NAMES and self._bytes <= MAX_NAME_BYTES

    def ranking(self) -> list[tuple[str, int, int]]:
        """Return names with their numbers; the largest sum comes first."""
        rows = [(name, added, deleted) for name, (added, deleted) in self.numbers.items()]
        return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))

    def as_dict(self, key: str) -> dict[str, Any]:
        """Return the names as rows of JSON, which have the name as ``key``."""
        fields = (key, "added", "deleted")
        rows = {f"{key}s": [dict(zip(fields, row, strict=True)) for row in self.ranking()]}
        if not any(self.others):
            return rows
        return {**rows, f"other_{key}s": dict(zip(fields[1:], self.others, strict=True))}


@dataclass
class Counts:
    """The counts of a stream.

    Graphs and predicates have the syntax of N-Triples. ``patches`` have at least one operation.
    Operations outside of a transaction count as one that is ``committed``.
    """

    operations: Counter[Op] = field(default_factory=Counter)
    graphs: NameCounts = field(default_factory=NameCounts)
    predicates: NameCounts = field(default_factory=NameCounts)
    patches: int = 0
    committed: int = 0
    aborted: int = 0
    sizes: Sizes = field(default_factory=Sizes)
    # The open transaction and patch.
    _added: int = 0
    _deleted: int = 0
    _is_explicit: bool = False
    _patch_is_empty: bool = True

    def add(self, batch: Batch) -> None:
        """Count the operations of a batch; memory is bounded by the batch and `MAX_NAMES`."""
        ops = bytes(batch.ops)
        for code, count in Counter(ops).items():
            self.operations[Op(code)] += count
        for counts, column in ((self.predicates, batch.p), (self.graphs, batch.g)):
            # Term numbers are counted first: a name is made only once for each number.
            for (code, term), count in Counter(zip(ops, column, strict=True)).items():
                if code in (Op.A, Op.D):
                    counts.count(_name(batch, term), code, count)
        start = 0
        for match in _MARK.finditer(ops):
            self._add_changes(ops, start, match.start())
            self._add_mark(ops[match.start()])
            start = match.end()
        self._add_changes(ops, start, len(ops))

    def _add_changes(self, ops: bytes, start: int, stop: int) -> None:
        self._added += ops.count(Op.A, start, stop)
        self._deleted += ops.count(Op.D, start, stop)
        self._patch_is_empty &= start == stop

    def _add_mark(self, code: int) -> None:
        is_implicit = not self._is_explicit and self._added + self._deleted > 0
        if code in (Op.TC, Op.TA) or is_implicit:
            self.sizes.append(self._added, self._deleted)
            self._added = self._deleted = 0
            if code == Op.TA:
                self.aborted += 1
            else:
                self.committed += 1
        self._is_explicit = code == Op.TX
        if code == Op.END:
            self.patches += not self._patch_is_empty
        self._patch_is_empty = code == Op.END

    def as_dict(self) -> dict[str, Any]:
        """Return all counts as values of JSON."""
        histogram = self.sizes.histogram
        return {
            "operations": {op.name: count for op, count in sorted(self.operations.items())},
            "patches": self.patches,
            "transactions": {
                "committed": self.committed,
                "aborted": self.aborted,
                "smallest": min(histogram, default=0),
                "median": self.sizes.median,
                "largest": max(histogram, default=0),
            },
            **self.graphs.as_dict("graph"),
            **self.predicates.as_dict("predicate"),
        }


def count_operations(batches: Iterable[Batch]) -> Counts:
    """Count the operations of a stream.

    A reader ends every patch with END, so no operation of changes is left in an open transaction.
    """
    counts = Counts()
    for batch in batches:
        counts.add(batch)
    return counts


def _name(batch: Batch, term: int) -> str | None:
    terms = batch.terms
    kind = terms.kinds[term]
    if kind in (TermKind.NONE, TermKind.DEFAULT_GRAPH):
        return DEFAULT_GRAPH
    if kind == TermKind.IRI:
        return f"<{terms.text_of(term)}>"
    node = terms[term]
    return None if _is_long(node) else str(node.n3())


def _is_long(node: Any) -> bool:
    """Return whether a term is too long for a name.

    A short quoted triple of the input may stand for a long text, as it can repeat long terms.
    """
    size = 0
    waiting = [node]
    while waiting and size <= MAX_NAME_BYTES:
        term = waiting.pop()
        if isinstance(term, TripleTerm):
            waiting += (term.s, term.p, term.o)
        else:
            size += len(term)
    return size > MAX_NAME_BYTES

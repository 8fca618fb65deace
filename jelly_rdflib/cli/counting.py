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
_CHANGES = (Op.A, Op.D)


@dataclass
class Sizes:
    """The numbers of statements that transactions added and deleted, in order.

    Attributes:
        step: The number of transactions of an entry; the last entry may have fewer.
        added, deleted: An entry each for every ``step`` transactions.
        count: The number of transactions.
        histogram: The number of transactions by their number of operations on statements.
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
                self.added = _pair_up(self.added)
                self.deleted = _pair_up(self.deleted)
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


class NameCounts(Counter[tuple[str, Op]]):
    """The number of occurrences by ``(name, op)``: exact for the names that come first.

    After `MAX_NAMES` or `MAX_NAME_BYTES` is reached, new names are counted together, as others.

    Attributes:
        others: The number of occurrences of other names, by op.
    """

    def __init__(self) -> None:
        super().__init__()
        self.others: Counter[Op] = Counter()
        self._names = 0
        self._bytes = 0
        self._is_full = False

    @property
    def distinct(self) -> str:
        """The number of different names, in words."""
        known = len({name for name, _ in self})
        if not self.others:
            return f"{known:,}"
        return f"more than {known:,}" if known else "at least 1"

    def count(self, name: str | None, op: Op, count: int) -> None:
        """Count a name; None is a name that is too long to be stored."""
        if name is not None and (self._has(name) or self._take(name)):
            self[name, op] += count
        else:
            self.others[op] += count

    def _has(self, name: str) -> bool:
        return (name, Op.A) in self or (name, Op.D) in self

    def _take(self, name: str) -> bool:
        self._names += 1
        self._bytes += sys.getsizeof(name)
        # Once full, it refuses even a shorter name: so the others are the names that come last.
        self._is_full |= self._names > MAX_NAMES or self._bytes > MAX_NAME_BYTES
        return not self._is_full


@dataclass
class Counts:
    """The counts of a stream.

    Attributes:
        operations: Operations by code.
        graphs, predicates: Added and deleted statements by graph and by predicate; terms have the
            syntax of N-Triples.
        patches: Patches with at least one operation.
        committed: Committed transactions; operations outside of a transaction count as one.
        aborted: Aborted transactions.
        sizes: The transactions in order.
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
                if code in _CHANGES:
                    counts.count(_name(batch, term), Op(code), count)
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
        if code in (Op.TC, Op.TA):
            self._end_transaction(is_committed=code == Op.TC)
        elif not self._is_explicit and self._added + self._deleted > 0:
            self._end_transaction(is_committed=True)
        self._is_explicit = code == Op.TX
        if code == Op.END:
            self.patches += not self._patch_is_empty
        self._patch_is_empty = code == Op.END

    def _end_transaction(self, *, is_committed: bool) -> None:
        self.sizes.append(self._added, self._deleted)
        self.committed += is_committed
        self.aborted += not is_committed
        self._added = self._deleted = 0

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
            **_as_rows(self.graphs, "graph"),
            **_as_rows(self.predicates, "predicate"),
        }


def _as_rows(counts: NameCounts, key: str) -> dict[str, Any]:
    rows = [
        {key: name, "added": added, "deleted": deleted} for name, added, deleted in rank(counts)
    ]
    if not counts.others:
        return {f"{key}s": rows}
    others = {"added": counts.others[Op.A], "deleted": counts.others[Op.D]}
    return {f"{key}s": rows, f"other_{key}s": others}


def rank(counts: Counter[tuple[str, Op]]) -> list[tuple[str, int, int]]:
    """Return names with their counts of adds and deletes; the largest sum comes first."""
    rows = [(name, counts[name, Op.A], counts[name, Op.D]) for name in {name for name, _ in counts}]
    return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))


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
        text = bytes(terms.data[terms.offsets[term] : terms.offsets[term + 1]])
        return f"<{text.decode('utf-8')}>"
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

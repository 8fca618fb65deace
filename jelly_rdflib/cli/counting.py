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
# Up to so many transactions are told one by one; of more, neighbours are taken together.
MAX_SIZES = 1024
# So many graphs are counted one by one, and so many predicates, and they take so many bytes. All
# that come after them are counted together.
MAX_NAMES = 100_000
MAX_NAME_BYTES = 12 << 20

_MARK = re.compile(b"[%c%c%c%c]" % (Op.TX, Op.TC, Op.TA, Op.END))
_CHANGES = (Op.A, Op.D)


@dataclass
class Sizes:
    """How many statements transactions added and deleted, in order.

    Attributes:
        step: How many transactions an entry has; the last may have fewer.
        added, deleted: An entry each for every ``step`` transactions.
        count: How many transactions there are.
        histogram: How many transactions have how many operations of statements.
    """

    step: int = 1
    added: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    count: int = 0
    histogram: Counter[int] = field(default_factory=Counter)

    def append(self, added: int, deleted: int) -> None:
        """Take a transaction in."""
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
        """The size that half of the transactions don't exceed; 0 if there is none."""
        seen = 0
        for size in sorted(self.histogram):
            seen += self.histogram[size]
            if 2 * seen >= self.count:
                return size
        return 0


def _pair_up(numbers: list[int]) -> list[int]:
    return [one + other for one, other in zip(numbers[::2], numbers[1::2], strict=True)]


class NameCounts(Counter[tuple[str, Op]]):
    """How often names are there, by ``(name, op)``: exact for those that come first.

    Once there are more names than are counted one by one, all that come for the first time after
    that are the others.

    Attributes:
        others: How often these are there, by op.
    """

    def __init__(self) -> None:
        super().__init__()
        self.others: Counter[Op] = Counter()
        self._names = 0
        self._bytes = 0
        self._is_full = False

    @property
    def distinct(self) -> str:
        """How many names there are, in words."""
        known = len({name for name, _ in self})
        if not self.others:
            return f"{known:,}"
        return f"more than {known:,}" if known else "at least 1"

    def count(self, name: str | None, op: Op, count: int) -> None:
        """Count a name; None is one that is too long to be kept."""
        if name is not None and (self._has(name) or self._take(name)):
            self[name, op] += count
        else:
            self.others[op] += count

    def _has(self, name: str) -> bool:
        return (name, Op.A) in self or (name, Op.D) in self

    def _take(self, name: str) -> bool:
        self._names += 1
        self._bytes += sys.getsizeof(name)
        # It stays full, though a shorter name may fit: so the others are those that come last.
        self._is_full |= self._names > MAX_NAMES or self._bytes > MAX_NAME_BYTES
        return not self._is_full


@dataclass
class Counts:
    """What a stream has.

    Attributes:
        operations: Operations by code.
        graphs, predicates: Added and deleted statements by graph and by predicate; terms are in the
            syntax of N-Triples.
        patches: Patches that have operations.
        committed: Transactions that were committed; operations outside of one are one too.
        aborted: Transactions that were aborted.
        sizes: The transactions in order.
    """

    operations: Counter[Op] = field(default_factory=Counter)
    graphs: NameCounts = field(default_factory=NameCounts)
    predicates: NameCounts = field(default_factory=NameCounts)
    patches: int = 0
    committed: int = 0
    aborted: int = 0
    sizes: Sizes = field(default_factory=Sizes)

    def as_dict(self) -> dict[str, Any]:
        """Return all counts as what JSON has."""
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
    """Return names with what was added and deleted; those with most first, and no others."""
    rows = [(name, counts[name, Op.A], counts[name, Op.D]) for name in {name for name, _ in counts}]
    return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))


def count_operations(batches: Iterable[Batch]) -> Counts:
    """Count what a stream has; memory is bounded by a batch and `MAX_NAMES`."""
    counter = _Counter()
    for batch in batches:
        counter.take(batch)
    return counter.finish()


class _Counter:
    """Counts batch by batch."""

    def __init__(self) -> None:
        self._counts = Counts()
        # Of the open transaction.
        self._added = 0
        self._deleted = 0
        self._is_explicit = False
        self._patch_is_empty = True

    def take(self, batch: Batch) -> None:
        ops = bytes(batch.ops)
        for code, count in Counter(ops).items():
            self._counts.operations[Op(code)] += count
        self._take_names(batch, ops)
        start = 0
        for match in _MARK.finditer(ops):
            self._take_changes(ops, start, match.start())
            self._take_mark(ops[match.start()])
            start = match.end()
        self._take_changes(ops, start, len(ops))

    def _take_names(self, batch: Batch, ops: bytes) -> None:
        # Numbers are counted, and made names only then.
        for counts, column in (
            (self._counts.predicates, batch.p),
            (self._counts.graphs, batch.g),
        ):
            for (code, term), count in Counter(zip(ops, column, strict=True)).items():
                if code in _CHANGES:
                    counts.count(_name(batch, term), Op(code), count)

    def _take_changes(self, ops: bytes, start: int, stop: int) -> None:
        self._added += ops.count(Op.A, start, stop)
        self._deleted += ops.count(Op.D, start, stop)
        self._patch_is_empty &= start == stop

    def _take_mark(self, code: int) -> None:
        if code != Op.END:
            self._patch_is_empty = False
        if code == Op.TX or code == Op.END:
            self._end_implicit()
            self._is_explicit = code == Op.TX
        else:
            self._end_transaction(is_committed=code == Op.TC)
            self._is_explicit = False
        if code == Op.END:
            self._counts.patches += not self._patch_is_empty
            self._patch_is_empty = True

    def _end_implicit(self) -> None:
        if not self._is_explicit and self._added + self._deleted > 0:
            self._end_transaction(is_committed=True)

    def _end_transaction(self, *, is_committed: bool) -> None:
        self._counts.sizes.append(self._added, self._deleted)
        self._counts.committed += is_committed
        self._counts.aborted += not is_committed
        self._added = self._deleted = 0

    def finish(self) -> Counts:
        # Readers of changes end each patch with a mark: what is left are statements.
        return self._counts


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
    """Would this be a long name? A quoted triple may have the same long terms over and over."""
    size = 0
    waiting = [node]
    while waiting and size <= MAX_NAME_BYTES:
        term = waiting.pop()
        if isinstance(term, TripleTerm):
            waiting += (term.s, term.p, term.o)
        else:
            size += len(term)
    return size > MAX_NAME_BYTES

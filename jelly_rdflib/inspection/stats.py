"""`stats` counts the operations of a stream by graph, by predicate and by transaction."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import Node

from jelly_rdflib.core.batch import Batch, Tabular, TermKind
from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.terms import spell
from jelly_rdflib.display.words import count
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.inspection.stats_tables import stats_parts
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.terms import TripleTerm
from jelly_rdflib.types import ChangeFormat, Readable, StatementFormat

DEFAULT_GRAPH = "default graph"
# Up to this number of transactions, each has its own entry; with more, neighbours share entries.
MAX_SIZES = 1024
# How many graph names have their own count, and how many bytes these names may have; the same for
# predicates. All later names share one count.
MAX_NAMES = 100_000
MAX_NAME_BYTES = 12 << 20
# The number of graphs, and of predicates, that a notebook shows.
_TOP = 10

_MARK = re.compile(b"[%c%c%c%c]" % (Op.TX, Op.TC, Op.TA, Op.END))


@dataclass(repr=False)
class TransactionSizes:
    """The numbers of statements that transactions added and deleted, in stream order.

    Args:
        step: How many transactions share an entry of ``added`` and of ``deleted``: 1 for up to 1024
            transactions; the last entry may cover fewer.
        added: The numbers of added statements, in stream order.
        deleted: The numbers of deleted statements, in stream order.
        count: The number of transactions.
        histogram: The number of transactions by their number of statements.

    Examples:
        >>> text = b"TX . A <urn:s> <urn:p> <urn:o> . TC . TX . TC ."
        >>> sizes = stats(text, format="rdf-patch").transactions
        >>> sizes
        <TransactionSizes: 2 transactions, of 0 to 1 statements>
        >>> sizes.added, sizes.median
        ([1, 0], 0)
    """

    step: int = 1
    added: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    count: int = 0
    histogram: Counter[int] = field(default_factory=Counter)

    def __repr__(self) -> str:
        if not self.count:
            return "<TransactionSizes: no transactions>"
        return (
            f"<TransactionSizes: {count(self.count, 'transaction')}, of {self.smallest:,} to"
            f" {self.largest:,} statements>"
        )

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
    def smallest(self) -> int:
        """The number of statements in the smallest transaction; 0 without transactions."""
        return min(self.histogram, default=0)

    @property
    def largest(self) -> int:
        """The number of statements in the largest transaction; 0 without transactions."""
        return max(self.histogram, default=0)

    @property
    def median(self) -> int:
        """The median number of statements in a transaction; 0 without transactions."""
        seen = 0
        for size in sorted(self.histogram):
            seen += self.histogram[size]
            if 2 * seen >= self.count:
                return size
        return 0


def _pair_up(numbers: list[int]) -> list[int]:
    return [one + other for one, other in zip(numbers[::2], numbers[1::2], strict=True)]


class NameCounts:
    """The numbers of added and deleted statements by the name of a graph or predicate.

    Names are in N-Triples. After 100,000 names, or 12 MiB of them, all new names share one count,
    ``others``.

    Attributes:
        numbers: The numbers of added and deleted statements of each name.
        others: The numbers of added and deleted statements of all other names together.

    Examples:
        >>> text = b"TX . A <urn:s> <urn:p> <urn:o> . D <urn:s> <urn:q> <urn:o> . TC ."
        >>> predicates = stats(text, format="rdf-patch").predicates
        >>> predicates.ranking()
        [('<urn:p>', 1, 0), ('<urn:q>', 0, 1)]
        >>> predicates.as_dict("predicate")["predicates"][0]
        {'predicate': '<urn:p>', 'added': 1, 'deleted': 0}
    """

    def __init__(self) -> None:
        self.numbers: dict[str, list[int]] = {}
        self.others = [0, 0]
        self._bytes = 0

    def __repr__(self) -> str:
        return f"<NameCounts: {self.distinct} names>"

    @property
    def distinct(self) -> str:
        """The number of distinct names, in words."""
        if not any(self.others):
            return f"{len(self.numbers):,}"
        return f"more than {len(self.numbers):,}" if self.numbers else "at least 1"

    def count(self, name: str | None, op: int, count: int) -> None:
        """Count statements with a name; None means a name that is too long to be stored."""
        numbers = self.others
        if name is not None:
            if name not in self.numbers and self._has_room(name):
                self.numbers[name] = [0, 0]
            numbers = self.numbers.get(name, self.others)
        numbers[op == Op.D] += count

    def _has_room(self, name: str) -> bool:
        # Count the bytes of refused names, too, so that no name is accepted after a refused one.
        self._bytes += sys.getsizeof(name)
        return len(self.numbers) < MAX_NAMES and self._bytes <= MAX_NAME_BYTES

    def ranking(self) -> list[tuple[str, int, int]]:
        """Return names with their numbers of adds and deletes, the largest sum first."""
        rows = [(name, added, deleted) for name, (added, deleted) in self.numbers.items()]
        return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))

    def as_dict(self, key: str) -> dict[str, Any]:
        """Return JSON values: a row for each name, with the name under ``key``."""
        fields = (key, "added", "deleted")
        rows = {f"{key}s": [dict(zip(fields, row, strict=True)) for row in self.ranking()]}
        if not any(self.others):
            return rows
        return {**rows, f"other_{key}s": dict(zip(fields[1:], self.others, strict=True))}


@dataclass(repr=False)
class StreamStats:
    """The counts that `stats` returns; a notebook shows them as tables.

    Operations outside of transactions count as a committed transaction.

    Args:
        operations: Operations by the name of their code: ``operations["A"]``. In Jelly-RDF and
            other formats for statements, a statement is an ``"A"``, a namespace a ``"PA"``.
        graphs: Added and deleted statements by graph.
        predicates: Added and deleted statements by predicate.
        patches: Patches with at least one operation.
        committed: Transactions that were committed.
        aborted: Transactions that were aborted.
        transactions: Sizes of all transactions, in order.

    Examples:
        >>> counts = stats(b"TX . A <urn:s> <urn:p> <urn:o> . TC . TX . TA .", format="rdf-patch")
        >>> counts.operations["A"], counts.committed, counts.aborted
        (1, 1, 1)
    """

    operations: Counter[str] = field(default_factory=Counter)
    graphs: NameCounts = field(default_factory=NameCounts)
    predicates: NameCounts = field(default_factory=NameCounts)
    patches: int = 0
    committed: int = 0
    aborted: int = 0
    transactions: TransactionSizes = field(default_factory=TransactionSizes)
    # The open transaction and patch.
    _added: int = 0
    _deleted: int = 0
    _is_explicit: bool = False
    _patch_is_empty: bool = True

    def __repr__(self) -> str:
        parts = [f"{self.added:,} added", f"{self.deleted:,} deleted"]
        if self.patches:
            parts += [
                count(self.patches, "patch", "patches"),
                count(self.transactions.count, "transaction"),
            ]
        return f"<StreamStats: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        return report_html(repr(self)[1:-1], stats_parts(self, _TOP))

    @property
    def added(self) -> int:
        """The number of added statements, whether or not their transaction is committed."""
        return self.operations["A"]

    @property
    def deleted(self) -> int:
        """The number of deleted statements, whether or not their transaction is committed."""
        return self.operations["D"]

    def add(self, batch: Batch) -> None:
        """Count the operations of a batch; memory is bounded by the batch and the names' limits."""
        self._add_rows(batch, slice(None))

    def _add_rows(self, batch: Batch, rows: slice) -> None:
        ops = bytes(batch.ops[rows])
        for counts, column in ((self.predicates, batch.p), (self.graphs, batch.g)):
            # Count by the numbers of terms first, so that the name of each term is made only once.
            for (code, term), number in Counter(zip(ops, column[rows], strict=True)).items():
                if code in (Op.A, Op.D):
                    counts.count(_name(batch, term), code, number)
        self._add_codes(ops)

    def _add_patch(self, patch: PatchOperations) -> None:
        """Count the operations of a patch, and its end."""
        if patch.slices is None:
            for operation in patch:
                if operation[0] == Op.A or operation[0] == Op.D:
                    self._add_names(*operation)
            self._add_codes(bytes(operation[0] for operation in patch))
        else:
            for part in patch.slices:
                self._add_rows(part.batch, slice(part.start, part.stop))
        if len(patch):
            self._add_codes(bytes([Op.END]))

    def _add_names(self, code: int, s: Node, p: Node, o: Node, g: Node | None) -> None:
        is_default = g is None or g == DATASET_DEFAULT_GRAPH_ID
        self.graphs.count(DEFAULT_GRAPH if is_default else _name_of(g), code, 1)
        self.predicates.count(_name_of(p), code, 1)

    def _add_codes(self, ops: bytes) -> None:
        for code, number in Counter(ops).items():
            self.operations[Op(code).name] += number
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

    def _forget_open(self) -> None:
        """Forget the open transaction and patch, which don't continue in the next input."""
        self._added = self._deleted = 0
        self._is_explicit = False
        self._patch_is_empty = True

    def _add_mark(self, code: int) -> None:
        is_implicit = not self._is_explicit and self._added + self._deleted > 0
        if code in (Op.TC, Op.TA) or is_implicit:
            self.transactions.append(self._added, self._deleted)
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
        """Return all counts as JSON values."""
        sizes = self.transactions
        names = (op.name for op in sorted(Op))
        return {
            "operations": {name: self.operations[name] for name in names if self.operations[name]},
            "patches": self.patches,
            "transactions": {
                "committed": self.committed,
                "aborted": self.aborted,
                "smallest": sizes.smallest,
                "median": sizes.median,
                "largest": sizes.largest,
            },
            **self.graphs.as_dict("graph"),
            **self.predicates.as_dict("predicate"),
        }


def stats(
    source: Readable | Graph | PatchOperations | Tabular,
    *,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
    isolated: bool = False,
) -> StreamStats:
    """Count the operations of a stream, patch or log by graph, by predicate and by transaction.

    Memory is bounded by the largest frame and the names. The first 100,000 graphs, or 12 MiB of
    their names, have their own counts, and all later graphs share one. The same holds for
    predicates.

    Args:
        source: A `Patch`, a `PatchLog`, a `Batch` or a reader; bytes, a path or a file of changes
            or statements; or a Graph or Dataset. The other arguments are only for encoded input.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_batches`.
        isolated: Whether to parse a text in a child process; see `jelly_rdflib.read_batches`.

    Raises:
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        OSError: The path can't be opened or read.
        ImportError: The format needs a package that is missing; the message names the extra.
        LookupError: The format is unknown.
        NotImplementedError: ``isolated`` is not possible here; see `jelly_rdflib.read_batches`.
        ValueError: An argument can't be combined with the others; see `jelly_rdflib.read_batches`.
            Or ``source`` is not encoded, but other arguments are given.
        LogError: The log is broken.

    See Also:
        - `inspect`: bytes, frames, rows and lookups.

    Examples:
        >>> text = b"TX . A <urn:s> <urn:p> <urn:o> . A <urn:s> <urn:q> <urn:o> . TC ."
        >>> counts = stats(text, format="rdf-patch")
        >>> counts
        <StreamStats: 2 added, 0 deleted, 1 patch, 1 transaction>
        >>> counts.predicates.ranking()
        [('<urn:p>', 1, 0), ('<urn:q>', 1, 0)]
        >>> counts.operations["A"], counts.transactions.largest
        (2, 2)

        A patch log:

        >>> import tempfile
        >>> from jelly_rdflib import PatchLog
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog.create(folder)
        ...     first, second = log.append(text, format="rdf-patch"), log.append([])
        ...     stats(log)
        <StreamStats: 2 added, 0 deleted, 2 patches, 1 transaction>
    """
    if isinstance(source, PatchOperations | Tabular):
        if limits is not None or format is not None or isolated:
            given = type(source).__name__
            raise ValueError(f"limits, format and isolated can't be used with a {given}")
        counts = StreamStats()
        if isinstance(source, PatchOperations):
            counts._add_patch(source)
        else:
            for part in source._slices():
                counts._add_rows(part.batch, slice(part.start, part.stop))
            counts._forget_open()
        return counts
    with closing(read_batches(source, limits=limits, format=format, isolated=isolated)) as batches:
        return count_operations(batches)


def count_operations(batches: Iterable[Batch], counts: StreamStats | None = None) -> StreamStats:
    """Count the operations of batches, and add them to other counts.

    A reader ends every patch with END, so at the end no changes are left in an open transaction.
    """
    counts = StreamStats() if counts is None else counts
    for batch in batches:
        counts.add(batch)
    counts._forget_open()
    return counts


def _name(batch: Batch, term: int) -> str | None:
    terms = batch.terms
    kind = terms.kinds[term]
    if kind in (TermKind.NONE, TermKind.DEFAULT_GRAPH):
        return DEFAULT_GRAPH
    # Most terms are IRIs: make no node for these.
    return f"<{terms.text_of(term)}>" if kind == TermKind.IRI else _name_of(terms[term])


def _name_of(node: Any) -> str | None:
    return None if _is_long(node) else spell(node)


def _is_long(node: Any) -> bool:
    """Return whether a term is too long for a name.

    A short quoted triple of the input may expand to a long string, as it can repeat long terms.
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

"""The versions of a history, as pieces of batches."""

from __future__ import annotations

import datetime
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.log import LogEntry
from jelly_rdflib.operations import Op
from jelly_rdflib.viewer.limits import check_size

_MARK = re.compile(b"[^%c%c]" % (Op.A, Op.D))
_ENDS = (Op.TX, Op.TC, Op.TA)


@dataclass
class Version:
    """The changes that make a version: a patch of a log, or a transaction of a file.

    ``pieces`` are the changes: a batch, the number of the first row, and of the row after the last.
    ``headers`` belong to the patch; like ``prefixes`` they are single rows of batches. Changes
    of aborted transactions are not included; ``left_out`` is their number. ``first`` is less than
    ``number`` for a patch that replaces several squashed ones.
    """

    number: int = 0
    first: int = 0
    time: datetime.datetime | None = None
    headers: list[tuple[Batch, int]] = field(default_factory=list)
    prefixes: list[tuple[Batch, int]] = field(default_factory=list)
    pieces: list[tuple[Batch, int, int]] = field(default_factory=list)
    left_out: int = 0

    @property
    def has_changes(self) -> bool:
        """Whether the version changes statements or prefixes, including changes left out."""
        return bool(self.pieces or self.prefixes or self.left_out)

    def take(self, batch: Batch, start: int, stop: int) -> None:
        """Add rows of changes."""
        if start < stop:
            self.pieces.append((batch, start, stop))

    def abort(self, prefixes: int, pieces: int) -> None:
        """Leave out all but the first prefixes and pieces, which came before the transaction."""
        self.left_out += sum(stop - start for _, start, stop in self.pieces[pieces:])
        del self.prefixes[prefixes:], self.pieces[pieces:]


def read_log(entries: Iterable[LogEntry]) -> Iterator[Version]:
    """Yield a version for each patch of a log."""
    for entry in entries:
        with closing(entry.batches()) as batches:
            for version in _split(batches, by_transaction=False):
                yield replace(version, number=entry.version, first=entry.first, time=entry.time)


def read_file(batches: Iterable[Batch], last: int | None = None) -> Iterator[Version]:
    """Yield a version for each transaction, and for the changes between two transactions.

    Versions are numbered from 1. A patch that has nothing but headers is a version, too. ``last``
    is the number of versions to yield, counted from the end; None for all.
    """
    versions = (
        replace(version, number=number, first=number)
        for number, version in enumerate(_split(batches, by_transaction=True), 1)
    )
    return versions if last is None else iter(deque(versions, maxlen=last))


def _split(batches: Iterable[Batch], *, by_transaction: bool) -> Iterator[Version]:
    """Split a stream into versions; a reader ends each patch with END."""
    version = Version()
    is_first = True  # whether this is the first version of its patch
    # The prefixes and pieces of the version before its open transaction.
    start = (0, 0)
    rows = 0
    for batch in batches:
        ops = bytes(batch.ops)
        place = begin = 0
        for match in _MARK.finditer(ops):
            row = match.start()
            version.take(batch, place, row)
            place = row + 1
            code = ops[row]
            if code == Op.H:
                version.headers.append((batch, row))
            elif code in (Op.PA, Op.PD):
                version.prefixes.append((batch, row))
            elif code == Op.TA:
                version.abort(*start)
            is_end = code == Op.END
            if is_end or (by_transaction and version.has_changes and code in _ENDS):
                if version.has_changes or not by_transaction or (is_first and version.headers):
                    yield version
                version = Version(headers=[] if is_end else version.headers)
                is_first = is_end
                rows, begin = 0, place
            if code == Op.TX:
                start = (len(version.prefixes), len(version.pieces))
        version.take(batch, place, len(ops))
        # Check the size now, since a version is kept in memory until its end.
        rows += len(ops) - begin
        check_size(rows, "changes and headers")

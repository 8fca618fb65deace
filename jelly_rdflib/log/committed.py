"""The changes that a segment's patch makes: those of its transactions that were committed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from jelly_rdflib.batches import read_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.log.entry import LogEntry, check_start
from jelly_rdflib.log.segment import FORMAT
from jelly_rdflib.operations import Op, Operation

__all__ = ["committed_operations"]

_MARKS = re.compile(b"[" + bytes([Op.TX, Op.TC, Op.TA]) + b"]")
# Changes that follow one another, or one mark.
_PARTS = re.compile(b"[" + bytes([Op.PA, Op.PD, Op.A, Op.D]) + b"]+|" + _MARKS.pattern)
# A segment that has no more is decoded once, not twice.
_FEW_BATCHES = 4


def committed_operations(
    entry: LogEntry, source: bytes | Path, *, normalize: bool | None = False
) -> Iterator[Operation]:
    """Iterate over the statements and prefixes that a patch adds and deletes.

    There are no marks of transactions among them: applied as they come, they are one. Since a patch
    says only at the end of a transaction that it was aborted, the segment is read twice.

    Args:
        entry: The patch.
        source: What `stored_source` returned for it.
        normalize: As for `jelly_rdflib.read_operations`.

    Raises:
        LogError: It has not the headers that go with its place.
        DecodeError, LimitError: The segment breaks a rule of the format.
    """
    batches = read_batches(source, limits=entry.limits, normalize=normalize, format=FORMAT)
    try:
        few = list(islice(batches, _FEW_BATCHES))
        check_start(entry, few[0])
        aborted = _aborted_transactions(chain(few, batches))
    finally:
        batches.close()
    if len(few) < _FEW_BATCHES:
        yield from _changes(few, aborted)
        return
    del few
    batches = read_batches(source, limits=entry.limits, normalize=normalize, format=FORMAT)
    try:
        yield from _changes(batches, aborted)
    finally:
        batches.close()


def _aborted_transactions(batches: Iterable[Batch]) -> set[int]:
    """Return the numbers of the transactions that were aborted, counted from 0."""
    aborted: set[int] = set()
    transaction = -1
    for batch in batches:
        for mark in _MARKS.findall(bytes(batch.ops)):
            if mark[0] == Op.TX:
                transaction += 1
            elif mark[0] == Op.TA:
                aborted.add(transaction)
    return aborted


def _changes(batches: Iterable[Batch], aborted: set[int]) -> Iterator[Operation]:
    transaction = -1
    is_skipping = False
    for batch in batches:
        for part in _PARTS.finditer(bytes(batch.ops)):
            mark = part[0][0]
            if mark == Op.TX:
                transaction += 1
                is_skipping = transaction in aborted
            elif mark in (Op.TC, Op.TA):
                is_skipping = False
            elif not is_skipping:
                yield from batch.operations(part.start(), part.end())

"""The changes that a segment's patch makes: those of its transactions that were committed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from jelly_rdflib.batches import read_batches
from jelly_rdflib.log.segment import FORMAT
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits

__all__ = ["committed_operations"]

_MARKS = re.compile(bytes([ord("["), Op.TX, Op.TC, Op.TA, ord("]")]))
# A row of changes, or one mark.
_PARTS = re.compile(
    b"[" + bytes([Op.PA, Op.PD, Op.A, Op.D]) + b"]+|[" + bytes([Op.TX, Op.TC, Op.TA]) + b"]"
)


def committed_operations(
    source: bytes | Path, *, limits: Limits, normalize: bool | None = False
) -> Iterator[Operation]:
    """Iterate over the statements and prefixes that a patch adds and deletes.

    There are no marks of transactions among them: applied as they come, they are one. Since a patch
    says only at the end of a transaction that it was aborted, the segment is read twice.

    Args:
        source: What a segment's `LogEntry.source` returned.
        limits: What to accept.
        normalize: As for `jelly_rdflib.read_operations`.
    """
    aborted = _aborted_transactions(source, limits)
    transaction = -1
    is_skipping = False
    batches = read_batches(source, limits=limits, normalize=normalize, format=FORMAT)
    try:
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
    finally:
        batches.close()


def _aborted_transactions(source: bytes | Path, limits: Limits) -> set[int]:
    """Return the numbers of the transactions that were aborted, counted from 0."""
    aborted: set[int] = set()
    transaction = -1
    for batch in read_batches(source, limits=limits, format=FORMAT):
        for mark in _MARKS.findall(bytes(batch.ops)):
            if mark[0] == Op.TX:
                transaction += 1
            elif mark[0] == Op.TA:
                aborted.add(transaction)
    return aborted

"""Selects the changes of a patch that are not in an aborted transaction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jelly_rdflib.core.batch import BatchSlice, check_closed, follow_transaction
from jelly_rdflib.operations import Op
from jelly_rdflib.patch.patch import Patch

_MARKS = (Op.TX, Op.TC, Op.TA)
# Matches consecutive changes, or one start or end of a transaction.
_PARTS = re.compile(b"[%b]+|[%b]" % (bytes([Op.PA, Op.PD, Op.A, Op.D]), bytes(_MARKS)))
_NO_MARKS = bytes(set(range(256)).difference(_MARKS))


def marks_of(codes: bytes) -> bytes:
    """Return only the codes that start, commit or abort a transaction."""
    return codes.translate(None, _NO_MARKS)


def committed_changes(slices: Iterable[BatchSlice], marks: bytes) -> Iterator[BatchSlice]:
    """Yield the changes of a patch that are not in an aborted transaction.

    Only the end of a transaction shows whether it is aborted, so ``marks`` must be the result of
    `marks_of` for the whole patch.

    Raises:
        ApplyError: A transaction starts or ends in the wrong place.
    """
    is_open = False
    for mark in marks:
        is_open = follow_transaction(mark, is_open)
    check_closed(is_open, "the patch ends")
    # Every second mark is the TC or TA of a TX.
    ends = iter(marks[1::2])
    is_aborted = False
    for each in slices:
        for part in _PARTS.finditer(bytes(each.batch.ops), each.start, each.stop):
            mark = part[0][0]
            if mark == Op.TX:
                is_aborted = next(ends) == Op.TA
            elif mark in _MARKS:
                is_aborted = False
            elif not is_aborted:
                yield BatchSlice(each.batch, part.start(), part.end())


def committed(patch: Patch) -> Patch:
    """Return the changes of a patch that are not in an aborted transaction, without transactions.

    The result can be applied as one transaction: wholly or not at all, whatever transactions the
    patch has.

    Raises:
        ApplyError: A transaction starts or ends in the wrong place.

    Examples:
        >>> from rdflib import URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> patch = Patch([(Op.TX,), (Op.A, s, p, s, None), (Op.TC,), (Op.TX,), (Op.TA,)])
        >>> [Op(operation[0]).name for operation in committed(patch)]
        ['A']
    """
    slices = list(patch._slices())
    marks = marks_of(b"".join(bytes(each.batch.ops)[each.start : each.stop] for each in slices))
    return Patch.of_slices(list(committed_changes(slices, marks)))

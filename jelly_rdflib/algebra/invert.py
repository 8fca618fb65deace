"""`invert` makes the inverse of a patch, which undoes it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import nullcontext
from itertools import compress
from typing import Any

from rdflib.term import Node

from jelly_rdflib.algebra.sources import cut_rows, is_held, open_checked, open_rows
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import (
    Batch,
    BatchSlice,
    BatchSource,
    GeneratedBatches,
    OperationReader,
    check_closed,
    follow_transaction,
)
from jelly_rdflib.errors import PatchError
from jelly_rdflib.headers import ID, PREV, header_key
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import closing_reader
from jelly_rdflib.types import ChangeFormat, Readable

# The maximum number of headers in a batch.
_MAX_HEADERS = 1000
# Ends of patches; in reverse order TA is the start, and TC the end, of an aborted transaction.
_ENDS = bytes(code in (Op.END, Op.TA, Op.TC) for code in range(256))
_NO_STATEMENT = bytes(code not in (Op.A, Op.D) for code in range(256))


def invert(
    source: Readable | Iterable[Operation],
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> OperationReader:
    """Iterate over the operations of the inverse: the patch that undoes a patch.

    Applied after the patch, the inverse restores the dataset if each operation of the patch has
    changed something in it, as in the patches of `effective`, `diff` and `record`. Otherwise it may
    do too much: it also deletes a statement that the dataset had already when the patch added it.

    Adds become deletes and deletes become adds, in reverse order. Transactions stay, in reverse
    order; aborted ones have no effect and are left out. Several patches are each inverted, the
    last one first.

    The inverse is a new patch, so it has no ``id``. It follows the patch that it undoes, so its
    ``prev`` is the ``id`` of that patch; other headers are left out.

    The whole patch is read before the first operation is returned. If its rows take more than
    4 MiB, it is kept in a temporary file, so that it may be larger than memory.

    Args:
        source: Bytes, a path, a binary file, or operations; see `jelly_rdflib.apply`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        normalize: Whether literals get the normal form of their value; see `jelly_rdflib.apply`.
        format: The name of the format, an extension or a media type; see `jelly_rdflib.apply`.

    Returns:
        A reader of operations. The source is read when the first operation is requested.

    Raises:
        PatchError: A prefix is deleted without its IRI. (Raised by the iterator, like those below.)
        ApplyError: An item is not an operation, or a transaction starts or ends in the wrong place.
        EncodeError: An operation has a term of an unknown class.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.apply`.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `Patch.invert`: undo a patch in memory.
        - `effective`: make a patch that can be undone.
        - `PatchLog.checkout`: go back in a log.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> patch: list[Operation] = [
        ...     (Op.H, "id", URIRef("urn:uuid:1")),
        ...     (Op.D, s, p, Literal("old"), None),
        ...     (Op.A, s, p, Literal("new"), None),
        ... ]
        >>> for operation in invert(patch):
        ...     print(operation[0].name, *operation[1:4])
        H prev urn:uuid:1
        D urn:s urn:p new
        A urn:s urn:p old
    """
    opened = open_checked(source, limits=limits, normalize=normalize, format=format)
    return OperationReader(GeneratedBatches(_invert(source, opened)))


def _invert(source: Any, opened: BatchSource | None) -> Generator[Batch, None, None]:
    # The batches of a source in memory need no file.
    room: Any = nullcontext([]) if is_held(source) else Spool()
    with closing_reader(opened), room as batches, Spool() as spooled:
        has_id = _keep(open_rows(source, opened), batches, spooled)
        headers = _one_by_one(spooled)
        is_started, is_ended, is_aborted = has_id[-1], False, False
        if has_id.pop():
            yield next(headers)
        for batch in reversed(batches):
            codes = bytes(batch.ops)
            kept = bytearray(b"\1" * len(codes))
            start = aborted = 0
            for row in compress(range(len(codes)), codes.translate(_ENDS)):
                if codes[row] == Op.TA:
                    is_aborted, aborted = True, row
                elif codes[row] == Op.TC:
                    if is_aborted:
                        kept[aborted : row + 1] = bytes(row + 1 - aborted)
                    is_aborted = False
                else:
                    if not is_started and 1 not in kept[:row]:
                        # Leave out the patch's END here, and write it at the end of the inverse.
                        is_ended = True
                        kept[row] = 0
                    is_started = True
                    if has_id.pop():
                        yield cut_rows(batch, start, row + 1, kept)
                        yield next(headers)
                        start = row + 1
            if is_aborted:
                kept[aborted:] = bytes(len(kept) - aborted)
            is_started = is_started or 1 in kept
            yield cut_rows(batch, start, len(codes), kept)
        if is_ended:
            yield from NodeBatches(NODE_TYPES, [(Op.END,)])


def _keep(parts: Iterator[BatchSlice], batches: Any, headers: Spool) -> list[bool]:
    """Keep the inverse of each part, and a header ``prev`` for each patch with an id.

    Return for each patch whether it has an id; the last entry is for rows after the last `Op.END`.
    """
    is_open = False
    has_id = []
    id: Node | None = None
    found: list[Operation] = []

    def end_patch() -> None:
        has_id.append(id is not None)
        if id is not None:
            found.append((Op.H, PREV, id))
        if len(found) == _MAX_HEADERS:
            headers.extend(NodeBatches(NODE_TYPES, found))
            found.clear()

    for part in parts:
        batch = part.batch
        codes = bytes(batch.ops[part.start : part.stop])
        for row in compress(range(part.start, part.stop), codes.translate(_NO_STATEMENT)):
            op = batch.ops[row]
            is_open = follow_transaction(op, is_open)
            if op == Op.H:
                if header_key(batch.terms.text_of(batch.s[row])) == ID:
                    ((_, _, id),) = BatchSlice(batch, row, row + 1).headers()
            elif op == Op.PD and batch.o[row] == 0:
                raise PatchError(
                    f"the prefix {batch.terms.text_of(batch.s[row])!r} is deleted without the IRI"
                    " that it had, so it can't be bound again: effective(dataset) finds the IRI"
                )
            elif op == Op.END:
                end_patch()
                id = None
        batches.extend([part.inverse()])
    check_closed(is_open)
    end_patch()
    headers.extend(NodeBatches(NODE_TYPES, found))
    return has_id


def _one_by_one(spooled: Spool) -> Iterator[Batch]:
    """Yield each row of some batches as a batch of its own, the last row first."""
    for batch in reversed(spooled):
        # Make all nodes now, once: otherwise each row would make all of them again.
        batch.terms[0]
        for row in reversed(range(len(batch))):
            yield BatchSlice(batch, row, row + 1).as_batch()

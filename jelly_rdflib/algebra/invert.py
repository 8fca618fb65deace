"""`invert` makes the inverse of a patch, which undoes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rdflib.term import Node

from jelly_rdflib.algebra.sources import closing_reader, open_operations
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import check_closed, follow_transaction
from jelly_rdflib.errors import PatchError
from jelly_rdflib.headers import ID, PREV, header_key
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.types import ChangeFormat, Readable

# A list by code, not a dict: the hash of an Op is slow Python code.
_INVERSE: list[Op | None] = [None] * (max(Op) + 1)
for _op, _inverse in ((Op.A, Op.D), (Op.PA, Op.PD), (Op.TX, Op.TC)):
    _INVERSE[_op], _INVERSE[_inverse] = _inverse, _op


def invert(
    source: Readable | Iterable[Operation],
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> Iterator[Operation]:
    """Iterate over the operations of the inverse: the patch that undoes a patch.

    Applied after the patch, it restores the dataset if the patch was effective there: if each
    operation changed something, as in the patches of `effective`, `diff` and `record`. Otherwise
    the inverse deletes a statement that was there before and was added again.

    Adds become deletes and deletes adds, in reverse order. Transactions stay, in reverse order;
    aborted ones, which have no effect, are left out. Each of several patches becomes its inverse,
    the last one first.

    The inverse is a new patch: it has no ``id``. It follows the patch that it undoes, so that
    patch's ``id`` is its ``prev``; other headers are left out.

    The whole patch is read before the first operation comes. All but some thousand operations of a
    long patch are kept in a temporary file, so that it may be larger than memory.

    Args:
        source: Bytes, a path, a binary file, or operations; see `jelly_rdflib.apply`.
        limits: What to accept; by default the defaults of `jelly_rdflib.Limits`.
        normalize: Whether literals get the normal form of their value; see `jelly_rdflib.apply`.
        format: The name of the format, an extension or a media type; see `jelly_rdflib.apply`.

    Returns:
        An iterator of operations. Reading starts with its first operation.

    Raises:
        PatchError: A prefix is deleted without its IRI. (Raised by the iterator, like those below.)
        ApplyError: Something is no operation, or transactions start and end where they must not.
        EncodeError: An operation of a long patch can't be kept, having a term of an unknown class.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input asks for more than ``limits``.
        TypeError: ``source`` is of another kind.
        ValueError: An argument does not go with the others; see `jelly_rdflib.apply`.
        LookupError: There is no such format.
        OSError: The path can't be opened or read.

    See Also:
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
    return _invert(open_operations(source, limits=limits, normalize=normalize, format=format))


def _invert(operations: Iterator[Operation]) -> Iterator[Operation]:
    with closing_reader(operations), Spool() as spool:
        _keep(operations, spool)
        is_first, is_ended, is_aborted = True, False, False
        for operation in reversed(spool):
            op = operation[0]
            inverse = _INVERSE[op]
            if is_aborted:
                is_aborted = op != Op.TX
            elif inverse is not None:
                is_first = False
                inverted: tuple[Any, ...] = (inverse, *operation[1:])
                yield inverted
            elif op == Op.TA:
                is_aborted = True
            elif op == Op.END and is_first:
                # The last END of the patch becomes the last END of the inverse.
                is_ended = True
                is_first = False
            else:
                is_first = False
                yield operation
        if is_ended:
            yield (Op.END,)


def _keep(operations: Iterator[Operation], spool: Spool) -> None:
    """Spool all but headers, and after each patch the header of its inverse."""
    is_open = False
    id: Node | None = None
    for operation in operations:
        op = operation[0]
        if op is Op.A or op is Op.D:
            spool.append(operation)
            continue
        is_open = follow_transaction(op, is_open)
        if operation[0] == Op.H:
            id = operation[2] if header_key(operation[1]) == ID else id
            continue
        if operation[0] == Op.PD and operation[2] is None:
            raise PatchError(
                f"the prefix {operation[1]!r} is deleted without the IRI that it had, so it can't "
                f"be bound again: effective(dataset) finds the IRI"
            )
        if op == Op.END and id is not None:
            spool.append((Op.H, PREV, id))
            id = None
        spool.append(operation)
    check_closed(is_open)
    if id is not None:
        spool.append((Op.H, PREV, id))

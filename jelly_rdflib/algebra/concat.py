"""`concat` joins several patches into one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from jelly_rdflib.algebra.headers import HeaderRoom, JoinedHeaders
from jelly_rdflib.algebra.rereadable import RereadableSource
from jelly_rdflib.graph.stores.statements import check_reading
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.transactions import check_closed, follow_transaction


def concat(
    *sources: Any,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
) -> Iterator[Operation]:
    """Iterate over the operations of one patch with the effect of several, one after the other.

    Transactions stay as they are; consecutive operations outside of transactions make one
    transaction. The patch has the ``prev`` of the first one and the ``id`` of the last one. All
    other headers are kept, equal ones once. An empty patch is ignored.

    Sources may be larger than memory. Since headers come first, each source is read twice: a source
    that can be read only once, an iterator or a pipe, is kept meanwhile, all but some thousand
    operations in a temporary file. Headers are kept in memory, up to ``max_text_size`` bytes of it,
    which is some 20,000 short ones. The headers of lists and patches, which are in memory anyway,
    are not counted, nor those that are left out.

    Args:
        sources: Sources as for `jelly_rdflib.apply`: bytes, a path, a binary file, or operations,
            such as a `Patch`; each may hold several patches.
        limits: As for `jelly_rdflib.apply`, for all sources that are read.
        normalize: As for `jelly_rdflib.apply`, for all sources that are read.
        format: As for `jelly_rdflib.apply`, for all sources that are read.

    Returns:
        An iterator of operations, without an `Op.END`. Reading starts with its first operation.

    Raises:
        PatchError: The ``prev`` of a patch is not the ``id`` of the patch before it. (Raised by the
            iterator, like those below.)
        ApplyError: Something is no operation, or transactions start and end where they must not.
        EncodeError: An operation of an iterator can't be kept, having a term of an unknown class.
        DecodeError, LimitError, TypeError, ValueError, LookupError, OSError: As by
            `jelly_rdflib.apply`.

    Examples:
        >>> from jelly_rdflib import Patch
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> first = Patch([(Op.H, "id", URIRef("urn:1")), (Op.A, s, p, Literal(1), None)])
        >>> second = Patch(
        ...     [
        ...         (Op.H, "id", URIRef("urn:2")),
        ...         (Op.H, "prev", URIRef("urn:1")),
        ...         (Op.D, s, p, Literal(1), None),
        ...     ]
        ... )
        >>> for operation in concat(first, second):
        ...     print(operation[0].name, *operation[1:4])
        H id urn:2
        A urn:s urn:p 1
        D urn:s urn:p 1
    """
    if not any(map(is_readable, sources)):
        check_reading(limits, normalize, format)
    rereadable = [
        RereadableSource(source, limits=limits, normalize=normalize, format=format)
        for source in sources
    ]
    return _concat(rereadable, limits or Limits())


def _concat(sources: list[RereadableSource], limits: Limits) -> Iterator[Operation]:
    with ExitStack() as stack:
        headers = JoinedHeaders()
        room = HeaderRoom(limits)
        for source in sources:
            stack.enter_context(source.spool)
            _join(headers, source, room)
        yield from headers.operations()
        for source in sources:
            is_open = False
            for operation in source.operations():
                is_open = follow_transaction(operation[0], is_open)
                if operation[0] not in (Op.H, Op.END):
                    yield operation
            check_closed(is_open)


def _join(headers: JoinedHeaders, source: RereadableSource, room: HeaderRoom) -> None:
    is_empty = True
    for operation in source.skim():
        if operation[0] == Op.H:
            _, key, value = operation
            size = 0
            if not source.is_held:
                size = room.take(key, value, place_error=source.place_error)
            headers.add(key, value, room=size)
        if operation[0] != Op.END:
            is_empty = False
        elif not is_empty:
            room.give_back(headers.end_patch())
            is_empty = True
    if not is_empty:
        room.give_back(headers.end_patch())

"""Several patches as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from jelly_rdflib.algebra.header_room import HeaderRoom
from jelly_rdflib.algebra.headers import JoinedHeaders
from jelly_rdflib.algebra.replay import Replay
from jelly_rdflib.algebra.sources import check_reading
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
    """Iterate over the operations of one patch that does what several do, one after the other.

    Transactions stay as they are; operations outside of them, that come one after the other, make
    one transaction. The patch comes after what the first one comes after (``prev``) and is what the
    last one is (``id``). Other headers are all kept, those that are said again once. A patch that
    is empty counts as none.

    Sources may be larger than memory. Since headers come first, each source is gone through twice:
    what can be read only once, an iterator or a pipe, is kept meanwhile, all but some thousand
    operations in a temporary file. Headers are kept in memory, up to ``max_text_size`` bytes of it,
    which is some 20,000 short ones; those of lists and patches are not counted, being there anyway,
    nor those that are left out.

    Args:
        sources: Each is what `jelly_rdflib.apply` takes: bytes, a path, a binary file, or
            operations, such as a `Patch`; each may hold several patches.
        limits: As for `jelly_rdflib.apply`, for all sources that are read.
        normalize: As for `jelly_rdflib.apply`, for all sources that are read.
        format: As for `jelly_rdflib.apply`, for all sources that are read.

    Returns:
        An iterator of operations, without an `Op.END`. Nothing is read before the first one is
        asked for.

    Raises:
        PatchError: A patch says that it comes after another than the one before it. (Raised by the
            iterator, as those below.)
        ApplyError: Something is no operation, or transactions start and end where they must not.
        EncodeError: An operation of an iterator can't be kept, having a term of no known class.
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
    replays = [
        Replay(source, limits=limits, normalize=normalize, format=format) for source in sources
    ]
    return _concat(replays, limits or Limits())


def _concat(replays: list[Replay], limits: Limits) -> Iterator[Operation]:
    with ExitStack() as stack:
        headers = JoinedHeaders()
        room = HeaderRoom(limits)
        for replay in replays:
            stack.enter_context(replay)
            _join(headers, replay, room)
        yield from headers.operations()
        for replay in replays:
            is_open = False
            for operation in replay.operations():
                is_open = follow_transaction(operation[0], is_open)
                if operation[0] not in (Op.H, Op.END):
                    yield operation
            check_closed(is_open)


def _join(headers: JoinedHeaders, replay: Replay, room: HeaderRoom) -> None:
    is_empty = True
    for operation in replay.skim():
        if operation[0] == Op.H:
            _, key, value = operation
            size = 0
            if not replay.is_held:
                size = room.take(key, value, place_error=replay.place_error)
            headers.add(key, value, room=size)
        if operation[0] != Op.END:
            is_empty = False
        elif not is_empty:
            room.give_back(headers.end_patch())
            is_empty = True
    if not is_empty:
        room.give_back(headers.end_patch())

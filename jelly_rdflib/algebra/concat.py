"""`concat` joins several patches into one."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from jelly_rdflib.algebra.headers import HeaderRoom, JoinedHeaders
from jelly_rdflib.algebra.sources import (
    is_held,
    open_checked,
    open_rows,
    settings_for,
)
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import (
    Batch,
    BatchSlice,
    GeneratedBatches,
    OperationReader,
    check_closed,
    follow_transaction,
)
from jelly_rdflib.graph.stores.statements import check_source
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.streams.open_input import closing_reader
from jelly_rdflib.streams.sources import OpenedElsewhere, is_rereadable
from jelly_rdflib.types import ChangeFormat, Readable

_MARKS = re.compile(b"[%b]" % bytes([Op.TX, Op.TC, Op.TA, Op.END]))
# Matches a header, the end of a patch, or consecutive other operations.
_PIECES = re.compile(b"[%b]|[^%b]+" % ((bytes([Op.H, Op.END]),) * 2))
# Sets the codes of headers and of ends of patches to 0, so that these rows are left out.
_STAYS = bytes.maketrans(bytes([Op.H, Op.END]), bytes(2))


def concat(
    *sources: Readable | Iterable[Operation],
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> OperationReader:
    """Iterate over the operations of one patch that has the effect of several patches in turn.

    Transactions stay as they are; consecutive operations outside of transactions form one
    transaction. The patch has the ``prev`` of the first patch and the ``id`` of the last one. All
    other headers are kept, without duplicates. An empty patch is ignored.

    Sources may be larger than memory. Since headers come first, each source is read twice. A source
    that can be read only once, such as an iterator or a pipe, is kept for the second reading, in a
    temporary file if its rows take more than 4 MiB. Kept headers may take ``max_text_size`` bytes
    of memory, enough for some 20,000 short ones. The headers of lists and patches are in memory
    anyway and don't count.

    Args:
        sources: Bytes, paths, binary files, or operations, such as a `Patch`; see
            `jelly_rdflib.apply`. Each may hold several patches.
        limits: Limits on sources that are read; by default those of
            `jelly_rdflib.Limits`.
        normalize: Whether literals of sources that are read get the normal form of their value;
            see `jelly_rdflib.apply`.
        format: The name, extension or media type of the format of all sources that are read; see
            `jelly_rdflib.apply`.

    Returns:
        A reader of operations, without an `Op.END`. The sources are read when the first operation
        is requested.

    Raises:
        PatchError: The ``prev`` of a patch is not the ``id`` of the patch before it. (Raised by the
            iterator, like those below.)
        ApplyError: An item is not an operation, or a transaction starts or ends in the wrong place.
        EncodeError: An operation has a term of an unknown class.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.apply`.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `compact`: one patch with each statement once.

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
    settings = settings_for(*sources, limits=limits, normalize=normalize, format=format)
    opened = list(map(_Source, sources, settings))
    return OperationReader(GeneratedBatches(_concat(opened, as_limits(limits))))


def _concat(sources: list[_Source], limits: Limits) -> Generator[Batch, None, None]:
    with ExitStack() as stack:
        headers = JoinedHeaders()
        room = HeaderRoom(limits)
        for source in sources:
            stack.enter_context(source.spool)
            source.join_headers(headers, room)
        yield from NodeBatches(NODE_TYPES, headers.operations())
        for source in sources:
            is_open = False
            for part in source.rows():
                codes = _codes(part)
                for mark in _MARKS.findall(codes):
                    is_open = follow_transaction(mark[0], is_open)
                yield part.as_batch(codes.translate(_STAYS))
            check_closed(is_open)


class _Source:
    """A source that is read twice: for its headers, then for all operations.

    Bytes, paths, seekable files and collections are read again. Any other source is copied to
    ``spool``, which the caller closes. ``reading`` has the settings for an encoded source.
    """

    def __init__(self, source: Any, reading: dict[str, Any]) -> None:
        if not reading:
            check_source(source)
        self._source, self._reading = source, reading
        self.spool = Spool()
        # The start of a seekable file.
        self._position: int | None = None
        self._is_spooled = False

    def join_headers(self, headers: JoinedHeaders, room: HeaderRoom) -> None:
        """Add the headers of each patch; reserve memory for those not yet in memory."""
        is_empty = True
        self._is_spooled = not is_held(self._source) and not self._is_seekable()
        with closing_reader(opened := open_checked(self._source, **self._reading)):
            for part in open_rows(self._source, opened):
                if self._is_spooled:
                    self.spool.extend([part.as_batch()])
                found = iter(part.headers())
                for piece in _PIECES.findall(_codes(part)):
                    if piece[0] == Op.H:
                        _, key, value = next(found)
                        size = 0 if is_held(self._source) else room.reserve(key, value)
                        headers.add(key, value, room=size)
                    if piece[0] != Op.END:
                        is_empty = False
                    elif not is_empty:
                        room.give_back(headers.end_patch())
                        is_empty = True
            if not is_empty:
                room.give_back(headers.end_patch())

    def rows(self) -> Iterator[BatchSlice]:
        """Iterate over all operations, after `join_headers`."""
        if self._is_spooled:
            for batch in self.spool:
                yield BatchSlice(batch, 0, len(batch))
            return
        if self._position is not None:
            self._source.seek(self._position)
        with closing_reader(opened := open_checked(self._source, **self._reading)):
            yield from open_rows(self._source, opened)

    def _is_seekable(self) -> bool:
        """Return whether the source can be read again; remember the position of a file."""
        if isinstance(self._source, OpenedElsewhere):
            return self._source.can_reopen
        if is_rereadable(self._source):
            return True
        if not getattr(self._source, "seekable", bool)():
            return False
        self._position = cast("BinaryIO", self._source).tell()
        return True


def _codes(part: BatchSlice) -> bytes:
    return bytes(part.batch.ops[part.start : part.stop])

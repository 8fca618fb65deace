"""What pyoxigraph's parsers read from: the bytes of a source, watched on their way."""

from __future__ import annotations

import copy

from jelly_rdflib.core.input_start import BYTE_ORDER_MARK
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.core.nesting import NestingWatch
from jelly_rdflib.core.quad_reader import QuadCount
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.turtle_nesting import TurtleNesting
from jelly_rdflib.core.xml_nesting import XmlNesting
from jelly_rdflib.encodings.syntaxes.contexts import measure_context
from jelly_rdflib.encodings.syntaxes.syntax import Syntax
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import Limits

__all__ = ["WatchedInput"]

# A parser asks for a few KiB at a time; a source is asked for more.
_PIECE = 1 << 16
# A parser starts anew with a token that is not whole whenever it gets more. Of those that have some
# bytes already it gets no less than a quarter more, or their end: small pieces would take time that
# grows with the square of a token's size.
_LONG_TOKEN = 1 << 10
_MORE_OF_TOKEN = 4
# How deep a text may nest: the half MiB that a thread's stack may have is enough for it.
_MAX_LEVELS = 1000
_MAX_JSON_LEVELS = 128
# How many times `max_text_size` parsers may hold. Of quoted triples there will be a few copies, so
# it is once; of an object of JSON-LD all statements are made at once.
_HELD_BY_XML = 4
_HELD_BY_JSON = 10


class WatchedInput:
    """A file for a parser, that lets through no more than the limits allow.

    pyoxigraph has no limits of its own for what it holds of a text until it can make a statement of
    it, and a text that nests deep enough would be the end of the process.

    Args:
        source: An open source.
        syntax: What it has.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` is for how many bytes there may be
            between two statements.
        count: What the parser has made of it, and is told how much it was given.
        base: What the parser takes for the base.
        is_lenient: Whether it leaves IRIs as they are.

    Attributes:
        position: How many bytes the parser was given.
    """

    def __init__(
        self,
        source: memoryview | ByteSource,
        syntax: Syntax,
        limits: Limits,
        count: QuadCount,
        *,
        base: str | None = None,
        is_lenient: bool = False,
    ) -> None:
        self._source = source
        self._count = count
        self._max_size = limits.max_frame_size
        self._watch = _make_watch(syntax, limits, base or "", is_lenient)
        # What is wrong behind what the parser was given, without a traceback until it is raised:
        # its frames refer to the parser, and the parser, where Python's collector does not see it,
        # to this object. All of it would stay forever if nobody reads as far as the error.
        self._error: DecodeError | None = None
        self._piece: memoryview = memoryview(b"")
        self._is_at_end = False
        self._made = 0
        # Of the bytes that the parser was given since it made the last statement.
        self._size = 0
        self.position = 0
        self._has_lines = syntax.format in ("N_TRIPLES", "N_QUADS")

    def read(self, size: int) -> bytes:
        """Return at most so many bytes, or none at the end.

        Raises:
            DecodeError: What comes next is not given to a parser.
            LimitError: There are more of them, or they nest deeper, than the limits allow.
        """
        if self._error is not None:
            raise self._error
        if self.position == 0:
            self._skip_byte_order_mark()
        before = self._watch.token_size
        data = self._take(size)
        if before >= _LONG_TOKEN:
            data = self._take_more(data, before, min(size, before // _MORE_OF_TOKEN))
        if not data and self._error is not None:
            raise self._error
        return data

    def _take(self, size: int) -> bytes:
        """Return at most so many bytes, or none at the end or before what is wrong."""
        if not self._piece:
            self._piece = self._read_pieces(size)
        data = bytes(self._piece[:size])
        self._piece = self._piece[size:]
        try:
            self._watch.look(data)
        except DecodeError as error:
            # What comes before it is read.
            self._error = copy.copy(error)
            data = data[: max((error.offset or 0) - self.position, 0)]
        self.position += len(data)
        self._count.read = self.position
        self._check_size(len(data))
        return data

    def _take_more(self, data: bytes, before: int, size: int) -> bytes:
        """Return about so many bytes of a token, or less if it ends: no statement ends before."""
        parts = [data]
        total = len(data)
        while (
            data
            and total < size
            and self._error is None
            and self._watch.token_size == before + total
        ):
            data = self._take(size - total)
            parts.append(data)
            total += len(data)
        return b"".join(parts)

    def _read_pieces(self, size: int) -> memoryview:
        """Return as much as a parser asks for, unless more may be a while away.

        Of a token that is not whole it asks for twice as much each time, and starts anew with it:
        small pieces would take time that grows with the square of its size.
        """
        piece = self._read_piece()
        size = min(size, self._max_size - self._size)
        if len(piece) < _PIECE or size <= _PIECE:
            return piece
        pieces = [piece]
        total = len(piece)
        while total < size and len(piece) >= _PIECE:
            piece = self._read_piece()
            pieces.append(piece)
            total += len(piece)
        return memoryview(b"".join(pieces))

    def _read_piece(self) -> memoryview:
        if isinstance(self._source, memoryview):
            piece, self._source = self._source[:_PIECE], self._source[_PIECE:]
            return piece
        if self._is_at_end:
            return memoryview(b"")
        data = self._source.read(_PIECE)
        self._is_at_end = not data
        if self._has_lines and len(data) < _PIECE:
            # More may be a while away. Of the lines before this piece all statements are made.
            self._count.due = self._count.made + data.count(b"\n")
        return memoryview(data)

    def _skip_byte_order_mark(self) -> None:
        start = b""
        while len(start) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(start):
            more = self._read_piece()
            if not more:
                break
            start += more
        if start.startswith(BYTE_ORDER_MARK):
            self.position = len(BYTE_ORDER_MARK)
            self._watch.look(BYTE_ORDER_MARK)
        self._piece = memoryview(start)[self.position :]

    def _check_size(self, size: int) -> None:
        if self._count.made != self._made:
            self._made = self._count.made
            self._size = 0
            if isinstance(self._watch, XmlNesting):
                self._watch.expansion = 0
        self._size += size
        total = self._size
        if isinstance(self._watch, XmlNesting):
            total += self._watch.expansion
        if total > self._max_size:
            raise LimitError(
                f"more than {self._max_size} bytes make no statement (limit max_frame_size)",
                offset=self.position,
            )

    def close(self) -> None:
        """Let go of the source."""
        self._piece = memoryview(b"")
        if isinstance(self._source, ByteSource):
            self._source.close()


def _make_watch(syntax: Syntax, limits: Limits, base: str, is_lenient: bool) -> NestingWatch:
    max_text = limits.max_text_size
    base_size = len(base.encode())
    if syntax.format == "JSON_LD":
        return JsonNesting(
            _MAX_JSON_LEVELS,
            max_held=_HELD_BY_JSON * max_text,
            measure_context=measure_context,
            is_lenient=is_lenient,
        )
    if syntax.format == "RDF_XML":
        return XmlNesting(_MAX_LEVELS, max_held=_HELD_BY_XML * max_text, base_size=base_size)
    return TurtleNesting(
        _MAX_LEVELS,
        max_held=max_text,
        max_quoted=limits.max_nesting_depth,
        has_arrows=syntax.format == "N3",
        is_lenient=is_lenient,
        base_size=base_size,
    )

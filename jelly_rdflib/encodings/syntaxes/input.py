"""What pyoxigraph's parsers read from: the bytes of a source, watched on their way."""

from __future__ import annotations

from jelly_rdflib.core.nesting import JsonNesting, NestingWatch, TurtleNesting, XmlNesting
from jelly_rdflib.core.quad_reader import QuadCount
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.encodings.syntaxes.syntax import Syntax
from jelly_rdflib.errors import LimitError

__all__ = ["WatchedInput"]

# A parser asks for a few KiB at a time; a source is asked for more.
_PIECE = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# How deep a text may nest: the half MiB that a thread's stack may have is enough for it.
_MAX_LEVELS = 1000
_MAX_JSON_LEVELS = 128


class WatchedInput:
    """A file for a parser, that lets through no more than the limits allow.

    pyoxigraph has no limits of its own for what it holds of a text until it can make a statement of
    it, and a text that nests deep enough would be the end of the process.

    Args:
        source: An open source.
        syntax: What it has.
        max_size: How many bytes there may be between two statements: ``max_frame_size``.
        count: What the parser has made of it.

    Attributes:
        position: How many bytes the parser was given.
    """

    def __init__(
        self,
        source: memoryview | ByteSource,
        syntax: Syntax,
        max_size: int,
        count: QuadCount,
    ) -> None:
        self._source = source
        self._count = count
        self._max_size = max_size
        self._watch = _make_watch(syntax)
        self._piece: memoryview = memoryview(b"")
        self._made = 0
        # Of the bytes that the parser was given since it made the last statement.
        self._size = 0
        self.position = 0
        self._has_lines = syntax.format in ("N_TRIPLES", "N_QUADS")

    def read(self, size: int) -> bytes:
        """Return at most so many bytes, or none at the end.

        Raises:
            LimitError: There are more of them, or they nest deeper, than the limits allow.
        """
        if self.position == 0:
            self._skip_byte_order_mark()
        if not self._piece:
            self._piece = self._read_piece()
        data = bytes(self._piece[:size])
        self._piece = self._piece[size:]
        self.position += len(data)
        self._watch.look(data)
        self._check_size(len(data))
        return data

    def _read_piece(self) -> memoryview:
        if isinstance(self._source, memoryview):
            piece, self._source = self._source[:_PIECE], self._source[_PIECE:]
            return piece
        data = self._source.read(_PIECE)
        if self._has_lines and len(data) < _PIECE:
            # More may be a while away. Of the lines before this piece all statements are made.
            self._count.due = self._count.made + data.count(b"\n")
        return memoryview(data)

    def _skip_byte_order_mark(self) -> None:
        start = b""
        while len(start) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(start):
            more = self._read_piece()
            if not more:
                break
            start += more
        if start.startswith(_BYTE_ORDER_MARK):
            self.position = len(_BYTE_ORDER_MARK)
            self._watch.look(_BYTE_ORDER_MARK)
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


def _make_watch(syntax: Syntax) -> NestingWatch:
    if syntax.format == "JSON_LD":
        return JsonNesting(_MAX_JSON_LEVELS)
    if syntax.format == "RDF_XML":
        return XmlNesting(_MAX_LEVELS)
    return TurtleNesting(_MAX_LEVELS, has_arrows=syntax.format == "N3")

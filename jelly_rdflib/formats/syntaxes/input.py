"""The file that pyoxigraph's parsers read: a source, in pieces of the right size."""

from __future__ import annotations

import copy

from jelly_rdflib.core.input_start import BYTE_ORDER_MARK
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.text import QuadCount
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import Limits

# A parser asks for a few KiB at a time; a source is asked for more.
PIECE_SIZE = 1 << 16


class SyntaxInput:
    """A file for a parser.

    Args:
        source: An open source.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` bounds the bytes between two statements.
        count: Has the number of statements that the parser made; gets the number of bytes that it
            was given.

    Attributes:
        position: Number of bytes that the parser was given.
    """

    def __init__(self, source: ByteSource, limits: Limits, count: QuadCount) -> None:
        self._source = source
        self._count = count
        self._max_size = limits.max_frame_size
        # Bytes that were read, but not given to the parser yet.
        self._piece = memoryview(b"")
        self._is_at_end = False
        # The error of the source, to be raised after the bytes before it.
        self._error: DecodeError | None = None
        # Number of statements at the last call, and of bytes given since.
        self._made = 0
        self._size = 0
        self.position = 0

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer before the end of the input, and none at the end.

        The parser gets all bytes that it asks for, however small the pieces of the source. It scans
        an incomplete token again from its start whenever it gets more: with small pieces the time
        would grow with the square of the token's size.

        Raises:
            DecodeError: The source is damaged.
            LimitError: There are too many bytes since the last statement.
        """
        if self.position == 0:
            self._skip_byte_order_mark()
        if self._count.made != self._made:
            self._made = self._count.made
            self._size = 0
        size = max(1, min(size, self._max_size - self._size))
        data = bytearray()
        while len(data) < size:
            more = self._take(size - len(data))
            data += more
            if not more:
                break
        if not data and self._error is not None:
            raise self._error
        self.position += len(data)
        self._count.read = self.position
        self._size += len(data)
        if self._size > self._max_size:
            raise LimitError(
                f"more than {self._max_size} bytes make no statement (limit max_frame_size)",
                offset=self.position,
            )
        return bytes(data)

    def _take(self, size: int) -> bytes:
        """Return at most so many bytes, as they come from the source."""
        if not self._piece:
            self._piece = memoryview(self._read_piece())
        data, self._piece = self._piece[:size], self._piece[size:]
        return bytes(data)

    def _read_piece(self) -> bytes:
        if self._is_at_end:
            return b""
        try:
            data = self._source.read(PIECE_SIZE)
        except DecodeError as error:
            # Its traceback, and that of its cause, refer to the parser. This refers to the object
            # here, unseen by Python's collector: all would stay forever.
            self._error = copy.copy(error)
            data = b""
        self._is_at_end = not data
        return data

    def _skip_byte_order_mark(self) -> None:
        start = bytes(self._piece)
        while len(start) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(start):
            more = self._read_piece()
            if not more:
                break
            start += more
        if start.startswith(BYTE_ORDER_MARK):
            self.position = len(BYTE_ORDER_MARK)
        self._piece = memoryview(start)[self.position :]

    def close(self) -> None:
        """Let go of the source."""
        self._piece = memoryview(b"")
        self._source.close()

"""What thrift's decoder reads from: a source's bytes, row by row."""

from __future__ import annotations

import io
from typing import Any

from jelly_rdflib.core.source import ByteSource, open_source
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import Limits

__all__ = ["RowInput", "RowIsCutOff"]

_CHUNK = 1 << 18
# The longest that the decoder asks for at once where it reads no string: a UUID.
_MAX_FIXED_SIZE = 16


class RowIsCutOff(Exception):
    """What was read ends in the row, and it is not the time to read more."""


class RowInput:
    """Bytes of a source, and a transport as thrift's decoder wants it.

    The decoder takes bytes out of ``cstringio_buf``, a BytesIO, by itself, and calls
    `cstringio_refill` for more. Memory is bounded by a row, and grows only as bytes come in.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        limits: ``max_frame_size`` is for a row.
    """

    def __init__(self, source: Any, limits: Limits) -> None:
        opened = open_source(source, limits)
        self._source = _pieces_of(opened) if isinstance(opened, memoryview) else opened
        self._max_row_size = limits.max_frame_size
        self._max_string_size = limits.max_string_size
        self.cstringio_buf = io.BytesIO()
        # What is in the BytesIO, and where in the source.
        self._data = b""
        self._data_start = 0
        self._data_end = 0
        self._row_start = 0
        # Bytes of this row that are in the BytesIO no more.
        self._row_before = bytearray()
        self._may_read = True
        #: Whether it was the source's read() that raised.
        self.source_failed = False

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the source: close what `open_source` opened."""
        # There is none if the source could not be opened.
        if hasattr(self, "_source"):
            self._source.close()

    @property
    def position(self) -> int:
        """How far the source was read."""
        return self._data_start + self.cstringio_buf.tell()

    @property
    def row_start(self) -> int:
        """Position of the row."""
        return self._row_start

    def begin_row(self, *, may_read: bool) -> bool:
        """Start a row where the last one ended; False at the end of the input.

        Args:
            may_read: Whether to read from the source. If not, and it would take that,
                `RowIsCutOff` is raised: here, or by the decoder.

        Raises:
            RowIsCutOff: See there.
            OSError, DecodeError: The source can't be read.
        """
        start = self._data_start + self.cstringio_buf.tell()
        self._row_start = start
        self._may_read = may_read
        if self._row_before:
            self._row_before.clear()
        if start < self._data_end:
            return True
        if not may_read:
            raise RowIsCutOff
        self._put(self._read(start), start)
        return len(self._data) > 0

    def end_row(self) -> int:
        """End the row here, and return its size.

        Raises:
            LimitError: It is larger than the limits allow.
        """
        size = self._data_start + self.cstringio_buf.tell() - self._row_start
        if size > self._max_row_size:
            raise LimitError(
                f"row of {size} bytes (limit max_frame_size is {self._max_row_size})",
                offset=self._row_start,
            )
        return size

    def rewind(self) -> None:
        """Go back to the start of the row, of which no bytes were read from the source."""
        self.cstringio_buf.seek(self._row_start - self._data_start)

    def row(self) -> bytes:
        """Return the bytes of the row."""
        start = max(self._row_start - self._data_start, 0)
        return bytes(self._row_before) + self._data[start : self.cstringio_buf.tell()]

    def cstringio_refill(self, rest: bytes, wanted: int) -> io.BytesIO:
        """Return a BytesIO that has at least so many bytes; thrift's decoder calls this.

        Args:
            rest: What was left in the last one, which is less.
            wanted: How many bytes the decoder wants at once: a string's length, or a few.
        """
        if not self._may_read:
            raise RowIsCutOff
        rest_start = self._data_end - len(rest)
        if rest_start + wanted - self._row_start > self._max_row_size:
            raise LimitError(
                f"row of {rest_start + wanted - self._row_start} bytes or more (limit"
                f" max_frame_size is {self._max_row_size})",
                offset=rest_start,
            )
        if wanted > max(self._max_string_size, _MAX_FIXED_SIZE):
            raise LimitError(
                f"string of {wanted} bytes (limit max_string_size is {self._max_string_size})",
                offset=rest_start,
            )
        pieces = [rest]
        size = len(rest)
        while size < wanted:
            piece = self._read(rest_start + size)
            if not piece:
                raise DecodeError("the input ends inside a row", offset=rest_start + size)
            pieces.append(piece)
            size += len(piece)
        start = max(self._row_start - self._data_start, 0)
        self._row_before += memoryview(self._data)[start : len(self._data) - len(rest)]
        self._put(b"".join(pieces), rest_start)
        return self.cstringio_buf

    def _read(self, position: int) -> bytes:
        self.source_failed = True
        try:
            piece = self._source.read(_CHUNK)
        except DecodeError as error:
            # Bad compressed data: say where in the uncompressed input it showed.
            error.offset = position
            raise
        self.source_failed = False
        return piece

    def _put(self, data: bytes, start: int) -> None:
        self._data = data
        self._data_start = start
        self._data_end = start + len(data)
        self.cstringio_buf = io.BytesIO(data)


def _pieces_of(view: memoryview) -> ByteSource:
    """Make a source of bytes that are in memory."""
    position = 0

    def read(size: int) -> bytes:
        nonlocal position
        piece = bytes(view[position : position + size])
        position += len(piece)
        return piece

    return ByteSource(read, view.release)

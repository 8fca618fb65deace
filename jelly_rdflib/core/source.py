"""Sources of bytes: buffers, files and paths, plain or compressed."""

from __future__ import annotations

import errno
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jelly_rdflib.core.zstd import zstd
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import Limits, as_limits

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A frame to be skipped may come first; its magic number starts with any byte from 50 to 5F.
ZSTD_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"
# A zstd stream may ask for a window of any size, which is kept in memory. Up to level 19 it is
# 8 MiB at the most.
ZSTD_MAX_WINDOW = 16 << 20
# How much of compressed bytes is read at once.
PACKED_READ = 1 << 16
# Bytes that any compressed input may unpack to, whatever its ratio is.
FREE_SIZE = 16 << 20

# What a text has, but hardly a path.
_TEXT = re.compile(r"[\n\0]|^\s*[<{@]|[>\"] \.\s*$")
_SHOWN = 60
# Classes of files of which it is known how they go back.
_REAL_FILES = (io.BytesIO, io.FileIO, io.BufferedReader, io.BufferedRandom)


class _Packing(NamedTuple):
    """A way of compressing."""

    name: str
    start: Callable[[], Any]  # makes what unpacks one stream of those that stand in a row
    step: int  # of so many bytes at once, so that a step makes no more than 4 MiB
    most: tuple[int, ...]  # the most bytes that a step makes, if it can be told to stop there
    padding: bytes  # may stand behind a stream


_GZIP = _Packing("gzip", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), 4096, (), b"\0")
_WINDOW: dict[int, int] = {
    zstd.DecompressionParameter.window_log_max: ZSTD_MAX_WINDOW.bit_length() - 1
}
_ZSTD = _Packing(
    "zstd", lambda: zstd.ZstdDecompressor(options=_WINDOW), PACKED_READ, (1 << 17,), b""
)


class ByteSource:
    """Bytes that come in pieces.

    ``read`` is called with a number of bytes; it returns at least one and at most so many, or none
    at the end. ``reopen`` opens the same bytes anew, from their start; it is None if they can be
    read only once. What it returned is closed before this source is read again.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        close: Callable[[], None],
        reopen: Callable[[], ByteSource] | None = None,
    ) -> None:
        self.read = read
        self.close = close
        self.reopen = reopen


class Meter:
    """Tells what was read of a source as it is stored."""

    def __init__(self) -> None:
        # Bytes that were read, and bytes that they stand for, as far as these were asked for.
        self.size = self.unpacked_size = 0
        # "gzip" or "zstd"; None if there is none, or nothing was read yet.
        self.compression: str | None = None


def open_source(
    source: Any, limits: Limits | None = None, meter: Meter | None = None
) -> memoryview | ByteSource:
    """Return the uncompressed bytes of ``source``: a memoryview if they are in memory.

    Args:
        source: An object with the buffer protocol (bytes, memoryview, mmap, …), a path, or a binary
            file object, of which only ``read`` is needed; any other is a TypeError. A str is a
            path: the error for a text or an address says what to give. Content compressed with
            gzip or zstd is told by its first bytes. An open source stays as it is.
        limits: How much compressed content may stand for. It is unpacked piece by piece: the
            source's ``read`` raises the `LimitError`.
        meter: Is told what is read.
    """
    if isinstance(source, ByteSource):
        return source
    limits = as_limits(limits)
    meter = Meter() if meter is None else meter
    if isinstance(source, (str, os.PathLike)):
        # Unbuffered: the frame reader has a buffer of its own.
        file = _open_file(source)
        opened = _decompressed(_file_reader(file, meter), file.close, limits, meter)
        opened.reopen = _reopener(file, limits)
        return opened
    # An mmap has `read`, but its bytes are in memory as they are.
    if hasattr(source, "read") and type(source).__module__ != "mmap":
        if isinstance(source, io.TextIOBase):
            raise TypeError("the source is a text file; open it in binary mode ('rb')")
        opened = _decompressed(_file_reader(source, meter), _do_nothing, limits, meter)
        opened.reopen = _reopener(source, limits)
        return opened
    try:
        view = memoryview(source).cast("B")
    except TypeError as error:
        raise TypeError(
            f"can't read from {type(source).__name__}: give bytes, a path or a binary file"
        ) from error
    if starts_compressed(bytes(view[:4])):
        return open_source(io.BytesIO(view), limits, meter)
    meter.size = meter.unpacked_size = len(view)
    return view


def is_address(path: object) -> bool:
    """Return whether this is the address of something on a server, and no path."""
    return isinstance(path, str) and path.lower().startswith(("http://", "https://"))


def _open_file(path: str | os.PathLike[str]) -> io.FileIO:
    """Open a file; the error for a str that is a text or an address says what to give instead."""
    try:
        return open(path, "rb", buffering=0)
    except (OSError, ValueError) as error:
        # A text may also be too long for a name, or have a null byte.
        if not isinstance(path, str) or isinstance(error, PermissionError | IsADirectoryError):
            raise
        if is_address(path):
            advice = "nothing is fetched: give the file or its bytes, or a patch log as a PatchLog"
        elif _TEXT.search(path):
            advice = "a str is a path, and there is no such file: give text as bytes"
        else:
            raise
        shown = path if len(path) <= _SHOWN else path[:_SHOWN] + "…"
        raise FileNotFoundError(errno.ENOENT, advice, shown) from None


def read_in_pieces(source: memoryview | ByteSource) -> ByteSource:
    """Return an open source as one that is read in pieces, also if its bytes are in memory."""
    if isinstance(source, ByteSource):
        return source
    left = source

    def read(size: int) -> bytes:
        nonlocal left
        piece, left = left[:size], left[size:]
        return bytes(piece)

    def close() -> None:
        nonlocal left
        left = memoryview(b"")

    return ByteSource(read, close)


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Is a file compressed, by its first bytes?"""
    with open(path, "rb") as file:
        start = file.read(len(ZSTD_MAGIC))
    return starts_compressed(start)


def starts_compressed(start: bytes) -> bool:
    """Are these the first four bytes of something compressed?"""
    return start.startswith((GZIP_MAGIC, ZSTD_MAGIC)) or (
        start[:1] in b"PQRSTUVWXYZ[\\]^_" and start[1:] == ZSTD_SKIPPABLE_MAGIC
    )


def _do_nothing() -> None:
    """Close nothing: a file that the caller opened is the caller's to close."""


def _file_reader(file: Any, meter: Meter) -> Callable[[int], bytes]:
    # `read1` returns what there is; `read` of a buffered file would wait for all that was asked,
    # and a live stream's frames would be late.
    read = getattr(file, "read1", None) or file.read

    def checked_read(size: int) -> bytes:
        data = read(size)
        if data is None:
            raise BlockingIOError("the source is in non-blocking mode and has no data now")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"the source's read() returned {type(data).__name__}, not bytes; is it a text file?"
            )
        meter.size += len(data)
        return bytes(data)

    return checked_read


def _reopener(file: Any, limits: Limits) -> Callable[[], ByteSource] | None:
    """Return what opens a file anew, from where it is now; None for a pipe and the like.

    The file goes back to its place when what it returned is closed. Other classes may say that they
    can go back, and then can't.
    """
    if type(file) not in _REAL_FILES or not file.seekable():
        return None
    start = file.tell()

    def reopen() -> ByteSource:
        place = file.tell()

        def go_back() -> None:
            file.seek(place)

        file.seek(start)
        return _decompressed(_file_reader(file, Meter()), go_back, limits, Meter())

    return reopen


def _decompressed(
    read: Callable[[int], bytes], close: Callable[[], None], limits: Limits, meter: Meter
) -> ByteSource:
    """Make a source that looks whether its bytes are compressed, but not before it is read."""
    reader: Callable[[int], bytes] | None = None

    def read_decompressed(size: int) -> bytes:
        nonlocal reader
        if reader is None:
            reader = _decompressed_reader(read, limits, meter)
        data = reader(size)
        meter.unpacked_size += len(data)
        return data

    return ByteSource(read_decompressed, close)


def _decompressed_reader(
    read: Callable[[int], bytes], limits: Limits, meter: Meter
) -> Callable[[int], bytes]:
    start = b""
    while len(start) < len(ZSTD_MAGIC) and (more := read(len(ZSTD_MAGIC) - len(start))):
        start += more
    read = with_start(start, read)
    if not starts_compressed(start):
        return read
    packing = _GZIP if start.startswith(GZIP_MAGIC) else _ZSTD
    meter.compression = packing.name
    pieces = _unpack(read, packing)
    rest = memoryview(b"")
    size = 0

    def read_unpacked(count: int) -> bytes:
        nonlocal rest, size
        try:
            rest = rest or memoryview(next(pieces, b""))
        except (zlib.error, zstd.ZstdError) as error:
            # The library tells it by these words only.
            if "too much memory" in str(error):
                raise LimitError(
                    f"the zstd data needs a window of more than {ZSTD_MAX_WINDOW >> 20} MiB in"
                    " memory; compress it anew with level 19 or a lower one, and without --long"
                ) from error
            raise DecodeError(f"bad {packing.name} data: {error}") from error
        piece, rest = bytes(rest[:count]), rest[count:]
        size += len(piece)
        if size > limits.max_decompressed_size:
            raise LimitError(
                f"the {packing.name} data stands for more than {limits.max_decompressed_size}"
                " bytes",
                limit="max_decompressed_size",
                value=limits.max_decompressed_size,
            )
        if size > FREE_SIZE + limits.max_decompression_ratio * meter.size:
            raise LimitError(
                f"the {packing.name} data stands for more than {limits.max_decompression_ratio}"
                " times its size",
                limit="max_decompression_ratio",
                value=limits.max_decompression_ratio,
            )
        return piece

    return read_unpacked


def _unpack(read: Callable[[int], bytes], packing: _Packing) -> Iterator[bytes]:
    stream = packing.start()
    is_in_stream = False
    while block := read(PACKED_READ):
        for start in range(0, len(block), packing.step):
            data = block[start : start + packing.step]
            # A stream that was told to stop has more of the data.
            while data or not (stream.eof or getattr(stream, "needs_input", True)):
                if stream.eof:
                    data = data.lstrip(packing.padding)
                    if not data:
                        break
                    stream = packing.start()
                piece = stream.decompress(data, *packing.most)
                data = stream.unused_data
                is_in_stream = not stream.eof
                if piece:
                    yield piece
    if is_in_stream:
        raise DecodeError(f"bad {packing.name} data: the input ends inside a stream")


def with_start(start: bytes, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Put back bytes that were read to look at."""

    def read_with_start(size: int) -> bytes:
        nonlocal start
        if not start:
            return read(size)
        piece, start = start[:size], start[size:]
        return piece

    return read_with_start

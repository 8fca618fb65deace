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
# A skippable frame may come first; its magic number starts with any byte from 50 to 5F.
ZSTD_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"
# Unsupported kinds of compression, by their first bytes, so that an error can name them. No text
# or Jelly frame starts with these bytes.
_OTHERS = {b"\xfd7zXZ\0": "xz", b"BZh": "bzip2"}
# A zstd stream may ask for a window of any size, which is kept in memory. Up to level 19 the window
# has at most 8 MiB.
ZSTD_MAX_WINDOW = 16 << 20
# The number of compressed bytes to read at once.
PACKED_READ = 1 << 16
# The number of bytes that any compressed input may unpack to, whatever the compression ratio.
FREE_SIZE = 16 << 20

# Matches most RDF texts, and hardly any path.
_TEXT = re.compile(r"[\n\0]|^\s*([<{@]|(H|A|D|PA|PD|TX|TC|TA)\s)|[>\"] \.\s*$")
_SHOWN = 60
# Classes of files whose `seek` is known to work.
_REAL_FILES = (io.BytesIO, io.FileIO, io.BufferedReader, io.BufferedRandom)


class _Packing(NamedTuple):
    """A compression format."""

    name: str
    start: Callable[[], Any]  # makes the decompressor for each of the concatenated streams
    step: int  # the number of compressed bytes in a step, which unpack to no more than 4 MiB
    most: tuple[int, ...]  # the maximum number of bytes from a step, if `decompress` accepts one
    padding: bytes  # bytes that may follow a stream


_GZIP = _Packing("gzip", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), 4096, (), b"\0")
_WINDOW: dict[int, int] = {
    zstd.DecompressionParameter.window_log_max: ZSTD_MAX_WINDOW.bit_length() - 1
}
_ZSTD = _Packing(
    "zstd", lambda: zstd.ZstdDecompressor(options=_WINDOW), PACKED_READ, (1 << 17,), b""
)


class ByteSource:
    """Bytes that are read in pieces.

    ``read`` is called with a number of bytes; it returns at least one byte and at most this number,
    or no bytes at the end. ``reopen`` opens the same bytes again, from their start; it is None if
    they can be read only once. Close the source that it returns before reading this one again.
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
    """Counts the stored bytes that were read from a source."""

    def __init__(self) -> None:
        # The bytes that were read, and the unpacked bytes that were returned so far.
        self.size = self.unpacked_size = 0
        # "gzip" or "zstd"; None without compression, or before the first read.
        self.compression: str | None = None


def open_source(
    source: Any, limits: Limits | None = None, meter: Meter | None = None
) -> memoryview | ByteSource:
    """Return the uncompressed bytes of ``source``: a memoryview if they are in memory.

    Args:
        source: An object with the buffer protocol (bytes, memoryview, mmap, …), a path, or a binary
            file object, which needs only ``read``; anything else raises a TypeError. A str is a
            path: the error for a text or an address says what to pass instead. Content compressed
            with gzip or zstd is recognized by its first bytes. An open source is returned as it is.
        limits: How many bytes compressed content may unpack to. It is unpacked piece by piece, and
            the source's ``read`` raises the `LimitError`.
        meter: Counts the bytes that are read.
    """
    if isinstance(source, ByteSource):
        return source
    limits = as_limits(limits)
    meter = Meter() if meter is None else meter
    if isinstance(source, (str, os.PathLike)):
        # Unbuffered, since the frame reader has its own buffer.
        file = _open_file(source)
        opened = _decompressed(_file_reader(file, meter), file.close, limits, meter)
        opened.reopen = _reopener(file, limits)
        return opened
    # An mmap has `read`, but its bytes can be used directly from memory.
    if hasattr(source, "read") and type(source).__module__ != "mmap":
        if hasattr(source, "operations"):
            raise TypeError(f"{type(source).__name__} is not a file: give its patch, entry.read()")
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
    if starts_compressed(bytes(view[:4])) or bytes(view[:6]).startswith(tuple(_OTHERS)):
        return open_source(io.BytesIO(view), limits, meter)
    meter.size = meter.unpacked_size = len(view)
    return view


def is_address(path: object) -> bool:
    """Return whether a path is a URL and not the path of a file."""
    return isinstance(path, str) and path.lower().startswith(("http://", "https://"))


def _open_file(path: str | os.PathLike[str]) -> io.FileIO:
    """Open a file; the error for a str that is a text or an address says what to pass instead."""
    try:
        return open(path, "rb", buffering=0)
    except (OSError, ValueError) as error:
        if os.path.isdir(path) and os.path.isfile(os.path.join(os.fsdecode(path), "log.db")):
            advice = "this is the folder of a patch log: open it as a PatchLog"
            raise IsADirectoryError(errno.EISDIR, advice, os.fsdecode(path)) from None
        # A text raises other errors, too: it may be too long for a name, or have a null byte.
        if isinstance(error, IsADirectoryError):
            advice = "this is a folder: give a file, or a patch log as a PatchLog"
            raise IsADirectoryError(errno.EISDIR, advice, os.fspath(path)) from None
        if not isinstance(path, str) or isinstance(error, PermissionError):
            raise
        if is_address(path):
            advice = "nothing is fetched: give the file or its bytes, or a patch log as a PatchLog"
        elif hasattr(path, "n3"):
            advice = f"a {type(path).__name__} is no path: give a str"
        elif _TEXT.search(path):
            advice = "a str is a path, and there is no such file: give text as bytes"
        else:
            raise
        shown = path if len(path) <= _SHOWN else path[:_SHOWN] + "…"
        raise FileNotFoundError(errno.ENOENT, advice, shown) from None


def read_in_pieces(source: memoryview | ByteSource) -> ByteSource:
    """Return an open source as a `ByteSource`, even if its bytes are in memory."""
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
    """Return whether a file's first bytes show that it is compressed."""
    with open(path, "rb") as file:
        start = file.read(len(ZSTD_MAGIC))
    return starts_compressed(start)


def starts_compressed(start: bytes) -> bool:
    """Return whether the first four bytes mark gzip or zstd."""
    return start.startswith((GZIP_MAGIC, ZSTD_MAGIC)) or (
        start[:1] in b"PQRSTUVWXYZ[\\]^_" and start[1:] == ZSTD_SKIPPABLE_MAGIC
    )


def _do_nothing() -> None:
    """Leave a file open, since the caller has opened it, and will close it."""


def _file_reader(file: Any, meter: Meter) -> Callable[[int], bytes]:
    # `read1` returns the available bytes; `read` of a buffered file would wait for the full size,
    # and delay the frames of a live stream.
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
    """Return a function that reopens a file at its current position, or None for pipes etc.

    Closing the returned source restores the file's position. Only known classes of files are
    accepted, since others may claim to be seekable when they are not.
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
    """Make a source that checks at its first read whether its bytes are compressed."""
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
    if start == b"\xfd7zX":
        # A delimited frame may start with these bytes, too, so read all six bytes that mark xz.
        while len(start) < 6 and (more := read(6 - len(start))):
            start += more
    for magic, name in _OTHERS.items():
        if start.startswith(magic):
            message = f"the input is compressed with {name}, which is not supported: unpack it with"
            raise DecodeError(f"{message} {name} -dc, or use gzip or zstd", offset=0)
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
            # Only these words of the library's message identify the error.
            if "too much memory" in str(error):
                raise LimitError(
                    f"the zstd data needs a window of more than {ZSTD_MAX_WINDOW >> 20} MiB in"
                    " memory; compress it again with level 19 or a lower one, and without --long"
                ) from error
            raise DecodeError(f"bad {packing.name} data: {error}") from error
        piece, rest = bytes(rest[:count]), rest[count:]
        size += len(piece)
        if size > limits.max_decompressed_size:
            raise LimitError(
                f"the {packing.name} data unpacks to more than {limits.max_decompressed_size}"
                " bytes",
                limit="max_decompressed_size",
                value=limits.max_decompressed_size,
            )
        if size > FREE_SIZE + limits.max_decompression_ratio * meter.size:
            raise LimitError(
                f"the {packing.name} data unpacks to more than {limits.max_decompression_ratio}"
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
            # A decompressor that stopped at its limit still has data.
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
    """Return a ``read`` that first returns bytes that were already read."""

    def read_with_start(size: int) -> bytes:
        nonlocal start
        if not start:
            return read(size)
        piece, start = start[:size], start[size:]
        return piece

    return read_with_start

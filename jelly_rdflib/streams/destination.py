"""Destinations of bytes: paths and binary files."""

from __future__ import annotations

import gzip
import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jelly_rdflib.core.zstd import zstd
from jelly_rdflib.errors import InUseError

if TYPE_CHECKING:
    from typing_extensions import Self


def compressed(file: Any, name: str) -> Any:
    """Return a compressor that writes to ``file`` if ``name`` ends with .gz or .zst; else ``file``.

    The caller closes the returned file. Closing a compressor leaves ``file`` open.
    """
    extension = os.path.splitext(name)[1].lower()
    if extension == ".gz":
        # The gzip header has no time and no name, so that the same changes give the same bytes.
        return gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)
    if extension == ".zst":
        return ZstdFile(file)
    return file


@contextmanager
def naming_target(temporary: str | os.PathLike[str], target: object) -> Iterator[None]:
    """Replace the name of a temporary file in an OSError with that of the file that it becomes."""
    try:
        yield
    except OSError as error:
        if error.filename == os.fspath(temporary):
            error.filename = str(target)
            del error.filename2
        raise


class ZstdFile:
    """Compresses written bytes with zstd, and writes the result to another file.

    Only `close` writes the end of the zstd stream. The library's own class also writes it when an
    unclosed object is discarded, which would make a half-written file look complete.

    Args:
        file: The other file; it stays open.
        has_checksum: Whether a checksum of the content follows the content.
    """

    def __init__(self, file: Any, *, has_checksum: bool = False) -> None:
        options = {int(zstd.CompressionParameter.checksum_flag): int(has_checksum)}
        self._file, self._packer = file, zstd.ZstdCompressor(options=options)

    def write(self, data: bytes) -> int:
        """Compress bytes, and return their number."""
        self._file.write(self._packer.compress(data))
        return len(data)

    def flush(self) -> None:
        """Pass all bytes written so far to the other file."""
        self._file.write(self._packer.flush(self._packer.FLUSH_BLOCK))
        if hasattr(self._file, "flush"):
            self._file.flush()

    def close(self) -> None:
        """End the zstd stream; call this once."""
        self._file.write(self._packer.flush())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Destination:
    """The file to which a stream is written.

    The target is a path or a binary file object. At a path `open` creates a new file, compressed if
    its name ends with ``.gz`` or ``.zst``. A file object needs only a method ``write``. Any other
    target raises a TypeError.
    """

    def __init__(self, target: Any) -> None:
        self._is_owner = isinstance(target, (str, os.PathLike))
        if isinstance(target, io.TextIOBase):
            raise TypeError("the destination is a text file; open it in binary mode ('wb')")
        if not self._is_owner and not hasattr(target, "write"):
            raise TypeError(f"can't write to {type(target).__name__}: give a path or a binary file")
        self._target = target
        self._file: Any = None if self._is_owner else target
        self._raw: Any = None
        self.is_open = False  # opened, and not yet closed
        self._closing = threading.Lock()

    def __str__(self) -> str:
        name = (
            repr(os.fsdecode(self._target))
            if self._is_owner
            else f"a {type(self._target).__name__}"
        )
        return name if self.is_open else f"{name}, closed"

    def open(self) -> None:
        """Create the file, if the target is a path; an existing file is overwritten."""
        if self._is_owner:
            self._raw = open(self._target, "wb")  # noqa: SIM115
            self._file = compressed(self._raw, os.fsdecode(self._target))
        self.is_open = True

    def write(self, data: bytes) -> None:
        """Write all of ``data``: a raw file may accept only a part at a time."""
        written = self._file.write(data)
        # The `write` of a caller's own class may return None although it has written everything.
        if written is None and not isinstance(self._file, io.RawIOBase):
            return
        total = 0
        while True:
            if written is None:
                raise BlockingIOError(
                    f"the destination is non-blocking and accepted {total} of {len(data)} bytes"
                )
            if written == 0 and total < len(data):
                raise OSError(f"the destination accepted only {total} of {len(data)} bytes")
            total += written
            if total >= len(data):
                return
            written = self._file.write(data[total:])

    def close_after(self, finish: Callable[[], object]) -> None:
        """Close the destination after ``finish``, which writes the rows that the encoder holds.

        A second call does nothing. While another call is writing or closing, raise an InUseError.
        """
        if not self._closing.acquire(blocking=False):
            raise InUseError("another call is already closing the writer")
        try:
            if not self.is_open:
                return
            try:
                finish()
            except InUseError:
                raise
            except BaseException:
                self.is_open = False
                self.close()
                raise
            self.is_open = False
            self.close()
        finally:
            self._closing.release()

    def close(self) -> None:
        """Flush the file, and close it if `open` has created it."""
        if not self._is_owner:
            flush = getattr(self._file, "flush", None)
            if flush is not None:
                flush()
            return
        try:
            # Closing makes a compressor write the end of its stream.
            self._file.close()
        finally:
            self._raw.close()

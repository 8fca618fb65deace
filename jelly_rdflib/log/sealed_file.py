"""The file of a store, next to the store's log: it names its version, and ends with a digest.

The version is in the metadata of the first frame. The last frame has no rows; its metadata contain
the SHA-256 of all uncompressed bytes before it. Other programs can ignore these metadata.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import closing
from pathlib import Path
from typing import Any

from jelly_rdflib.core.source import ByteSource, open_source
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input

VERSION = "jelly-rdflib.version"
"""The metadata key of the version; its value is the log's id, the number and the patch's id."""
_VERSION = re.compile(r"[0-9a-f]{32} \d{1,18} \S+")
_KEY = b"jelly-rdflib.digest"


def _field(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


# The bytes of the last frame before the digest: the frame's length, the metadata's key and length.
_LAST = _field(15, _field(1, _KEY) + _field(2, bytes(hashlib.sha256().digest_size)))
_LAST = (bytes([len(_LAST)]) + _LAST)[: -hashlib.sha256().digest_size]
_SIZE = len(_LAST) + hashlib.sha256().digest_size


class Sealer:
    """A sink that passes bytes on to a file, and can end the file with their digest."""

    def __init__(self, file: Any) -> None:
        self.size = 0  # the number of bytes written
        self._file = file
        self._digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Write a frame."""
        self.size += len(data)
        self._digest.update(data)
        self._file.write(data)

    def seal(self) -> None:
        """Write the last frame."""
        self._file.write(_LAST + self._digest.digest())


class SealedFile:
    """The file of a store; its digest is computed while the file is read.

    Attributes:
        version: The version that the file names; empty if another program wrote the file.
        size: How many bytes were read, uncompressed.
        source: The uncompressed bytes, which must be read to the end before `fault` is called.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        # The file is opened twice. If another process replaces it in between, the patches since
        # this version are applied to a newer file: harmless, since it already has their effect.
        opened = open_input(path, format=JELLY.name, holds_changes=False, limits=limits)
        with closing(opened.open()) as batches:
            first = next(batches, None)
        found = b"" if first is None else first.metadata.get(VERSION, b"")
        version = found.decode("ascii", "replace")
        self.version = version if _VERSION.fullmatch(version) else ""
        source = open_source(path, limits)
        assert isinstance(source, ByteSource)
        self.size = 0
        self._read_source = source.read
        self.source = ByteSource(self._read, source.close)
        self._digest = hashlib.sha256()
        # The last bytes that were read: at the end of the file they are the last frame.
        self._end = b""

    def _read(self, size: int) -> bytes:
        data = self._read_source(size)
        self.size += len(data)
        end = self._end + data
        self._digest.update(end[:-_SIZE])
        self._end = end[-_SIZE:]
        return data

    def fault(self) -> str:
        """Describe the damage; return "" if there is none, or if another program wrote the file."""
        if self._end.startswith(_LAST):
            is_whole = self._end == _LAST + self._digest.digest()
            return "" if is_whole else "its bytes do not match the digest at its end"
        return "the digest at its end is missing" if self.version else ""


def find_fault(path: Path, limits: Limits) -> str:
    """Describe the damage to a store's file; return an empty string if the file is whole."""
    try:
        file = SealedFile(path, limits)
        with closing(file.source):
            while file.source.read(1 << 16):
                pass
    except (DecodeError, OSError) as error:
        # A file without ".jelly" in its name need not be Jelly, so this is not a fault.
        return str(error) if ".jelly" in path.name else ""
    return file.fault()

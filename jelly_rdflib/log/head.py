"""The file ``head`` of a log: its lock, and a note of how far the log has come.

What a log has, its folder says, and nothing else. The note is for two things that a folder can't
say: whether its newest segments were taken away, and, while one holds the lock, whether anything
was changed since one looked, without listing it all again. It is written anew with each change,
before it is made and after; it is not brought to the disk, so that after a failure of power it may
be an old one, or none, but never too new.
"""

from __future__ import annotations

import os
import re
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jelly_rdflib.log.locks import locked

__all__ = ["Head", "HeadNote", "LockedHead"]

_NOTE = re.compile(rb"(version (\d{10,}), change [0-9a-f]{32}), check ([0-9a-f]{8})\n")
_SIZE = 128


@dataclass(frozen=True)
class HeadNote:
    """What the file says.

    Args:
        text: The whole of it; another one after each change to the log.
        version: A version that the log has had; 0 if that can't be told.
    """

    text: bytes
    version: int

    @classmethod
    def parse(cls, text: bytes) -> HeadNote:
        """Read a note. One that is broken says nothing."""
        found = _NOTE.fullmatch(text)
        # It is read without a lock, maybe half written.
        if found is None or int(found[3], 16) != zlib.crc32(found[1]):
            return cls(text, 0)
        return cls(text, int(found[2]))

    @classmethod
    def make(cls, version: int) -> HeadNote:
        """Make a note that differs from all others.

        Examples:
            >>> note = HeadNote.make(7)
            >>> HeadNote.parse(note.text) == note, HeadNote.make(7) == note
            (True, False)
        """
        text = f"version {version:010d}, change {uuid.uuid4().hex}".encode()
        return cls(text + f", check {zlib.crc32(text):08x}\n".encode(), version)


class Head:
    """The file ``head`` of a log.

    Args:
        path: Where it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> HeadNote:
        """Read the note, without the lock; an empty one if there is no file."""
        try:
            with open(self._path, "rb") as file:
                return HeadNote.parse(file.read(_SIZE))
        except FileNotFoundError:
            return HeadNote(b"", 0)

    @contextmanager
    def locked(self) -> Iterator[LockedHead]:
        """Hold the log's lock: nobody else adds to the log or removes from it."""
        with locked(self._path) as fd:
            yield LockedHead(fd)


class LockedHead:
    """The file while it is locked.

    Args:
        fd: Its file descriptor.

    Attributes:
        note: What it says, or was to say.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.note = HeadNote.parse(os.pread(fd, _SIZE, 0))

    def write(self, version: int) -> None:
        """Write a new note.

        Args:
            version: A version that the log has, and won't lose.

        Raises:
            OSError: That failed. `note` is the new one even so: what is in the file is another.
        """
        self.note = HeadNote.make(version)
        os.pwrite(self._fd, self.note.text, 0)
        os.ftruncate(self._fd, len(self.note.text))

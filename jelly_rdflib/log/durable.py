"""Files that come to be whole and to stay, or not at all.

A file is written aside, brought to the disk (fsync), and only then gets its name, by a rename,
which file systems do wholly or not at all. Last the folder is brought to the disk, or the name
might not outlive a failure of power.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jelly_rdflib.log.locks import try_lock_file
from jelly_rdflib.log.names import DIGEST_LENGTH

__all__ = ["StagedFile", "make_folder", "remove_leftovers", "staged", "sync_folder"]

_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class StagedFile:
    """A file that is written aside until it gets its name.

    While it is open it is locked, by which `remove_leftovers` tells that its process lives. So
    whoever makes one, or publishes one, must hold the lock that callers of `remove_leftovers` hold.

    Args:
        folder: Where to write it; on the same file system as where it will be.

    Attributes:
        path: Where it is meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{uuid.uuid4().hex}.tmp"
        self._is_published = False
        self._hash = hashlib.sha256()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSE_ON_EXEC | _BINARY
        self._fd: int | None = os.open(self.path, flags, 0o666)
        try:
            try_lock_file(self._fd)
        except BaseException:
            self.discard()
            raise

    def write(self, data: bytes) -> None:
        """Write all of the bytes."""
        assert self._fd is not None
        rest = memoryview(data).cast("B")
        self._hash.update(rest)
        with _named(self.path):
            while rest:
                rest = rest[os.write(self._fd, rest) :]

    @property
    def digest(self) -> str:
        """The digest of what was written, as it stands in names."""
        return self._hash.hexdigest()[:DIGEST_LENGTH]

    def sync(self) -> None:
        """Bring it to the disk; nothing may be written after that."""
        assert self._fd is not None
        with _named(self.path):
            os.fsync(self._fd)

    def publish(self, path: Path) -> None:
        """Give it its name, in the same file system, and bring that to the disk.

        Args:
            path: A path at which there is nothing.

        Raises:
            OSError: That failed. There is nothing at the path then.
        """
        self._close()
        try:
            os.rename(self.path, path)
            sync_folder(path.parent)
        except BaseException:
            # A name that may not last must not be seen: others would build on it.
            with suppress(OSError):
                os.unlink(path)
                sync_folder(path.parent)
            raise
        self._is_published = True

    def discard(self) -> None:
        """Throw it away, unless it was published."""
        if self._is_published:
            return
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            os.unlink(self.path)

    def _close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


@contextmanager
def staged(file: StagedFile) -> Iterator[StagedFile]:
    """Discard a file at the end of a block, unless it was published there."""
    try:
        yield file
    finally:
        file.discard()


def remove_leftovers(folder: Path) -> None:
    """Remove the staged files of processes that are no more.

    Call it with the lock held under which files are staged and published there.
    """
    for name in os.listdir(folder):
        path = folder / name
        # What can't be opened or removed takes room, but does no other harm.
        with suppress(OSError):
            fd = os.open(path, os.O_RDWR | _CLOSE_ON_EXEC)
            try:
                if try_lock_file(fd):
                    os.unlink(path)
            finally:
                os.close(fd)


def make_folder(path: Path) -> None:
    """Make a folder, and those it is in, where they are not there yet; all of them durable."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir()
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk."""
    with _named(path):
        fd = os.open(path, os.O_RDONLY | _CLOSE_ON_EXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have an OSError say which file it is about."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise

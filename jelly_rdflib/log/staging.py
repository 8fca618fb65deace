"""Files that are written to a staging folder, and stay there until they get their names.

A file is synced (fsync) before an atomic rename gives it its name. After that its folder is
synced, since otherwise a power failure could lose the name.

A small file stays in memory until it gets its name. A larger one has a *mark* next to it: an empty
SQLite database that its writer keeps locked. SQLite's locks end with their process, even if it is
killed; they are seen from other containers, and work on all systems. So if a mark can be locked,
its writer is dead.

If a writer dies, it may leave files that the database does not list. So before a file gets its
name, its writer makes *notes*: files whose names contain the names of those files. Only noted
files are ever removed.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import stat
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.names import DIGEST_LENGTH, FileName
from jelly_rdflib.types import Readable

_STAGED = re.compile(r"(?P<writer>[0-9a-f]{32})\.(?:tmp|mark|(?P<noted>.+)\.note)")

_OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN
"""The flags with which `os.open` makes a file."""
# A file of up to this size is read and written in one piece.
_AT_ONCE = 1 << 20
MOVE_AWAY = "move it away"
"""The advice if something else is at the path of a file or folder."""
# A forked process must not close connections that it has inherited, so it keeps them here.
_INHERITED: list[sqlite3.Connection] = []


class StagedFile:
    """A file in a staging folder, or in memory while it is small, until it gets its name.

    The folder is on the same file system as the final path. ``alone`` is a lock that keeps other
    writers from calling `find_dead`. Only the process that made the object can use it, not a fork.
    """

    def __init__(self, folder: Path, alone: Callable[[], AbstractContextManager[object]]) -> None:
        self.path = folder / f"{uuid.uuid4().hex}.tmp"
        self.size = 0
        self.published: Path | None = None
        # Whether a file must still be removed. If so, the notes stay for the next writer.
        self._needs_cleaning = False
        self._alone = alone
        # The bytes of a small file; None once the file exists on the disk.
        self._data: bytearray | None = bytearray()
        self._fd: int | None = None
        self._lock: sqlite3.Connection | None = None
        # The mark and the notes, in the reverse order of their removal.
        self._signs: list[Path] = []
        self._pid = os.getpid()
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Write all of the bytes."""
        self._check_process()
        rest = memoryview(data).cast("B")
        self._hash.update(rest)
        self.size += len(rest)
        if self._data is None:
            self._write(rest)
            return
        self._data += rest
        if len(self._data) > _AT_ONCE:
            with self._alone():
                mark = self.path.with_suffix(".mark")
                self._signs.append(mark)
                # Make the file before SQLite would: the system's error is clearer than SQLite's.
                os.close(create_file(mark))
                self._lock = _lock(mark)
                self._make_file()

    @property
    def source(self) -> bytes | Path:
        """The written bytes, or the path of the file: a source for readers."""
        return self.path if self._data is None else bytes(self._data)

    @property
    def digest(self) -> str:
        """The SHA-256 of the written bytes, in hexadecimal digits."""
        return self._hash.hexdigest()

    def sync(self) -> None:
        """Sync the file, unless it is in memory; nothing may be written after that."""
        if self._fd is not None:
            with _named(self.path):
                os.fsync(self._fd)

    def publish(self, path: Path, replaced: Iterable[Path] = ()) -> None:
        """Give the file its final path, on the same file system, and sync its folder.

        Nobody else may call `find_dead` until the caller has committed and called `settle`. If the
        process ends before that, the next writer removes whichever of the new and the ``replaced``
        files the database does not list.
        """
        self._check_process()
        if self._data is not None:
            self._make_file()
            self.sync()
        self._close_fd()
        # If the path exists, never remove it: it may be the last copy of a patch, even if the
        # database does not list it.
        self._new = set() if path.exists() else {path}
        self._old = set(replaced) - {path}
        self._needs_cleaning = True
        # Set this last: it tells `settle` that the attributes above are set.
        self.published = path
        for each in self._new | self._old:
            note = self.path.with_name(f"{self.path.stem}.{each.name}.note")
            self._signs.append(note)
            try:
                # Only the name matters, and a link is faster than a new file.
                os.link(self.path, note)
            except OSError:
                # Not all file systems have links.
                os.close(create_file(note))
        # Sync the notes first: without them nobody would remove an uncommitted file.
        sync_folder(self.path.parent)
        os.replace(self.path, path)
        sync_folder(path.parent)

    def settle(self, *, is_committed: bool) -> None:
        """Remove the replaced files after a commit, or the new file after a rollback."""
        if self.published is not None:
            # If a file can't be removed, the notes stay, and the next writer removes it.
            with suppress(OSError):
                remove_files(self._old if is_committed else self._new)
                self._needs_cleaning = False

    def close(self) -> None:
        """Discard the file, unless it was published; then remove its notes and its mark."""
        if os.getpid() != self._pid:
            if self._lock is not None:
                _INHERITED.append(self._lock)
            return
        with suppress(OSError):
            self._close_fd()
        if self._data is None:
            # If the file can't be removed, the next writer does so, since its mark is removed
            # below.
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
        if not self._needs_cleaning:
            with suppress(OSError):
                while self._signs:
                    self._signs[-1].unlink(missing_ok=True)
                    self._signs.pop()

    def _make_file(self) -> None:
        data, self._data = self._data, None
        assert data is not None
        self._fd = create_file(self.path)
        self._write(memoryview(data))

    def _write(self, rest: memoryview) -> None:
        assert self._fd is not None
        with _named(self.path):
            while rest:
                rest = rest[os.write(self._fd, rest) :]

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise LogError("the process was forked: only the process that made the file can use it")

    def _close_fd(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


def _lock(mark: Path) -> sqlite3.Connection:
    """Lock a mark, which is made if it is missing.

    If another process has locked it, an error is raised.
    """
    connection = sqlite3.connect(mark, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        # In other journal modes the lock would create one more file.
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection


def parse_staged(name: str) -> re.Match[str] | None:
    """Find the ``writer`` and the ``noted`` name in the name of a staged file, note or mark."""
    found = _STAGED.fullmatch(name)
    if found is None or (found["noted"] and FileName.parse(found["noted"]) is None):
        return None
    return found


def list_noted(folder: Path) -> set[str]:
    """Return the names that any writers, alive or dead, have noted."""
    return {found["noted"] for found in _staged(folder) if found["noted"]}


def _staged(folder: Path) -> list[re.Match[str]]:
    return [found for name in list_names(folder) if (found := parse_staged(name))]


def find_dead(folder: Path) -> tuple[list[Path], set[str]]:
    """Find the files of dead writers; call this only while nobody else can begin to write there.

    Return a list of staged files and notes, followed by their marks, and the set of noted names.
    """
    found = _staged(folder)
    writers = {each["writer"] for each in found}
    dead = {writer for writer in writers if _is_dead(folder / f"{writer}.mark")}
    found = [each for each in found if each["writer"] in dead]
    names = sorted((each[0] for each in found), key=lambda name: name.endswith(".mark"))
    return [folder / name for name in names], {each["noted"] for each in found if each["noted"]}


def _is_dead(mark: Path) -> bool:
    # If a mark can't be locked, its writer is alive, or an error prevents the lock: then the files
    # stay, and only use disk space.
    with suppress(OSError, sqlite3.Error):
        if not mark.exists():
            return True
        if stat.S_ISREG(mark.stat().st_mode):
            _lock(mark).close()
            return True
    return False


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, and sync their folders."""
    folders = set()
    for path in paths:
        path.unlink(missing_ok=True)
        folders.add(path.parent)
    for folder in folders:
        sync_folder(folder)


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder; none if it is missing, since git drops empty folders."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise _no_folder(folder) from None


def make_folder(path: Path, like: Path | None = None) -> bool:
    """Make a folder and its missing parents, and sync them; return False if the folder exists.

    The new folder gets the permissions of the folder ``like``.
    """
    if path.is_dir():
        return False
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir()
        if like is not None:
            _give_mode(path, like.stat().st_mode & 0o777)
    if not path.is_dir():
        raise _no_folder(path)
    sync_folder(path.parent)
    return True


def _no_folder(path: Path) -> LogError:
    return LogError("is not a folder, but should be one", path=path, advice=MOVE_AWAY)


def create_file(path: Path) -> int:
    """Make a file with the permissions of its folder, and return it opened for writing."""
    mode = path.parent.stat().st_mode & 0o666
    fd = os.open(path, NEW_FILE, mode)
    try:
        _give_mode(path, mode)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _give_mode(path: Path, mode: int) -> None:
    # The umask of this process may have removed permissions that the log's folder grants.
    if path.stat().st_mode & 0o777 != mode:
        path.chmod(mode)


def sync_folder(path: Path) -> None:
    """Sync the names in a folder; do nothing on Windows, which can't do that."""
    if os.name == "nt":
        return
    with _named(path):
        fd = os.open(path, os.O_RDONLY | _OPEN)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def read_stored(path: Path, digest: str, size: int | None = None) -> bytes | Path:
    """Return a file as a source for readers: a small one as bytes, a large one as its path.

    First its SHA-256 is checked against ``digest``: all digits, or only the first ones.
    """
    try:
        # Opening a pipe must not block.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _OPEN)
    except FileNotFoundError:
        what = "is gone: it was squashed, replaced or deleted in the meantime"
        raise LogError(what, path=path) from None
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise LogError("is not a file, but a folder, a pipe or the like", path=path)
    with open(fd, "rb") as file:
        # Don't ask for more than the file has: allocating 1 MiB takes longer than reading a small
        # file.
        data, found = hash_file(file, min(_AT_ONCE, status.st_size + 1))
    check_digest(found, digest, path)
    if size not in (None, status.st_size):
        raise LogError(f"has {status.st_size} bytes, but should have {size}", path=path)
    return path if data is None else data


def hash_file(file: BinaryIO, size: int = _AT_ONCE) -> tuple[bytes | None, str]:
    """Return the bytes of an opened file (None if one read is not enough), and its SHA-256."""
    data: bytes | None = file.read(size)
    sha256 = hashlib.sha256(data or b"")
    while piece := file.read(size):
        sha256.update(piece)
        data = None
    return data, sha256.hexdigest()


def check_digest(found: str, digest: str, path: object) -> None:
    """Raise a LogError unless the SHA-256 of a file starts with the expected digits."""
    if len(digest) < DIGEST_LENGTH or not found.startswith(digest):
        what = f"is damaged: its SHA-256 is {found}, but should be {digest}"
        raise LogError(what, path=path)


def rewound(source: Readable) -> Readable:
    """Return a source of stored bytes, rewound to its start."""
    if (seek := getattr(source, "seek", None)) is not None:
        seek(0)
    return source


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Add the file name to an OSError."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise

"""Access to files on this machine or in a store such as S3 or HDFS."""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import unquote, urlsplit

from jelly_rdflib.spark.connections import connect, is_known

if TYPE_CHECKING:
    import pyarrow.fs

# The number of bytes that are requested from a store at once.
READ_SIZE = 4 << 20
_NO_SIZE = -1


class Entry(NamedTuple):
    """A file or folder: its path, size in bytes, and modification time in ns since 1970."""

    path: str
    is_folder: bool = False
    size: int = _NO_SIZE
    modified: int = 0

    @property
    def is_missing(self) -> bool:
        """Whether this is a dangling link, or was deleted while its folder was listed."""
        return not self.is_folder and self.size == _NO_SIZE


class Machine:
    """The files of this machine."""

    is_remote = False

    def find(self, path: str) -> Entry | None:
        """Return a file or folder; None if it does not exist."""
        try:
            status = os.stat(path)
        except PermissionError:
            raise
        except (OSError, ValueError):
            # The path may be a glob that is too long for a file's name.
            return None
        return Entry(path, stat.S_ISDIR(status.st_mode), status.st_size, status.st_mtime_ns)

    def list(self, folder: str) -> list[Entry]:
        """Return the entries of a folder, sorted by name."""
        with os.scandir(folder) as found:
            names = sorted((each.name, each.path, each.is_dir()) for each in found)
        return [
            Entry(path, is_folder=True) if is_folder else self.find(path) or Entry(path)
            for _, path, is_folder in names
        ]

    def open(self, path: str, ahead: int | None = None) -> BinaryIO:
        """Open a file to read, without a buffer; ``ahead`` is only used by stores."""
        return io.FileIO(path)

    def make_folder(self, path: str) -> None:
        """Make a folder and its missing parents, unless it exists."""
        os.makedirs(path, exist_ok=True)

    def create(self, path: str) -> BinaryIO:
        """Create a file to write to, in an existing folder."""
        return open(path, "wb")

    def move(self, path: str, target: str) -> None:
        """Rename a file, in one step."""
        os.replace(path, target)

    def delete(self, entry: Entry) -> None:
        """Delete a file, a link, or a folder with its content, if it exists."""
        with suppress(FileNotFoundError):
            if entry.is_folder and not os.path.islink(entry.path):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)


class Store:
    """The files of a store: an Arrow file system, with the start of its URLs.

    Args:
        start: The scheme and authority of the URLs, such as ``s3a://bucket``.
        files: The file system.
        root: The path of ``start`` in this file system.
    """

    is_remote = True

    def __init__(self, start: str, files: pyarrow.fs.FileSystem, root: str) -> None:
        self._start = start
        self._files = files
        self._root = root

    def _inner(self, path: str) -> str:
        return (self._root + path[len(self._start) :]).rstrip("/") or "/"

    def _entry(self, found: pyarrow.fs.FileInfo) -> Entry:
        path = self._start + found.path[len(self._root) :].rstrip("/")
        if not found.is_file:
            return Entry(path, is_folder=True)
        return Entry(path, size=found.size, modified=found.mtime_ns or 0)

    def find(self, path: str) -> Entry | None:
        """Return a file or folder; None if it does not exist."""
        from pyarrow.fs import FileType

        found = self._files.get_file_info(self._inner(path))
        return None if found.type == FileType.NotFound else self._entry(found)

    def list(self, folder: str) -> list[Entry]:
        """Return the entries of a folder, sorted by name."""
        from pyarrow.fs import FileSelector

        return sorted(
            self._entry(each)
            for each in self._files.get_file_info(FileSelector(self._inner(folder)))
        )

    def open(self, path: str, ahead: int | None = None) -> BinaryIO:
        """Open a file to read: each request is for ``ahead`` bytes, by default `READ_SIZE`."""
        return _Ahead(self._files.open_input_file(self._inner(path)), ahead or READ_SIZE)

    def identity(self, file: Entry) -> dict[str, object]:
        """Return a file's size and ETag, which show whether the file is unchanged.

        In a store without ETags, the file's time is used instead.
        """
        with self._files.open_input_file(self._inner(file.path)) as opened:
            etag = opened.metadata().get(b"ETag")
        told = {"modified": file.modified} if etag is None else {"etag": etag.decode()}
        return {"size": file.size, **told}

    def make_folder(self, path: str) -> None:
        """Do nothing: in a store, folders appear with their files."""

    def create(self, path: str) -> BinaryIO:
        """Create a file to write to; on S3 it exists only after it is closed."""
        # By default Arrow would compress the file if its name has the suffix of a compressed file.
        made: BinaryIO = self._files.open_output_stream(self._inner(path), compression=None)
        return made

    def move(self, path: str, target: str) -> None:
        """Rename a file; on S3 it is copied, but there, too, it appears as a whole."""
        self._files.move(self._inner(path), self._inner(target))

    def delete(self, entry: Entry) -> None:
        """Delete a file, or a folder with its content, if it exists."""
        delete = self._files.delete_dir if entry.is_folder else self._files.delete_file
        with suppress(FileNotFoundError):
            delete(self._inner(entry.path))


class _Ahead(io.BufferedReader):
    """A file that fills its buffer even for a reader that would accept fewer bytes."""

    def read1(self, size: int = -1) -> bytes:
        return self.read(size)


@dataclass(frozen=True)
class Storage:
    """All files that can be reached; for settings see `jelly_rdflib.spark.connections`."""

    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Storage:
        """Create the object with these settings, some of which may be secrets."""
        return cls(tuple(sorted(settings.items())))

    def at(self, path: str) -> Machine | Store:
        """Return the machine or store of a path that `full_path` has returned.

        Raise an ImportError if this needs an extra that is not installed.
        """
        start = start_of(path)
        if start is None:
            return Machine()
        files, root = connect(start, self.settings)
        return Store(start, files, root)


def start_of(path: str) -> str | None:
    """Return the scheme and authority of a URL, such as ``s3a://bucket``; None for a path."""
    scheme, separator, rest = path.partition("://")
    if not separator or "/" in scheme:
        return None
    return scheme + separator + rest.partition("/")[0]


def parent_of(path: str) -> str:
    """Return the folder that contains a path; return the start of a URL unchanged."""
    start = start_of(path) or ""
    return start + os.path.dirname(path[len(start) :]).removesuffix("/" if start else "")


def full_path(path: str) -> str:
    """Return a store's URL, or the absolute path of a path or of a ``file:`` URL.

    Raise a ValueError if the file can't be reached, or if the URL contains a password.
    """
    scheme, separator, _ = path.partition(":")
    if separator and scheme == "file":
        parts = urlsplit(path)
        if parts.netloc not in ("", "localhost"):
            raise ValueError(f"{path}: the file is on another host")
        return os.path.abspath(unquote(parts.path))
    start = start_of(path)
    if start is None:
        return os.path.abspath(path)
    authority = start[len(scheme) + 3 :]
    # A colon shows a password, since a bucket has no port. For S3 don't look for an "@" after it:
    # the secret may contain a slash, and then the authority seems to end before the "@".
    if ":" in (authority if scheme.startswith("s3") else authority.rpartition("@")[0]):
        raise ValueError(
            f"{scheme}://…: a path must not contain a password, since others see it: give"
            " credentials as settings"
        )
    if not is_known(scheme):
        raise ValueError(
            f"{path}: files with the scheme {scheme} are not supported; if Spark can read them, use"
            ' spark.read.format("binaryFile"), and then decode_files()'
        )
    return "/".join([start, *filter(None, path[len(start) :].split("/"))])

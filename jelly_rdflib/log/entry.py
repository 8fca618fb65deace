"""What a log has: its patches, each in a segment."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from rdflib.term import Node, URIRef

from jelly_rdflib.algebra.header_room import HeaderRoom
from jelly_rdflib.core.batch import Batch, BatchSource, OperationReader
from jelly_rdflib.errors import LogError
from jelly_rdflib.headers import Headers
from jelly_rdflib.log.files import FORMAT, Place, headers_of
from jelly_rdflib.log.names import FileName
from jelly_rdflib.log.staging import read_stored
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import read_patches
from jelly_rdflib.streams.reading import read_batches, read_operations

COLUMNS = "version, first, id, prev, file, size, digest, time"
"""What the database has of a patch."""

Row: TypeAlias = tuple[int, int, str, str | None, str, int, str, float]


class LogEntry:
    """A patch of a log: what it is called, and ways to read it.

    Each way looks first whether the file is what the log's database says, to the last byte, and
    whether the patch has the ids that it must have in its place.

    Attributes:
        limits: What to accept when it is read.

    Raises:
        LogError: By its methods: the segment is damaged, is in the wrong place, or is gone.
        DecodeError, LimitError: By what its methods return: it breaks a rule of the format.
    """

    # There may be a hundred thousand, of which little is asked for.
    __slots__ = ("_folder", "_row", "limits")

    def __init__(self, row: Any, folder: Path, limits: Limits) -> None:
        self._row: Row = row
        self._folder = folder
        self.limits = limits

    @property
    def version(self) -> int:
        """The version that the patch makes."""
        return self._row[0]

    @property
    def first(self) -> int:
        """The first of the versions that it stands for; the same, unless it is squashed."""
        return self._row[1]

    @property
    def id(self) -> URIRef:
        """The patch's id."""
        return URIRef(self._row[2])

    @property
    def prev(self) -> URIRef | None:
        """The id of the patch before it; None for the first."""
        return None if self._row[3] is None else URIRef(self._row[3])

    @property
    def path(self) -> Path:
        """Its segment."""
        return named(self._folder, self._row[4])

    @property
    def size(self) -> int:
        """The bytes of the segment."""
        return self._row[5]

    @property
    def digest(self) -> str:
        """The SHA-256 of the segment, in hexadecimal digits."""
        return self._row[6]

    @property
    def time(self) -> datetime.datetime:
        """When it was committed, by the clock of the machine that did it; in UTC.

        Raises:
            LogError: The database has something else there.
        """
        try:
            return datetime.datetime.fromtimestamp(self._row[7], datetime.timezone.utc)
        except (ValueError, OverflowError, OSError) as error:
            raise LogError(
                f"the database has no time for version {self.version}, but {self._row[7]}"
            ) from error

    def __repr__(self) -> str:
        return (
            f"LogEntry(version={self.version}, first={self.first}, id={self.id!r},"
            f" prev={self.prev!r}, path={self.path!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogEntry):
            return NotImplemented
        return (self._row[:5], self._folder) == (other._row[:5], other._folder)

    def __hash__(self) -> int:
        return hash(self._row[:5])

    @property
    def header(self) -> Headers:
        """The headers that the patch begins with, by key; only they are read.

        Together they take up to ``limits.max_text_size`` bytes of memory.
        """
        found: dict[str, tuple[str, Node]] = {}
        sizes: dict[str, int] = {}
        room = HeaderRoom(self.limits)
        operations = self.operations()
        try:
            for _, key, value in takewhile(lambda it: it[0] == Op.H, operations):
                same = key.lower()
                room.give_back(sizes.pop(same, 0))
                sizes[same] = room.take(key, value, place_error=operations.place_error)
                found[same] = key, value
        finally:
            operations.close()
        return Headers(found.values())

    def operations(self, *, normalize: bool | None = False) -> OperationReader:
        """Iterate over the operations, with bounded memory; see `jelly_rdflib.read_operations`.

        Args:
            normalize: As for `jelly_rdflib.read_operations`, but False by default: a log gives back
                what was put in.
        """
        return read_operations(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )

    def batches(self, *, normalize: bool | None = False) -> BatchSource:
        """Iterate over the batches, with bounded memory; see `jelly_rdflib.read_batches`.

        Args:
            normalize: As for `operations`.
        """
        return read_batches(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )

    def read(self, *, normalize: bool | None = False) -> Patch:
        """Read the whole patch into memory.

        Args:
            normalize: As for `operations`.
        """
        patches = read_patches(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )
        try:
            return next(patches)
        finally:
            patches.close()


def named(folder: Path, file: str) -> Path:
    """Return where a file is that the database names.

    Raises:
        LogError: It is no name that a log gives: it might lead anywhere.
    """
    if not isinstance(file, str) or FileName.parse(file) is None:
        raise LogError(f"{folder}: the database names a file {file!r}, which is none of a log")
    return folder / file


def known(folder: Path, rows: Iterable[Any]) -> list[Path]:
    """Return where the files of rows are, but none that a log would not name: see `named`."""
    return [folder / row[0] for row in rows if isinstance(row[0], str) and FileName.parse(row[0])]


def place_of(entry: LogEntry) -> Place:
    """Return a patch's place in the log."""
    return Place(entry.first, entry.version, entry.id, entry.prev)


def stored_source(entry: LogEntry) -> bytes | Path:
    """Return what the package's readers take for a segment, after a look at its digest.

    Raises:
        LogError: It is damaged, or is gone.
    """
    return read_stored(entry.path, entry.digest)


def checked_source(entry: LogEntry) -> bytes | Path:
    """Return the same as `stored_source`, after a look at the headers, too.

    Raises:
        LogError: The segment is damaged, is in the wrong place, or is gone.
        DecodeError, LimitError: Its first frame breaks a rule of the format.
    """
    source = stored_source(entry)
    batches = read_batches(source, limits=entry.limits, format=FORMAT)
    try:
        check_start(entry, next(batches))
    finally:
        batches.close()
    return source


def check_start(entry: LogEntry, batch: Batch) -> None:
    """Check by its first batch that a patch has the headers that go with its place.

    Raises:
        LogError: It has not.
    """
    try:
        place_of(entry).check(headers_of(batch))
    except LogError as error:
        raise LogError(f"{entry.path} is in the wrong place: {error}") from None

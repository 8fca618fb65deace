"""The patches of a log, each in a segment."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from rdflib.term import Node, URIRef

from jelly_rdflib.algebra.headers import HeaderRoom
from jelly_rdflib.core.batch import BatchSource, OperationReader
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import LogError
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.headers import Headers
from jelly_rdflib.log.files import FORMAT, Place, headers_of
from jelly_rdflib.log.names import file_path
from jelly_rdflib.log.staging import read_stored, rewound
from jelly_rdflib.operations import Header, Op
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import read_patches
from jelly_rdflib.streams.open_input import closing_reader
from jelly_rdflib.streams.reading import read_operations
from jelly_rdflib.types import Readable

COLUMNS = "version, first, id, prev, file, size, digest, time"
"""The columns of a patch's row in the database."""

Row: TypeAlias = tuple[int, int, str, str | None, str, int, str, float]
_Reader = TypeVar("_Reader")


class LogEntry:
    """A patch of a log: its ids, its file, and methods that read it.

    Each method that reads the file first checks that its bytes are those that the log's database
    records, and that the patch has the ids that belong to its place in the log.

    Attributes:
        limits: Limits for reading the patch.
        row: The patch as the database stores it: the values of `COLUMNS`.

    Raises:
        LogError: Raised by methods: the segment is damaged, in the wrong place, or missing.
        DecodeError, LimitError: Raised by the iterators that methods return: the segment breaks a
            rule of the format.

    Examples:
        >>> import tempfile
        >>> from rdflib import Literal
        >>> from jelly_rdflib import PatchLog
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog.create(folder)
        ...     entry = log.append(
        ...         [
        ...             (Op.H, "by", Literal("Ann")),
        ...             (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None),
        ...         ]
        ...     )
        ...     print(entry.version, entry.prev, entry.header["by"], len(entry.read()))
        1 None Ann 3
    """

    # A log may have 100,000 entries, so an entry keeps its row and computes attributes when asked.
    __slots__ = ("_folder", "limits", "row")

    def __init__(self, row: Any, folder: Path, limits: Limits) -> None:
        self.row: Row = row
        self._folder = folder
        self.limits = limits

    @property
    def version(self) -> int:
        """The version that the patch makes."""
        return self.row[0]

    @property
    def first(self) -> int:
        """The first version that a squashed patch replaces; otherwise the same as `version`."""
        return self.row[1]

    @property
    def id(self) -> URIRef:
        """The id of the patch."""
        return URIRef(self.row[2])

    @property
    def prev(self) -> URIRef | None:
        """The id of the previous patch; None for the first."""
        return None if self.row[3] is None else URIRef(self.row[3])

    @property
    def path(self) -> Path:
        """The path of the segment."""
        return file_path(self._folder, self.row[4])

    @property
    def location(self) -> str:
        """The path of the segment, or its address on a server."""
        return str(self.path)

    @property
    def size(self) -> int:
        """The size of the segment in bytes."""
        return self.row[5]

    @property
    def digest(self) -> str:
        """The SHA-256 of the segment, in hexadecimal digits."""
        return self.row[6]

    @property
    def time(self) -> datetime.datetime:
        """The time of the commit in UTC, by the clock of the machine that made the commit.

        Raises:
            LogError: The database has no valid time.
        """
        try:
            return datetime.datetime.fromtimestamp(self.row[7], datetime.timezone.utc)
        except (ValueError, OverflowError, OSError) as error:
            raise LogError(
                f"the time of version {self.version} in the database is not valid: {self.row[7]}"
            ) from error

    def __repr__(self) -> str:
        # Leave out the path, which raises an error if the database has an invalid file name.
        is_single = self.first == self.version
        versions = (
            f"version {self.version}" if is_single else f"versions {self.first} to {self.version}"
        )
        return f"<LogEntry: {versions}, {count(self.size, 'byte')}, {self.id}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogEntry):
            return NotImplemented
        return (self.row[:5], self._folder) == (other.row[:5], other._folder)

    def __hash__(self) -> int:
        return hash(self.row[:5])

    @property
    def header(self) -> Headers:
        """The headers at the start of the patch, by key; the rest of the patch is not read.

        Together they may take up to ``limits.max_text_size`` bytes of memory.
        """
        found: dict[str, tuple[str, Node]] = {}
        sizes: dict[str, int] = {}
        room = HeaderRoom(self.limits)
        with closing_reader(operations := self.operations()):
            for operation in operations:
                if operation[0] != Op.H:
                    break
                _, key, value = operation
                same = key.lower()
                room.give_back(sizes.pop(same, 0))
                sizes[same] = room.reserve(key, value)
                found[same] = key, value
        return Headers(found.values())

    def operations(self, *, normalize: bool | None = False) -> OperationReader:
        """Iterate over the operations, with bounded memory; see `jelly_rdflib.read_operations`.

        Args:
            normalize: Whether literals get the normal form of their value; see
                `jelly_rdflib.read_operations`. False by default: a log returns the appended
                literals unchanged.
        """
        return self._open(read_operations, normalize)

    def batches(self, *, normalize: bool | None = False) -> BatchSource:
        """Iterate over the batches of the patch: see `jelly_rdflib.read_batches`."""
        return self._open(read_batches, normalize)

    def read(self, *, normalize: bool | None = False) -> Patch:
        """Read the whole patch into memory; ``normalize`` is as for `operations`."""
        settings: Any = {"limits": self.limits, "normalize": normalize, "format": FORMAT}
        with closing(read_patches(self.stored(), **settings)) as patches:
            # A segment that another program made may have no patch: then the patch is empty.
            patch = next(patches, Patch([]))
        check_start(self, [each for part in (patch.slices or ())[:1] for each in part.headers()])
        return patch

    def stored(self) -> Readable:
        """Return the segment as it is stored, after a check of its digest."""
        return read_stored(self.path, self.digest)

    def _open(self, read: Callable[..., _Reader], normalize: bool | None) -> _Reader:
        source = self.stored()
        with closing(read_batches(source, limits=self.limits, format=FORMAT)) as batches:
            check_start(self, headers_of(next(batches)))
        return read(rewound(source), limits=self.limits, normalize=normalize, format=FORMAT)


def broken_links(rows: list[Row], version: int = 0, id: str | None = None) -> list[tuple[int, str]]:
    """Find patches that don't follow the previous one; the first must follow version ``version``.

    ``id`` is the id of the patch that makes this version.
    """
    broken = []
    for row in rows:
        if row[1] != version + 1:
            what = f"version {row[0]} starts at {row[1]}, but the previous one is {version}"
            broken.append((row[0], what))
        elif row[3] != id:
            broken.append((row[0], f"version {row[0]} must follow <{row[3]}>, but follows <{id}>"))
        version, id = row[0], row[2]
    return broken


def place_of(entry: LogEntry) -> Place:
    """Return the place of a patch in the log."""
    return Place(entry.first, entry.version, entry.id, entry.prev)


def may_follow(entry: LogEntry, prev: URIRef | None) -> bool:
    """Return whether a patch may follow ``prev``; True if unknown, as for a squashed patch."""
    return entry.first < entry.version or entry.prev == prev


def check_start(entry: LogEntry, headers: list[Header]) -> None:
    """Check the headers in a patch's first batch against its place in the log."""
    try:
        place_of(entry).check(headers)
    except LogError as error:
        raise LogError(f"is in the wrong place: {error}", path=entry.location) from None

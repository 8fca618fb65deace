"""The folder of a log: the patches and snapshots in its database, and all writes to it.

A file is first encoded, in memory or, if it is large, in a staged file. Since that may take a long
time, the transaction that excludes other writers starts only afterwards. It checks that the file
fits the log, gives the file its name, and adds a row to the database.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import time
import uuid
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from rdflib.graph import Dataset
from rdflib.term import URIRef

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.core.batch import GeneratedBatches
from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.headers import ID, PREV, SQUASHED, header_key
from jelly_rdflib.log.database import Database
from jelly_rdflib.log.entry import COLUMNS, LogEntry, Row
from jelly_rdflib.log.files import Place, check_segment, sink_to, write_segment, write_snapshot
from jelly_rdflib.log.incoming import IncomingPatch
from jelly_rdflib.log.link import Link
from jelly_rdflib.log.names import SEGMENT, FileName, file_path, file_paths, id_bytes, local_path
from jelly_rdflib.log.sealed_file import find_fault
from jelly_rdflib.log.staging import StagedFile, read_stored
from jelly_rdflib.log.verify import LogProblem, find_problems
from jelly_rdflib.log.versions import LogState, Point, SnapshotRow, check_log_id, point_of
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.types import Readable

_SELECT = f"SELECT {COLUMNS} FROM segments"
COMPRESSIONS = (None, "zst")
NAME = "log.db"
"""The name of a log's database."""
# The seconds between two checks for patches from other writers.
_INTERVAL = 0.1
_LOG_ID = re.compile("[0-9a-f]{32}")
_APPLICATION_ID = 0x4A504C47  # "JPLG"
# `squashed` lists the patches that were squashed into others, by the bytes of their UUIDs. The key
# is the first column, since the integrity check of SQLite 3.40 expects that.
_SCHEMA = """
CREATE TABLE log (
    id TEXT NOT NULL,
    compression TEXT
);
CREATE TABLE segments (
    version INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    prev TEXT,
    file TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    time REAL NOT NULL
);
CREATE TABLE snapshots (
    version INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    file TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    time REAL NOT NULL
);
CREATE TABLE squashed (
    id BLOB PRIMARY KEY,
    version INTEGER NOT NULL
) WITHOUT ROWID"""
_FILE_ADVICE = "nothing is lost: open it as a store, which rebuilds it from the log, and close it"
_ADVICE = (
    "restore it from a backup; or make a new log from the segments, in the order of their names:"
    " jellyp log init NEW, and jellyp log append NEW segments/*"
)


def check_compression(compression: Any) -> None:
    """Check the argument ``compression`` of a new log or replica."""
    if compression not in COMPRESSIONS:
        raise ValueError(f"compression is 'zst' or None, not {compression!r}")


class History(Protocol):
    """The methods with which `PatchLog` uses a log in a folder or on a server."""

    limits: Limits
    link: Link
    location: str

    @property
    @abstractmethod
    def path(self) -> Path:
        """The folder; raise a LogError if the log is on a server."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections to a server."""

    @abstractmethod
    def read_log(self) -> tuple[str, str | None, LogEntry | None]:
        """Return the id of the log, the compression of its files, and its newest patch."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[LogState]:
        """Return a context manager with the current patches and snapshots of the log."""

    @abstractmethod
    def news(self, point: Point, timeout: float | None) -> Iterator[LogEntry | None]:
        """Yield the patches after a version as they arrive, and None after each check."""

    @abstractmethod
    def append(
        self, patch: IncomingPatch, *, prev: URIRef | None, options: PatchOptions
    ) -> LogEntry:
        """Append a patch; ``prev`` is the id of the patch that it must follow."""

    @abstractmethod
    def squash(self, entries: Sequence[LogEntry]) -> LogEntry:
        """Replace consecutive patches by one."""

    @abstractmethod
    def add_snapshot(self, entry: LogEntry, checkout: Callable[[], Dataset]) -> Path:
        """Write the data of a version as a snapshot."""

    @abstractmethod
    def open_snapshot(self, snapshot: SnapshotRow) -> Readable:
        """Return the stored bytes of a snapshot, after a check of their digest."""

    @abstractmethod
    def find_problems(self, *, deep: bool) -> list[LogProblem]:
        """Find the problems of the log; with ``deep``, compare snapshots with the patches, too."""


class FolderHistory:
    """The folder of a log: its database, and the folders of its segments and snapshots."""

    is_compressed = False  # whether new files are compressed with zstd
    id = ""  # the id of the log; empty until the log has been read

    def __init__(self, path: str | os.PathLike[str], limits: Limits, timeout: float) -> None:
        self.path = Path(os.path.abspath(local_path(path)))
        self.location = str(self.path)
        self.link = Link(self.location)
        self.segments = self.path / "segments"
        self.snapshots = self.path / "snapshots"
        self.limits = limits
        tables = {self.segments: "segments", self.snapshots: "snapshots"}
        self.database = Database(
            self.path / NAME, "patch log", _APPLICATION_ID, timeout, tables, _SCHEMA, _ADVICE
        )

    def close(self) -> None:
        """Do nothing: a connection is open for one operation only."""

    def create(self, compression: str | None) -> bool:
        """Make an empty log and its folder, unless the log exists; return whether it was made."""
        check_compression(compression)
        if self.path.is_file():
            # This raises an error that explains what the file is.
            self.read_log()
        self.database.check_free()
        return self.database.create({"log": (uuid.uuid4().hex, compression)})

    def read_log(self) -> tuple[str, str | None, LogEntry | None]:
        """Return the id of the log, the compression of its files, and its newest patch."""
        if not self.database.exists():
            # If this log has been read before, perhaps a backup is being restored: so don't advise
            # making a new one.
            if self.id or not self.path.exists():
                advice = "" if self.id else ": PatchLog(..., create=True) makes a log"
                message = f"there is no such folder{advice}"
                raise FileNotFoundError(errno.ENOENT, message, str(self.path))
            if not self.path.is_dir():
                raise NotADirectoryError(
                    errno.ENOTDIR, "a patch log is a folder, but this is a file", str(self.path)
                )
            self.database.check_not_lost()
            raise LogError(f"is not a patch log: it has no {NAME}", path=self.path)
        with self.database.reading() as connection:
            return *self._check_same(connection), _FolderState(self, connection).newest()

    @contextmanager
    def reading(self) -> Iterator[LogState]:
        """Yield the current patches and snapshots of the log, which stay the same in the block."""
        with self.database.reading() as connection:
            self._check_same(connection)
            yield _FolderState(self, connection)

    def news(self, point: Point, timeout: float | None) -> Iterator[LogEntry | None]:
        """Yield the patches after a version as they arrive, and None after each check."""
        while True:
            with self.reading() as state:
                entries = state.after(point)
            for entry in entries:
                yield entry
                point = point_of(entry)
            yield None
            time.sleep(_INTERVAL)

    def _check_same(self, connection: sqlite3.Connection) -> tuple[str, str | None]:
        """Call `read_name`; raise a LogError if the log is not the one that was read before."""
        found = self.read_name(connection)
        self.id = check_log_id(self.id, found[0], self.location)
        self.is_compressed = found[1] is not None
        return found

    def read_name(self, connection: sqlite3.Connection) -> tuple[str, str | None]:
        """Return the id of the log, and the compression of its files."""
        rows = connection.execute("SELECT id, compression FROM log").fetchall()
        if len(rows) == 1:
            id, compression = rows[0]
            if isinstance(id, str) and _LOG_ID.fullmatch(id) and compression in COMPRESSIONS:
                return id, compression
        raise self.database.damaged("its table log has no valid row")

    def entry(self, row: Any) -> LogEntry:
        """Check a row of the database, and return its patch."""
        return LogEntry(self.database.check(COLUMNS, row), self.segments, self.limits)

    def snapshot_path(self, snapshot: SnapshotRow) -> Path:
        """Return the path of a snapshot, after a check of its row."""
        self.database.check(", ".join(SnapshotRow._fields), snapshot)
        return file_path(self.snapshots, snapshot.file)

    def open_snapshot(self, snapshot: SnapshotRow) -> bytes | Path:
        """Return the stored bytes of a snapshot, after a check of their digest."""
        return read_stored(self.snapshot_path(snapshot), snapshot.digest)

    def find_problems(self, *, deep: bool) -> list[LogProblem]:
        """Find the problems of the log; with ``deep``, compare snapshots with the patches, too."""
        problems = find_problems(self, deep=deep)
        # If this is the log of a store's file, the file is next to it; check that, too.
        path = self.path.with_name(self.path.name.removesuffix(".log"))
        if path.is_file() and (fault := find_fault(path, self.limits)):
            problems.append(LogProblem(path, fault, None, _FILE_ADVICE))
        return problems

    def append(
        self, patch: IncomingPatch, *, prev: URIRef | None, options: PatchOptions
    ) -> LogEntry:
        """Append a patch; ``prev`` is the id of the patch that it must follow."""
        if not patch.is_in_memory:
            # Find a conflict now, before a large patch is read for nothing.
            with self.database.writing() as connection:
                self._next_version(connection, prev, patch.id)
        with self.database.staged() as file:
            # The version is not known yet. It may be 0 here, as a segment does not contain it.
            place = Place(0, 0, patch.id, prev)
            with sink_to(file, is_compressed=self.is_compressed) as sink:
                is_new = patch.write(sink, place, options)
            if is_new:
                check_segment(file.source, place, limits=self.limits)
            file.sync()
            with self.database.writing(file) as connection:
                version = self._next_version(connection, prev, patch.id)
                place = replace(place, first=version, last=version)
                return self._add_segment(connection, file, place)

    def squash(self, entries: Sequence[LogEntry]) -> LogEntry:
        """Replace consecutive patches by one."""
        first, last = entries[0], entries[-1]
        place = Place(first.first, last.version, last.id, first.prev)
        with self.database.staged() as file:
            with sink_to(file, is_compressed=self.is_compressed) as sink:
                write_segment(sink, [_squashed_operations(entries)], place, options_for(entries))
            check_segment(file.source, place, limits=self.limits)
            file.sync()
            with self.database.writing(file) as connection:
                rows = _FolderState(self, connection)
                before = rows.find_id(first.prev) if first.prev else 0
                since, count = place.first - 1, len(entries) + 1
                if before != since or entries != rows.list_between(since, place.last, count):
                    raise MissingVersion(
                        f"versions {place.first} to {place.last} were squashed in the meantime"
                    )
                between, versions = "version BETWEEN ? AND ?", (place.first, place.last - 1)
                query = f"SELECT file FROM snapshots WHERE {between}"
                covered = file_paths(self.snapshots, connection.execute(query, versions))
                covered += [each.path for each in entries]
                connection.execute(f"DELETE FROM snapshots WHERE {between}", versions)
                versions = (place.first, place.last)
                connection.execute(f"DELETE FROM segments WHERE {between}", versions)
                gone = [(id_bytes(each.id), each.version) for each in entries[:-1]]
                connection.executemany("INSERT INTO squashed VALUES (?, ?)", gone)
                entry = self._add_segment(connection, file, place, covered)
        # The squash is done, so it does not matter if shrinking fails: because readers lock the
        # database for longer than the timeout, or because the disk is full.
        with suppress(sqlite3.Error, OSError):
            self.database.shrink()
        return entry

    def add_snapshot(self, entry: LogEntry, checkout: Callable[[], Dataset]) -> Path:
        """Write the data of a version as a snapshot; an existing one is replaced if unreadable."""
        version, id = entry.version, entry.id
        with self.reading() as state:
            found = state.snapshots(version)
        if found and found[-1].version == version:
            with suppress(LogError, OSError):
                self.open_snapshot(found[-1])
                return self.snapshot_path(found[-1])
        dataset = checkout()
        with self.database.staged() as file:
            is_compressed = self.is_compressed
            name = write_snapshot(file, dataset, version, id, is_compressed=is_compressed)
            path = self.snapshots / name
            with self.database.writing(file) as connection:
                if _FolderState(self, connection).find_id(id) != version:
                    raise MissingVersion(f"version {version} was squashed in the meantime")
                query = "SELECT file FROM snapshots WHERE version = ?"
                old = file_paths(self.snapshots, connection.execute(query, (version,)))
                # Another process may have added the same snapshot in the meantime: replace it.
                connection.execute("DELETE FROM snapshots WHERE version = ?", (version,))
                row = (version, str(id), name, file.size, file.digest, time.time())
                self.database.publish(connection, file, path, row, old)
        return path

    def _next_version(self, connection: sqlite3.Connection, prev: URIRef | None, id: URIRef) -> int:
        """Return the version of the next patch, after a check that ``prev`` is the newest one."""
        self._check_same(connection)
        rows = _FolderState(self, connection)
        newest = rows.newest()
        version, head_id = point_of(newest)
        earlier, how, advice = rows.find_id(id), "makes", ""
        if earlier is None:
            earlier, how = rows.find_squashed(id), "was squashed into"
        if earlier is not None:
            message = f"the log has the patch <{id}> already: it {how} version {earlier}"
        elif prev != head_id:
            wanted = "is to be the first one" if prev is None else f"is to follow <{prev}>"
            found = "the log has none"
            if head_id is not None:
                found = f"the newest is <{head_id}>, version {version}"
            message = f"the patch {wanted}, but {found}"
            advice = (
                "make the patch for that version; in Python refresh() the log first, or open() the"
                " store again"
            )
        else:
            return version + 1
        raise LogConflict(message, expected=prev, head=head_id, version=version, advice=advice)

    def _add_segment(
        self,
        connection: sqlite3.Connection,
        file: StagedFile,
        place: Place,
        replaced: Iterable[Path] = (),
    ) -> LogEntry:
        """Publish a segment, and add its row."""
        first, last, id = place.first, place.last, place.id
        name = str(FileName(first, last, id, file.digest, SEGMENT, self.is_compressed))
        prev = None if place.prev is None else str(place.prev)
        row: Row = (last, first, str(id), prev, name, file.size, file.digest, time.time())
        self.database.publish(connection, file, self.segments / name, row, replaced)
        return self.entry(row)


class _FolderState(LogState):
    """The state of a log in a folder, as one connection sees it."""

    def __init__(self, history: FolderHistory, connection: sqlite3.Connection) -> None:
        self.location = f"{history.path}"
        self._history = history
        self._run = connection.execute

    def _first(self, query: str, *values: object) -> LogEntry | None:
        row = self._run(f"{_SELECT} {query} LIMIT 1", values).fetchone()
        return None if row is None else self._history.entry(row)

    def newest(self) -> LogEntry | None:
        return self._first("ORDER BY version DESC")

    def find(self, version: int) -> LogEntry:
        entry = self._first("WHERE version >= ? ORDER BY version", version)
        if entry is None or entry.first > version:
            raise LogError(
                f"the log is broken: version {version} is missing in {NAME}: see verify()"
            )
        return entry

    def find_id(self, id: URIRef) -> int | None:
        row = self._run("SELECT version FROM segments WHERE id = ?", (id,)).fetchone()
        return None if row is None else int(row[0])

    def find_squashed(self, id: URIRef) -> int | None:
        query = "SELECT version FROM squashed WHERE id = ?"
        row = self._run(query, (id_bytes(id),)).fetchone()
        return None if row is None else self.find(row[0]).version

    def list_latest(self, upto: int, count: int) -> list[LogEntry]:
        query = f"{_SELECT} WHERE version <= ? ORDER BY version DESC LIMIT ?"
        return [self._history.entry(row) for row in self._run(query, (upto, count))][::-1]

    def list_between(self, since: int, upto: int, most: int) -> list[LogEntry]:
        history = self._history
        query = f"{_SELECT} WHERE version > ? AND version <= ? ORDER BY version LIMIT ?"
        rows = self._run(query, (since, upto, most)).fetchall()
        # A log may have 100,000 rows, so check only one row for each combination of types.
        for row in {tuple(map(type, row)): row for row in rows}.values():
            history.database.check(COLUMNS, row)
        return [LogEntry(row, history.segments, history.limits) for row in rows]

    def snapshots(self, upto: int) -> list[SnapshotRow]:
        rows = self._run(
            "SELECT version, id, snapshots.file, snapshots.digest"
            " FROM snapshots JOIN segments USING (version, id) WHERE version <= ? ORDER BY version",
            (upto,),
        )
        return [SnapshotRow(*row) for row in rows]


def _squashed_operations(entries: Sequence[LogEntry]) -> Iterator[Operation]:
    """Iterate over the compacted operations of several patches, without the place's headers."""
    # If the first patch of the log is squashed, leave out deletions: version 0 is empty.
    has_deletes = entries[0].prev is not None
    source: Any = GeneratedBatches(batch for entry in entries for batch in entry.batches())
    for operation in compact(source):
        is_idle = operation[0] == Op.D and not has_deletes
        is_place = operation[0] == Op.H and header_key(operation[1]) in (ID, PREV, SQUASHED)
        if not is_idle and not is_place:
            yield operation


def options_for(entries: Sequence[LogEntry]) -> PatchOptions:
    """Return options that allow all terms of the patches."""
    has_quoted = has_generalized = False
    for entry in entries:
        with closing(entry.batches()) as batches:
            next(batches)
            options = batches.options
        has_quoted |= options.rdf_star
        has_generalized |= options.generalized_statements
    return PatchOptions(rdf_star=has_quoted, generalized_statements=has_generalized)

"""The folder of a log, and the patches and snapshots in its database."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rdflib.term import URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.database import Database
from jelly_rdflib.log.entry import COLUMNS, LogEntry, Row
from jelly_rdflib.log.names import FileName, file_path, parse_patch_id
from jelly_rdflib.log.staging import list_names
from jelly_rdflib.options import Limits

COMPRESSIONS = (None, "zst")
NAME = "log.db"
"""The name of a log's database."""
_LOG_ID = re.compile("[0-9a-f]{32}")
_APPLICATION_ID = 0x4A504C47  # "JPLG"
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
)"""


_ADVICE = (
    "bring it back from a backup; or make a new log of the segments, in the order of their names:"
    " jellyp log init NEW, and jellyp log append NEW segments/*"
)


class Snapshot(NamedTuple):
    """A snapshot in a database; ``id`` is that of the patch which makes the version."""

    version: int
    id: str
    file: str
    digest: str


def check_compression(compression: Any) -> None:
    """Check the argument ``compression`` of a new log or replica."""
    if compression not in COMPRESSIONS:
        raise ValueError(f"compression is 'zst' or None, not {compression!r}")


class History:
    """The folder of a log: its database, and the folders of its segments and snapshots."""

    def __init__(self, path: str | os.PathLike[str], limits: Limits, timeout: float) -> None:
        self.path = Path(os.path.abspath(path))
        self.segments = self.path / "segments"
        self.snapshots = self.path / "snapshots"
        self.limits = limits
        tables = {"segments": self.segments, "snapshots": self.snapshots}
        self.database = Database(
            self.path / NAME, "patch log", _APPLICATION_ID, timeout, tables, _SCHEMA, _ADVICE
        )

    def create(self, compression: str | None) -> bool:
        """Make an empty log and its folder, unless there is a log; return whether it was made."""
        check_compression(compression)
        if self.is_old():
            self.read_log()
        self._check_not_lost()
        self.database.check_free()
        return self.make_tables(compression)

    def make_tables(
        self,
        compression: str | None,
        *,
        segments: Sequence[Any] = (),
        snapshots: Sequence[Any] = (),
    ) -> bool:
        """Make the database with these rows, unless it is there; return whether it was made."""
        rows = {"log": [(uuid.uuid4().hex, compression)]}
        return self.database.create(rows | {"segments": segments, "snapshots": snapshots})

    def read_log(self) -> tuple[str, str | None, LogEntry | None]:
        """Return the id of the log, the compression of its files, and its newest patch."""
        if not self.database.exists():
            if not self.path.exists():
                raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(self.path))
            if self.is_old():
                raise LogError(
                    f"{self.path} is a patch log of an earlier format; convert it, which loses"
                    f" nothing: jellyp log upgrade {self.path}"
                )
            self._check_not_lost()
            raise LogError(f"{self.path} is no patch log: it has no {NAME}")
        with self.database.reading() as connection:
            return (*self.read_name(connection), self.newest(connection))

    def read_name(self, connection: sqlite3.Connection) -> tuple[str, str | None]:
        """Return the id of the log, and the compression of its files."""
        rows = connection.execute("SELECT id, compression FROM log").fetchall()
        if len(rows) == 1:
            id, compression = rows[0]
            if isinstance(id, str) and _LOG_ID.fullmatch(id) and compression in COMPRESSIONS:
                return id, compression
        raise self.database.damaged("its table log has no valid row")

    def _check_not_lost(self) -> None:
        """Check that there are no segments without a database."""
        if not self.database.exists() and any(map(FileName.parse, list_names(self.segments))):
            is_empty = self.database.path.exists()
            raise self.database.damaged("it is empty" if is_empty else "it is gone")

    def is_old(self) -> bool:
        """Is there a log of the earlier format?"""
        return not self.database.exists() and (self.path / "log.json").exists()

    def entry(self, row: Any) -> LogEntry:
        """Return the patch of a row, after a check of the row."""
        return LogEntry(self.database.check(COLUMNS, row), self.segments, self.limits)

    def newest(self, connection: sqlite3.Connection) -> LogEntry | None:
        """Return the newest patch; None if there is none."""
        query = f"SELECT {COLUMNS} FROM segments ORDER BY version DESC LIMIT 1"
        row = connection.execute(query).fetchone()
        return None if row is None else self.entry(row)

    def find(self, connection: sqlite3.Connection, version: int) -> LogEntry:
        """Return the patch that makes a version, which must exist."""
        query = f"SELECT {COLUMNS} FROM segments WHERE version = ?"
        return self.entry(connection.execute(query, (version,)).fetchone())

    def find_id(self, connection: sqlite3.Connection, id: URIRef) -> int | None:
        """Return the version that a patch makes; None if there is no such patch."""
        query = "SELECT version FROM segments WHERE id = ?"
        row = connection.execute(query, (id,)).fetchone()
        return None if row is None else int(row[0])

    def resolve(self, connection: sqlite3.Connection, version: Any, newest: int) -> int:
        """Return the number of a version, given as that, as the id of its patch, or as None.

        None is ``newest``, the newest version that the caller may see.
        """
        if isinstance(version, str):
            id = parse_patch_id(version)
            found = self.find_id(connection, id)
            if found is None:
                raise LogError(f"the log has no patch <{id}>; if it had, it was squashed")
            if found > newest:
                raise LogError(
                    f"the patch <{id}> makes version {found}, which is newer than version"
                    f" {newest}, the newest that this object has seen: call refresh()"
                )
            return found
        if version is None:
            version = newest
        if not isinstance(version, int) or isinstance(version, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(version).__name__}"
            )
        if not 0 <= version <= newest:
            raise LogError(f"there is no version {version}; the log has 0 to {newest}")
        if version > 0:
            query = (
                "SELECT version, first FROM segments WHERE version >= ? ORDER BY version LIMIT 1"
            )
            row = connection.execute(query, (version,)).fetchone()
            found, first = self.database.check("version, first", row) if row else (None, None)
            if first is None or first > version:
                raise LogError(
                    f"the log is broken: version {version} is missing in {NAME}: see verify()"
                )
            if found != version:
                raise LogError(
                    f"version {version} is no more: versions {first} to {found} were squashed into"
                    " one patch"
                )
        return version

    def between(self, connection: sqlite3.Connection, since: int, upto: int) -> list[LogEntry]:
        """Return the patches that lead from one version to another."""
        if since >= upto:
            return []
        query = f"SELECT {COLUMNS} FROM segments WHERE version BETWEEN ? AND ? ORDER BY version"
        rows = connection.execute(query, (since, upto)).fetchall()
        # The first row is that of the version before them.
        before = (0, None) if since == 0 else (since, rows.pop(0)[2])
        broken = broken_links(rows, *before)
        if broken:
            raise LogError(f"the log is broken: {broken[0][1]}: see verify()")
        # Of a hundred thousand rows, only one with each tuple of types is checked.
        for row in {tuple(map(type, row)): row for row in rows}.values():
            self.database.check(COLUMNS, row)
        return [LogEntry(row, self.segments, self.limits) for row in rows]

    def usable_snapshots(self, connection: sqlite3.Connection, upto: int) -> list[Snapshot]:
        """Return the snapshots of this log's versions, oldest first."""
        rows = connection.execute(
            "SELECT version, id, snapshots.file, snapshots.digest"
            " FROM snapshots JOIN segments USING (version, id) WHERE version <= ? ORDER BY version",
            (upto,),
        )
        return [Snapshot(*row) for row in rows]

    def snapshot_path(self, snapshot: Snapshot) -> Path:
        """Return the path of a snapshot, after a check of its row."""
        self.database.check(", ".join(Snapshot._fields), snapshot)
        return file_path(self.snapshots, snapshot.file)


def broken_links(rows: list[Row], version: int = 0, id: str | None = None) -> list[tuple[int, str]]:
    """Find patches that don't follow the one before; return their versions and the faults.

    The first row must follow ``version``, made by the patch ``id``.
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

"""A dataset that follows a log, kept in a folder together with its version."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rdflib.term import URIRef

from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.table import Table
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.log.database import DEFAULT_TIMEOUT, Database
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.files import load_snapshot, write_snapshot
from jelly_rdflib.log.following import follow_into
from jelly_rdflib.log.history import check_compression
from jelly_rdflib.log.names import (
    Compression,
    InvalidId,
    file_path,
    file_paths,
    make_patch_id,
    parse_patch_id,
)
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.replay import Progress
from jelly_rdflib.log.staging import read_stored
from jelly_rdflib.log.versions import Point, Version, position_of
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.patch.patch import Patch

if TYPE_CHECKING:
    from jelly_rdflib.log.source import Source

_NAME = "replica.db"
_APPLICATION_ID = 0x4A505250  # "JPRP"
_Place: TypeAlias = "tuple[int, URIRef | None, str | None]"
_SCHEMA = """
CREATE TABLE data (
    version INTEGER NOT NULL,
    id TEXT NOT NULL,
    file TEXT NOT NULL,
    digest TEXT NOT NULL,
    position TEXT,
    time REAL NOT NULL
)"""
_ADVICE = "nothing is lost: make a new replica of the log, in another folder"

# The number of graphs that a notebook shows.
_MOST_SHOWN = 50


class _Row(NamedTuple):
    """The row of the dataset in the database, without its time."""

    version: int
    id: str
    file: str
    digest: str
    position: str | None


class Replica:
    """A dataset that follows a log, kept in a folder.

    The data are one Jelly-RDF file; a database next to it stores their version in the log. File
    and version change together, and an interruption leaves both unchanged, so that each patch is
    applied once. The dataset itself is in memory. For a store on a disk, see ``position`` of
    `PatchLog.replay`.

    Args:
        path: The folder, which is made if it is missing.
        compression: ``"zst"`` to compress the file with zstd.
        limits: The limits for reading the file; by default `Limits()`.
        timeout: The seconds to wait for other writers.

    Attributes:
        path: The folder, as an absolute path.
        dataset: The data, in a `JellyStore`, without the prefixes that rdflib binds by default.
            Change them only by `update` or `follow`: other changes are neither refused nor undone,
            but may not be stored.

    Raises:
        LogError: The file is damaged; or the folder is not empty, and not a replica.
        OSError: The folder can't be made or read.
        ValueError: The compression is unknown.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog(f"{folder}/log", create=True)
        ...     entry = log.append([])
        ...     replica = Replica(f"{folder}/replica")
        ...     print(replica.version, replica.update(log))
        ...     print(Replica(f"{folder}/replica").version)
        0 1
        1
    """

    # The version of the dataset, the id of the patch that makes it, and the position of that patch
    # in the source that it came from.
    _at: _Place
    # The row of the dataset in the folder, as it was loaded or stored last.
    _stored: _Row | None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        compression: Compression = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        check_compression(compression)
        self.path = Path(os.path.abspath(path))
        self._is_compressed = compression is not None
        self._limits = as_limits(limits)
        path, tables = self.path / _NAME, {self.path: "data"}
        self._database = Database(
            path, "replica", _APPLICATION_ID, timeout, tables, _SCHEMA, _ADVICE
        )
        if not self._database.exists():
            self._database.check_free()
            self._database.create({})
        self._load()

    def __repr__(self) -> str:
        return f"<Replica {str(self.path)!r}: version {self.version}>"

    def _repr_html_(self) -> str:
        """Return the statements by graph as a table, for notebooks."""
        heading = f"Replica {self.path.name}: version {self.version}"
        graphs = list(islice(self.dataset.graphs(), _MOST_SHOWN))
        default = self.dataset.default_graph.identifier
        ids = [each.identifier for each in graphs]
        names = ["default graph" if id == default else show(id) for id in ids]
        table = Table(("graph", "statements"), list(zip(names, map(len, graphs), strict=True)))
        patch = "no patch was applied" if self.id is None else f"made by the patch {self.id}"
        return report_html(heading, [patch, table])

    @property
    def version(self) -> int:
        """The version of the log that the dataset has; 0 before the first patch."""
        return self._at[0]

    @property
    def id(self) -> URIRef | None:
        """The id of the patch that makes this version; None before the first patch."""
        return self._at[1]

    @property
    def position(self) -> str | None:
        """The position of the dataset in the source of `follow`; None if it follows a log."""
        return self._at[2]

    def update(
        self,
        log: PatchLog,
        *,
        upto: Version = None,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Apply the missing patches, store the result in the folder, and return its version.

        Only patches in the view of ``log`` are applied: see `PatchLog.refresh`. After an error
        `dataset` is a new object, read from the disk. An update in a forked process changes the
        dataset of that process and the folder; the parent's dataset stays as it was.

        Args:
            log: The log. It must be the same each time.
            upto: The version to reach, by its number or its patch's id; by default the newest. A
                replica can't go back to an older version.
            strict: Refuse a patch with an operation that changes nothing; see `PatchLog.replay`.
            progress: Called with each applied `LogEntry`.

        Raises:
            LogError: The log does not have the version of the dataset, or has squashed it, or does
                not have the version to reach; or a segment is damaged.
            LogConflict: Another process was writing for longer than the timeout.
            ApplyError: rdflib can't hold a statement; or with ``strict`` an operation changes
                nothing.
            OSError: The file can't be written.
        """
        if isinstance(log, str | os.PathLike):
            raise TypeError(f"give the log itself: update(PatchLog({os.fspath(log)!r}))")
        missing = self._missing(log, upto)
        while missing and self._is_before(log, missing[-1]):
            try:
                if self.version == 0 and not strict:
                    log.checkout(upto, target=self.dataset, progress=progress)
                else:
                    options: Any = {"upto": upto, "strict": strict, "progress": progress}
                    log.replay(self.dataset, since=self._point(), **options)
                try:
                    self._save((missing[-1].version, missing[-1].id, None))
                except LogConflict as error:
                    if error.is_locked:
                        raise
                    # Another process has updated the replica, too, maybe to a version before the
                    # wanted one: load its result, and try again.
                    self._load()
            except BaseException:  # noqa: PERF203
                self._load()
                raise
        return self.version

    def follow(
        self,
        source: Source,
        *,
        save_every: float = 10.0,
        strict: bool = False,
        progress: Callable[[Patch], object] | None = None,
    ) -> int:
        """Apply the patches of a live source as they arrive, until the source ends.

        The source continues after the last patch that was stored. The data and the position of the
        source are stored together, so each patch is applied once, wherever the program is
        interrupted. Patches are acknowledged to the source once they are stored.

        Args:
            source: The source, see `jelly_rdflib.live.connect`. It must be the same each time.
            save_every: How often to store the whole data, in seconds. They are also stored at the
                end, after an error, and after Ctrl+C.
            strict: Refuse a patch with an operation that changes nothing, unless it was squashed;
                see `jelly_rdflib.apply`.
            progress: Called with each patch that was applied.

        Returns:
            The new version of the dataset: the log's, if the source reports it; otherwise it grows
            by one for each patch.

        Raises:
            ValueError: The position in the folder belongs to another source, or the source has no
                positions.
            ApplyError: rdflib can't hold a statement; or with ``strict`` an operation changes
                nothing.
            LogConflict: Another process has changed the replica; only one can follow a source.
                The patches since the last store are not acknowledged, and `dataset` is a new
                object, read from the disk.
            Exception: Errors of the source.

        Examples:
            >>> import tempfile
            >>> from jelly_rdflib import live
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     entry = PatchLog(f"{folder}/log", create=True).append([])
            ...     replica = Replica(f"{folder}/replica")
            ...     with live.connect(f"{folder}/log", timeout=1) as source:
            ...         replica.follow(source)
            1
        """
        point = Point(*self._at[:2])
        if self.position or point.id:
            source.resume(self.position or position_of(point))

        def taken(patch: Patch) -> None:
            try:
                id = parse_patch_id(patch.header.get("id"))
            except InvalidId:
                id = make_patch_id()
            if source.version is not None:
                # The source is a log: the version and the id are the position in it.
                self._at = source.version, id, None
            else:
                self._at = self.version + 1, id, source.position
            if progress is not None:
                progress(patch)

        try:
            options: Any = {"store_every": save_every, "strict": strict}
            follow_into(self.dataset, source, taken, lambda: self._save(self._at), **options)
        except LogConflict as error:
            if not error.is_locked:
                self._load()
            raise
        except MissingVersion as error:
            # After the first patch this is not about the version that the replica has.
            if point.id and point == self._at[:2]:
                _advise(error)
            raise
        return self.version

    def _missing(self, log: PatchLog, upto: Version) -> list[LogEntry]:
        """Return the patches of a log that lead from the dataset to a version."""
        try:
            return log._between(self._point(), upto)[0]
        except MissingVersion as error:
            # If the replica has more patches, this may be an old view of its log.
            if upto is None and self.version <= log.version:
                _advise(error)
            raise

    def _point(self) -> Version:
        # With a position, `version` only counts the patches of a source: the log may number them
        # differently.
        return self.id if self.position else Point(self.version, self.id)

    def _is_before(self, log: PatchLog, entry: LogEntry) -> bool:
        """Return whether the dataset has an older version than the one that a patch makes."""
        if not self.position or self.id is None:
            return self.version < entry.version
        with log._history.reading() as state:
            version = state.find_id(self.id)
        # Replaying raises the error for an unknown patch.
        return version is None or version < entry.version

    def _read(self) -> _Row | None:
        """Return the row of the dataset; None for an empty dataset."""
        with self._database.reading() as connection:
            return self._row(connection)

    def _row(self, connection: sqlite3.Connection) -> _Row | None:
        columns = ", ".join(_Row._fields)
        rows = connection.execute(f"SELECT {columns} FROM data").fetchall()
        if len(rows) > 1:
            raise self._database.damaged(f"it has {len(rows)} versions, not one")
        return _Row(*self._database.check(columns, rows[0])) if rows else None

    def _load(self) -> None:
        while True:
            self.dataset = empty_dataset()
            self._at = 0, None, None
            self._stored = row = self._read()
            if row is None:
                return
            try:
                path = file_path(self.path, row.file)
                load_snapshot(read_stored(path, row.digest), self.dataset, self._limits)
            except LogError:
                # If the row has changed, another process has replaced the file: try again.
                if self._read() == row:
                    raise
            else:
                self._at = row.version, URIRef(row.id), row.position
                return

    def _save(self, at: _Place) -> None:
        """Store the dataset, unless another process has replaced the one that was loaded."""
        version, id, position = at
        assert id is not None
        with self._database.staged() as file:
            is_compressed = self._is_compressed
            name = write_snapshot(file, self.dataset, version, id, is_compressed=is_compressed)
            row = _Row(version, str(id), name, file.digest, position)
            with self._database.writing(file) as connection:
                old = self._row(connection)
                if old != self._stored:
                    version, head = (old.version, URIRef(old.id)) if old else (0, None)
                    raise LogConflict(
                        f"{self.path}: another process has changed the replica, which has version"
                        f" {version} now: only one can follow a source",
                        expected=URIRef(self._stored.id) if self._stored else None,
                        head=head,
                        version=version,
                    )
                connection.execute("DELETE FROM data")
                replaced = file_paths(self.path, [(old.file,)] if old else [])
                values = (*row, time.time())
                self._database.publish(connection, file, self.path / name, values, replaced)
        self._at, self._stored = at, row


def _advise(error: MissingVersion) -> None:
    """Add advice to the error for a log that lacks the version of a replica."""
    what = "may be of another log" if error.squashed_into is None else "can't follow any more"
    error.advice = f"the replica {what}: make a new replica in another folder"

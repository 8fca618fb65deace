"""The SQLite database that commits what a folder has: of a log, and of a replica.

Journal mode TRUNCATE, with ``synchronous=FULL``. A rollback journal, since a database in WAL mode
can't be read on a read-only medium, and leaves two more files to copy. TRUNCATE, since SQLite syncs
a journal that it has truncated, but in mode DELETE not the folder of one that it has deleted: the
journal could come back after a failure of power, and take the last commit back.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.log.names import SEGMENT, SNAPSHOT, FileName
from jelly_rdflib.log.staging import (
    StagedFile,
    find_dead,
    list_names,
    make_folder,
    remove_files,
    sync_folder,
)

_MOUNTS = Path("/proc/self/mountinfo")
# Their locks hold for one machine only, or not at all, or as the server is set up.
_NETWORK = re.compile(
    "9p|afs|ceph|cifs|gfs2|lustre|ncpfs|nfs4?|ocfs2|smb3|smbfs"
    r"|fuse\.(davfs|gcsfuse|glusterfs|rclone|s3fs|sshfs)"
)


def network_file_system(folder: Path) -> str:
    """Return the type of the file system that a folder is on, if it is one of a network.

    Returns:
        The type. An empty text for any other file system, and on systems other than Linux.
    """
    try:
        lines = _MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return ""
    path = os.path.realpath(folder)
    best, found = "", ""
    for line in lines:
        # proc(5): the fifth field is the mount point, the type comes after a lone dash.
        fields = line.split(" ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        is_above = path == point or path.startswith(point.rstrip("/") + "/")
        # Of two at one place the later one is seen.
        if is_above and len(point) >= len(best):
            best, found = point, fields[fields.index("-", 6) + 1]
    return found if _NETWORK.fullmatch(found) else ""


DEFAULT_TIMEOUT = 30.0
"""How many seconds to wait for others who write."""
_FORMAT = 2
# How often a commit was written once more, since it was in doubt.
_REPEATS = "CREATE TABLE repeats (count INTEGER NOT NULL)"
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("version", "first", "size"), (int,)),
    **dict.fromkeys(("id", "file", "digest"), (str,)),
    "prev": (str, type(None)),
    "time": (float,),
}


class Transaction:
    """An immediate transaction of SQLite, and the files that are published in it.

    No other process or thread can write to the database until it ends.

    Args:
        connection: A connection on which an immediate transaction has begun.

    Attributes:
        connection: As given.
        published: What was published: the staged file, its path, the table that has it, what is
            to be removed without a commit, and what with it.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.published: list[tuple[StagedFile, Path, str, list[Path], set[Path]]] = []

    def publish(
        self,
        file: StagedFile,
        path: Path,
        table: str,
        row: Sequence[Any],
        *,
        replaced: Iterable[Path] = (),
    ) -> None:
        """Give a staged file its name, and the database its row; or neither, without a commit.

        Args:
            file: The file; what of it is not in memory is on the disk.
            path: Its name.
            table: The table.
            row: The row, with this name in its column ``file``.
            replaced: Files that no row names any more: removed, once this is committed.

        Raises:
            LogError: There is a folder with this name.
        """
        if path.is_dir():
            raise LogError(f"{path} is a folder, and is to be a file: move it away")
        # Until it is known how this ends; whoever writes next looks after it.
        file.needs_cleaning = True
        # One that is there without a row may be the last copy of a patch.
        new = [] if path.exists() else [path]
        old = set(replaced) - {path}
        self.published.append((file, path, table, new, old))
        file.publish(path, [*new, *old])
        _insert(self.connection, table, row)

    def settle(self, *, is_committed: bool) -> None:
        """Remove what was published; or, if it is committed, what that replaces."""
        for file, _, _, new, old in self.published:
            # If a file can't be removed, its notes stay. The next writer removes it.
            with suppress(OSError):
                remove_files(old if is_committed else new)
                file.needs_cleaning = False


class Database:
    """A database in a file.

    A connection is for one operation: none is open between two, and so none gets into a process
    that is forked.

    Args:
        path: The file, as an absolute path.
        kind: What it is a database of, in words.
        application_id: The number in the file's header by which SQLite tells whose database it is.
        timeout: How many seconds to wait for others who write.
        tables: The tables that have files, in a column ``file``, and in which folders these are.
        schema: Statements of SQL that make the tables, with ``;`` between them and nowhere else.
        advice: What to do if it is damaged.

    Attributes:
        path, advice: As given.
        staging: The folder with files that are being written.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        application_id: int,
        timeout: float,
        tables: Mapping[str, Path],
        schema: str,
        advice: str,
    ) -> None:
        self.path = path
        self.advice = advice
        self._schema = [_REPEATS, *schema.split(";")]
        self.staging = path.parent / "staging"
        self._tables = tables
        self._kind = kind
        self._application_id = application_id
        self._timeout = timeout
        self._network: str | None = None

    def create(self, rows: Mapping[str, Sequence[Any]]) -> bool:
        """Make the tables, unless they are there.

        Args:
            rows: What they have from the start.

        Returns:
            Whether they were made.

        Raises:
            LogError: The file is of something else.
        """
        if self.path.exists() and self.path.stat().st_size:
            # One that is there need not be written to.
            with suppress(LogError), self.reading():
                return False
        with self.writing(is_new=True) as transaction:
            run = transaction.connection.execute
            if run("PRAGMA schema_version").fetchone() != (0,):
                self._check(transaction.connection)
                return False
            run(f"PRAGMA application_id = {self._application_id}")
            run(f"PRAGMA user_version = {_FORMAT}")
            for statement in self._schema:
                run(statement)
            run("INSERT INTO repeats VALUES (0)")
            for table, values in rows.items():
                for row in values:
                    _insert(transaction.connection, table, row)
        sync_folder(self.path.parent)
        return True

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold a connection that sees one state of the database.

        Raises:
            LogConflict: Others kept it locked for too long.
            LogError: It is no such database, is damaged, or must be repaired and can't be written.
            OSError: It can't be read.
        """
        with self._explained(), closing(self._connect("rw")) as connection:
            connection.execute("BEGIN")
            self._check(connection)
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, is_new: bool = False) -> Iterator[Transaction]:
        """Hold a transaction in which nobody else writes; it is committed after the block.

        First it is cleaned up after writers that came to no end.

        Args:
            is_new: Whether the file may be missing, and is not checked.

        Raises:
            LogConflict: Others kept it locked for too long. Nothing was changed.
            LogError: As by `reading`; or it is on a file system of a network.
            OSError: It can't be written; or, with ``errno.EIO``, whether it was committed can't be
                told.
        """
        if self._network is None:
            self._network = network_file_system(self.path.parent)
        if self._network:
            raise LogError(
                f"{self.path.parent} can be read, but not written: it is on a network's file system"
                f" ({self._network}), on which SQLite's locks can't be relied on; keep it on a disk"
                " of one machine, and copy it from there"
            )
        with (
            self._explained(),
            closing(self._connect("rwc" if is_new else "rw")) as connection,
        ):
            connection.execute("BEGIN IMMEDIATE")
            transaction = Transaction(connection)
            try:
                if not is_new:
                    self._check(connection)
                    # Before the caller deletes rows, which an error brings back.
                    self._clear(connection)
                yield transaction
                connection.execute("COMMIT")
                transaction.settle(is_committed=True)
            except BaseException as error:
                if connection.in_transaction:
                    # First the files: without the lock they may be another's to clear.
                    transaction.settle(is_committed=False)
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise
                try:
                    is_committed = self._repeat_commit(transaction)
                except sqlite3.Error as second:
                    what = (
                        f"{error}; and whether it was committed can't be told now ({second}): look"
                        " again (refresh), before it is tried again"
                    )
                    raise OSError(errno.EIO, what, str(self.path)) from error
                if not is_committed or not isinstance(error, sqlite3.Error):
                    raise

    def _repeat_commit(self, transaction: Transaction) -> bool:
        """Find out whether a transaction was committed whose end is in doubt.

        If it was, it is brought to the disk: what failed may have been just that. If it was not,
        what it has published is removed.
        """
        with closing(self._connect("rw")) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for _, path, table, _, _ in transaction.published:
                query = f"SELECT 1 FROM {table} WHERE file = ?"
                if connection.execute(query, (path.name,)).fetchone() is not None:
                    connection.execute("UPDATE repeats SET count = count + 1")
                    connection.execute("COMMIT")
                    transaction.settle(is_committed=True)
                    return True
            transaction.settle(is_committed=False)
            connection.execute("ROLLBACK")
        return False

    @contextmanager
    def staged(self) -> Iterator[StagedFile]:
        """Hold a file to write to, which is discarded after the block unless it was published."""
        file = StagedFile(self.staging, self.writing)
        try:
            yield file
        finally:
            file.discard()

    def _clear(self, connection: sqlite3.Connection) -> None:
        """Make the folders, and remove what writers have left there that are no more."""
        for folder in (*self._tables.values(), self.staging):
            make_folder(folder)
        dead, noted = find_dead(self.staging)
        with suppress(OSError):
            # Last the notes, by which others see that there may be more to remove.
            remove_files(self._uncommitted(connection, noted))
            remove_files(dead)

    def _uncommitted(self, connection: sqlite3.Connection, noted: set[str]) -> Iterator[Path]:
        """Iterate over the files that writers have noted who are no more, and that no row has."""
        for table, folder in self._tables.items() if noted else ():
            kept = {row[0] for row in connection.execute(f"SELECT file FROM {table}")}
            kind = SEGMENT if table == "segments" else SNAPSHOT
            for name in noted - kept:
                parsed = FileName.parse(name)
                if parsed is not None and parsed.kind == kind and (folder / name).is_file():
                    yield folder / name

    def problems(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        try:
            with self.reading() as connection:
                found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        except LogConflict:
            raise
        except (LogError, OSError) as error:
            return [str(error)]
        return [] if found == ["ok"] else found

    def strange_parts(self, connection: sqlite3.Connection) -> list[str]:
        """Return what the database has besides its tables, and which tables are not as they were.

        Args:
            connection: From `reading`.
        """
        query = (
            "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )

        def parts(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
            rows = connection.execute(query)
            return {name: (kind, " ".join(str(sql).split())) for name, kind, sql in rows}

        with closing(sqlite3.connect(":memory:")) as empty:
            for statement in self._schema:
                empty.execute(statement)
            wanted = parts(empty)
        found = parts(connection)
        strange = [
            f"its {kind} {name} is missing, or was changed"
            for name, (kind, sql) in wanted.items()
            if found.get(name) != (kind, sql)
        ]
        return strange + [
            f"it has a {kind} {name}, which the {self._kind} has not made"
            for name, (kind, _) in found.items()
            if name not in wanted
        ]

    def check(self, columns: str, row: Any) -> Any:
        """Return a row, if each of its columns has something of the type that it is to have.

        Args:
            columns: The names of the columns, the first of which is ``version``.
            row: The row.

        Raises:
            LogError: It is not so.
        """
        if wrong := wrong_types(columns, row):
            raise self.damaged(wrong)
        return row

    def damaged(self, what: str) -> LogError:
        """Return the error that says that the database is damaged, and what to do."""
        return LogError(f"{self.path} is damaged ({what}): {self.advice}")

    def _connect(self, mode: str) -> sqlite3.Connection:
        for suffix in ("", "-journal"):
            check_regular(self.path.with_name(self.path.name + suffix))
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            uri=True,
            timeout=self._timeout,
            # Transactions begin and end where it is said, and nowhere else.
            isolation_level=None,
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_mode = TRUNCATE")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != self._application_id:
            raise LogError(f"{self.path} is no database of a {self._kind}")
        if version != _FORMAT:
            raise LogError(
                f"{self.path} is of version {version} of the format; this package knows {_FORMAT}"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what an error of SQLite means here."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            # Before Python 3.11 an error has its words only.
            text = str(error)
            if "locked" in text:
                raise LogConflict(
                    f"{self.path} was locked by others for {self._timeout:g} seconds: nothing was"
                    " changed; try again, or wait longer (timeout=)"
                ) from error
            if "full" in text:
                raise OSError(errno.ENOSPC, text, str(self.path)) from error
            if "readonly" in text or "unable to open" in text or "I/O" in text:
                raise self._unusable(text) from error
            raise self.damaged(text) from error

    def _unusable(self, text: str) -> Exception:
        """Return the error for what the system has refused."""
        journal = self.path.with_name(self.path.name + "-journal")
        is_hot = journal.exists() and journal.stat().st_size
        needed = [self.path, self.path.parent, *([journal] if is_hot else [])]
        is_refused = not all(os.access(path, os.R_OK | os.W_OK) for path in needed)
        if is_refused and is_hot:
            return LogError(
                f"{self.path} must be repaired before it is read, since a writer was cut off, and"
                f" it can't be written here: open it once where {journal.name} can be written"
            )
        if is_refused and self.path.exists() and "I/O" not in text:
            return PermissionError(errno.EACCES, text, str(self.path))
        return OSError(errno.EIO, text, str(self.path))


def wrong_types(columns: str, row: Any) -> str:
    """Return what `Database.check` finds wrong with a row, in words; nothing if all is well."""
    wrong = _wrong_types(columns, tuple(map(type, row)))
    return wrong and f"of version {row[0]}, {wrong}"


@cache
def _wrong_types(columns: str, kinds: tuple[type, ...]) -> str:
    """Return which columns have what they can't have, in words."""
    named = zip(columns.split(", "), kinds, strict=True)
    wrong = [f"{name} is {kind.__name__}" for name, kind in named if kind not in _TYPES[name]]
    return " and ".join(wrong)


def _insert(connection: sqlite3.Connection, table: str, row: Sequence[Any]) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def check_free(folder: Path, database: str, kind: str) -> None:
    """Check that a folder is empty, or has the database of what it is to be.

    Raises:
        LogError: It has other things.
    """
    path = folder / database
    check_regular(path)
    if path.exists() and path.stat().st_size:
        return
    # What an attempt to make one has left, which broke off, is not in the way.
    others = set(list_names(folder)) - {database, f"{database}-journal"}
    others = {name for name in others if not name.startswith(".")}
    if others:
        raise LogError(f"{folder} is no {kind}, but is not empty: there is {min(others)}")


def check_regular(path: Path) -> None:
    """Check that there is a file at a path, or nothing: to open a pipe may take forever.

    Raises:
        LogError: There is something else.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise LogError(f"{path} is no file, but a folder, a pipe or the like: move it away")

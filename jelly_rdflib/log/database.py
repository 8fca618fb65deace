"""The SQLite database of a log or a replica; a file is committed by adding a row for it.

The journal mode is TRUNCATE, with ``synchronous=FULL``. The other modes have drawbacks. A database
in WAL mode can't be read on a read-only medium, and has two more files to copy. In mode DELETE,
SQLite does not sync the folder of the deleted journal: after a power failure the journal could
reappear, and undo the last commit.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.log.names import FileName
from jelly_rdflib.log.staging import (
    MOVE_AWAY,
    StagedFile,
    create_file,
    find_dead,
    list_names,
    make_folder,
    remove_files,
    sync_folder,
)

_MOUNTS = Path("/proc/self/mountinfo")
# File systems whose locks apply to one machine only, don't work, or depend on the server.
_NETWORK = re.compile(
    "9p|afs|ceph|cifs|gfs2|lustre|ncpfs|nfs4?|ocfs2|smb3|smbfs"
    r"|fuse\.(davfs|gcsfuse|glusterfs|rclone|s3fs|sshfs)"
)


def network_file_system(folder: Path) -> str:
    """Return the type of a folder's network file system; an empty string if the folder is local.

    The string is also empty on systems other than Linux.
    """
    try:
        lines = _MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return ""
    path = Path(os.path.realpath(folder))
    best, found = "", ""
    for line in lines:
        # proc(5): the fifth field is the mount point, the type comes after a lone dash.
        fields = line.split(" ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        # If a mount point is listed twice, the later file system hides the earlier one.
        if path.is_relative_to(point) and len(point) >= len(best):
            best, found = point, fields[fields.index("-", 6) + 1]
    return found if _NETWORK.fullmatch(found) else ""


DEFAULT_TIMEOUT = 30.0
"""The seconds to wait for other writers."""
_FORMAT = 1
_COUNTS = ("freelist_count", "page_count")
# The database is rewritten without its free pages if at least one page in this many is free.
_WORTH_WHILE = 4
# The number of commits that were repeated because their outcome was unknown.
_REPEATS = "CREATE TABLE repeats (count INTEGER NOT NULL)"
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("version", "first", "size"), (int,)),
    **dict.fromkeys(("id", "file", "digest"), (str,)),
    **dict.fromkeys(("prev", "position"), (str, type(None))),
    "time": (float,),
}


@dataclass(frozen=True, eq=False)
class Database:
    """A database in a file.

    A connection is open for one operation only, so a forked process never inherits one.
    """

    path: Path  # absolute
    kind: str  # the name of what the database belongs to, for messages: "patch log"
    application_id: int  # SQLite's application id, in the file's header
    timeout: float  # seconds to wait for other writers
    tables: Mapping[Path, str]  # the folders of files, each with the table that lists its files
    schema: str  # statements that make the tables, with ``;`` between them and nowhere else
    advice: str  # what to do if the database is damaged

    @property
    def _is_alone(self) -> bool:
        """Return whether the database lists no files, so that its folder has only the database."""
        return not self.tables

    @property
    def staging(self) -> Path:
        """The folder with files that are being written."""
        return self.path.parent / "staging"

    @cached_property
    def _network(self) -> str:
        return network_file_system(self.path.parent)

    def _statements(self) -> list[str]:
        return [_REPEATS, *self.schema.split(";")]

    def exists(self) -> bool:
        """Return whether the file has a database; raise a LogError if it is a folder or a pipe."""
        check_regular(self.path)
        return self.path.exists() and self.path.stat().st_size > 0

    def check_not_lost(self) -> None:
        """Raise a LogError if the database is missing, but files exist that it should list."""
        if not self.exists():
            names = (name for folder in self.tables for name in list_names(folder))
            if any(map(FileName.parse, names)):
                raise self.damaged("it is empty" if self.path.exists() else "it is gone")

    def check_free(self) -> None:
        """Check that the folder has the database or is empty."""
        if self.exists():
            return
        self.check_not_lost()
        # Files of an earlier attempt that was interrupted are allowed.
        own = {self.path.name, f"{self.path.name}-journal"}
        names = set(list_names(self.path.parent)) - own
        others = [name for name in names if not name.startswith(".")]
        if others:
            what = f"is not a {self.kind}, but is not empty: there is {min(others)}"
            raise LogError(what, path=self.path.parent)

    def create(self, rows: Mapping[str, Sequence[Any]]) -> bool:
        """Make the folder, and the tables with one row each; return False if the tables exist."""
        make_folder(self.path.parent)
        if self.exists():
            # An existing database is only read, since it may be read-only.
            with suppress(LogError), self.reading():
                return False
        with self.writing(is_new=True) as connection:
            run = connection.execute
            if run("PRAGMA schema_version").fetchone() != (0,):
                self._check(connection)
                return False
            run(f"PRAGMA application_id = {self.application_id}")
            run(f"PRAGMA user_version = {_FORMAT}")
            for statement in self._statements():
                run(statement)
            run("INSERT INTO repeats VALUES (0)")
            for table, row in rows.items():
                _insert(connection, table, row)
        sync_folder(self.path.parent)
        return True

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the database."""
        with self._explained(), closing(self._connect()) as connection:
            connection.execute("BEGIN")
            self._check(connection)
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(
        self, file: StagedFile | None = None, *, is_new: bool = False
    ) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a transaction that excludes other writers; commit after the block.

        First the files of dead writers are removed. If ``file`` was published in the block, a
        rollback removes it. With ``is_new`` the database may be missing, and is not checked. An
        OSError with ``errno.EIO`` means that it is unknown whether the transaction was committed.
        """
        file = file or StagedFile(self.staging, self.writing)
        if not self._is_alone and (network := self._network):
            raise LogError(
                f"can be read, but not written: it is on a network file system ({network}), where"
                " SQLite's locks are not reliable",
                path=self.path.parent,
                advice="keep it on a local disk, and copy it from there",
            )
        if is_new:
            with suppress(FileExistsError):
                # Make the file here, with the folder's permissions: SQLite's journal copies them.
                os.close(create_file(self.path))
        with self._explained(), closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if not is_new:
                    self._check(connection)
                    # Do this before the caller deletes rows: their files must stay, since a
                    # rollback would restore the rows.
                    self._clear(connection)
                yield connection
                connection.execute("COMMIT")
                file.settle(is_committed=True)
            except BaseException as error:
                if connection.in_transaction:
                    # Remove the file first: after the rollback another writer may do so.
                    file.settle(is_committed=False)
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise
                try:
                    is_committed = self._repeat_commit(file)
                except sqlite3.Error as second:
                    what = (
                        f"{error}; it is unknown whether this was committed ({second}): look again"
                        " (refresh) before you try again"
                    )
                    raise OSError(errno.EIO, what, str(self.path)) from error
                if not is_committed or not isinstance(error, sqlite3.Error):
                    raise

    def _repeat_commit(self, file: StagedFile) -> bool:
        """Find out whether a transaction with an unknown outcome was committed.

        If so, write to the database again, which syncs it: the first sync may have failed.
        """
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            is_committed = False
            if (path := file.published) is not None:
                query = f"SELECT 1 FROM {self.tables[path.parent]} WHERE file = ?"
                is_committed = connection.execute(query, (path.name,)).fetchone() is not None
            if is_committed:
                connection.execute("UPDATE repeats SET count = count + 1")
                connection.execute("COMMIT")
            file.settle(is_committed=is_committed)
        return is_committed

    def shrink(self) -> None:
        """Rewrite the database to reclaim the space of deleted rows, if there is enough of it."""
        with closing(self._connect()) as connection:
            run = connection.execute
            free, pages = (run(f"PRAGMA {name}").fetchone()[0] for name in _COUNTS)
            # VACUUM rewrites the whole file, so it must free enough space.
            if free * _WORTH_WHILE >= pages:
                run("VACUUM")

    def publish(
        self,
        connection: sqlite3.Connection,
        file: StagedFile,
        path: Path,
        row: Sequence[Any],
        replaced: Iterable[Path] = (),
    ) -> None:
        """Give a staged file its path, and add its row to the database, in the current transaction.

        The file must be in memory or synced. The commit removes the ``replaced`` files, whose rows
        the caller has deleted.
        """
        if path.is_dir():
            raise LogError("is a folder, but should be a file", path=path, advice=MOVE_AWAY)
        file.publish(path, replaced)
        _insert(connection, self.tables[path.parent], row)

    def staged(self) -> closing[StagedFile]:
        """Return a context manager for a new staged file, which is discarded unless published."""
        return closing(StagedFile(self.staging, self.writing))

    def _clear(self, connection: sqlite3.Connection) -> None:
        """Make the folders, and remove the files of dead writers."""
        if self._is_alone:
            return
        for folder in (*self.tables, self.staging):
            make_folder(folder, self.path.parent)
        dead, noted = find_dead(self.staging)
        with suppress(OSError):
            for folder, table in self.tables.items() if noted else ():
                kept = {row[0] for row in connection.execute(f"SELECT file FROM {table}")}
                paths = (folder / name for name in noted - kept)
                remove_files(path for path in paths if path.is_file())
            # Remove the notes last: while they exist, the next writer knows what to remove.
            remove_files(dead)

    def problems(self) -> list[str]:
        """Return the faults that SQLite itself finds in a file that can be read."""
        with self.reading() as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def strange_parts(self, connection: sqlite3.Connection) -> list[str]:
        """Describe which tables are missing or changed, and what was added to the database."""
        query = (
            "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )

        def parts(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
            rows = connection.execute(query)
            return {(name, kind, " ".join(str(sql).split())) for name, kind, sql in rows}

        found = parts(connection)
        with closing(sqlite3.connect(":memory:")) as empty:
            for statement in self._statements():
                empty.execute(statement)
            wanted = parts(empty)
        names = {name for name, _, _ in wanted}
        return [
            f"its {kind} {name} is missing, or was changed"
            for name, kind, _ in sorted(wanted - found)
        ] + [
            f"it has a {kind} {name}, which does not belong to a {self.kind}"
            # Sort by `repr`: in a database from elsewhere, a name need not be text.
            for name, kind, _ in sorted(found - wanted, key=repr)
            if name not in names
        ]

    def check(self, columns: str, row: Any) -> Any:
        """Check the types in a row, whose first column is ``version``, and return the row."""
        if wrong := wrong_types(columns, row):
            raise self.damaged(wrong)
        return row

    def damaged(self, what: str) -> LogError:
        """Return the error for a damaged database."""
        return LogError(f"is damaged ({what})", path=self.path, advice=self.advice)

    def _connect(self) -> sqlite3.Connection:
        for suffix in ("", "-journal"):
            check_regular(self.path.with_name(self.path.name + suffix))
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=self.timeout,
            # The sqlite3 module must not begin or end transactions itself.
            isolation_level=None,
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = FULL")
            mode = "DELETE" if self._is_alone else "TRUNCATE"
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != self.application_id:
            raise LogError(f"is not a database of a {self.kind}", path=self.path)
        if version != _FORMAT:
            what = f"has version {version} of the format; this package supports {_FORMAT}"
            raise LogError(what, path=self.path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an SQLite error into an error that tells the user what to do."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            # Before Python 3.11 an error has no code, so the text must identify it.
            text = str(error)
            if "locked" in text:
                raise LogConflict(
                    f"{self.path} was locked by other processes or threads for {self.timeout:g}"
                    " seconds: nothing was changed; try again, or wait longer (timeout=)",
                    is_locked=True,
                ) from error
            if "full" in text:
                raise OSError(errno.ENOSPC, text, str(self.path)) from error
            if "readonly" in text or "unable to open" in text or "I/O" in text:
                raise self._unusable(text) from error
            raise self.damaged(text) from error

    def _unusable(self, text: str) -> Exception:
        """Return the error for an operation that the system has refused."""
        journal = self.path.with_name(self.path.name + "-journal")
        is_hot = journal.exists() and journal.stat().st_size
        needed = [self.path, self.path.parent, *([journal] if is_hot else [])]
        is_refused = not all(os.access(path, os.R_OK | os.W_OK) for path in needed)
        if is_refused and is_hot:
            return LogError(
                "must be repaired before it is read, since a writer was interrupted, and it can't"
                " be written here",
                path=self.path,
                advice=f"open it once where {journal.name} can be written",
            )
        if not self.path.exists():
            return FileNotFoundError(errno.ENOENT, text, str(self.path))
        if is_refused and "I/O" not in text:
            return PermissionError(errno.EACCES, text, str(self.path))
        return OSError(errno.EIO, text, str(self.path))


def wrong_types(columns: str, row: Any) -> str:
    """Describe which columns of a row have a wrong type; return an empty string if none has."""
    wrong = _wrong_types(columns, tuple(map(type, row)))
    return wrong and f"of version {row[0]}, {wrong}"


@cache
def _wrong_types(columns: str, kinds: tuple[type, ...]) -> str:
    named = zip(columns.split(", "), kinds, strict=True)
    wrong = [f"{name} is {kind.__name__}" for name, kind in named if kind not in _TYPES[name]]
    return " and ".join(wrong)


def _insert(connection: sqlite3.Connection, table: str, row: Sequence[Any]) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def check_regular(path: Path) -> None:
    """Check that a path is a regular file or missing, since opening a pipe may block forever."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode):
        what = "is not a file, but a folder, a pipe or the like"
        raise LogError(what, path=path, advice=MOVE_AWAY)

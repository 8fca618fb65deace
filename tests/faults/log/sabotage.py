"""Changes of the package: faults that a campaign must find, and one that is no fault."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any

from jelly_rdflib.log import database, staging
from jelly_rdflib.log.history import History

__all__ = [
    "cleared_without_lock",
    "commits_not_synced",
    "files_not_synced",
    "journal_deleted",
    "large_files_not_synced",
    "living_writers_cleared",
    "nothing_committed",
    "nothing_in_memory",
    "others_replaced",
]


def change_statements(change: Callable[[str], str]) -> None:
    """Have SQLite get other statements than it is given."""

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
            return super().execute(change(statement), *arguments)

    sqlite3.connect = partial(sqlite3.connect, factory=Connection)  # type: ignore[assignment]


def nothing_committed() -> None:
    """A patch is acknowledged before it is committed."""
    change_statements(lambda text: "SELECT 1" if text == "COMMIT" else text)


def others_replaced() -> None:
    """The newest version is compared before the transaction, and not in it."""
    real = History._next_version
    found: dict[Any, int] = {}

    def next_version(self: History, connection: Any, prev: Any, id: Any) -> int:
        if id not in found:
            found[id] = real(self, connection, prev, id)
        return found[id]

    History._next_version = next_version  # type: ignore[method-assign]
    change_statements(lambda text: text.replace("INSERT INTO seg", "INSERT OR REPLACE INTO seg"))


def living_writers_cleared() -> None:
    """Marks are not looked at: what another is writing is removed."""
    real = staging.find_dead

    def find_dead(folder: Any) -> Any:
        for name in os.listdir(folder):
            os.unlink(folder / name)
        return real(folder)

    database.find_dead = find_dead
    # Small files are not there for long enough.
    nothing_in_memory()


def cleared_without_lock() -> None:
    """Files that no row names are removed while another may be about to add their rows."""
    real = database.Database.staged

    def staged(self: database.Database) -> Any:
        with self.reading() as connection:
            noted = staging.list_noted(self.staging)
            staging.remove_files(self._uncommitted(connection, noted))
        return real(self)

    database.Database.staged = staged  # type: ignore[method-assign]


def files_not_synced() -> None:
    """Segments and folders are not brought to the disk; what SQLite does is as it was."""
    os.fsync = lambda fd: None


def nothing_in_memory() -> None:
    """Small files are on the disk from their first byte, as large ones are. This is no fault."""
    staging._AT_ONCE = 1


def large_files_not_synced() -> None:
    """A file that does not wait in memory is not synced."""
    nothing_in_memory()
    staging.StagedFile.sync = lambda self: None  # type: ignore[method-assign]


def journal_deleted() -> None:
    """SQLite's default, which does not bring the folder of the journal to the disk."""
    change_statements(lambda text: text.replace("= TRUNCATE", "= DELETE"))


def commits_not_synced() -> None:
    """SQLite brings less to the disk."""
    change_statements(lambda text: text.replace("synchronous = FULL", "synchronous = NORMAL"))

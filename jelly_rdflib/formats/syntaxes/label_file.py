"""Numbers of labels in a temporary file, for texts with too many labels to keep in memory."""

from __future__ import annotations

import sqlite3

# The size of SQLite's page cache, in KiB.
_CACHE = 512


class LabelFile:
    """The numbers of labels, in a temporary file that lives as long as this object."""

    def __init__(self) -> None:
        # An empty name makes a temporary file. Several threads may use a reader in turn.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._database.execute(
            "CREATE TABLE labels (label BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID"
        )

    def __del__(self) -> None:
        self._database.close()

    def add(self, numbers: list[tuple[bytes, int]]) -> None:
        """Add labels with their numbers."""
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO labels VALUES (?, ?)", sorted(numbers))
        self._database.execute("COMMIT")

    def find(self, label: bytes) -> int | None:
        """Return the number of a label, or None if the label is unknown."""
        found = self._database.execute("SELECT number FROM labels WHERE label = ?", (label,))
        row: tuple[int] | None = found.fetchone()
        return None if row is None else row[0]

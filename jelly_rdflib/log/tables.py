"""The patches of a log as a table."""

from __future__ import annotations

from collections.abc import Iterable

from jelly_rdflib.display.table import Table
from jelly_rdflib.log.entry import LogEntry


def entries_table(entries: Iterable[LogEntry], snapshots: Iterable[int]) -> Table:
    """Return the table of patches; ``snapshots`` are the versions that have one."""
    kept = set(snapshots)
    rows = [
        (_versions(entry), entry.size, str(entry.id), "yes" if entry.version in kept else "")
        for entry in entries
    ]
    return Table(("version", "bytes", "id", "snapshot"), rows, left=(2, 3))


def _versions(entry: LogEntry) -> str:
    is_single = entry.first == entry.version
    return f"{entry.version}" if is_single else f"{entry.first}-{entry.version}"

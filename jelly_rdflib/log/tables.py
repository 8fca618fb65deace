"""The patches of a log as a table, and for JSON."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from jelly_rdflib.display.table import Table
from jelly_rdflib.log.entry import LogEntry, Row


def entries_table(entries: Iterable[LogEntry], snapshots: Iterable[int]) -> Table:
    """Return the table of patches; ``snapshots`` are the versions that have a snapshot."""
    kept = set(snapshots)
    rows = [
        (_versions(entry), entry.size, str(entry.id), "yes" if entry.version in kept else "")
        for entry in entries
    ]
    return Table(("version", "bytes", "id", "snapshot"), rows, left=(2, 3))


def entry_fields(entry: LogEntry) -> dict[str, Any]:
    """Return the fields of a patch, for JSON."""
    return {
        "version": entry.version,
        "first": entry.first,
        "id": entry.id,
        "prev": entry.prev,
        "bytes": entry.size,
        "digest": entry.digest,
        "time": entry.time.isoformat(),
    }


def row_of(fields: dict[str, Any]) -> Row:
    """Turn the fields from `entry_fields` back into a patch's row, with the digest as the file.

    If they are not the fields of a patch, a KeyError, TypeError or ValueError is raised.
    """
    version, first, size = (int(fields[key]) for key in ("version", "first", "bytes"))
    id, digest = str(fields["id"]), str(fields["digest"])
    prev = None if fields["prev"] is None else str(fields["prev"])
    time = datetime.datetime.fromisoformat(fields["time"]).timestamp()
    return version, first, id, prev, digest, size, digest, time


def _versions(entry: LogEntry) -> str:
    is_single = entry.first == entry.version
    return f"{entry.version}" if is_single else f"{entry.first}-{entry.version}"

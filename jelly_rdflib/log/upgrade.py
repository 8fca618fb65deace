"""`upgrade` converts a log of the earlier format, which had no database.

A folder with a file ``log.json`` was a log. A file ``head`` had the lock and a note of the newest
version. Segments and snapshots were the same, and stay where they are.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, LogError, LogWarning
from jelly_rdflib.log.database import DEFAULT_TIMEOUT, check_regular
from jelly_rdflib.log.files import Place, check_segment, check_snapshot
from jelly_rdflib.log.history import COMPRESSIONS, History
from jelly_rdflib.log.names import SEGMENT, SNAPSHOT, FileName
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.staging import hash_stored, is_whole, list_names, remove_files
from jelly_rdflib.options import Limits

_MARKER, _HEAD = "log.json", "head"
_NOTE = re.compile(rb"(version (\d{10,}), change [0-9a-f]{32}), check ([0-9a-f]{8})\n")


def upgrade(
    path: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> PatchLog:
    """Convert a log of the earlier format; a converted log is not changed.

    All files are read and checked first. Then the database is made, in one transaction. Then the
    files that were squashed into others are removed, ``head``, and last ``log.json``. So an
    interrupted upgrade can be started again. A ``head`` or ``log.json`` that is not of the
    earlier format stays. Nobody else may write to the log meanwhile.

    Args:
        path: The folder.
        limits: What to accept; by default the defaults of `jelly_rdflib.Limits`.
        timeout: The seconds to wait for other writers.

    Raises:
        LogError: The folder is no log, or the log is damaged; nothing was changed then.
        OSError: The log can't be read or written.

    Warns:
        LogWarning: A snapshot is damaged, and is left out of the log. The file stays.
    """
    history = History(path, limits or Limits(), timeout)
    marker = history.path / _MARKER
    if history.is_old():
        compression = _read_marker(marker)
        segments = _segments(history)
        snapshots = _snapshots(history, {row[0]: row[2] for row in segments})
        history.make_tables(compression, segments=segments, snapshots=snapshots)
    log = PatchLog(path, limits=limits, timeout=timeout)
    try:
        _read_marker(marker)
    except (LogError, FileNotFoundError):
        return log
    head = history.path / _HEAD
    # The marker last, which shows that an upgrade is to be done.
    remove_files([*_leftovers(history), *([head] if _read_note(head) else [])])
    remove_files([marker])
    return log


def _read_marker(path: Path) -> str | None:
    """Return the compression of the log's files."""
    check_regular(path)
    try:
        content: Any = json.loads(_start_of(path))
        known = (content["format"], content["version"]) == ("jelly-rdflib patch log", 1)
        compression: str | None = content["compression"]
    except (ValueError, TypeError, KeyError, RecursionError):
        known, compression = False, None
    if not known or compression not in COMPRESSIONS:
        raise LogError(f"{path} does not mark a patch log of the earlier format")
    return compression


def _start_of(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(1 << 12)


def _segments(history: History) -> list[Any]:
    """Return the rows of the segments."""
    folder = history.segments
    # Of segments with the same first version, the longest comes first.
    names = sorted(_names(folder, SEGMENT), key=lambda it: (it.first, -it.last, str(it)))
    rows: list[Any] = []
    first, version, id = 1, 0, None
    ids: set[URIRef] = set()
    for name in names:
        path = folder / str(name)
        if name.last <= version:
            if (name.first, name.last) == (first, version):
                raise LogError(f"{path}: version {version} is there twice: also as {rows[-1][4]}")
            # It was squashed into the segment of the last row.
            continue
        if name.first != version + 1:
            raise LogError(f"{path}: it starts at version {name.first}, not {version + 1}")
        if name.id in ids:
            raise LogError(f"{path}: an earlier version has the same id")
        place = Place(name.first, name.last, name.id, id)
        row = _row(path, name, partial(check_segment, place=place, limits=history.limits))
        rows.append((name.last, name.first, str(name.id), None if id is None else str(id), *row))
        first, version, id = name.first, name.last, name.id
        ids.add(id)
    note = _read_note(history.path / _HEAD)
    # A damaged note may be half written.
    if note and int(note[3], 16) == zlib.crc32(note[1]) and int(note[2]) > version:
        raise LogError(
            f"{folder}: the newest segments are missing: there was a version {int(note[2])}, and"
            f" they end at {version}"
        )
    return rows


def _snapshots(history: History, ids: dict[int, str]) -> list[Any]:
    """Return the rows of the snapshots."""
    rows: dict[int, Any] = {}
    check = partial(check_snapshot, limits=history.limits)
    for name in sorted(_names(history.snapshots, SNAPSHOT), key=str):
        path = history.snapshots / str(name)
        was_squashed = name.last not in ids and name.last <= max(ids, default=0)
        if was_squashed or name.last in rows:
            continue
        if ids.get(name.last) != str(name.id):
            raise LogError(f"{path}: the log has no version {name.last} with its id")
        try:
            rows[name.last] = (name.last, str(name.id), *_row(path, name, check))
        except LogError as error:
            warn(f"the snapshot of version {name.last} is left out: {error}", LogWarning)
    return list(rows.values())


def _leftovers(history: History) -> Iterator[Path]:
    """Iterate over whole segments and snapshots that were squashed, or are there twice."""
    with history.database.reading() as connection:
        segments = connection.execute("SELECT first, version, file FROM segments").fetchall()
        snapshots = dict(connection.execute("SELECT version, file FROM snapshots"))
    kept = {row[2] for row in segments} | set(snapshots.values())
    # The versions that were squashed, and the last one of each squashed patch.
    squashed = {
        each: last for first, last, _ in segments if first < last for each in range(first, last + 1)
    }
    for folder, kind in ((history.segments, SEGMENT), (history.snapshots, SNAPSHOT)):
        for name in _names(folder, kind):
            last = squashed.get(name.first)
            is_covered = last is not None and last == squashed.get(name.last)
            path = folder / str(name)
            if (
                (is_covered or (kind == SNAPSHOT and name.last in snapshots))
                and path.name not in kept
                and is_whole(path, name.digest)
            ):
                yield path


def _names(folder: Path, kind: str) -> list[FileName]:
    names = map(FileName.parse, list_names(folder))
    return [name for name in names if name is not None and name.kind == kind]


def _row(path: Path, name: FileName, check: Any) -> tuple[str, int, str, float]:
    """Check a file, and return its columns in the database: file, size, digest and time."""
    source, digest = hash_stored(path)
    if not digest.startswith(name.digest):
        raise LogError(f"{path} is damaged: its SHA-256 starts with {digest[:16]}")
    try:
        check(source)
    except (LogError, DecodeError) as error:
        raise LogError(f"{path}: {error}") from error
    status = path.stat()
    return path.name, status.st_size, digest, status.st_mtime


def _read_note(path: Path) -> re.Match[bytes] | None:
    """Return the note of the newest version in ``head``; None if that is no note."""
    check_regular(path)
    return _NOTE.fullmatch(_start_of(path)) if path.exists() else None

"""How long it takes until a small patch is appended to a log and on the disk.

Here the clock counts, not the processor: most of it is waiting for the disk. So an append is timed
in turn with the least that could be done: to write the same bytes to a new file and bring it to the
disk; and with what it takes to do that so that a crash can't leave a half, and one of two writers
wins: the file is renamed and the folder brought to the disk, in a transaction of SQLite that adds a
row for it.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rdflib import Literal, URIRef

import jelly_rdflib as jr

from .data import CACHE

__all__ = ["Latency", "measure"]


@dataclass(frozen=True)
class Latency:
    """Seconds of the clock, each time."""

    append: list[float]
    write: list[float]
    """To write the same bytes, and bring them to the disk."""
    commit: list[float]
    """The same, and to rename the file, bring the folder to the disk, and commit a row for it."""
    target: float = 2

    @property
    def over_write(self) -> float:
        """How many times the seconds of writing alone."""
        return statistics.median(map(float.__truediv__, self.append, self.write))

    @property
    def over_commit(self) -> float:
        """How many times the seconds of writing, renaming and committing."""
        return statistics.median(map(float.__truediv__, self.append, self.commit))

    @property
    def is_met(self) -> bool:
        return self.over_commit <= self.target


def measure(count: int) -> Latency:
    """Append so many small patches, on the disk where the benchmarks keep their data."""
    CACHE.mkdir(parents=True, exist_ok=True)
    result = Latency([], [], [])
    s, p = URIRef("http://example.org/s"), URIRef("http://example.org/p")
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        log = jr.PatchLog.create(folder / "log")
        log.append([])
        database = make_database(folder / "peer.db")
        for number in range(count):
            patch: list[jr.Operation] = [
                *((jr.Op.TX,), (jr.Op.D, s, p, Literal(str(number - 1)), None)),
                *((jr.Op.A, s, p, Literal(str(number)), None), (jr.Op.TC,)),
            ]
            result.append.append(timed(partial(log.append, patch)))
            data = log.entry().path.read_bytes()
            path = folder / str(number)
            result.write.append(timed(partial(write, path, data)))
            result.commit.append(timed(partial(commit, database, path, data)))
        database.close()
    return result


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)


def make_database(path: Path) -> sqlite3.Connection:
    """Make a database with what a row of the log has, and commits that are as durable."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute(
        "CREATE TABLE segments (version INTEGER PRIMARY KEY, first INTEGER, id TEXT UNIQUE,"
        " prev TEXT, file TEXT, size INTEGER, digest TEXT, time REAL)"
    )
    return database


def commit(database: sqlite3.Connection, path: Path, data: bytes) -> None:
    written = path.with_suffix(".tmp")
    write(written, data)
    database.execute("BEGIN IMMEDIATE")
    name = path.with_suffix(".done")
    written.rename(name)
    fd = os.open(path.parent, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
    row = (name.name, str(uuid.uuid4()), str(uuid.uuid4()), name.name, len(data), "0" * 64, 0.0)
    database.execute("INSERT INTO segments VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row)
    database.execute("COMMIT")

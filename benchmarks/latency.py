"""Measure how long it takes to append a small patch durably to a log.

Seconds are elapsed time, since most of the time is spent waiting for the disk. An append is timed
in turn with two lower bounds. The first writes the same bytes to a new file and syncs it. The
second also survives crashes and lets only one of two writers win: it renames the file and syncs the
folder, in an SQLite transaction that adds a row.
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
    """Elapsed seconds, for each repetition."""

    append: list[float]
    write: list[float]
    """The time to write the same bytes and sync them."""
    commit: list[float]
    """The time to also rename the file, sync the folder, and commit a row for it."""
    target: float = 2

    @property
    def over_write(self) -> float:
        """The ratio of an append to writing alone."""
        return statistics.median(map(float.__truediv__, self.append, self.write))

    @property
    def over_commit(self) -> float:
        """The ratio of an append to writing, renaming and committing."""
        return statistics.median(map(float.__truediv__, self.append, self.commit))

    @property
    def is_met(self) -> bool:
        return self.over_commit <= self.target


def measure(count: int) -> Latency:
    """Append ``count`` small patches, on the disk where the benchmarks keep their data."""
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
    """Make a database with the columns of the log's rows, and equally durable commits."""
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

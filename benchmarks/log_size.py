"""Measure how long it takes to open a log of many versions, and to list the versions.

Appending all versions one by one takes minutes, mostly to sync each of them. So here the log's
writer writes the segments, and one transaction of the log's database inserts their rows. The result
is a normal log: its last patches are appended and verified.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.log.entry import Row
from jelly_rdflib.log.files import Place, write_segment
from jelly_rdflib.log.history import FolderHistory
from jelly_rdflib.log.names import SEGMENT, FileName

from .data import CACHE
from .latency import timed

__all__ = ["LogSize", "measure"]

ROUNDS = 21


@dataclass(frozen=True)
class LogSize:
    """Elapsed seconds, for each repetition."""

    versions: int
    opening: list[float]
    listing: list[float]
    """The time to list all patches, with the version and id of each."""
    opening_target: float = 0.005
    listing_target: float = 0.5

    @property
    def is_met(self) -> bool:
        is_open = statistics.median(self.opening) <= self.opening_target
        return is_open and statistics.median(self.listing) <= self.listing_target


def measure(versions: int) -> LogSize:
    """Open and list a log, on the disk where the benchmarks keep their data."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        path = Path(name) / "log"
        make_log(path, versions)
        size = LogSize(versions, [], [])
        for _ in range(ROUNDS):
            size.opening.append(timed(lambda: jr.PatchLog(path)))
            log = jr.PatchLog(path)
            size.listing.append(timed(partial(list_all, log)))
        return size


def list_all(log: jr.PatchLog) -> list[tuple[int, URIRef]]:
    return [(entry.version, entry.id) for entry in log.patches()]


def make_log(path: Path, versions: int) -> None:
    """Make a log as if ``versions`` small patches had been appended."""
    log = jr.PatchLog.create(path)
    log.append(patch(1))
    history = FolderHistory(path, jr.Limits(), timeout=30)
    with history.database.writing() as connection:
        rows = segments(history.segments, log.entry(), versions - 2)
        marks = ", ".join("?" * 8)
        connection.executemany(f"INSERT INTO segments VALUES ({marks})", rows)
    log.refresh()
    log.append(patch(versions))
    # Listing the patches checks that they form a chain.
    numbers = [
        str(operation[3])
        for entry in log.patches(versions - 3)
        for operation in entry.operations()
        if operation[0] == jr.Op.A
    ]
    if numbers != [str(versions - 2), str(versions - 1), str(versions)]:
        raise AssertionError(f"the log is not what it was to be: it ends with {numbers}")


class Sink:
    """Stores what is written to it."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        self.data += data


def segments(folder: Path, entry: jr.LogEntry, count: int) -> Iterator[Row]:
    """Write ``count`` segments after a patch; return the database row of each."""
    prev: Any = entry.id
    options = jr.PatchOptions.small()
    for version in range(entry.version + 1, entry.version + 1 + count):
        place = Place(version, version, URIRef(f"uuid:{uuid.uuid4()}"), prev)
        sink: Any = Sink()
        write_segment(sink, [patch(version)], place, options)
        digest = hashlib.sha256(sink.data).hexdigest()
        name = str(FileName(version, version, place.id, digest, SEGMENT, False))
        (folder / name).write_bytes(sink.data)
        made = (name, len(sink.data), digest, time.time())
        yield (version, version, str(place.id), str(prev), *made)
        prev = place.id


def patch(number: int) -> list[jr.Operation]:
    s, p = URIRef("http://example.org/s"), URIRef("http://example.org/p")
    return [
        *((jr.Op.TX,), (jr.Op.D, s, p, Literal(str(number - 1)), None)),
        *((jr.Op.A, s, p, Literal(str(number)), None), (jr.Op.TC,)),
    ]

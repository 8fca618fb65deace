"""How long it takes until a small patch is appended to a log and on the disk.

Here the clock counts, not the processor: most of it is waiting for the disk. So an append is timed
in turn with the least that could be done: to write the same bytes to a new file and bring it to the
disk; and with what it takes to do that so that a crash can't leave a half: the file is renamed, and
the folder brought to the disk, too.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
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
    rename: list[float]
    """The same, and to rename the file and bring the folder to the disk."""

    @property
    def over_write(self) -> float:
        """How many times the seconds of writing alone."""
        return statistics.median(map(float.__truediv__, self.append, self.write))

    @property
    def over_rename(self) -> float:
        """How many times the seconds of writing and renaming."""
        return statistics.median(map(float.__truediv__, self.append, self.rename))


def measure(count: int) -> Latency:
    """Append so many small patches, on the disk where the benchmarks keep their data."""
    CACHE.mkdir(parents=True, exist_ok=True)
    result = Latency([], [], [])
    s, p = URIRef("http://example.org/s"), URIRef("http://example.org/p")
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        log = jr.PatchLog.create(folder / "log")
        log.append([])
        for number in range(count):
            patch = [
                *((jr.Op.TX,), (jr.Op.D, s, p, Literal(str(number - 1)), None)),
                *((jr.Op.A, s, p, Literal(str(number)), None), (jr.Op.TC,)),
            ]
            result.append.append(timed(partial(log.append, patch)))
            data = log.entry().path.read_bytes()
            path = folder / str(number)
            result.write.append(timed(partial(write, path, data)))
            result.rename.append(timed(partial(rename, path, data)))
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


def rename(path: Path, data: bytes) -> None:
    written = path.with_suffix(".tmp")
    write(written, data)
    written.rename(path.with_suffix(".done"))
    fd = os.open(path.parent, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)

"""Measure how much faster two threads decode than one, since decoding releases the GIL.

Seconds are elapsed time, so both cores must be free: other load only lowers the ratio. One thread
decodes a stream several times; then two threads do the same at once, each as often; and so on.
``python -m benchmarks.threads`` measures this alone.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

import jelly_rdflib as jr

from .data import Inputs, load

__all__ = ["TARGET", "Threads", "measure"]

TARGET = 1.6
REPEATS = 8


@dataclass(frozen=True)
class Threads:
    """The result of one task: elapsed seconds, for each round."""

    name: str
    one: list[float]
    two: list[float]
    target: float | None

    @property
    def ratios(self) -> list[float]:
        """How many times as much work two threads do in the same time, for each round."""
        return [2 * one / two for one, two in zip(self.one, self.two, strict=True)]

    @property
    def median(self) -> float:
        return median(self.ratios)

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.median >= self.target


def measure(inputs: Inputs, rounds: int) -> list[Threads]:
    """Measure reading Jelly and text to columns, and Jelly to rdflib's terms."""
    works: list[tuple[str, Callable[[], object], float | None]] = [
        ("read_batches, frames of 512 rows", partial(read, inputs.jelly_patch), TARGET),
        ("read_batches of RDF Patch text", partial(read, inputs.rdf_patch, "rdf-patch"), TARGET),
        ("read_operations, to rdflib's terms", partial(count, inputs.jelly_patch), None),
    ]
    results = []
    for name, work, target in works:
        one: list[float] = []
        two: list[float] = []
        for _ in range(rounds):
            one.append(timed(work, 1))
            two.append(timed(work, 2))
        results.append(Threads(name, one, two, target))
    return results


def read(data: bytes, format: jr.ChangeFormat = "jelly-patch") -> None:
    for _ in range(REPEATS):
        for _batch in jr.read_batches(data, format=format):
            pass


def count(data: bytes) -> None:
    for _operation in jr.read_operations(data):
        pass


def timed(work: Callable[[], object], threads: int) -> float:
    """Return the seconds until each of ``threads`` threads has done the same work."""
    ready = threading.Barrier(threads + 1)

    def run() -> None:
        ready.wait()
        work()

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    ready.wait()
    start = time.perf_counter()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start


def main() -> int:
    """Measure and print; the exit code is 1 if a target is missed."""
    results = measure(load(), 9)
    for each in results:
        least, most = min(each.ratios), max(each.ratios)
        print(f"{each.name}: {each.median:.2f} times as fast ({least:.2f} to {most:.2f})")
    return int(any(each.is_met is False for each in results))


if __name__ == "__main__":
    sys.exit(main())

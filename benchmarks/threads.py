"""How much faster two threads decode than one: decoding lets other threads of Python run.

Here the clock counts, so both cores must be free: what others do makes it less, never more. One
thread decodes a stream some times over; then two do so at once, each as often; and so on in turn.
In the last work two threads share one long file with an index: then the processor's time is told,
too, for what the parts cost does not hang on who else is there. ``python -m benchmarks.threads``
measures this alone, ``python -m benchmarks.threads FILE`` an indexed file of yours.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import jelly_rdflib as jr
from jelly_rdflib.streams.index import find_parts, write_index

from .data import Inputs, load

__all__ = ["TARGET", "Threads", "measure"]

TARGET = 1.6
INDEXED_TARGET = 1.7
REPEATS = 8
# The long file: so many times the quads, and the spacing of its index.
COPIES = 32
SPACING = 8 << 20


@dataclass(frozen=True)
class Threads:
    """What one work came to: seconds of the clock, each round."""

    name: str
    one: list[float]
    two: list[float]
    target: float | None
    share: int = 2
    """How many times as much work two threads did: 1 if they shared the work of one."""
    processor: float | None = None
    """How many times as much processor time two threads took for the same; the least of it."""

    @property
    def ratios(self) -> list[float]:
        """How many times as much two threads do in the same time."""
        return [self.share * one / two for one, two in zip(self.one, self.two, strict=True)]

    @property
    def median(self) -> float:
        return median(self.ratios)

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.median >= self.target


def measure(inputs: Inputs, rounds: int) -> list[Threads]:
    """Measure reading to columns, of Jelly and of text, and to rdflib's terms."""
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jellyp"
        with jr.PatchWriter(path) as writer:
            for _ in range(COPIES):
                for batch in jr.read_batches(inputs.jelly_patch):
                    writer.write_all(batch)
        write_index(path, find_parts(path, spacing=SPACING))
        results.append(measure_indexed(path, rounds))
    return results


def measure_indexed(path: Path, rounds: int) -> Threads:
    """Measure reading one file that has an index."""
    clock: dict[int, list[float]] = {1: [], 2: []}
    processor: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for threads in (1, 2):
            start, busy = time.perf_counter(), time.process_time()
            for _batch in jr.read_batches(path, threads=threads):
                pass
            clock[threads].append(time.perf_counter() - start)
            processor[threads].append(time.process_time() - busy)
    return Threads(
        "read_batches(threads=2), an indexed file", clock[1], clock[2], INDEXED_TARGET, share=1,
        processor=min(processor[2]) / min(processor[1]),
    )  # fmt: skip


def read(data: bytes, format: jr.ChangeFormat = "jelly-patch") -> None:
    for _ in range(REPEATS):
        for _batch in jr.read_batches(data, format=format):
            pass


def count(data: bytes) -> None:
    for _operation in jr.read_operations(data):
        pass


def timed(work: Callable[[], object], threads: int) -> float:
    """Return the seconds that it takes until so many threads have done the same work."""
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


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if a target is missed."""
    results = [measure_indexed(Path(path), 9) for path in arguments] or measure(load(), 9)
    for each in results:
        least, most = min(each.ratios), max(each.ratios)
        print(f"{each.name}: {each.median:.2f} times as fast ({least:.2f} to {most:.2f})")
        if each.processor is not None:
            print(f"  with {each.processor:.2f} times the processor's time")
    return int(any(each.is_met is False for each in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

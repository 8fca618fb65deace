"""Compare the peak memory of a process that reads a large stream with that of an idle process.

``python -m benchmarks.memory measure BYTES PATH`` starts three processes of the same module:

- ``feed BYTES PATH`` repeatedly writes the operations of the ``.jellyp`` file at PATH into a pipe,
  each time as another patch, until BYTES are written;
- ``read`` reads that pipe with ``read_batches`` to the end;
- ``idle`` only imports the package.

The parent is a separate process with few imports, since the ``ru_maxrss`` of a process starts with
the memory of its parent: a large parent would hide the memory of the reader.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["TARGET", "Peak", "measure"]

ROOT = Path(__file__).resolve().parents[1]
TARGET = 64_000_000


@dataclass(frozen=True)
class Peak:
    """The peaks in bytes, and the seconds of the reader and of the writer at the other end."""

    stream: int
    operations: int
    reading: int
    idle: int
    seconds: float
    target: int = TARGET

    @property
    def over_idle(self) -> int:
        return self.reading - self.idle

    @property
    def is_met(self) -> bool:
        return self.over_idle < self.target


def measure(size: int, path: Path) -> Peak:
    """Measure the peak of reading a stream of ``size`` bytes, made from the ``.jellyp`` file."""
    return Peak(**call("measure", str(size), str(path)))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.memory", *arguments]


def call(*arguments: str, stdin: Any = None) -> dict[str, Any]:
    """Run this module, and return what it prints."""
    done = subprocess.run(
        command(*arguments), cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def run_measure(size: str, path: str) -> dict[str, Any]:
    start = time.perf_counter()
    with subprocess.Popen(command("feed", size, path), cwd=ROOT, stdout=subprocess.PIPE) as feeder:
        read = call("read", stdin=feeder.stdout)
    seconds = time.perf_counter() - start
    if feeder.returncode != 0 or read["stream"] < int(size):
        raise RuntimeError(f"the stream broke off after {read['stream']} bytes")
    idle = call("idle")
    return {
        "stream": read["stream"],
        "operations": read["operations"],
        "reading": read["peak"],
        "idle": idle["peak"],
        "seconds": seconds,
    }


class Counting:
    """A binary file that counts the bytes written to it or read from it."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.file.read(size)
        self.bytes += len(data)
        return data

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        written: int = self.file.write(data)
        return written


def run_feed(size: str, path: str) -> None:
    import jelly_rdflib as jr

    operations = list(jr.read_operations(path))
    file = Counting(sys.stdout.buffer)
    with jr.PatchWriter(file) as writer:
        while file.bytes < int(size):
            writer.write_all(operations)


def run_read() -> dict[str, Any]:
    import jelly_rdflib as jr

    file = Counting(sys.stdin.buffer)
    operations = sum(map(len, jr.read_batches(file)))
    return {"stream": file.bytes, "operations": operations, "peak": peak()}


def run_idle() -> dict[str, Any]:
    import jelly_rdflib  # noqa: F401

    return {"peak": peak()}


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    roles: dict[str, Any] = {
        "measure": run_measure,
        "feed": run_feed,
        "read": run_read,
        "idle": run_idle,
    }
    role, *rest = sys.argv[1:]
    answer = roles[role](*rest)
    if answer is not None:
        print(json.dumps(answer))

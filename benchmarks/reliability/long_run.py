"""Send a long stream through three processes: ``python -m benchmarks.reliability.long_run``.

The first process generates operations, and writes them as Jelly-Patch into a pipe. The second
decodes them and encodes them again into another pipe. The third decodes and counts them. Each
process counts the operations of each kind; the counts must agree. Each process also records its
memory during the run; the memory must not grow. ``--to FOLDER`` writes a picture into the folder,
and the figures into a section of its page ``tried.md``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib import Op

from .section import replace_section

__all__ = ["Process", "Run", "run"]

ROOT = Path(__file__).resolve().parents[2]
MODULE = "benchmarks.reliability.long_run"
ROLES = ("generate", "recode", "count")
TITLES = {
    "generate": "generates and encodes",
    "recode": "decodes and encodes",
    "count": "decodes and counts",
}
SAMPLES = 200
# The allowed difference between the last nine tenths of the samples, in bytes.
MAX_GROWTH = 8 << 20
SECTION = "long run"
XSD = "http://www.w3.org/2001/XMLSchema#"
PLOT = "reliability-long-run.svg"


@dataclass(frozen=True)
class Process:
    """The report of one of the processes.

    Args:
        role: One of `ROLES`.
        counts: The number of operations, by the name of their code.
        samples: Memory over operations: the number of operations so far, and the resident bytes.
        seconds: The processor time.
    """

    role: str
    counts: dict[str, int]
    samples: list[tuple[int, int]]
    seconds: float

    @property
    def settled(self) -> list[int]:
        """The memory after the first tenth of the stream."""
        last = self.samples[-1][0]
        return [memory for operations, memory in self.samples if operations > last // 10]

    @property
    def growth(self) -> int:
        """The largest difference in memory after the first tenth, in bytes."""
        return max(self.settled) - min(self.settled)


@dataclass(frozen=True)
class Run:
    """The results of a run.

    Args:
        processes: The reports, one for each role.
        seconds: The elapsed seconds.
        size: The bytes of the generated stream.
    """

    processes: list[Process]
    seconds: float
    size: int

    @property
    def operations(self) -> int:
        """The number of generated operations."""
        return sum(self.processes[0].counts.values())

    def problems(self) -> list[str]:
        """Return a message for each fault: counts that don't agree, or memory that grows."""
        first = self.processes[0].counts
        found = [
            f"{each.role} has {each.counts}, and {self.processes[0].role} has {first}"
            for each in self.processes
            if each.counts != first
        ]
        found += [
            f"the memory of {each.role} grows by {each.growth:,} bytes"
            for each in self.processes
            if each.growth > MAX_GROWTH
        ]
        return found


class Samples:
    """Counts operations and samples the process's memory at intervals.

    Args:
        total: The expected number of operations.
    """

    def __init__(self, total: int) -> None:
        self.counts: Counter[str] = Counter()
        self.samples: list[tuple[int, int]] = []
        self._step = max(1, total // SAMPLES)
        self._operations = 0

    def take(self, ops: bytes) -> int:
        """Count operations; return the total so far."""
        for op in Op:
            self.counts[op.name] += ops.count(op)
        before = self._operations // self._step
        self._operations += len(ops)
        if self._operations // self._step > before:
            self.samples.append((self._operations, resident()))
        return self._operations

    def finish(self) -> dict[str, Any]:
        self.samples.append((self._operations, resident()))
        return {
            "counts": self.counts,
            "samples": self.samples,
            "seconds": time.process_time(),
        }


def resident() -> int:
    """Return the memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def blocks() -> Iterator[bytes]:
    """Yield patches endlessly, as text: several thousand operations each, always with new subjects.

    Predicates, graphs, datatypes and language tags repeat, names repeat after a while, and literals
    are new. Some statements are deleted in the transaction after the one that added them. Some
    transactions are aborted.
    """
    number = 0
    while True:
        rows = [f"H id <urn:uuid:{number:08x}-0000-4000-8000-000000000000> .\n"]
        rows.append(f"PA p{number % 50} <http://example.org/vocabulary/{number % 50}#> .\n")
        for part in range(number * 100, number * 100 + 100):
            s = f"<http://example.org/{part % 97}/thing/{part}>"
            old = f"<http://example.org/{(part - 1) % 97}/thing/{part - 1}>"
            v = f"<http://example.org/vocabulary/{part % 50}#"
            g = f"<http://example.org/graph/{part % 7}>"
            rows.append(
                f"TX .\n"
                f"A {s} {v}name> 'thing number {part}' {g} .\n"
                f"A {s} {v}size> '{part % 1013}'^^<{XSD}integer> {g} .\n"
                f"A {s} {v}label> 'Ding Nummer {part}'@de {g} .\n"
                f"A {s} {v}near> {old} {g} .\n"
                f"A {s} {v}part> _:b{part} {g} .\n"
                f"A _:b{part} {v}value> '{part * 7919 % 1000003}' {g} .\n"
                f"D {old} {v}near> {s} {g} .\n"
                f"{'TA' if part % 10 == 0 else 'TC'} .\n"
            )
        number += 1
        yield "".join(rows).encode()


def generate(total: int) -> dict[str, Any]:
    samples = Samples(total)
    with jr.PatchWriter(sys.stdout.buffer) as writer:
        for block in blocks():
            operations = 0
            for batch in jr.read_batches(block, format="rdf-patch"):
                writer.write_all(batch)
                operations = samples.take(bytes(batch.ops))
            if operations >= total:
                break
    return samples.finish()


def recode(total: int) -> dict[str, Any]:
    samples = Samples(total)
    with jr.PatchWriter(sys.stdout.buffer) as writer:
        for batch in jr.read_batches(sys.stdin.buffer):
            writer.write_all(batch)
            samples.take(bytes(batch.ops))
    return samples.finish()


class Counting:
    """A binary file that counts the bytes read from it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = 0

    def read(self, size: int) -> bytes:
        data: bytes = self._file.read1(size)
        self.size += len(data)
        return data


def count(total: int) -> dict[str, Any]:
    samples = Samples(total)
    file = Counting(sys.stdin.buffer)
    for batch in jr.read_batches(file):
        samples.take(bytes(batch.ops))
    return {**samples.finish(), "size": file.size}


def run(operations: int) -> Run:
    """Pass at least ``operations`` operations, in whole patches, through three processes.

    Raises:
        RuntimeError: A process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        children: list[subprocess.Popen[bytes]] = []
        for role in ROLES:
            source = children[-1].stdout if children else subprocess.DEVNULL
            command = [sys.executable, "-m", MODULE, "--role", role]
            command += ["--operations", str(operations), "--report", str(Path(folder, role))]
            is_last = role == ROLES[-1]
            child = subprocess.Popen(
                command, cwd=ROOT, stdin=source, stdout=None if is_last else subprocess.PIPE
            )
            if children:
                # Only the child may hold the pipe, so that the writer fails when the reader ends.
                assert children[-1].stdout is not None
                children[-1].stdout.close()
            children.append(child)
        codes = [child.wait() for child in children]
        seconds = time.perf_counter() - start
        if any(codes):
            raise RuntimeError(f"the processes ended with {codes}")
        reports = [json.loads(Path(folder, role).read_text()) for role in ROLES]
    processes = [
        Process(
            role,
            {name: number for name, number in report["counts"].items() if number},
            [(count, memory) for count, memory in report["samples"]],
            report["seconds"],
        )
        for role, report in zip(ROLES, reports, strict=True)
    ]
    return Run(processes, seconds, reports[-1]["size"])


def table(found: Run) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"{found.operations:,} operations, {found.size / 1e6:,.0f} MB of Jelly-Patch, in"
        f" {found.seconds:,.0f} seconds on three processes. The counts agree: "
        + ", ".join(f"{number:,} {name}" for name, number in found.processes[0].counts.items())
        + ".\n\n",
        "| process | processor time | memory | difference in the last 90 % |\n",
        "| --- | ---: | ---: | ---: |\n",
    ]
    lines += [
        f"| {TITLES[each.role]} | {each.seconds:,.0f} s | {max(each.settled) / 1e6:.1f} MB |"
        f" {each.growth / 1e6:.1f} MB |\n"
        for each in found.processes
    ]
    return "".join(lines)


def draw(found: Run, path: Path) -> None:
    """Draw memory over the number of operations."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Without these settings, equal figures would result in different files.
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(4.8, 3), layout="constrained")
        axes = figure.subplots()
        for each, color in zip(found.processes, ("#90a4ae", "#c2185b", "#1976d2"), strict=True):
            operations, memory = zip(*each.samples, strict=True)
            axes.plot(
                [number / 1e6 for number in operations],
                [size / 1e6 for size in memory],
                label=TITLES[each.role],
                color=color,
                linewidth=1.2,
            )
        axes.set_ylim(bottom=0)
        axes.set_xlabel("millions of operations", fontsize=9)
        axes.set_ylabel("resident memory, MB", fontsize=9)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=9, frameon=False, loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})


def main() -> int:
    """Run, and return the exit code: 1 if counts don't agree or memory grows."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability.long_run", description=__doc__
    )
    parser.add_argument("--operations", type=int, default=100_000_000, help="at least this many")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="the folder of the page")
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role is not None:
        roles = {"generate": generate, "recode": recode, "count": count}
        report = roles[arguments.role](arguments.operations)
        arguments.report.write_text(json.dumps(report))
        return 0
    found = run(arguments.operations)
    print(table(found))
    for problem in found.problems():
        print(problem, file=sys.stderr)
    if arguments.to is not None:
        draw(found, arguments.to / PLOT)
        text = f"![Memory over operations]({PLOT})\n\n{table(found)}"
        replace_section(arguments.to / "tried.md", SECTION, text)
    return 1 if found.problems() else 0


if __name__ == "__main__":
    sys.exit(main())

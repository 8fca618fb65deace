"""Write the page ``docs/spark/limits.md``."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path

from ..peers.machine import machine
from .inputs import INPUTS
from .run import Run

__all__ = ["write_page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "spark" / "limits.md"
HEAD = """# What grows with the data on Spark

Each input is measured at a quarter of its size and at its full size, so the data grow fourfold.
Spark has a driver with 1 GB, and two executors with one core and 1 GB each. All tasks of a job
together may send 32 MB to the driver. `make bench-spark-limits` makes the measurements and writes
this page; no figure is entered by hand. {machine}; Spark {spark}, Python {python}, {date}.

"""
MEMORY = """
## Memory

The highest measured values, in MB. Java's objects are garbage-collected only when memory is short,
so an executor with much to do uses most of its 1 GB.

"""
FASTER = """
## What grows faster than the data

A figure is listed here if it grows more than {margin:.0%} faster than its input.

"""
NOTE_ON_SPILL = """
Spark sorts in memory, and spills the rows to disk when they exceed the memory of an executor.
So spilled bytes start at a size that depends on the executors.
"""
# How much faster than its input a figure may grow, since measurements vary by a few percent.
MARGIN = 0.05

Columns = dict[str, tuple[Callable[[Run], float], str]]
WORK: Columns = {
    "jobs": (lambda run: run.jobs, ",.0f"),
    "tasks": (lambda run: run.tasks, ",.0f"),
    "shuffled, MB": (lambda run: run.shuffled / 1e6, ",.0f"),
    "bytes an operation": (lambda run: run.shuffled / run.operations, ",.0f"),
    "spilled, MB": (lambda run: run.spilled / 1e6, ",.0f"),
}
MEMORY_OF: Columns = {
    "driver, Java": (lambda run: run.driver_heap / 1e6, ",.0f"),
    "driver, Python": (lambda run: run.driver_python / 1e6, ",.0f"),
    "executor, Java": (lambda run: run.executor_heap / 1e6, ",.0f"),
    "executor, Python": (lambda run: run.executor_python / 1e6, ",.0f"),
}


def write_page(runs: list[Run]) -> None:
    """Write the page from pairs of runs: one at a quarter of the size, one at the full size."""
    pairs = list(zip(runs[::2], runs[1::2], strict=True))
    head = HEAD.format(
        machine=machine(), spark=version("pyspark"), python=platform.python_version(),
        date=date.today(),
    )  # fmt: skip
    found = faster(pairs)
    rest = "".join(f"- {each}\n" for each in found) or "No figure.\n"
    if any("spilled" in each for each in found):
        rest += NOTE_ON_SPILL
    text = head + table(pairs, WORK) + MEMORY + table(pairs, MEMORY_OF)
    PAGE.write_text(text + FASTER.format(margin=MARGIN) + rest, encoding="utf-8")


def faster(pairs: list[tuple[Run, Run]]) -> list[str]:
    """Return a line for each figure that grows faster than its input."""
    return [
        f"{title(large)}, {large.task.work}: {name} {of(small):{form}} → {of(large):{form}}"
        for small, large in pairs
        for name, (of, form) in (WORK | MEMORY_OF).items()
        if of(large) > of(small) * large.task.input.size / small.task.input.size * (1 + MARGIN)
    ]


def title(run: Run) -> str:
    """Return the title of a run's input, with its size."""
    task = run.task
    return f"{task.input.size:,} {INPUTS[task.input.name].title}"


def table(pairs: list[tuple[Run, Run]], columns: Columns) -> str:
    """Return a table; each cell has the quarter's value, an arrow, and the full size's value."""
    lines = [
        "| " + " | ".join(["input", "work", *columns]) + " |",
        "| --- | --- |" + " ---: |" * len(columns),
    ]
    for small, large in pairs:
        cells = [f"{of(small):{form}} → {of(large):{form}}" for of, form in columns.values()]
        lines.append("| " + " | ".join([title(large), large.task.work, *cells]) + " |")
    return "\n".join(lines) + "\n"

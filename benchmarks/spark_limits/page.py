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
HEAD = """# What grows on Spark

Each input is measured at a quarter of its size and at its size. Spark has a driver with 1 GB, and
two executors with one core and 1 GB each. All tasks of a job together may send 32 MB to the driver.
`make bench-spark-limits` measures, and writes this page; no figure in it is set by hand.
{machine}; Spark {spark}, Python {python}, {date}.

"""
MEMORY = """
## Memory

The most that was seen, in MB: objects in Java, which are collected only when there are many, and
Python's processes.

"""


def write_page(runs: list[Run]) -> None:
    """Write the page from pairs of runs: one at a quarter of the size, one at the size."""
    pairs = list(zip(runs[::2], runs[1::2], strict=True))
    head = HEAD.format(
        machine=machine(), spark=version("pyspark"), python=platform.python_version(),
        date=date.today(),
    )  # fmt: skip
    work: dict[str, Callable[[Run], str]] = {
        "jobs": lambda run: f"{run.jobs:,}",
        "tasks": lambda run: f"{run.tasks:,}",
        "shuffled, MB": lambda run: megabytes(run.shuffled),
        "bytes an operation": lambda run: f"{run.shuffled / run.operations:,.0f}",
        "spilled, MB": lambda run: megabytes(run.spilled),
    }
    memory: dict[str, Callable[[Run], str]] = {
        "driver, Java": lambda run: megabytes(run.driver_heap),
        "driver, Python": lambda run: megabytes(run.driver_python),
        "executor, Java": lambda run: megabytes(run.executor_heap),
        "executor, Python": lambda run: megabytes(run.executor_python),
    }
    PAGE.write_text(head + table(pairs, work) + MEMORY + table(pairs, memory), encoding="utf-8")


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f}"


def table(pairs: list[tuple[Run, Run]], columns: dict[str, Callable[[Run], str]]) -> str:
    """Return a table; each cell has the value of the quarter, an arrow, and that of the whole."""
    lines = [
        "| " + " | ".join(["input", "work", *columns]) + " |",
        "| --- | --- |" + " ---: |" * len(columns),
    ]
    for small, large in pairs:
        task = large.task
        title = f"{task.input.size:,} {INPUTS[task.input.name].title}"
        cells = [f"{show(small)} → {show(large)}" for show in columns.values()]
        lines.append("| " + " | ".join([title, task.work, *cells]) + " |")
    return "\n".join(lines) + "\n"

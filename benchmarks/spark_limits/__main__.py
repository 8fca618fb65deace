"""Measure what grows with the data on Spark, and write a page: ``make bench-spark-limits``."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rich.progress import track

from .inputs import INPUTS, Input
from .page import write_page
from .run import WORKS, Task, run_apart

# The tasks that are measured on each input.
TASKS = {
    "operations": ("replay", "compact"),
    "files": ("replay",),
    "transactions": ("replay",),
    "literals": ("replay",),
    "skew": ("replay", "history", "count by graph"),
    "chain": ("replay", "history"),
}


def main() -> None:
    """Measure each input at a quarter of its size and at its full size, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_limits", description=__doc__)
    parser.add_argument("--only", choices=INPUTS, help="only this input; the page is not written")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="use an Nth of all sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all measurements")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(TASKS)
    tasks = [
        Task(Input(name, INPUTS[name].full_size // arguments.share // part), work)
        for name in names
        for work in TASKS[name]
        for part in (4, 1)
    ]
    assert all(task.work in WORKS for task in tasks)
    runs = []
    for task in track(tasks, "Measuring"):
        runs.append(run_apart(task))
        print(runs[-1])
        if arguments.json is not None:
            arguments.json.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n")
    if not arguments.only and arguments.share == 1:
        write_page(runs)


if __name__ == "__main__":
    main()

"""Measure replaying on Spark, and write its page: ``make bench-spark-replay``.

All sources of the same rows take turns: Jelly-Patch, RDF Patch text read with ``spark.read.text``
and regular expressions, and Parquet that Spark has written from the rows. All of them go through
`jelly_rdflib.spark.pipeline.replay`, and the results are compared.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from rich.progress import track

from .page import write_page
from .patches import Chain
from .run import READ, Run, Task, run_apart

SHARES = (0.1, 0.2, 0.5, 1.0)
COUNTS = (20, 200, 2_000)
"""The numbers of files, and of patches, into which a tenth of the operations is divided."""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_replay")
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--earlier", type=Path, metavar="FOLDER",
        help="a built checkout of an earlier release to compare with",
    )  # fmt: skip
    arguments = parser.parse_args()
    whole = Chain(arguments.operations)
    tasks = [Task(whole, source) for source in ("jellyp", "parquet", "rdfp")]
    tasks += [Task(whole, source, READ) for source in ("jellyp", "parquet")]
    if arguments.earlier is not None:
        tasks.append(Task(whole, package=str(arguments.earlier.resolve())))
    turns = [task for _ in range(arguments.rounds) for task in tasks]
    sources = [run_apart(task) for task in track(turns, "Comparing sources")]
    check(sources)
    part = replace(whole, operations=arguments.operations // 10)
    sizes = [replace(whole, operations=int(whole.operations * share)) for share in SHARES]
    by_size = [Task(size, cores=cores) for size in sizes for cores in (1, 2)]
    by_files = [Task(replace(part, files=count, patches=count)) for count in COUNTS]
    by_patches = [Task(replace(part, patches=count)) for count in COUNTS]
    write_page(
        sources,
        [run_apart(task) for task in track(by_size, "More operations")],
        [run_apart(task) for task in track(by_files, "More files")],
        [run_apart(task) for task in track(by_patches, "More patches")],
    )


def check(runs: list[Run]) -> None:
    """Raise an AssertionError if two sources produce different rows."""
    found = {(run.task.work, run.rows, run.digest) for run in runs}
    if len(found) != len({run.task.work for run in runs}):
        raise AssertionError(f"the sources differ: {runs}")


if __name__ == "__main__":
    main()

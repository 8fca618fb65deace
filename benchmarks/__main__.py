"""Measure all tasks and print the ratios: ``python -m benchmarks [--quick] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from . import columns, data, difference, latency, log_size, memory, threads
from .compare import COMPARISONS, compare
from .report import Measured, as_json, print_table

QUICK_RELEASES = 3
STREAM_SIZE = 1_000_000_000
QUICK_STREAM_SIZE = 100_000_000
APPENDS = 500
QUICK_APPENDS = 100
VERSIONS = 100_000
QUICK_VERSIONS = 10_000
TRIPLES = 1_000_000
QUICK_TRIPLES = 50_000
THREAD_ROUNDS = 9
QUICK_THREAD_ROUNDS = 3


def main() -> int:
    """Measure, and return the exit code: 1 only if a package needed to measure is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a short run on some of the data, for a rough picture"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all measurements")
    parser.add_argument(
        "--only",
        default="",
        metavar="WORD",
        help="only tasks with this in their name, or 'memory', 'latency', 'size', 'difference' or"
        " 'threads'",
    )
    parser.add_argument(
        "--spark", action="store_true", help="measure only Spark: see benchmarks/spark.py"
    )
    arguments = parser.parse_args()
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)

    if arguments.spark:
        from . import spark

        spark.show(100 if arguments.quick else 500, 2 if arguments.quick else 3)
        return 0

    errors = Console(stderr=True)
    shown = (TextColumn("{task.description:50}"), BarColumn(), TimeElapsedColumn())
    with Progress(*shown, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        try:
            measured = measure(bar, arguments.only, is_quick=arguments.quick)
        except data.DataError as error:
            errors.print(f"[bold red]Failed:[/] {error}")
            return 1

    print_table(measured, is_quick=arguments.quick)
    if arguments.json is not None:
        text = json.dumps(as_json(measured, is_quick=arguments.quick), indent=2)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


def measure(bar: Progress, only: str, *, is_quick: bool) -> Measured:
    task = bar.add_task("making the inputs", total=None)
    inputs = data.load(QUICK_RELEASES if is_quick else data.ALL)

    ratios = []
    for comparison in COMPARISONS:
        names = f"{comparison.ours(inputs).name} vs {comparison.peer(inputs).name}"
        if only not in names:
            continue
        rounds = comparison.quick_rounds if is_quick else comparison.rounds
        bar.reset(task, description=names, total=2 * rounds)
        ratios.append(compare(comparison, inputs, rounds, lambda: bar.advance(task)))

    peak = None
    if only in "memory":
        bar.reset(task, description="peak memory", total=None)
        stream = QUICK_STREAM_SIZE if is_quick else STREAM_SIZE
        peak = memory.measure(stream, inputs.jelly_patch_path)

    seconds = None
    if only in "latency":
        bar.reset(task, description="append latency", total=None)
        seconds = latency.measure(QUICK_APPENDS if is_quick else APPENDS)

    size = None
    if only in "size":
        bar.reset(task, description="a log of many versions", total=None)
        size = log_size.measure(QUICK_VERSIONS if is_quick else VERSIONS)

    differences = []
    if only in "difference":
        bar.reset(task, description="memory of differences", total=None)
        differences = difference.measure(QUICK_TRIPLES if is_quick else TRIPLES)

    scaling = []
    if only in "threads":
        bar.reset(task, description="two threads", total=None)
        scaling = threads.measure(inputs, QUICK_THREAD_ROUNDS if is_quick else THREAD_ROUNDS)
    versions = columns.sizes(inputs) if only in "bytes of Jelly-RDF 1.2" else []
    return Measured(inputs.about, ratios, peak, seconds, size, differences, scaling, versions)


if __name__ == "__main__":
    sys.exit(main())

"""Compare with peers: ``python -m benchmarks.peers [--quick] [--rounds N] [--to FOLDER]``."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import tempfile
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import jelly_rdflib as jr
from benchmarks import data

from . import inputs, jvm, others, ours, sizes, stores
from .machine import machine, versions
from .page import FORMATS, TITLES, make_page, plot_name
from .plot import draw
from .results import Result, Results
from .task import Task

ROUNDS = 5
WARM_UPS = 3
WARM_UP_SECONDS = 3.0
SLOW = 5.0
SLOW_ROUNDS = 2
QUICK_SHARE = 0.05


def main() -> int:
    """Measure, and return the exit code: 1 only if a peer can't be built or started."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a twentieth of the data, 3 rounds, and no page"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each task is timed")
    parser.add_argument(
        "--to",
        type=Path,
        default=data.ROOT / "docs",
        metavar="FOLDER",
        help="the folder for benchmarks.md and its pictures",
    )
    arguments = parser.parse_args()
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    rounds = 3 if arguments.quick else arguments.rounds

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description:60}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        try:
            results = measure(bar, rounds, QUICK_SHARE if arguments.quick else 1)
        except (data.DataError, jvm.JvmError) as error:
            errors.print(f"[bold red]Failed:[/] {error}")
            return 1

    console = Console()
    if not console.is_terminal:
        console.width = 120
    for result in results.results:
        for kind in result.kinds:
            console.print(table_of(result, kind))
        if result.sizes:
            console.print(table_of_sizes(result))
    if not arguments.quick:
        arguments.to.mkdir(parents=True, exist_ok=True)
        for number, result in enumerate(results.results):
            draw(result, arguments.to / plot_name(number))
        (arguments.to / "benchmarks.md").write_text(make_page(results), encoding="utf-8")
    return 0


def measure(bar: Progress, rounds: int, share: float) -> Results:
    """Time all contestants on all sets of data."""
    bar_task = bar.add_task("making the inputs", total=None)
    peer = jvm.Jvm()
    results = []
    try:
        for changes in inputs.load(share):
            bar.reset(bar_task, description=f"{changes.name}: the contestants", total=None)
            tasks = stores.tasks(changes, peer)
            if not changes.is_applied_only:
                tasks += [
                    *ours.tasks(changes),
                    *jvm.tasks(changes, peer),
                    *others.tasks(changes),
                ]
            # The collector would scan the inputs, which a user's process need not have.
            gc.collect()
            gc.freeze()
            bar.reset(bar_task, total=len(tasks) * (rounds + 1))
            for task in tasks:
                bar.update(bar_task, description=f"{changes.name}: {task.who}, {task.how}")
                warm_up(task)
                bar.advance(bar_task)
            for number in range(rounds):
                for task in tasks:
                    bar.update(bar_task, description=f"{changes.name}: {task.who}, {task.how}")
                    if number < SLOW_ROUNDS or task.seconds[0] < SLOW:
                        task.round()
                    bar.advance(bar_task)
            found = []
            if not changes.is_applied_only:
                with tempfile.TemporaryDirectory() as scratch:
                    found = sizes.measure(changes, peer, Path(scratch))
                sizes.check(tasks, found)
            results.append(Result(changes.name, changes.about, changes.count, tasks, found))
            gc.unfreeze()
    finally:
        peer.close()
    options = jr.PatchOptions()
    facts = {
        "rounds": rounds,
        "slow": SLOW,
        "slow_rounds": SLOW_ROUNDS,
        "names": options.max_name_table_size,
        "prefixes": options.max_prefix_table_size,
        "datatypes": options.max_datatype_table_size,
        "rows": options.frame_rows,
    }
    return Results(
        results, facts, {**versions(), **peer.versions}, machine(), date.today().isoformat()
    )


def warm_up(task: Task) -> None:
    """Repeat a task until caches are full and the JVM has compiled its hot code.

    The JVM compiles in the background, and a round may take only a twentieth of a second. So the
    task is also repeated for several seconds.
    """
    while len(task.seconds) < WARM_UPS or sum(task.seconds) < WARM_UP_SECONDS:
        task.round()
        if task.seconds[-1] > SLOW:
            break
    task.seconds.clear()


def table_of(result: Result, kind: str) -> Table:
    """Make a table of the speeds of one kind of task, fastest first."""
    table = Table(title=f"{result.name}: {TITLES[kind]} {result.count:,} statements")
    for name in ("", "format", ""):
        table.add_column(name, no_wrap=True)
    table.add_column("M/s", justify="right", style="bold")
    for task in result.ranking(kind):
        style = "bold" if task.is_ours else ""
        rate = f"{result.rate(task):.2f}"
        table.add_row(task.who, FORMATS[task.format], task.how, rate, style=style)
    return table


def table_of_sizes(result: Result) -> Table:
    """Make a table of the output sizes."""
    table = Table(title=f"{result.name}: sizes")
    table.add_column("")
    table.add_column("format")
    table.add_column("bytes", justify="right")
    table.add_column("with gzip", justify="right")
    for size in result.sizes:
        table.add_row(size.who, FORMATS[size.format], f"{size.plain:,}", f"{size.gzipped:,}")
    return table


if __name__ == "__main__":
    sys.exit(main())

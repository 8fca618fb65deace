"""Write the page ``docs/spark/benchmarks.md`` and its pictures."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median

import matplotlib as mpl
from matplotlib.figure import Figure

from ..bars import BAR_HEIGHT, WIDTH, draw_bars
from ..peers.machine import machine
from .run import MAX_RESULT, REPLAY, Run, Task

__all__ = ["write_page"]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "spark"
OURS, PEERS = "#c2185b", "#90a4ae"
NAMES = {
    "jellyp": "Jelly-Patch",
    "parquet": "the rows as Parquet",
    "rdfp": "RDF Patch text, by `spark.read.text`",
}

HEAD = """# Benchmarks on Spark

This page shows how long it takes to replay a chain of patches to its final quads, which a job then
counts and hashes. `make bench-spark-replay` makes the measurements and writes this page; no figure
is entered by hand. Each figure comes from a process of its own, in which Spark and its workers were
warmed up on one file; times are wall-clock times. Unless stated otherwise, all threads of Java and
Python share two cores. {machine}; Spark {spark} in local mode, Java {java}, Python {python},
{date}.

Three of four operations add a quad; the others delete an earlier quad. All sources go through the
same pipeline, and result in the same quads. Parquet that Spark has written itself sets the limit:
all that remains there is Spark's own work.

"""


def write_page(
    sources: list[Run], by_size: list[Run], by_files: list[Run], by_patches: list[Run]
) -> None:
    """Write the page.

    Args:
        sources: Several rounds of runs of all sources of the same rows.
        by_size: Runs of chains of growing size, each on one core and on two.
        by_files: Runs of the same number of operations in a growing number of one-patch files.
        by_patches: Runs of as many operations and files with a growing number of patches.
    """
    bars = {task: median(run.seconds for run in sources if run.task == task)
            for task in dict.fromkeys(run.task for run in sources)}  # fmt: skip
    whole = sources[0].task.chain
    part, growth = by_files[0].task.chain, [*by_size, *by_files, *by_patches]
    draw_sources(bars, FOLDER / "benchmarks-1.svg")
    draw_lines(by_size, by_files, by_patches, FOLDER / "benchmarks-2.svg")
    ours = bars[Task(whole)]
    parts = [
        HEAD.format(
            machine=machine(),
            spark=version("pyspark"),
            java=_java(),
            python=platform.python_version(),
            date=date.today(),
        ),
        f"## Against other sources\n\n{whole.operations:,} operations in {whole.files} files;"
        f" the median of {len(sources) // len(bars)}."
        " *Read* means to read all rows, and to count and hash them.\n\n"
        "![Seconds by source](benchmarks-1.svg)\n\n",
        _table(
            ("source", "work", "seconds", "Jelly-Patch replays"),
            (
                (name(task), task.work, f"{seconds:.1f}",
                 f"{seconds / ours:.2f} \u00d7" if task.work == REPLAY and seconds != ours else "")
                for task, seconds in bars.items()
            ),
        ),
        "\nThe last column says how many times as fast Jelly-Patch is replayed.\n\n",
        "## How it grows\n\n![Seconds by operations, files and patches](benchmarks-2.svg)\n\n",
        _table(
            ("operations", "one core, seconds", "two cores, seconds", "two are"),
            (
                (f"{one.task.chain.operations:,}", f"{one.seconds:.1f}", f"{two.seconds:.1f}",
                 f"{one.seconds / two.seconds:.2f} \u00d7")
                for one, two in zip(by_size[::2], by_size[1::2], strict=True)
            ),
        ),
        f"\n{part.operations:,} operations in more files, of one patch each, and in more"
        f" patches, in {whole.files} files:\n\n",
        _table(
            ("files", "seconds", "patches", "seconds"),
            (
                (f"{files.task.chain.files:,}", f"{files.seconds:.1f}",
                 f"{patches.task.chain.patches:,}", f"{patches.seconds:.1f}")
                for files, patches in zip(by_files, by_patches, strict=True)
            ),
        ),
        "\nEvery Spark job takes a few seconds, however small the data. If the data fit into"
        " memory, replay them without Spark. The driver's Python process used at most"
        f" {max(run.driver_bytes for run in growth) / 1e6:.0f} MB, and no job sent more"
        f" than {MAX_RESULT[:-1]} MB to the driver.\n",
    ]  # fmt: skip
    (FOLDER / "benchmarks.md").write_text("".join(parts), "utf-8")


def name(task: Task) -> str:
    """Return the display name of a task's source."""
    return NAMES[task.source] + (", by an earlier release" if task.package else "")


def _java() -> str:
    done = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    return done.stderr.split('"')[1]


def draw_sources(bars: dict[Task, float], path: Path) -> None:
    """Draw the seconds of each source."""
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(WIDTH, BAR_HEIGHT * len(bars) + 1), layout="constrained")
        axes = figure.subplots()
        tasks = sorted(bars, key=lambda task: (task.work != REPLAY, bars[task]))
        names = [f"{task.work}: {name(task).replace('`', '')}" for task in tasks]
        colors = [OURS if task.source == "jellyp" and not task.package else PEERS for task in tasks]
        draw_bars(axes, names, [bars[task] for task in tasks], colors, "%.1f")
        axes.set_xlabel("seconds; less is better", fontsize=8)
        figure.savefig(path, metadata={"Date": None})


def draw_lines(by_size: list[Run], by_files: list[Run], by_patches: list[Run], path: Path) -> None:
    """Draw the seconds over operations, files and patches."""
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(WIDTH, 6.5), layout="constrained")
        size, files, patches = figure.subplots(3, 1)
        for cores, color in ((1, PEERS), (2, OURS)):
            runs = [run for run in by_size if run.task.cores == cores]
            x = [run.task.chain.operations / 1e6 for run in runs]
            label = f"{cores} core{'s' if cores > 1 else ''}"
            size.plot(x, [run.seconds for run in runs], "o-", color=color, label=label)
        size.set_xlabel("millions of operations")
        size.legend()
        for axes, field, runs in ((files, "files", by_files), (patches, "patches", by_patches)):
            x = [getattr(run.task.chain, field) for run in runs]
            axes.plot(x, [run.seconds for run in runs], "o-", color=OURS)
            axes.set_xscale("log")
            axes.set_xlabel(field)
        for axes in (size, files, patches):
            axes.set_ylim(bottom=0)
            axes.spines[["top", "right"]].set_visible(False)
            axes.set_ylabel("seconds")
        figure.savefig(path, metadata={"Date": None})


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Make a Markdown table in which columns of numbers are right-aligned."""
    names, body = list(head), [list(row) for row in rows]
    is_number = [all(row[column][:1] <= "9" for row in body) for column in range(len(names))]
    rule = ["---:" if number else "---" for number in is_number]
    return "".join(f"| {' | '.join(row)} |\n" for row in (names, rule, *body))

"""A log of patches on Apache Spark: replayed to two versions, and compared with rdflib.

The patches are replayed to an earlier version and to the newest. Both must have the quads that an
rdflib dataset has after the same patches, and the difference of the two must turn the earlier
version into the newest.

Usage: ``python demo/spark_history.py LOG``, where LOG is a patch log, a file, or a folder or quoted
glob of files whose names are in the order of their patches. It needs the extras cli and spark, and
Java.
"""

from __future__ import annotations

import argparse
import glob
import io
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

import click
from pyspark.sql import DataFrame, Row, SparkSession
from rdflib import Dataset
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import jelly_rdflib as jr
from jelly_rdflib.arrow import read_arrow
from jelly_rdflib.cli.spark.session import open_session
from jelly_rdflib.spark.pipeline import MARKS, diff, replay, stats

Quads: TypeAlias = set[tuple[str | None, ...]]
Result = TypeVar("Result")
COLUMNS = ["s", "p", "o", "g"]


class MismatchError(Exception):
    """Spark's result differs from rdflib's."""


def files_of(log: str) -> list[str]:
    """Return the files that a path or glob stands for, in the order of their names."""
    if Path(log, "log.db").exists():
        return [str(entry.path) for entry in jr.PatchLog(log).patches()]
    if Path(log).is_dir():
        return sorted(str(path) for path in Path(log).iterdir() if path.is_file())
    return sorted(glob.glob(log))


def rdflib_states(files: list[str]) -> Iterator[Quads]:
    """Apply the patches to an rdflib dataset, and yield its quads after each patch."""
    dataset = Dataset()
    for file in files:
        # rdflib would rewrite "01"^^xsd:integer to "1".
        for patch in jr.read_patches(file, normalize=False):
            patch.apply(dataset)
            yield quads_of_dataset(dataset)


def quads_of_dataset(dataset: Dataset) -> Quads:
    """Return a dataset's quads in N-Triples syntax, as in Spark's columns."""
    file = io.BytesIO()
    with jr.PatchWriter(file) as writer:
        for s, p, o, g in dataset.quads():
            writer.add(s, p, o, g)
    quads: Quads = set()
    # With the column ``frame`` there are only rows of statements.
    for rows in read_arrow(file.getvalue(), columns=["frame", *COLUMNS]):
        quads.update(zip(*(rows.column(name).to_pylist() for name in COLUMNS), strict=True))
    return quads


def quads_of_table(table: DataFrame) -> Quads:
    """Return a table's quads, which fit into the memory of this process."""
    return {tuple(row) for row in table.select(*COLUMNS).collect()}


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of a function, and the seconds that it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def check(what: str, found: Quads, expected: Quads) -> None:
    """Compare Spark's quads with rdflib's."""
    if found != expected:
        raise MismatchError(f"{what}: {len(found ^ expected)} quads are missing or too many")


def run(spark: SparkSession, log: str, report: Callable[[str], None]) -> Table:
    """Run all steps, and return a table of them; ``report`` is called with the next step."""
    report("Applying the patches to an rdflib dataset")
    states = list(rdflib_states(files_of(log)))
    newest = len(states)
    earlier = max(newest // 2, 1)
    reader = spark.read.format("jelly-patch")
    changes, marks = reader.load(log), reader.option("op", MARKS).load(log)
    counts = stats(changes, by=()).collect()[0]

    table = Table("on Spark", title=f"{newest} patches with {counts.operations:,} operations")
    table.add_column("rows", justify="right")
    table.add_column("seconds", justify="right")

    for version in (earlier, newest):
        report(f"Replaying to version {version}")
        state = partial(replay, changes, upto=version, marks=marks)
        quads, seconds = timed(lambda state=state: quads_of_table(state()))  # type: ignore[misc]
        check(f"version {version}", quads, states[version - 1])
        table.add_row(f"replay to version {version}", f"{len(quads):,}", f"{seconds:.1f}")

    report("Comparing the two versions")

    def compare() -> list[Row]:
        old, new = (replay(changes, upto=version, marks=marks) for version in (earlier, newest))
        return diff(old, new).select("op", *COLUMNS).collect()

    rows, seconds = timed(compare)
    gone = {tuple(row)[1:] for row in rows if row.op == "D"}
    come = {tuple(row)[1:] for row in rows if row.op == "A"}
    check("deleted quads", gone, states[earlier - 1] - states[-1])
    check("added quads", come, states[-1] - states[earlier - 1])
    table.add_row(f"diff of versions {earlier} and {newest}", f"{len(rows):,}", f"{seconds:.1f}")
    return table


def main() -> int:
    """Run the demo; the exit code is 1 if a version differs from rdflib's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("log", help="a patch log, or a file, folder or glob of .jellyp files")
    log = parser.parse_args().log
    if not files_of(log):
        parser.error(f"there is nothing at {log}")
    errors = Console(stderr=True)
    try:
        # On a terminal only.
        with errors.status("Starting Spark") as status, open_session(None, (), None) as spark:
            table = run(spark, log, status.update)
    except (MismatchError, click.ClickException, ImportError) as error:
        errors.print(f"[bold red]Failed:[/] {escape(str(error))}")
        return 1
    output = Console()
    output.print(table)
    output.print("Each result is the same as rdflib's after the same patches.", highlight=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Measure reading on Spark, compared with ready-made Arrow batches, and one file against eight.

``python -m benchmarks.spark [--size MB] [--rounds N]``. It needs Java, and several gigabytes on
disk. Both members of a pair run the same aggregate in the same session, in turn. Seconds are
elapsed time, since the work is spread over processes and cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

import jelly_rdflib as jr
from jelly_rdflib.spark import register
from jelly_rdflib.spark.kinds import JELLY_PATCH, OPERATIONS
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.paths import find_files
from jelly_rdflib.spark.session import prepare_environment
from jelly_rdflib.spark.sources.partitions import FilePartition

from . import data

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["Pair", "measure", "show"]

FILES = 8
READY_SIZE = 64


@dataclass(frozen=True)
class Pair:
    """Two ways to read the same rows, timed in turn, in seconds."""

    ours: str
    peer: str
    rows: int
    target: float
    our_seconds: list[float]
    peer_seconds: list[float]

    @property
    def ratios(self) -> list[float]:
        return [peer / ours for ours, peer in zip(self.our_seconds, self.peer_seconds, strict=True)]

    def __str__(self) -> str:
        least, most = min(self.ratios), max(self.ratios)
        ratio = median(self.ratios)
        verdict = "met" if ratio >= self.target else "missed"
        rate = self.rows / median(self.our_seconds) / 1e6
        return (
            f"{self.ours} vs {self.peer}: {ratio:.2f} times ({least:.2f}-{most:.2f},"
            f" {len(self.ratios)} rounds), {rate:.2f} M rows/s; target {self.target}, {verdict}"
        )


class ReadySource(DataSource):
    """Ready-made record batches, one file per partition."""

    @classmethod
    def name(cls) -> str:
        return "ready-arrow"

    def schema(self) -> StructType:
        return OPERATIONS

    def reader(self, schema: StructType) -> DataSourceReader:
        return ReadyReader(self.options["path"])


class ReadyReader(DataSourceReader):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(str(path)) for path in sorted(Path(self.folder).iterdir())]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with pa.memory_map(partition.value) as source, pa.ipc.open_file(source) as file:
            for number in range(file.num_record_batches):
                yield file.get_batch(number)


class Counting:
    """A binary file that counts the bytes written to it."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.size = 0

    def write(self, piece: bytes) -> int:
        self.size += len(piece)
        written: int = self.file.write(piece)
        return written


def make_file(path: Path, operations: list[jr.Operation], size: int) -> int:
    """Write whole patches of the operations, at least ``size`` bytes; return the row count."""
    rows = 0
    with path.open("wb") as file:
        counting = Counting(file)
        with jr.PatchWriter(counting) as writer:
            while counting.size < size:
                writer.write_all(operations)
                writer.end_patch()
                rows += len(operations) + 1
    return rows


def make_ready(path: Path, folder: Path) -> None:
    """Save the record batches of a file's partitions."""
    import pyarrow as pa

    from jelly_rdflib.spark.sources.reader import RowsReader

    options = ReadOptions()
    rows = RowsReader(JELLY_PATCH, options, OPERATIONS, [])
    folder.mkdir()
    for number, partition in enumerate(rows.plan(find_files([str(path)]))):
        assert isinstance(partition, FilePartition)
        batches = rows.read(partition)
        first = next(batches)
        with pa.ipc.new_file(folder / f"{number:04d}.arrow", first.schema) as file:
            file.write(first)
            for batch in batches:
                file.write(batch)


def aggregate(spark: SparkSession, format: str, path: Path) -> tuple[Any, ...]:
    """Aggregate all columns into one row."""
    from pyspark.sql import functions as F

    # Each call creates a new DataFrame, so that Spark plans as for a first query.
    table = spark.read.format(format).load(str(path))
    lengths = [F.sum(F.length(name)) for name in ("file", "s", "p", "o", "g")]
    (row,) = table.agg(F.count("*"), F.max("seq"), F.max("txn"), *lengths).collect()
    return tuple(row)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def compare(
    ours: tuple[str, Callable[[], Any]],
    peer: tuple[str, Callable[[], Any]],
    *,
    rows: int,
    target: float,
    rounds: int,
) -> Pair:
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for each, (_, work) in zip(seconds, (ours, peer), strict=True):
            spent, result = timed(work)
            if result[0] != rows:
                raise data.DataError(f"{result[0]} rows, not {rows}")
            if number > 0:
                # In the first round the JVM is still cold.
                each.append(spent)
    return Pair(ours[0], peer[0], rows, target, *seconds)


def open_session() -> SparkSession:
    prepare_environment()
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[*]")
        .appName("benchmarks")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    register(spark)
    spark.dataSource.register(ReadySource)
    return spark


def measure(size: int, rounds: int) -> Iterator[Pair]:
    """Measure with a file of ``size`` megabytes."""
    operations = data.load(data.ALL).operations
    spark = open_session()
    with tempfile.TemporaryDirectory(prefix="jelly-bench-") as scratch:
        folder = Path(scratch)
        path = folder / "ready.jellyp"
        rows = make_file(path, operations, min(size, READY_SIZE) * 1_000_000)
        make_ready(path, folder / "ready")
        yield compare(
            ("jelly-patch into an aggregate", lambda: aggregate(spark, "jelly-patch", path)),
            (
                "the same Arrow batches, ready",
                lambda: aggregate(spark, "ready-arrow", folder / "ready"),
            ),
            rows=rows,
            target=0.7,
            rounds=rounds,
        )
        one = folder / "one.jellyp"
        rows = make_file(one, operations, size * 1_000_000)
        eight = folder / "eight"
        eight.mkdir()
        patches, rest = divmod(rows // (len(operations) + 1), FILES)
        for number in range(FILES):
            with jr.PatchWriter(eight / f"{number}.jellyp") as writer:
                for _ in range(patches + (number < rest)):
                    writer.write_all(operations)
                    writer.end_patch()
        yield compare(
            (f"one file of {size} MB", lambda: aggregate_anew(spark, one)),
            (f"{FILES} files", lambda: aggregate(spark, "jelly-patch", eight)),
            rows=rows,
            target=0.8,
            rounds=rounds,
        )
    spark.stop()


def aggregate_anew(spark: SparkSession, path: Path) -> tuple[Any, ...]:
    """Read a file as if for the first time, by making Spark forget the positions of its parts."""
    os.utime(path)
    return aggregate(spark, "jelly-patch", path)


def show(size: int, rounds: int) -> None:
    """Measure, and print each pair as soon as it is known."""
    for pair in measure(size, rounds):
        print(pair, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--size", type=int, default=500, metavar="MB", help="large file's size")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    show(arguments.size, arguments.rounds)


if __name__ == "__main__":
    main()

"""Make one measurement in a separate process, after warming up Spark and its workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .patches import Chain

__all__ = ["MAX_RESULT", "READ", "REPLAY", "Run", "Task", "run_apart"]

REPLAY, READ = "replay", "read"
ROOT = Path(__file__).resolve().parents[2]
# The limit on the bytes that all tasks of a job send to the driver, the same for all sizes.
MAX_RESULT = "4m"
FIRST = "00000.*"
# This runs this folder's benchmarks, with the package of another release if one is given.
MAIN = """
import sys
sys.path.insert(0, sys.argv[1])
import benchmarks
sys.path[0] = sys.argv[2]
from benchmarks.spark_replay.run import main
main()
"""
# A token in a row: a code, an IRI or blank node, or a literal.
TOKEN = r'(<[^>]*>|_:[^\s]+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?|[A-Z]+)'


@dataclass(frozen=True)
class Task:
    """What to measure.

    Attributes:
        source: ``jellyp``, ``rdfp`` or ``parquet``.
        work: `REPLAY` all patches, or only `READ` the rows.
        cores: The number of cores for Spark's tasks, Java's own threads and Python's workers.
        package: The folder of another release of this package; empty for this one.
    """

    chain: Chain
    source: str = "jellyp"
    work: str = REPLAY
    cores: int = 2
    package: str = ""

    @classmethod
    def of(cls, values: dict[str, Any]) -> Task:
        return cls(**{**values, "chain": Chain(**values["chain"])})


@dataclass(frozen=True)
class Run:
    """The results of one process: seconds, rows, their hash, and the driver's peak memory."""

    task: Task
    seconds: float
    rows: int
    digest: int
    driver_bytes: int = field(compare=False)


def run_apart(task: Task) -> Run:
    """Measure in a separate process; raise a RuntimeError with its output if it fails."""
    if task.source != "parquet":
        task.chain.make(task.source)
    package = task.package or str(ROOT)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, str(ROOT), package, json.dumps(asdict(task))],
        # Spark's workers look for the package in both folders, in this folder first.
        cwd=package,
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{task} failed:\n{done.stdout}\n{done.stderr}")
    values = json.loads(done.stdout.splitlines()[-1])
    return Run(**{**values, "task": Task.of(values["task"])})


def measure(task: Task) -> Run:
    """Measure in this process."""
    from pyspark.sql import functions as F

    from jelly_rdflib.cli.spark.session import open_session
    from jelly_rdflib.spark.pipeline import MARKS, replay

    cores = task.cores
    if hasattr(os, "sched_setaffinity"):
        # Without this, a single task would use one core for Java and parts of another for Python
        # and for Java's own threads, which compile code and collect garbage.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    conf = ["spark.driver.memory=4g", f"spark.driver.maxResultSize={MAX_RESULT}"]
    conf += [f"spark.sql.shuffle.partitions={8 * cores}"]
    with open_session(f"local[{cores}]", conf, None) as spark:
        if task.source == "parquet":
            make_parquet(spark, task.chain)
        load = LOADERS[task.source]

        def run(pattern: str) -> tuple[int, int]:
            changes, marks = load(spark, task.chain.folder(task.source), pattern, MARKS)
            rows = replay(changes, marks=marks) if task.work == REPLAY else changes
            digest = F.sum(F.xxhash64("s", "p", "o", "g") % 1_000_003)
            row = rows.agg(F.count("*"), digest).collect()[0]
            return row[0], row[1]

        run(FIRST)
        start = time.perf_counter()
        count, digest = run("*")
        seconds = time.perf_counter() - start
    return Run(task, seconds, count, digest, peak_bytes())


def make_parquet(spark: Any, chain: Chain) -> None:
    """Write the rows of the Jelly-Patch files as Parquet if missing; this is untimed."""
    folder = chain.folder("parquet")
    if not folder.exists():
        changes = spark.read.format("jelly-patch").load(str(chain.make("jellyp")))
        changes.write.parquet(str(folder.with_name("parquet-unfinished")), mode="overwrite")
        folder.with_name("parquet-unfinished").rename(folder)


def load_jelly(spark: Any, folder: Path, files: str, marks: str) -> tuple[Any, Any]:
    reader, path = spark.read.format("jelly-patch"), str(folder / files)
    return reader.load(path), reader.option("op", marks).load(path)


def load_parquet(spark: Any, folder: Path, files: str, marks: str) -> tuple[Any, Any]:
    changes = spark.read.parquet(str(folder))
    if files == FIRST:
        # The rows of the first patch file are spread over several Parquet files.
        changes = changes.where(changes["file"].contains("/00000."))
    return changes, changes.where(~changes["op"].isin("A", "D"))


def load_text(spark: Any, folder: Path, files: str, marks: str) -> tuple[Any, Any]:
    """Read RDF Patch text as a table of changes, with one regular expression per row.

    Files are too small for Spark to split, so that rows are numbered in their order. Each file has
    one patch.
    """
    from pyspark.sql import functions as F

    lines = spark.read.text(str(folder / files)).select(
        F.col("_metadata.file_path").alias("file"),
        F.monotonically_increasing_id().alias("seq"),
        "value",
    )

    def parse(lines: Any) -> Any:
        tokens = lines.withColumn("token", F.regexp_extract_all("value", F.lit(TOKEN), 1))
        code = F.col("token")[0]
        is_statement = code.isin("A", "D")

        def term(index: int) -> Any:
            return F.when(is_statement, F.get("token", F.lit(index)))

        return tokens.select(
            "file",
            F.lit(1).cast("long").alias("patch"),
            F.lit(1).cast("long").alias("txn"),
            "seq",
            F.when(code == "Z", "END").otherwise(code).alias("op"),
            term(1).alias("s"),
            term(2).alias("p"),
            F.when(code == "H", F.get("token", F.lit(1))).otherwise(term(3)).alias("o"),
            term(4).alias("g"),
            F.when(code == "H", F.regexp_extract("value", r"^H (\w+)", 1)).alias("name"),
        )

    # The first letter of a line shows whether it is a statement.
    return parse(lines), parse(lines.where(~F.col("value").rlike("^[AD] ")))


LOADERS: dict[str, Callable[[Any, Path, str, str], tuple[Any, Any]]] = {
    "jellyp": load_jelly,
    "rdfp": load_text,
    "parquet": load_parquet,
}


def peak_bytes() -> int:
    """Return the peak memory of this process: the Python part of the driver."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Measure the task in the last argument, given as JSON, and print the run as JSON."""
    run = measure(Task.of(json.loads(sys.argv[-1])))
    print(json.dumps(asdict(run)))

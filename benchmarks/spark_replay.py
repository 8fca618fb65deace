"""Replaying on Spark, against the same pipeline fed from RDF Patch text, and how it grows.

``python -m benchmarks.spark_replay [--operations N] [--rounds N] [--json FILE]``. The operations
are made once, into ``.cache``: patches that add quads and delete some of those before, each in a
file. The peer reads the text with ``spark.read.text`` and regular expressions; both then go through
`jelly_rdflib.spark.pipeline.replay`, and what comes out is compared. Each measurement has a process
of its own, in which Spark and its workers are warmed up on a few files.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

CACHE = Path(".cache/bench/spark-replay")
OPERATIONS = 10_000_000
SHARES = (0.1, 0.2, 0.5, 1.0)
FILES = 20
TARGET = 2.0
MEGABYTE = 1e6
# What all tasks of a job may send to the driver. It is the same for all sizes.
MAX_RESULT = "4m"

# A token of a row: a code, an IRI or blank node, a literal.
TOKEN = r'(<[^>]*>|_:[^\s]+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?|[A-Z]+)'


@dataclass(frozen=True)
class Run:
    """What one process measured."""

    source: str
    cores: int
    operations: int
    seconds: float
    quads: int
    digest: int
    driver_bytes: int


# --- the data -------------------------------------------------------------------------------------


def make_data(operations: int) -> Path:
    """Make the patches in a folder, as Jelly-Patch and as text, if they are not there."""
    folder = CACHE / str(operations)
    if (folder / "done").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    import jelly_rdflib as jr

    for kind in ("jellyp", "rdfp"):
        (folder / kind).mkdir(parents=True)
    chance = random.Random(1)
    state: list[tuple[Any, ...]] = []
    for number in range(FILES):
        jelly, text = (folder / kind / f"{number:03}.{kind}" for kind in ("jellyp", "rdfp"))
        with jr.PatchWriter(jelly) as writer:
            writer.write_all(make_patch(number, operations // FILES, state, chance))
        with jr.PatchWriter(text) as writer:
            for batch in jr.read_batches(jelly):
                writer.write_all(batch)
    (folder / "done").touch()
    return folder


def make_patch(
    number: int, count: int, state: list[tuple[Any, ...]], chance: random.Random
) -> Iterator[tuple[Any, ...]]:
    """Make a patch: three of four operations add a quad, the others delete one of those before."""
    from rdflib import Literal, URIRef

    import jelly_rdflib as jr

    predicates = [URIRef(f"http://example.org/vocabulary#property{i}") for i in range(30)]
    graphs = [URIRef(f"http://example.org/graph/{i}") for i in range(10)]
    subjects = [URIRef(f"http://example.org/thing/{number}-{i}") for i in range(count // 10 + 1)]
    yield (jr.Op.H, "id", URIRef(f"urn:patch:{number}"))
    if number > 0:
        yield (jr.Op.H, "prev", URIRef(f"urn:patch:{number - 1}"))
    yield (jr.Op.TX,)
    for i in range(count):
        if i % 4 == 3 and state:
            quad = state[chance.randrange(len(state))]
            yield (jr.Op.D, *quad)
            continue
        o: Any = chance.choice(subjects)
        if i % 3:
            o = Literal(f"value {chance.randrange(10**6)} of a property, in some words")
        quad = (chance.choice(subjects), chance.choice(predicates), o, chance.choice(graphs))
        # Some of them, so that what is deleted need not all be in memory.
        if i % 16 == 0:
            state.append(quad)
        yield (jr.Op.A, *quad)
    yield (jr.Op.TC,)
    yield (jr.Op.END,)


# --- one measurement ------------------------------------------------------------------------------


def measure(folder: Path, source: str, cores: int, operations: int) -> Run:
    """Replay all of a folder, in this process."""
    from pyspark.sql import functions as F

    from jelly_rdflib.cli.spark.session import open_session
    from jelly_rdflib.spark.pipeline import replay

    conf = ["spark.driver.memory=4g", f"spark.driver.maxResultSize={MAX_RESULT}"]
    conf += [f"spark.sql.shuffle.partitions={8 * cores}"]
    with open_session(f"local[{cores}]", conf, None) as spark:
        load = load_jelly if source == "jellyp" else load_text

        def run(pattern: str) -> tuple[int, int]:
            changes, marks = load(spark, str(folder / source / pattern))
            quads = replay(changes, marks=marks)
            digest = F.sum(F.xxhash64("s", "p", "o", "g") % 1_000_003)
            row = quads.agg(F.count("*"), digest).collect()[0]
            return row[0], row[1]

        run("000.*")
        start = time.perf_counter()
        count, digest = run("*")
        seconds = time.perf_counter() - start
    return Run(source, cores, operations, seconds, count, digest, peak_bytes())


def load_jelly(spark: Any, path: str) -> tuple[Any, Any]:
    from jelly_rdflib.spark.pipeline import MARKS

    reader = spark.read.format("jelly-patch")
    return reader.load(path), reader.option("op", MARKS).load(path)


def load_text(spark: Any, path: str) -> tuple[Any, Any]:
    """Read RDF Patch text as a table of changes, by one regular expression for each row.

    Files are smaller than what Spark splits, so that rows are numbered in their order.
    """
    from pyspark.sql import functions as F

    lines = spark.read.text(path).select(
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
            F.lit(0).cast("long").alias("patch"),
            F.lit(0).cast("long").alias("txn"),
            "seq",
            F.when(code == "Z", "END").otherwise(code).alias("op"),
            term(1).alias("s"),
            term(2).alias("p"),
            F.when(code == "H", F.get("token", F.lit(1))).otherwise(term(3)).alias("o"),
            term(4).alias("g"),
            F.when(code == "H", F.regexp_extract("value", r"^H (\w+)", 1)).alias("name"),
        )

    # What is no statement is found by its first letter.
    return parse(lines), parse(lines.where(~F.col("value").rlike("^[AD] ")))


def peak_bytes() -> int:
    """Return the most memory that this process had: Python's part of the driver."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- all of them ----------------------------------------------------------------------------------


def run_apart(folder: Path, source: str, cores: int, operations: int) -> Run:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.spark_replay", "--one", folder, source, cores]
    command += ["--operations", operations]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{source} on {cores} cores failed:\n{done.stdout}\n{done.stderr}")
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def compare(operations: int, rounds: int) -> list[Run]:
    """Measure both sources in turn, on two cores."""
    folder = make_data(operations)
    runs = []
    for _ in range(rounds):
        pair = [run_apart(folder, source, 2, operations) for source in ("jellyp", "rdfp")]
        if len({(each.quads, each.digest) for each in pair}) != 1:
            raise AssertionError(f"the two differ: {pair}")
        runs += pair
    return runs


def grow(operations: int) -> list[Run]:
    """Measure sizes up to the whole, on one core and on two."""
    sizes = [int(operations * share) for share in SHARES]
    return [run_apart(make_data(size), "jellyp", cores, size) for size in sizes for cores in (1, 2)]


def print_tables(pairs: list[Run], growth: list[Run]) -> None:
    console = Console()
    ours, peer = ([run for run in pairs if run.source == kind] for kind in ("jellyp", "rdfp"))
    if ours:
        ratios = [b.seconds / a.seconds for a, b in zip(ours, peer, strict=True)]
        ratio = statistics.median(ratios)
        verdict = "met" if ratio >= TARGET else "missed"
        console.print(
            f"replay of {ours[0].operations:,} operations:"
            f" {statistics.median(run.seconds for run in ours):.1f} s of Jelly-Patch,"
            f" {statistics.median(run.seconds for run in peer):.1f} s of text; ratio"
            f" [bold]{ratio:.2f}[/] ({min(ratios):.2f}-{max(ratios):.2f}), target {TARGET:g}:"
            f" {verdict}"
        )
    if growth:
        table = Table("operations", "cores", title="How replay grows")
        for name in ("seconds", "M operations/s", "driver's Python, MB"):
            table.add_column(name, justify="right")
        for run in growth:
            rate = run.operations / run.seconds / 1e6
            memory = f"{run.driver_bytes / MEGABYTE:.0f}"
            table.add_row(
                f"{run.operations:,}", str(run.cores), f"{run.seconds:.1f}", f"{rate:.2f}", memory
            )
        console.print(table)
        console.print(f"No job has sent more than {MAX_RESULT} to the driver.")


def main() -> int:
    """Measure; the exit code is 1 if the two sources come to different quads."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_replay")
    parser.add_argument("--operations", type=int, default=OPERATIONS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--no-growth", action="store_true", help="only compare with the peer")
    parser.add_argument("--one", nargs=3, metavar=("FOLDER", "SOURCE", "CORES"), help="for itself")
    arguments = parser.parse_args()
    if arguments.one is not None:
        folder, source, cores = arguments.one
        run = measure(Path(folder), source, int(cores), arguments.operations)
        print(json.dumps(asdict(run)))
        return 0
    pairs = compare(arguments.operations, arguments.rounds)
    growth = [] if arguments.no_growth else grow(arguments.operations)
    print_tables(pairs, growth)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(run) for run in [*pairs, *growth]], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tests that a tiny log needs few jobs and tasks with Spark's default shuffle partitions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.spark import register
from jelly_rdflib.spark.pipeline import compact, diff, history, replay, versions
from tests.spark.pipeline.test_maintain import put, random_patch
from tests.spark.pipeline.upkeep import start
from tests.spark.session import needs_connectors

PARTITIONS = "spark.sql.shuffle.partitions"
S, P = URIRef("urn:s"), URIRef("urn:p")
ADDS = [(Op.A, S, P, Literal(str(number)), None) for number in range(4)]
CHANGES = [(Op.D, S, P, Literal("1"), None), (Op.PA, "ex", URIRef("urn:ex"), None)]
PIPELINES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "replay": replay,
    "replay-upto": lambda changes: replay(changes, upto="urn:1"),
    "history": history,
    "versions": versions,
    "compact": compact,
    "diff": lambda changes: diff(replay(changes), changes.where("op = 'A'").drop("op")),
}


def write_patch(path: Path, id: str, prev: str | None, operations: list[Any]) -> None:
    with jr.PatchWriter(path) as writer:
        writer.header("id", URIRef(id))
        if prev is not None:
            writer.header("prev", URIRef(prev))
        writer.begin()
        writer.write_all(operations)
        writer.commit()


@pytest.fixture(scope="module")
def changes(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataFrame]:
    """Return the table of a log of two files with 13 operations."""
    folder = tmp_path_factory.mktemp("log")
    write_patch(folder / "a.jellyp", "urn:1", None, ADDS)
    write_patch(folder / "b.jellyp", "urn:2", "urn:1", CHANGES)
    register(spark)
    before = spark.conf.get(PARTITIONS)
    spark.conf.set(PARTITIONS, "200")
    yield spark.read.format("jelly-patch").load(str(folder))
    assert before is not None
    spark.conf.set(PARTITIONS, before)


def jobs(spark: SparkSession) -> dict[int, int]:
    """Return the number of tasks of each job; each adaptive stage counts as a job."""
    context: Any = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().jobsList(None)
    each = map(found.apply, range(found.size()))
    return {job.jobId(): job.numCompletedTasks() for job in each}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_tiny_log_takes_few_jobs_and_tasks(
    spark: SparkSession, changes: DataFrame, name: str
) -> None:
    changes.count()
    before = jobs(spark)
    made = PIPELINES[name](changes)
    planned = jobs(spark)
    assert made.collect()
    done = jobs(spark)
    assert 0 < len(planned.keys() - before.keys()) <= 3
    assert sum(done[job] for job in done.keys() - before.keys()) <= 20


@pytest.mark.parametrize("name", ["history", "compact"])
def test_the_quads_of_changes_are_shuffled_once(changes: DataFrame, name: str) -> None:
    """Quads are shuffled once, since each quad's changes are in one partition."""
    made: Any = PIPELINES[name](changes)
    plan = made._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning(s") == 1


def test_a_small_batch_of_maintain_takes_few_jobs_and_tasks(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A small batch needs few jobs; most are Delta's, to merge and write deletion vectors."""
    needs_connectors()
    put(tmp_path, 0, random_patch(0))
    start(spark, tmp_path).awaitTermination()
    put(tmp_path, 1, random_patch(1))
    before = jobs(spark)
    start(spark, tmp_path).awaitTermination()
    done = jobs(spark)
    new = done.keys() - before.keys()
    assert 0 < len(new) <= 28
    assert sum(done[job] for job in new) <= 32

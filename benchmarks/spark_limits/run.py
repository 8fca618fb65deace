"""Make one measurement in a separate process, with a driver and two executors of 1 GB each."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .inputs import Input

__all__ = ["WORKS", "Run", "Task", "run_apart"]

ROOT = Path(__file__).resolve().parents[2]
HEARTBEAT_SECONDS = 2
SETTINGS = {
    "spark.driver.memory": "1g",
    # All tasks of a job together may send at most this much to the driver.
    "spark.driver.maxResultSize": "32m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.heartbeatInterval": f"{HEARTBEAT_SECONDS}s",
    "spark.executor.metrics.pollingInterval": "250ms",
    "spark.executor.processTreeMetrics.enabled": "true",
    # The figures come from the server of Spark's web interface.
    "spark.ui.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "100000",
    "spark.ui.retainedStages": "100000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.log.level": "ERROR",
}


@dataclass(frozen=True)
class Task:
    """A task to measure: ``work``, a key of `WORKS`, and its input."""

    input: Input
    work: str


@dataclass(frozen=True)
class Run:
    """The results of one process; memory is the highest measured value, in bytes.

    Attributes:
        operations: Rows of additions and deletions in the input.
        rows: Rows of the result.
        shuffled: The bytes that tasks wrote for other tasks.
        spilled: The bytes that tasks wrote to disk for lack of memory.
        driver_heap: The memory of objects in the driver's JVM.
        driver_python: The memory of the driver's Python.
        executor_heap, executor_python: The same for the larger executor.
    """

    task: Task
    operations: int
    rows: int
    jobs: int
    tasks: int
    shuffled: int
    spilled: int
    driver_heap: int
    driver_python: int
    executor_heap: int
    executor_python: int


def run_apart(task: Task) -> Run:
    """Measure a task in a separate process; if that fails, raise a RuntimeError with its output."""
    task.input.make()
    done = subprocess.run(
        [sys.executable, "-c", "from benchmarks.spark_limits.run import main; main()",
         json.dumps(asdict(task))],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{task} failed:\n{done.stdout}\n{done.stderr}")
    return Run(**{**json.loads(done.stdout.splitlines()[-1]), "task": task})


def replay(changes: Any, marks: Any) -> Any:
    from jelly_rdflib.spark.pipeline import replay

    return replay(changes, marks=marks)


def history(changes: Any, marks: Any) -> Any:
    from jelly_rdflib.spark.pipeline import history

    return history(changes, marks=marks)


def compact(changes: Any, marks: Any) -> Any:
    from jelly_rdflib.spark.pipeline import compact

    return compact(changes, marks=marks)


def stats_by_graph(changes: Any, marks: Any) -> Any:
    from jelly_rdflib.spark.pipeline import stats

    return stats(changes, by=["g"])


WORKS: dict[str, Callable[[Any, Any], Any]] = {
    "replay": replay,
    "history": history,
    "compact": compact,
    "count by graph": stats_by_graph,
}


def measure(task: Task) -> Run:
    """Measure in this process."""
    from pyspark.sql import SparkSession

    from jelly_rdflib.spark import register
    from jelly_rdflib.spark.pipeline import MARKS
    from jelly_rdflib.spark.session import prepare_environment

    prepare_environment()
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("limits")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    register(spark)
    folder = str(task.input.make())
    reader = spark.read.format("jelly-patch")
    changes = reader.load(folder)
    rows = WORKS[task.work](changes, reader.option("op", MARKS).load(folder))
    # Each column is computed, but no row is stored.
    rows.write.format("noop").mode("overwrite").save()
    # Wait for the last heartbeat of each executor.
    time.sleep(2 * HEARTBEAT_SECONDS)
    jobs, stages, executors = (ask(spark, what) for what in ("jobs", "stages", "allexecutors"))
    counted = spark.read.format("jelly-patch").option("op", "A,D").load(folder).count()
    made = rows.count()
    spark.stop()
    drivers = [each for each in executors if each["id"] == "driver"]
    others = [each for each in executors if each["id"] != "driver"]
    return Run(
        task=task,
        operations=counted,
        rows=made,
        jobs=len(jobs),
        tasks=sum(job["numCompletedTasks"] for job in jobs),
        shuffled=sum(stage["shuffleWriteBytes"] for stage in stages),
        spilled=sum(stage["diskBytesSpilled"] for stage in stages),
        driver_heap=peak(drivers, "JVMHeapMemory"),
        driver_python=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        executor_heap=peak(others, "JVMHeapMemory"),
        executor_python=peak(others, "ProcessTreePythonRSSMemory"),
    )


def ask(spark: Any, what: str) -> Any:
    """Return what Spark's own server reports about this application."""
    context = spark.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


def peak(executors: list[Any], name: str) -> int:
    return max(int(each.get("peakMemoryMetrics", {}).get(name, 0)) for each in executors)


def main() -> None:
    """Measure the task in the last argument, given as JSON, and print the run as JSON."""
    values = json.loads(sys.argv[-1])
    task = Task(Input(**values["input"]), values["work"])
    print(json.dumps(asdict(measure(task))))

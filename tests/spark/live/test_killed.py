"""Tests a process that keeps a table up to date and is killed twenty times in fifty batches."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rdflib import Dataset

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.spark.pipeline import maintained_versions, read_maintained
from tests.live.kafka.broker import Broker
from tests.spark.live.driver import TOPIC
from tests.spark.pipeline.test_maintain import put, random_patch
from tests.spark.session import needs_connectors
from tests.spark.tables import quad_set, quads_of
from tests.support import ROOT

BATCHES = 50
KILLS = 20


@pytest.mark.slow
def test_no_file_is_lost_or_doubled(spark: SparkSession, tmp_path: Path) -> None:
    needs_connectors()
    for number in range(BATCHES):
        put(tmp_path, number, random_patch(number))
    maintain_with_kills(tmp_path)
    check(spark, tmp_path)


@pytest.mark.slow
def test_no_message_is_lost_or_doubled(spark: SparkSession, tmp_path: Path, broker: Broker) -> None:
    with live.open_sink(f"kafka://{broker.address}/{TOPIC}", stream="a") as sink:
        for number in range(BATCHES):
            sink.send(random_patch(number))
    maintain_with_kills(tmp_path, broker.address, TOPIC)
    check(spark, tmp_path)


def maintain_with_kills(folder: Path, *topic: str) -> None:
    """Keep the table up to date to the end, with processes of which `KILLS` are killed."""
    chance = random.Random(7)
    kills = 0
    while True:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.pipeline.upkeep", str(folder), *topic],
            cwd=ROOT,
            start_new_session=True,
        )
        # The time is measured from the first batch of this process.
        before = committed(folder)
        while process.poll() is None and committed(folder) == before:
            time.sleep(0.05)
        # Wait for at most two batches, so that enough batches remain for all kills.
        end = time.monotonic() + (chance.uniform(0, 4) if kills < KILLS else 0)
        while time.monotonic() < end and committed(folder) < before + 2:
            time.sleep(0.05)
        if kills == KILLS or process.poll() is not None:
            assert process.wait() == 0
            break
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    assert kills == KILLS


def check(spark: SparkSession, folder: Path) -> None:
    """Compare the table with the patches as applied here, and its versions with the batches."""
    dataset = Dataset()
    for number in range(BATCHES):
        jr.apply(random_patch(number), dataset)
    assert quad_set(read_maintained(spark, str(folder / "quads"))) == quads_of(dataset)
    rows = maintained_versions(spark, str(folder / "quads")).orderBy("batch").collect()
    assert [row.batch for row in rows] == list(range(len(rows)))
    assert [row.head for row in rows] == [f"<urn:{row.version - 1}>" for row in rows]
    # A batch has two files if Spark was killed after it had recorded the first one, but never more.
    # The last batch of messages has none, since it only updates the state of the streams.
    versions = [row.version for row in rows]
    assert versions == sorted(versions)
    assert versions[-1] == BATCHES


def committed(folder: Path) -> int:
    """Return the number of commits in the table's log."""
    return len(list((folder / "quads" / "_delta_log").glob("*.json")))

"""Tests Kafka to Delta Lake: each patch is written exactly once, whichever process is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import live
from tests.live.kafka.broker import Broker
from tests.oracle.terms import operation
from tests.spark.files import COLUMNS, make_operations, paid
from tests.spark.live.driver import TOPIC
from tests.spelling import rows_of
from tests.support import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS = 240
KEYS = ("kitchen", "hall", "attic", "cellar", "room/1", "Küche", None)


class Producers:
    """Producers, each with a key and a continuing stream; a patch needs two messages."""

    def __init__(self, spark: SparkSession, broker: Broker) -> None:
        self.spark = spark
        self.broker = broker
        self.encoders = {key: jr.PatchEncoder() for key in KEYS}
        self.count = 0
        """The number of messages that were sent."""
        self.said: dict[str | None, list[Any]] = {key: [] for key in KEYS}

    def send(self, patches: int) -> None:
        """Send `patches` patches for each key."""
        rows = []
        for at, key in enumerate(KEYS):
            encoder, said = self.encoders[key], self.said[key]
            operations = make_operations(patches, 5, seed=1000 * at + len(said))
            # Each patch repeats terms of the previous one.
            for start in range(0, len(operations), 5):
                frame = encoder.encode_frame(map(operation, operations[start : start + 5]))
                rows.append(
                    (key and key.encode(), bytearray(frame), at % 3 if key is None else None)
                )
            said += operations
        self.count += len(rows)
        # A message without a key could go to any partition.
        table = self.spark.createDataFrame(rows, "key binary, value binary, partition int")
        writer = table.coalesce(1).write.format("kafka").option("topic", TOPIC)
        writer.option("kafka.bootstrap.servers", self.broker.address).save()


class Driver:
    """A process of `tests.spark.live.driver`."""

    def __init__(self, broker: Broker, folder: Path) -> None:
        self.table = folder / "table"
        self.checkpoint = folder / "checkpoint"
        self.arguments = (broker.address, str(self.table), str(self.checkpoint))
        self.log = folder / "driver.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, last: int = -1) -> None:
        """Start the driver, which kills itself after it has written the batch `last`."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.spark.live.driver", *self.arguments, str(last)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the driver and its JVM."""
        if self.process is not None:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def commits(self) -> int:
        """Return the number of versions of the table."""
        return len(list((self.table / "_delta_log").glob("*.json")))

    def wait_for(self, commits: int) -> None:
        """Wait until the table has this number of versions."""
        self._wait(lambda: self.commits() >= commits)

    def wait_for_offsets(self, count: int) -> None:
        """Wait until Spark has recorded `count` messages as done."""
        self._wait(lambda: self._offsets() >= count)

    def _offsets(self) -> int:
        """Return the number of messages up to the end of the last finished batch."""
        done = [int(path.name) for path in (self.checkpoint / "commits").glob("[0-9]*")]
        if not done:
            return 0
        text = (self.checkpoint / "offsets" / str(max(done))).read_text("utf-8")
        return sum(json.loads(text.splitlines()[-1])[TOPIC].values())

    def wait_for_end(self) -> None:
        """Wait until the process has killed itself."""
        assert self.process is not None
        process = self.process
        self._wait(lambda: process.poll() == -signal.SIGKILL, may_end=True)
        self.process = None

    def _wait(self, is_reached: Any, *, may_end: bool = False) -> None:
        deadline = time.monotonic() + SECONDS
        while not is_reached():
            ended = not may_end and self.process is not None and self.process.poll() is not None
            if ended or time.monotonic() > deadline:
                pytest.fail(f"the driver does not get on:\n{self.log.read_text('utf-8')[-3000:]}")
            time.sleep(0.1)


@pytest.fixture
def driver(broker: Broker, tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(broker, tmp_path)
    try:
        yield driver
    finally:
        driver.kill()


def rows_in(spark: SparkSession, driver: Driver) -> list[tuple[Any, ...]]:
    table = spark.read.format("delta").load(str(driver.table))
    return [tuple(row) for row in table.orderBy("file", "seq").collect()]


@pytest.mark.slow
def test_each_patch_comes_once_though_broker_and_driver_are_killed(
    spark: SparkSession, broker: Broker, driver: Driver
) -> None:
    producers = Producers(spark, broker)
    producers.send(3)
    # The driver ends between the table's commit and Spark's commit, so batch 1 is repeated.
    driver.start(last=1)
    driver.wait_for_end()
    assert driver.commits() == 2
    driver.start()
    driver.wait_for(3)
    driver.kill()

    producers.send(2)
    driver.start()
    driver.wait_for(4)
    broker.kill()
    time.sleep(3)
    broker.start()
    producers.send(1)
    driver.wait_for_offsets(producers.count)
    driver.kill()
    rows = rows_in(spark, driver)

    # Each stream is in one partition, whose number is in its name.
    names = {row[0].split("/", 2)[2]: row[0] for row in rows}
    assert len({row[0] for row in rows}) == len(names) == len(KEYS)
    assert len({name.split("/")[1] for name in names.values()}) > 1
    for key in KEYS:
        name = names[{"Küche": "K%C3%BCche", None: "(null)"}.get(key, key)]
        expected = [
            (name, *(row[each] for each in COLUMNS)) for row in rows_of(producers.said[key])
        ]
        assert [row for row in rows if row[0] == name] == expected


def test_what_write_frames_sends_is_what_is_read(spark: SparkSession, broker: Broker) -> None:
    from jelly_rdflib.spark import decode_frames, write_frames
    from jelly_rdflib.spark.pipeline import CHANGES

    said = {name: rows_of(make_operations(4, 20, seed=at)) for at, name in enumerate("abc")}
    rows = [(name, *(row[each] for each in COLUMNS)) for name in said for row in said[name]]
    options = jr.PatchOptions(frame_rows=7)
    for _ in range(2):
        messages = write_frames(spark.createDataFrame(rows, CHANGES), options=options)
        kafka = messages.write.format("kafka").option("topic", TOPIC)
        kafka.option("kafka.bootstrap.servers", broker.address).save()
    source = spark.read.format("kafka").option("subscribe", TOPIC)
    table = source.option("kafka.bootstrap.servers", broker.address).load()
    got = decode_frames(table, on_repeated_options="restart").orderBy("key", "seq").collect()
    names = [name for name, *_ in rows]
    assert sorted(bytes(row.key).decode() for row in got) == sorted(names * 2)
    # The second time, each stream restarts.
    for name, operations in said.items():
        of_name = [row for row in got if bytes(row.key).decode() == name]
        kept = [{each: row[each] for each in ("op", "s", "p", "o", "g", "name")} for row in of_name]
        assert kept == [{each: row[each] for each in kept[0]} for row in operations] * 2


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_topic_that_is_made_anew(
    spark: SparkSession, broker: Broker, tmp_path: Path, is_stopped: bool
) -> None:
    """A recreated topic is an error, even if it has more messages than were read before."""
    from jelly_rdflib.spark import check_topic, read_frames

    url = f"kafka://{broker.address}/{TOPIC}"

    def send(patches: int) -> None:
        with live.open_sink(url, stream="a", restart=1) as sink:
            for number in range(patches):
                sink.send(paid(1 + number))

    def start(**trigger: Any) -> Any:
        source = spark.readStream.format("kafka").option("subscribe", TOPIC)
        source = source.option("kafka.bootstrap.servers", broker.address)
        messages = source.option("startingOffsets", "earliest").load()
        changes = read_frames(check_topic(messages, url), on_repeated_options="restart")
        writer = changes.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        return writer.trigger(**trigger).start(str(tmp_path / "out"))

    send(3)
    query = start(**({"availableNow": True} if is_stopped else {"processingTime": "1 second"}))
    if is_stopped:
        query.awaitTermination()
    else:
        query.processAllAvailable()
    rows = spark.read.parquet(str(tmp_path / "out"))
    assert rows.where("op = 'END'").count() == 3
    broker.admin.delete_topics([TOPIC])[TOPIC].result(SECONDS)
    while TOPIC in broker.admin.list_topics(timeout=SECONDS).topics:
        time.sleep(0.05)
    broker.create_topic(TOPIC, 3)
    send(20)
    if is_stopped:
        query = start(availableNow=True)
    with pytest.raises(Exception, match=r"deleted|UnknownTopic|data may have been lost"):
        query.awaitTermination(SECONDS)
    if is_stopped:
        assert "recreated: start with a new checkpoint" in str(query.exception())
        assert spark.read.parquet(str(tmp_path / "out")).count() == rows.count()

"""Structured streaming: folders as streams, with kill and restart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly_rdflib as jr
from tests.live.test_chain import EXCHANGES, Exchange
from tests.spark.files import make_operations, read_rows, write_file
from tests.support import ROOT

pytest.importorskip("pyspark")

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        add(folder, number)
    return folder


def add(folder: Path, number: int) -> Path:
    """Put a file into a folder, as a whole."""
    unfinished = write_file(folder / f".{number}.jellyp", make_operations(1, 4, seed=number))
    return unfinished.rename(folder / f"{number}.jellyp")


def run(spark: SparkSession, folder: Path, tmp_path: Path, **options: Any) -> list[list[str]]:
    """Read what there is, and return the names of the files of each micro-batch."""
    batches: list[list[str]] = []

    def note(table: Any, number: int) -> None:
        rows = read_rows(table, "file", "seq")
        batches.append(sorted({Path(row["file"]).stem for row in rows}))
        assert len(rows) == len({(row["file"], row["seq"]) for row in rows})

    stream = spark.readStream.format("jelly-patch").options(**options).load(str(folder))
    query = (
        stream.writeStream.foreachBatch(note)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return batches


def test_each_file_comes_once(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    batches = run(spark, folder, tmp_path, maxFilesPerTrigger=2)
    assert batches == [["0", "1"], ["2"]]
    assert run(spark, folder, tmp_path) == []
    add(folder, 3)
    # Another file that is older than those that were read.
    os.utime(add(folder, 4), ns=(0, time.time_ns() - 3600 * 10**9))
    (folder / "bad.jellyp").write_bytes(b"\x05\xff")
    # A damaged file stops the query, and is named.
    with pytest.raises(Exception, match=r"bad\.jellyp: "):
        run(spark, folder, tmp_path)
    (folder / "bad.jellyp").unlink()
    add(folder, 5).rename(folder / "bad.jellyp")
    # A batch without files stores the time of the file that has replaced it.
    assert run(spark, folder, tmp_path) == [["3", "4", "bad"], []]


def test_a_query_of_a_log_that_is_exchanged_does_not_go_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    """See `sources/test_offsets.py` for each way in which a log is exchanged."""
    exchange = Exchange(tmp_path)
    assert [len(batch) for batch in run(spark, exchange.log, tmp_path)] == [5]
    exchange.restore(EXCHANGES[0])
    with pytest.raises(Exception, match="begin anew with another checkpoint"):
        run(spark, exchange.log, tmp_path)


def test_a_running_query_of_a_log_that_is_exchanged_ends(
    spark: SparkSession, tmp_path: Path
) -> None:
    exchange = Exchange(tmp_path)
    stream = spark.readStream.format("jelly-patch").load(str(exchange.log))
    writer = stream.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.start(str(tmp_path / "out"))
    query.processAllAvailable()
    exchange.restore(EXCHANGES[1])
    # The folder is away for a moment.
    with pytest.raises(Exception, match=r"begin anew with another|there is no such file"):
        query.awaitTermination(60)
    rows = spark.read.parquet(str(tmp_path / "out"))
    assert rows.where("op = 'END'").count() == 5


def test_a_stream_is_written_once(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    """The query that was ended has written a batch that Spark has not noted as done."""
    checkpoint = tmp_path / "written"

    def write() -> list[str]:
        stream = spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 2)
        writer = stream.load(str(folder)).writeStream.format("jelly-patch")
        writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        writer.start(str(tmp_path / "out")).awaitTermination()
        paths = sorted((tmp_path / "out").glob("*.jellyp"))
        return [
            str(each[2])
            for path in paths
            for each in jr.read_operations(path)
            if each[0] == jr.Op.H
        ]

    names = write()
    assert sorted(names) == [f"http://example.org/patch{number}-0" for number in range(3)]
    for name in ("1", ".1.crc"):
        (checkpoint / "commits" / name).unlink()
    assert write() == names
    assert not list((tmp_path / "out").glob("_temporary*"))


QUERY = """
import sys
from tests.spark.session import open_session
from jelly_rdflib.spark import register
source, target, checkpoint = sys.argv[1:]
spark = open_session()
register(spark)
stream = spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 1).load(source)
query = (
    stream.writeStream.format("jelly-patch")
    .option("checkpointLocation", checkpoint)
    .trigger(processingTime="0 seconds")
    .start(target)
)
query.awaitTermination()
"""


def start(*arguments: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", QUERY, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a query and its Java, without a word."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(target: Path, count: int) -> None:
    deadline = time.monotonic() + 240
    while len(list(target.glob("part-*"))) < count:
        assert time.monotonic() < deadline, "the query does not get on"
        time.sleep(0.1)


@pytest.mark.slow
def test_each_file_is_written_once_though_the_query_is_killed(
    spark: SparkSession, tmp_path: Path
) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number in range(12):
        add(source, number)
    arguments = (source, target, tmp_path / "checkpoint")
    for count in (3, 12):
        process = start(*arguments)
        try:
            wait_for(target, count)
        finally:
            end(process)
    written = spark.read.format("jelly-patch").load(str(target))
    got = sorted(row.o for row in written.where("op = 'H'").collect())
    assert got == sorted(f"<http://example.org/patch{number}-0>" for number in range(12))
    assert written.count() == sum(len(make_operations(1, 4)) for _ in range(12))

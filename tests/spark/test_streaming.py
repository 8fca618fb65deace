"""Tests Structured Streaming of folders, with kills and restarts."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.live.test_chain import EXCHANGES, Exchange
from tests.spark.files import make_operations, read_rows, write_file

pytest.importorskip("pyspark")
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
    """Put a complete file into a folder at once."""
    unfinished = write_file(folder / f".{number}.jellyp", make_operations(1, 4, seed=number))
    return unfinished.rename(folder / f"{number}.jellyp")


def run(spark: SparkSession, folder: Path, tmp_path: Path, **options: Any) -> list[list[str]]:
    """Read all new files; return the file names of each micro-batch."""
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
    # This new file is older than the files that were already read.
    os.utime(add(folder, 4), ns=(0, time.time_ns() - 3600 * 10**9))
    (folder / "bad.jellyp").write_bytes(b"\x05\xff")
    # A damaged file ends the query with an error that names it.
    with pytest.raises(Exception, match=r"bad\.jellyp: "):
        run(spark, folder, tmp_path)
    (folder / "bad.jellyp").unlink()
    add(folder, 5).rename(folder / "bad.jellyp")
    # A batch without files stores the time of the replacement file.
    assert run(spark, folder, tmp_path) == [["3", "4", "bad"], []]


def test_a_query_of_a_log_that_is_exchanged_does_not_go_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    """See `sources/test_offsets.py` for each way of replacing a log."""
    exchange = Exchange(tmp_path)
    assert [len(batch) for batch in run(spark, exchange.log, tmp_path)] == [5]
    exchange.restore(EXCHANGES[0])
    with pytest.raises(Exception, match="start again with a new checkpoint"):
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
    # The folder is missing for a moment.
    with pytest.raises(Exception, match=r"start again with a new|there is no such file"):
        query.awaitTermination(60)
    rows = spark.read.parquet(str(tmp_path / "out"))
    assert rows.where("op = 'END'").count() == 5


def test_a_stream_is_written_once(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    """A batch is written once, even if the query ended before Spark recorded it as done."""
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

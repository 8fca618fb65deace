"""What Spark's own client reads from HDFS, decoded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.files import make_operations, read_rows, write_file
from tests.spark.live.stores import Hdfs
from tests.spelling import rows_of

pytest.importorskip("pyspark")
from jelly_rdflib.spark import decode_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_decode_files(spark: SparkSession, hdfs: Hdfs, tmp_path: Path) -> None:
    operations = make_operations(2, 30)
    path = write_file(tmp_path / "0.jellyp.gz", operations)
    hdfs.put(spark, path, f"{tmp_path.name}/day=2026-01-01/0.jellyp.gz")
    files = spark.read.format("binaryFile").load(f"{hdfs.url}/{tmp_path.name}")
    table = decode_files(files.select("*", "_metadata.file_name"))
    assert read_rows(table) == rows_of(operations)
    (row,) = table.select("file", "day", "file_name").distinct().collect()
    assert row.file == f"{hdfs.url}/{tmp_path.name}/day=2026-01-01/0.jellyp.gz"
    assert (str(row.day), row.file_name) == ("2026-01-01", "0.jellyp.gz")


def test_decode_files_of_a_stream_that_cleans_up(
    spark: SparkSession, hdfs: Hdfs, tmp_path: Path
) -> None:
    source = f"{hdfs.url}/{tmp_path.name}/in"

    def run() -> int:
        schema = "path string, modificationTime timestamp, length long, content binary"
        files = spark.readStream.format("binaryFile").schema(schema)
        files = files.option("maxFilesPerTrigger", 1).option("cleanSource", "delete")
        query = decode_files(files.load(source)).writeStream.format("parquet")
        query = query.option("checkpointLocation", f"{hdfs.url}/{tmp_path.name}/checkpoint")
        query = query.trigger(availableNow=True)
        query.start(f"{hdfs.url}/{tmp_path.name}/out").awaitTermination()
        rows = spark.read.parquet(f"{hdfs.url}/{tmp_path.name}/out")
        return rows.where("op = 'END'").count()

    for number in range(2):
        path = write_file(tmp_path / f"{number}.jellyp", make_operations(1, 3))
        hdfs.put(spark, path, f"{tmp_path.name}/in/{number}.jellyp")
    assert run() == 2
    left = [name for name in hdfs.names(spark) if name.startswith(f"{tmp_path.name}/in/")]
    # Spark deletes the files of a batch when the next one has been planned.
    assert len(left) <= 1
    assert run() == 2

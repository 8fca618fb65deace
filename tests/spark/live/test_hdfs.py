"""Tests decoding files that Spark's own client reads from HDFS."""

from pathlib import Path

import pytest

from tests.spark.files import make_operations, read_rows, write_file
from tests.spark.live.stores import Hdfs
from tests.spelling import rows_of

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

from jelly_rdflib.spark import decode_files


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

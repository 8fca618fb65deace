"""Tests reading through Spark: how a session uses a reader's rows.

`test_files` tests the reader itself, and `tests/spark/test_filters.py` tests its filters.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.spark.files import COLUMNS, make_operations, read_rows, write_file
from tests.spelling import rows_of

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")

OPERATIONS = make_operations(2, 60)


def load(spark: SparkSession, path: Any, format: str = "jelly-patch", **options: Any) -> DataFrame:
    paths = [str(each) for each in path] if isinstance(path, list) else str(path)
    return spark.read.format(format).options(**options).load(paths)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    return write_file(folder / "a.jellyp", OPERATIONS, frame_rows=20)


def test_a_row_is_an_operation(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    other = write_file(tmp_path / "b.jellyp", make_operations(1, 3))
    table = load(spark, [path, other])
    assert table.columns == ["file", *COLUMNS]
    rows = table.collect()
    assert {row.file for row in rows} == {str(path), str(other)}
    expected = {str(path): rows_of(OPERATIONS), str(other): rows_of(make_operations(1, 3))}
    for file, operations in expected.items():
        own = sorted((row for row in rows if row.file == file), key=lambda row: row.seq)
        assert [{name: row[name] for name in COLUMNS} for row in own] == operations


def test_a_given_schema_chooses_columns(spark: SparkSession, path: Path) -> None:
    table = spark.read.format("jelly-patch").schema("s string, op string").load(str(path))
    assert table.columns == ["s", "op"]
    assert [(row.s, row.op) for row in table.collect()] == [
        (row["s"], row["op"]) for row in rows_of(OPERATIONS)
    ]


@pytest.mark.parametrize(
    "condition",
    [
        "op = 'A' and s = '<http://example.org/s1>' and g is null",
        "s not in ('<http://example.org/s1>', '<http://example.org/s2>')",
        "not (s <=> '<http://example.org/s1>') and seq > 5",
    ],
)
def test_filters_choose_the_rows_that_spark_would(
    spark: SparkSession, path: Path, condition: str
) -> None:
    # Each condition needs its own DataFrame: see the last test here.
    pushed = load(spark, path, pushFilters="true").where(condition)
    left = load(spark, path).where(condition)
    assert read_rows(pushed) == read_rows(left)
    if condition.startswith("op"):
        # No filter is left to Spark itself.
        for table, is_left in ((pushed, False), (left, True)):
            plan = table._jdf.queryExecution().executedPlan().toString()
            assert (" Filter (" in plan) == is_left


@pytest.mark.xfail(strict=True, reason="Spark keeps a query's filters for the next query")
def test_spark_forgets_filters_with_the_query(spark: SparkSession, path: Path) -> None:
    table = load(spark, path, pushFilters="true")
    count = table.count()
    assert table.where("s = '<http://example.org/s3>'").count() < count
    assert table.count() == count

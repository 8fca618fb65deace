"""Tests writing DataFrames through Spark; `test_commits` tests the writer's partitions."""

from pathlib import Path

import pytest

from tests.spark.files import make_operations, read_rows, write_file
from tests.support import read

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture(scope="module")
def changes(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Return a table of two partitions with one file in each."""
    folder = tmp_path_factory.mktemp("source")
    paths = [
        write_file(folder / f"{number}.jellyp", make_operations(2, 30, seed=number))
        for number in range(2)
    ]
    size = max(path.stat().st_size for path in paths)
    return spark.read.format("jelly-patch").option("partitionBytes", size).load(str(folder))


def save(table: DataFrame, folder: Path, mode: str = "append", **options: str) -> list[Path]:
    table.write.format("jelly-patch").mode(mode).options(**options).save(str(folder))
    return files(folder)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.startswith("part-"))


@pytest.mark.parametrize(("format", "suffix"), [("jelly-patch", ".jellyp"), ("rdf-patch", ".rdfp")])
def test_a_partition_is_a_file(
    changes: DataFrame, tmp_path: Path, format: str, suffix: str
) -> None:
    target = tmp_path / "target"
    changes.write.format(format).mode("append").save(str(target))
    written = files(target)
    assert [path.name[:10] for path in written] == ["part-00000", "part-00001"]
    assert sorted(path.name for path in target.iterdir()) == [
        "_SUCCESS",
        *(path.name for path in written),
    ]
    for number, path in enumerate(written):
        expected = write_file(tmp_path / f"e{suffix}", make_operations(2, 30, seed=number))
        assert path.suffix == suffix
        assert read(path, format=format) == read(expected, format=format)


def test_what_is_written_is_read_as_the_same_rows(
    spark: SparkSession, changes: DataFrame, tmp_path: Path
) -> None:
    one = changes.where("file like '%0.jellyp'")
    options = {"compression": "zstd", "preset": "small", "frameRows": "16"}
    # A partition without rows has no file.
    (path,) = save(one, tmp_path / "target", **options)
    assert path.suffix == ".zst"
    again = spark.read.format("jelly-patch").load(str(tmp_path / "target"))
    assert read_rows(again) == read_rows(one)


def test_statements_are_written_as_jelly(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(f"<urn:s{n}>", "<urn:p>", '"o"', None) for n in range(5)]
    table = spark.createDataFrame(rows, "s string, p string, o string, g string").coalesce(1)
    table.write.format("jelly").mode("append").save(str(tmp_path / "target"))
    again = spark.read.format("jelly").load(str(tmp_path / "target")).orderBy("seq")
    assert again.columns == ["file", "frame", "seq", "s", "p", "o", "g"]
    assert [tuple(row)[3:] for row in again.collect()] == rows


def test_append_overwrite_and_failed_jobs(
    spark: SparkSession, changes: DataFrame, tmp_path: Path
) -> None:
    from pyspark.sql import functions as F

    target = tmp_path / "target"
    is_bad = F.expr("file like '%1.jellyp' and seq = 40")
    broken = changes.withColumn("o", F.when(is_bad, "no term").otherwise(F.col("o")))
    with pytest.raises(Exception, match=r"column o: 'no term' is not an N-Triples term"):
        save(broken, target)
    assert not target.exists()
    assert len(save(changes, target)) == 2
    assert len(save(changes, target)) == 4
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    with pytest.raises(Exception, match=r"column o: 'no term' is not an N-Triples term"):
        save(broken, target, "overwrite")
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before
    assert len(save(changes, target, "overwrite")) == 2
    # A table without rows results in an empty folder.
    save(changes.where("false"), target, "overwrite")
    assert [path.name for path in target.iterdir()] == ["_SUCCESS"]
    assert spark.read.format("jelly-patch").load(str(target)).count() == 0

"""Folders ``key=value`` as columns, as Spark's own sources have them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.files import iri, make_operations, write_file

pytest.importorskip("pyspark")
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.pipeline import MARKS, replay
from jelly_rdflib.spark.sources.reader import FilesReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of folders: three days, one of them null, with two places each."""
    for day in ("2026-01-01", "2026-01-02", "__HIVE_DEFAULT_PARTITION__"):
        for place in ("a%2Fb", "c d"):
            folder = tmp_path / f"day={day}" / f"place={place}"
            folder.mkdir(parents=True)
            write_file(folder / "1.jellyp", [("A", iri(1), iri(2), iri(day), iri(place))])
    return tmp_path


def load(spark: SparkSession, path: Path, schema: str | None = None, **options: Any) -> DataFrame:
    reader = spark.read.format("jelly-patch").options(op="A", **options)
    return (reader if schema is None else reader.schema(schema)).load(str(path))


def test_they_are_columns(spark: SparkSession, folder: Path) -> None:
    table = load(spark, folder)
    assert table.columns[-3:] == ["name", "day", "place"]
    assert table.schema["day"].dataType.simpleString() == "string"
    rows = table.select("day", "place").collect()
    days = ("2026-01-01", "2026-01-02", None)
    assert set(map(tuple, rows)) == {(day, place) for day in days for place in ("a/b", "c d")}
    assert len(rows) == 6
    # As Spark's own sources have them.
    for row in load(spark, folder).collect():
        name = "__HIVE_DEFAULT_PARTITION__" if row.day is None else row.day
        assert row.o == f"<http://example.org/{name}>"


def test_a_schema_chooses_them_and_their_types(spark: SparkSession, folder: Path) -> None:
    rows = load(spark, folder, "place string, day date, op string").distinct().collect()
    assert {row.day for row in rows} == {date(2026, 1, 1), date(2026, 1, 2), None}
    assert load(spark, folder, "day string").where("day is null").count() == 2
    assert load(spark, folder, "s string").count() == 6
    with pytest.raises(Exception, match=r"day=2026-01-01/.*: the folder day=…: Failed to parse"):
        load(spark, folder, "day long").collect()
    with pytest.raises(Exception, match=r"there is no column 'month'; there are file, .*, place"):
        load(spark, folder, "month string").collect()


def test_damage_is_told_with_them(spark: SparkSession, folder: Path) -> None:
    (folder / "day=2026-01-01" / "place=c d" / "2.jellyp").write_bytes(b"damaged")
    table = load(spark, folder, mode="PERMISSIVE").where("_corrupt is not null")
    assert [tuple(row) for row in table.select("day", "place", "s").collect()] == [
        ("2026-01-01", "c d", None)
    ]


def test_only_folders_below_the_path_are(spark: SparkSession, folder: Path) -> None:
    assert load(spark, folder / "day=2026-01-01").columns[-2:] == ["name", "place"]
    assert load(spark, folder / "day=2026-*").columns[-2:] == ["day", "place"]
    assert load(spark, folder / "day=2026-*").count() == 4
    every = load(spark, folder, recursiveFileLookup="true")
    assert every.columns[-1] == "name"
    assert every.count() == 6


def test_folders_that_do_not_fit(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    write_file(folder / "day=2026-01-01" / "1.jellyp", make_operations(1, 1))
    with pytest.raises(Exception, match=r"its folders key=value give the columns"):
        load(spark, folder)
    # Without these columns it does not matter.
    assert load(spark, folder, "s string").count() == 7
    (tmp_path / "other" / "S=1").mkdir(parents=True)
    write_file(tmp_path / "other" / "S=1" / "1.jellyp", make_operations(1, 1))
    with pytest.raises(Exception, match="folders S=… have the name of a column: rename them"):
        load(spark, tmp_path / "other")


def test_a_stream_has_them(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    stream = spark.readStream.format("jelly-patch").option("op", "A").load(str(folder))

    def run() -> int:
        query = (
            stream.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        query.awaitTermination()
        return spark.read.parquet(str(tmp_path / "out")).where("place = 'c d'").count()

    assert run() == 3
    new = folder / "day=2026-01-03" / "place=c d"
    new.mkdir(parents=True)
    write_file(new / "1.jellyp", make_operations(1, 3)).rename(new / "2.jellyp")
    assert run() == 6


def test_a_file_that_comes_later_without_them(folder: Path) -> None:
    schema = StructType().add("day", "string")
    reader = FilesReader(JELLY_PATCH, ReadOptions(), schema, [str(folder)])
    write_file(folder / "1.jellyp", make_operations(1, 3))
    with pytest.raises(ValueError, match=r"1\.jellyp: the file is in no folder day=…"):
        list(reader.read(reader.partitions()[0]))


def test_pipelines_take_them(spark: SparkSession, folder: Path) -> None:
    reader = spark.read.format("jelly-patch")
    marks = reader.option("op", MARKS).load(str(folder))
    changes = spark.read.format("jelly-patch").load(str(folder))
    now = replay(changes, marks=marks, order_by="file")
    assert now.columns == ["s", "p", "o", "g"]
    assert now.count() == 6
    until = replay(changes.where("day is not null"), upto="2026-01-01", order_by="day")
    assert until.count() == 2

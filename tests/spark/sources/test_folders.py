"""Tests ``key=value`` folders as columns, as in Spark's own sources."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.spark.files import iri, make_operations, write_file

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from jelly_rdflib.spark.pipeline import MARKS, replay
from jelly_rdflib.spark.sources.source import make_sources

REGISTERED = pytest.mark.usefixtures("registered")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three days, one of them null, each with two places."""
    for day in ("2026-01-01", "2026-01-02", "__HIVE_DEFAULT_PARTITION__"):
        for place in ("a%2Fb", "c d"):
            folder = tmp_path / f"day={day}" / f"place={place}"
            folder.mkdir(parents=True)
            write_file(folder / "1.jellyp", [("A", iri(1), iri(2), iri(day), iri(place))])
    return tmp_path


def make_reader(path: Path, schema: StructType | None = None, **options: str) -> Any:
    """Make a reader of statements, as the source does for Spark."""
    source = make_sources({})[0](options={"path": str(path), "op": "A", **options})
    return source.reader(schema or source.schema())


def read(path: Path, schema: StructType | None = None, **options: str) -> list[dict[str, Any]]:
    return rows_of(make_reader(path, schema, **options))


def rows_of(reader: Any) -> list[dict[str, Any]]:
    tables = [table for partition in reader.partitions() for table in reader.read(partition)]
    return [row for table in tables for row in table.to_pylist()]


def test_they_are_columns(folder: Path) -> None:
    rows = read(folder)
    assert list(rows[0])[-3:] == ["name", "day", "place"]
    days = ("2026-01-01", "2026-01-02", None)
    found = [(row["day"], row["place"]) for row in rows]
    assert len(found) == 6
    assert set(found) == {(day, place) for day in days for place in ("a/b", "c d")}
    for row in rows:
        name = row["day"] or "__HIVE_DEFAULT_PARTITION__"
        assert row["o"] == f"<http://example.org/{name}>"


@REGISTERED
def test_a_schema_chooses_them_and_their_types(spark: SparkSession, folder: Path) -> None:
    reader = spark.read.format("jelly-patch").option("op", "A")
    rows = reader.schema("place string, day date, op string").load(str(folder)).collect()
    assert {row.day for row in rows} == {date(2026, 1, 1), date(2026, 1, 2), None}
    assert len(read(folder, StructType().add("s", "string"))) == 6
    with pytest.raises(ValueError, match=r"day=2026-01-01/.*: the folder day=…: Failed to parse"):
        read(folder, StructType().add("day", "long"))
    with pytest.raises(ValueError, match=r"there is no column 'month'; there are file, .*, place"):
        read(folder, StructType().add("month", "string"))


@REGISTERED
def test_damage_is_told_with_them(spark: SparkSession, folder: Path) -> None:
    (folder / "day=2026-01-01" / "place=c d" / "2.jellyp").write_bytes(b"damaged")
    reader = spark.read.format("jelly-patch").options(op="A", mode="PERMISSIVE")
    table = reader.load(str(folder)).where("_corrupt is not null")
    assert [tuple(row) for row in table.select("day", "place", "s").collect()] == [
        ("2026-01-01", "c d", None)
    ]


def test_only_folders_below_the_path_are(folder: Path) -> None:
    for path, names, count in (
        ("day=2026-01-01", ["name", "place"], 2),
        ("day=2026-*", ["day", "place"], 4),
    ):
        rows = read(folder / path)
        assert (list(rows[0])[-2:], len(rows)) == (names, count)
    rows = read(folder, recursiveFileLookup="true")
    assert (list(rows[0])[-1], len(rows)) == ("name", 6)


def test_folders_that_do_not_fit(folder: Path, tmp_path: Path) -> None:
    write_file(folder / "day=2026-01-01" / "1.jellyp", make_operations(1, 1))
    with pytest.raises(ValueError, match=r"its folders key=value give the columns"):
        read(folder)
    # A schema without these columns has no conflict.
    assert len(read(folder, StructType().add("s", "string"))) == 7
    (tmp_path / "other" / "S=1").mkdir(parents=True)
    write_file(tmp_path / "other" / "S=1" / "1.jellyp", make_operations(1, 1))
    with pytest.raises(ValueError, match="folders S=… have the name of a column: rename them"):
        read(tmp_path / "other")


@REGISTERED
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
    reader = make_reader(folder, StructType().add("day", "string"))
    write_file(folder / "1.jellyp", make_operations(1, 3))
    with pytest.raises(ValueError, match=r"1\.jellyp: the file is in no folder day=…"):
        rows_of(reader)


@REGISTERED
def test_pipelines_take_them(spark: SparkSession, folder: Path) -> None:
    reader = spark.read.format("jelly-patch")
    marks = reader.option("op", MARKS).load(str(folder))
    changes = spark.read.format("jelly-patch").load(str(folder))
    now = replay(changes, marks=marks, order_by="file")
    assert now.columns == ["s", "p", "o", "g"]
    assert now.count() == 6
    until = replay(changes.where("day is not null"), upto="2026-01-01", order_by="day")
    assert until.count() == 2

"""Writing DataFrames through the data sources, on a real session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly_rdflib as jr
from tests.spark.files import make_operations, read_rows, write_file
from tests.support import read

pytest.importorskip("pyspark")
import pyarrow as pa

from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.sources.sorting import in_order
from jelly_rdflib.spark.sources.writer import FolderWriter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def changes(spark: SparkSession, tmp_path: Path) -> DataFrame:
    folder = tmp_path / "source"
    folder.mkdir()
    paths = [
        write_file(folder / f"{number}.jellyp", make_operations(2, 30, seed=number))
        for number in range(2)
    ]
    # A partition for each.
    size = max(path.stat().st_size for path in paths)
    return spark.read.format("jelly-patch").option("partitionBytes", size).load(str(folder))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.startswith("part-"))


def rows_in(paths: list[Path]) -> list[Any]:
    return [row for path in paths for row in read(path)]


class TestFiles:
    @pytest.mark.parametrize(
        ("format", "extension"), [("jelly-patch", "jellyp"), ("rdf-patch", "rdfp")]
    )
    def test_a_partition_is_a_file(
        self, changes: DataFrame, tmp_path: Path, format: str, extension: str
    ) -> None:
        target = tmp_path / "target"
        changes.write.format(format).mode("append").save(str(target))
        written = files(target)
        assert [path.name[:10] for path in written] == ["part-00000", "part-00001"]
        assert {path.suffix for path in written} == {f".{extension}"}
        assert sorted(path.name for path in target.iterdir())[0] == "_SUCCESS"
        assert len(list(target.iterdir())) == 3
        for number, path in enumerate(written):
            expected = write_file(
                tmp_path / f"expected.{extension}", make_operations(2, 30, seed=number)
            )
            assert read(path, format=format) == read(expected, format=format)

    def test_rows_are_in_the_order_of_their_files(self, changes: DataFrame, tmp_path: Path) -> None:
        from pyspark.sql import functions as F

        target = tmp_path / "target"
        shuffled = changes.orderBy(F.rand(1)).coalesce(1)
        shuffled.write.format("jelly-patch").mode("append").save(str(target))
        (path,) = files(target)
        operations = make_operations(2, 30, seed=0) + make_operations(2, 30, seed=1)
        expected = write_file(tmp_path / "expected.jellyp", operations)
        assert read(path) == read(expected)

    def test_what_is_written_is_read_as_the_same_rows(
        self, spark: SparkSession, changes: DataFrame, tmp_path: Path
    ) -> None:
        target = str(tmp_path / "target")
        one = changes.where("file like '%0.jellyp'")
        one.write.format("jelly-patch").mode("append").option("compression", "zstd").option(
            "preset", "small"
        ).option("frameRows", "16").save(target)
        assert read_rows(spark.read.format("jelly-patch").load(target)) == read_rows(one)

    def test_statements_are_written_as_jelly(self, spark: SparkSession, tmp_path: Path) -> None:
        rows = [(f"<urn:s{n}>", "<urn:p>", '"o"', None) for n in range(5)]
        table = spark.createDataFrame(rows, "s string, p string, o string, g string").coalesce(1)
        target = tmp_path / "target"
        table.write.format("jelly").mode("append").save(str(target))
        again = spark.read.format("jelly").load(str(target)).orderBy("seq")
        assert [tuple(row) for row in again.select("s", "p", "o", "g").collect()] == rows

    def test_partitions_without_rows_have_no_file(self, changes: DataFrame, tmp_path: Path) -> None:
        target = tmp_path / "target"
        changes.where("file like '%0.jellyp'").write.format("jelly-patch").mode("append").save(
            str(target)
        )
        assert len(files(target)) == 1

    def test_an_empty_table_makes_an_empty_folder(
        self, spark: SparkSession, changes: DataFrame, tmp_path: Path
    ) -> None:
        target = tmp_path / "target"
        changes.where("false").write.format("jelly-patch").mode("append").save(str(target))
        assert [path.name for path in target.iterdir()] == ["_SUCCESS"]
        assert spark.read.format("jelly-patch").load(str(target)).count() == 0


class TestModes:
    def test_append_keeps_and_overwrite_replaces(self, changes: DataFrame, tmp_path: Path) -> None:
        target = tmp_path / "target"
        for mode, count in (("append", 2), ("append", 4), ("overwrite", 2)):
            changes.write.format("jelly-patch").mode(mode).save(str(target))
            assert len(files(target)) == count

    @pytest.mark.parametrize("mode", ["error", "ignore"])
    def test_spark_has_no_other_modes_for_such_sources(
        self, changes: DataFrame, tmp_path: Path, mode: str
    ) -> None:
        with pytest.raises(Exception, match=r"cannot be written|UNSUPPORTED"):
            changes.write.format("jelly-patch").mode(mode).save(str(tmp_path / "target"))


class TestFailures:
    def test_a_failed_job_leaves_nothing(
        self, spark: SparkSession, changes: DataFrame, tmp_path: Path
    ) -> None:
        from pyspark.sql import functions as F

        target = tmp_path / "target"
        broken = changes.withColumn(
            "o",
            F.when(F.expr("file like '%1.jellyp' and seq = 40"), "no term").otherwise(F.col("o")),
        )
        with pytest.raises(Exception, match=r"column o: 'no term' is no term of N-Triples"):
            broken.write.format("jelly-patch").mode("append").save(str(target))
        assert not target.exists()

    def test_a_failed_overwrite_leaves_what_was_there(
        self, changes: DataFrame, tmp_path: Path
    ) -> None:
        target = tmp_path / "target"
        changes.write.format("jelly-patch").mode("append").save(str(target))
        before = {path.name: path.read_bytes() for path in files(target)}
        with pytest.raises(Exception, match="operation A has no s"):
            changes.selectExpr("op", "null as s", "p", "o").selectExpr(
                "op", "cast(s as string) s", "p", "o"
            ).where("op = 'A'").write.format("jelly-patch").mode("overwrite").save(str(target))
        assert {path.name: path.read_bytes() for path in files(target)} == before
        assert len(list(target.iterdir())) == 3

    def test_a_transaction_that_is_cut_is_refused(self, changes: DataFrame, tmp_path: Path) -> None:
        with pytest.raises(
            Exception, match=r"partition \d can't be written as jelly-patch: .*repartition"
        ):
            changes.where("op <> 'TC'").write.format("jelly-patch").mode("append").save(
                str(tmp_path / "target")
            )

    @pytest.mark.parametrize(
        ("columns", "format", "message"),
        [
            (["op", "s"], "jelly-patch", "has the columns op, s, p, o; missing: p, o"),
            (["s"], "jelly", "has the columns s, p, o; missing: p, o"),
            (
                ["op", "seq as s", "p", "o"],
                "rdf-patch",
                "the column 's' of a table of rdf-patch is to be string",
            ),
        ],
    )
    def test_a_missing_column_is_named(
        self, changes: DataFrame, tmp_path: Path, columns: list[str], format: str, message: str
    ) -> None:
        with pytest.raises(Exception, match=message):
            changes.selectExpr(*columns).write.format(format).mode("append").save(
                str(tmp_path / "target")
            )

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"frobnicate": "1"}, "there is no option 'frobnicate'"),
            ({"compression": "lzma"}, "the option compression is none, gzip, zstd"),
            ({"preset": "huge"}, "the option preset is big, small"),
            ({"maxNameTableSize": "2"}, "max_name_table_size"),
        ],
    )
    def test_options_are_checked(
        self, changes: DataFrame, tmp_path: Path, options: dict[str, str], message: str
    ) -> None:
        with pytest.raises(Exception, match=message):
            changes.write.format("jelly-patch").options(**options).mode("append").save(
                str(tmp_path / "target")
            )

    def test_rows_of_a_stream_of_quads_are_no_stream_of_triples(
        self, changes: DataFrame, tmp_path: Path
    ) -> None:
        with pytest.raises(Exception, match="in a stream of triples"):
            changes.write.format("jelly-patch").option("statementType", "TRIPLES").mode(
                "append"
            ).save(str(tmp_path / "target"))


class TestSorting:
    @pytest.mark.parametrize("sort_bytes", [1, 2000, 1 << 20])
    def test_rows_come_in_order_whatever_fits_into_memory(self, sort_bytes: int) -> None:
        import random

        import pyarrow as pa

        rng = random.Random(1)
        rows = [{"file": f"{n % 3}", "seq": n // 3, "op": "A"} for n in range(1000)]
        rng.shuffle(rows)
        batches = [
            pa.RecordBatch.from_pylist(rows[start : start + 70]) for start in range(0, 1000, 70)
        ]
        got = [
            row for batch in in_order(batches, sort_bytes=sort_bytes) for row in batch.to_pylist()
        ]
        assert got == sorted(rows, key=lambda row: (row["file"], row["seq"]))

    def test_equal_rows_stay_in_their_order_and_null_is_last(self) -> None:
        import pyarrow as pa

        rows = [{"seq": n % 2 or None, "n": n} for n in range(100)]
        batches = [pa.RecordBatch.from_pylist(rows[n : n + 9]) for n in range(0, 100, 9)]
        for sort_bytes in (1, 1 << 20):
            got = [
                each for one in in_order(batches, sort_bytes=sort_bytes) for each in one.to_pylist()
            ]
            assert [row["n"] for row in got] == [*range(1, 100, 2), *range(0, 100, 2)]


def test_a_failed_task_leaves_no_file(tmp_path: Path) -> None:
    """Spark tries the task again, and each attempt has a file of its own."""
    writer = FolderWriter(JELLY_PATCH, {"path": str(tmp_path)}, JELLY_PATCH.schema, overwrite=False)
    columns = ["op", "s", "p", "o", "g", "name"]
    good = {**dict.fromkeys(columns), "op": "A", "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}
    table = pa.RecordBatch.from_pylist([good, {**good, "o": "no term"}])
    with pytest.raises(jr.EncodeError, match="partition 0 can't be written as jelly-patch"):
        writer.write(iter([table]))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

"""Tests decoding files read by Spark's own source, mostly as a task computes it."""

import gzip
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.spark.files import COLUMNS, forge, iri, make_operations, paid, write_file
from tests.spelling import rows_of

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession

from jelly_rdflib.spark import decode_files, register
from jelly_rdflib.spark.pipeline import replay
from tests.spark.tasks import Table, schema_of

OWN = ["file", *COLUMNS]


def table_of(*paths: Path) -> Any:
    """Return a table of files in the format of Spark's own source."""
    rows = [(f"file:{path}", path.stat().st_size, path.read_bytes()) for path in paths]
    return Table(rows, schema_of("path", "length", "content"))


def rows_in(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def load(spark: SparkSession, path: Path, **options: Any) -> DataFrame:
    return spark.read.format("binaryFile").options(**options).load(str(path))


@pytest.mark.parametrize("name", ["a.jellyp", "a.jellyp.gz", "a.jellyp.zst", "a.rdfp", "a.rdfpb"])
def test_a_row_is_an_operation(tmp_path: Path, name: str) -> None:
    operations = make_operations(3, 20)
    path = tmp_path / name
    if name.endswith("b"):
        plain = write_file(tmp_path / ".a.rdfp", operations)
        with jr.PatchWriter(path) as writer:
            writer.write_all(jr.read_operations(plain))
    else:
        write_file(path, operations)
    table: Any = decode_files(table_of(path))
    assert table.columns == [*OWN, "length"]
    rows = rows_in(table)
    assert [{name: row[name] for name in COLUMNS} for row in rows] == rows_of(operations)
    assert {(row["file"], row["length"]) for row in rows} == {(f"file:{path}", path.stat().st_size)}


def test_statements(tmp_path: Path) -> None:
    from rdflib import URIRef

    jelly, text = tmp_path / "a.jelly", tmp_path / "b.nt"
    with jr.StatementWriter(jelly) as writer:
        for number in range(9):
            writer.add(URIRef(f"urn:{number}"), URIRef("urn:p"), URIRef("urn:o"))
    text.write_text("<urn:9> <urn:p> <urn:o> .\n")
    table: Any = decode_files(table_of(jelly, text), statements=True)
    assert table.columns[:7] == ["file", "frame", "seq", "s", "p", "o", "g"]
    assert [row["s"] for row in rows_in(table)] == [f"<urn:{number}>" for number in range(10)]
    with pytest.raises(jr.DecodeError, match=r"b\.nt: n-triples is for statements, not for chan"):
        decode_files(table_of(text))
    one = decode_files(table_of(jelly), "jelly-rdf")
    assert one.columns == table.columns
    assert len(rows_in(one)) == 9


def test_other_columns_come_along(spark: SparkSession, tmp_path: Path) -> None:
    for day in ("2026-01-01", "2026-01-02"):
        (tmp_path / f"day={day}").mkdir()
        write_file(tmp_path / f"day={day}" / "a.jellyp", [("A", iri(1), iri(2), iri(day), None)])
    files = load(spark, tmp_path).select("*", "_metadata").drop("modificationTime")
    rows = decode_files(files, terms="struct").where("op = 'A'").collect()
    assert {row.o.value for row in rows} == {f"http://example.org/{row.day}" for row in rows}
    assert len(rows) == 2
    for row in rows:
        path = tmp_path / f"day={row.day}" / "a.jellyp"
        assert row.file == row._metadata.file_path == f"file:{path}"
        assert row._metadata.file_size == row.length == path.stat().st_size
        assert row._metadata.file_modification_time.timestamp() == pytest.approx(
            path.stat().st_mtime, abs=0.01
        )


def test_damage_in_each_mode(tmp_path: Path) -> None:
    good = write_file(tmp_path / "a.jellyp", make_operations(1, 5))
    (tmp_path / "b.jellyp").write_bytes(good.read_bytes()[:-1])
    files = table_of(good, tmp_path / "b.jellyp")
    with pytest.raises(jr.DecodeError, match=r"^file:.*/b\.jellyp: "):
        decode_files(files)
    dropped = rows_in(decode_files(files, mode="DROPMALFORMED"))
    assert {Path(row["file"]).stem for row in dropped} == {"a"}
    told = decode_files(files, mode="PERMISSIVE")
    assert told.columns == [*OWN, "_corrupt", "length"]
    (damage,) = [row for row in rows_in(told) if row["_corrupt"] is not None]
    assert damage["file"] == damage["_corrupt"]["file"] == f"file:{tmp_path}/b.jellyp"
    assert damage["length"] == good.stat().st_size - 1
    assert damage["op"] is None


def test_limits_hold(tmp_path: Path) -> None:
    files = table_of(write_file(tmp_path / "a.jellyp", make_operations(1, 100)))
    with pytest.raises(jr.DecodeError, match=r"a\.jellyp: .*limit max_frame_size: 100"):
        decode_files(files, limits=jr.Limits(max_frame_size=100))


def test_options_that_come_again(tmp_path: Path) -> None:
    one = write_file(tmp_path / ".a.jellyp", make_operations(1, 3)).read_bytes()
    (tmp_path / "a.jellyp").write_bytes(gzip.compress(one + one))
    files = table_of(tmp_path / "a.jellyp")
    rows = rows_in(decode_files(files, on_repeated_options="restart"))
    assert [row["op"] for row in rows].count("TC") == 2
    with pytest.raises(jr.DecodeError, match=r"a\.jellyp: "):
        decode_files(files, on_repeated_options="error")


def test_a_stream_of_files(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()

    def run() -> list[tuple[str, int]]:
        # Spark needs to know the columns before it reads.
        schema = "path string, modificationTime timestamp, length long, content binary"
        files = spark.readStream.format("binaryFile").schema(schema)
        stream = decode_files(files.option("maxFilesPerTrigger", 1).load(str(source)))
        query = stream.writeStream.format("parquet").trigger(availableNow=True)
        query = query.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.start(str(tmp_path / "out")).awaitTermination()
        rows = spark.read.parquet(str(tmp_path / "out")).groupBy("file").count().collect()
        return sorted((Path(row.file).stem, row["count"]) for row in rows)

    size = len(make_operations(1, 3))
    write_file(source / "a.jellyp", make_operations(1, 3))
    write_file(source / "b.jellyp", make_operations(1, 3))
    assert run() == [("a", size), ("b", size)]
    write_file(source / "c.jellyp", make_operations(1, 3))
    assert run() == [("a", size), ("b", size), ("c", size)]


def test_only_some_files_are_in_memory_at_once(spark: SparkSession, tmp_path: Path) -> None:
    name = "spark.sql.execution.arrow.maxBytesPerBatch"
    path = write_file(tmp_path / "a.jellyp", make_operations(3, 300))
    row = {"path": "a", "content": path.read_bytes()}

    def sizes(batches: Any) -> Any:
        yield from (batch.select(["path"]).slice(0, 1) for batch in batches)

    try:
        # The result is the same without the setting.
        assert spark.conf.get(name) == f"{64 << 20}b"
        files = spark.createDataFrame([row] * 10, "path string, content binary").coalesce(1)
        spark.conf.set(name, 2 * path.stat().st_size)
        assert files.mapInArrow(sizes, "path string").count() >= 4
        assert decode_files(files).where("op = 'TX'").count() == 30
    finally:
        spark.conf.unset(name)


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        ("path", {}, "there is no column 'content'; there are path"),
        ("path content seq", {}, "the result has its own column 'seq'"),
        ("path content", {"mode": "LAX"}, "the option mode must be one of FAILFAST"),
        ("path content", {"terms": "xml"}, "the option terms must be one of string, struct"),
        ("path content", {"format": "docx"}, "no format 'docx'"),
    ],
)
def test_what_can_not_be(columns: str, arguments: dict[str, str], message: str) -> None:
    files: Any = Table([], schema_of(*columns.split()))
    with pytest.raises((ValueError, LookupError), match=message):
        decode_files(files, **arguments)
    wrong: Any = Table([], schema_of("path").add("content", "string"))
    with pytest.raises(ValueError, match="the column 'content' must be binary"):
        decode_files(wrong)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "the path or the content of a file is null: a"), (b"", "a: the file is empty")],
    ids=["null", "empty"],
)
def test_a_file_without_content(content: bytes | None, message: str) -> None:
    """An empty file is an error; Spark's own source omits empty files."""
    files: Any = Table([("a", content)], schema_of("path", "content"))
    with pytest.raises(ValueError, match=message):
        decode_files(files)


def test_a_log_with_a_segment_that_was_changed(spark: SparkSession, tmp_path: Path) -> None:
    """A changed segment is an error in every way of reading; `test_partitions` tests each mode."""
    register(spark)
    log = jr.PatchLog.create(tmp_path / "log")
    path = log.append(paid(3)).path
    forge(path)

    def stream() -> None:
        table = spark.readStream.format("jelly-patch").load(str(log.path))
        query = table.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()

    reader = spark.read.format("jelly-patch")
    for work in (
        lambda: reader.load(str(path)).first(),
        lambda: replay(reader.load(str(log.path))).collect(),
        lambda: decode_files(table_of(path)),
        lambda: decode_files(table_of(path), mode="PERMISSIVE"),
        lambda: decode_files(table_of(path), mode="DROPMALFORMED"),
        stream,
    ):
        with pytest.raises(Exception, match="is damaged: its SHA-256 is"):
            work()

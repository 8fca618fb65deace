"""Tests reading and writing in real stores: S3, and HDFS over its own protocol and WebHDFS."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.spark.files import make_operations, read_rows, write_file
from tests.spark.live.stores import S3, SECRET, Hdfs
from tests.spark.pipeline.test_jobs import jobs
from tests.spelling import rows_of

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession

from jelly_rdflib.spark import index_files

pytestmark = pytest.mark.usefixtures("registered")


class Place:
    """A folder in a store, for one test."""

    def __init__(self, spark: SparkSession, server: S3 | Hdfs, url: str, name: str) -> None:
        self.spark, self.server, self._name = spark, server, name
        self.url = f"{url}/{name}"

    def put(self, name: str, operations: list[Any], **options: Any) -> Path:
        """Put a file into the folder; return its path on this machine."""
        path = write_file(self.folder / name.replace("/", "-"), operations, **options)
        self.server.put(self.spark, path, f"{self._name}/{name}")
        return path

    def names(self) -> list[str]:
        """Return the names of all files in the folder."""
        start = f"{self._name}/"
        names = self.server.names(self.spark)
        return [name.removeprefix(start) for name in names if name.startswith(start)]

    def load(self, path: str = "", schema: str | None = None, **options: Any) -> DataFrame:
        reader = self.spark.read.format("jelly-patch").options(**self.server.settings, **options)
        return (reader if schema is None else reader.schema(schema)).load(f"{self.url}/{path}")

    def files(self, path: str = "", **options: Any) -> list[str]:
        """Return the names of the files that Spark reads."""
        rows = self.load(path, "file string", **options).distinct().collect()
        return sorted(row.file.removeprefix(f"{self.url}/") for row in rows)

    def save(self, table: DataFrame, path: str, mode: str = "append", **options: Any) -> None:
        writer = table.write.format("jelly-patch").mode(mode)
        writer.options(**self.server.settings, **options).save(f"{self.url}/{path}")

    folder: Path


@pytest.fixture(params=["s3a", "hdfs", "webhdfs"])
def place(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Place:
    if request.param != "s3a":
        pytest.importorskip("hdfs_native", reason="pip install 'jelly-rdflib[hdfs]'")
    server: S3 | Hdfs = request.getfixturevalue("s3" if request.param == "s3a" else "hdfs")
    is_web = request.param == "webhdfs" and isinstance(server, Hdfs)
    url = f"webhdfs://{server.http}" if is_web else server.url
    place = Place(spark, server, url, tmp_path.name)
    place.folder = tmp_path
    return place


def test_files_folders_and_globs(place: Place) -> None:
    for name in ("a/0.jellyp", "a/1 x.jellyp", "b/0.jellyp", "b/c/0.jellyp.gz", "a/_no", "a/x.idx"):
        place.put(name if "." in name else f"{name}.jellyp", make_operations(1, 2))
    assert place.files("a") == ["a/0.jellyp", "a/1 x.jellyp"]
    assert place.files("a/1 x.jellyp") == ["a/1 x.jellyp"]
    assert place.files("*/0.jelly?") == ["a/0.jellyp", "b/0.jellyp"]
    assert place.files("{a,b}/{0,none}.jelly{p,{p,x}}") == ["a/0.jellyp", "b/0.jellyp"]
    assert place.files("**/0.*") == ["a/0.jellyp", "b/0.jellyp", "b/c/0.jellyp.gz"]
    assert place.files("", recursiveFileLookup="true", pathGlobFilter="0*") == [
        *("a/0.jellyp", "b/0.jellyp", "b/c/0.jellyp.gz")
    ]
    assert place.files("b") == ["b/0.jellyp"]
    for name in ("none", "a/none*"):
        with pytest.raises(Exception, match=f"{re.escape(name)}: there is no such file or folder"):
            place.files(name)


def test_a_long_file_is_read_in_parts(place: Place) -> None:
    operations = make_operations(30, 300)
    size = place.put("a.jellyp", operations, frame_rows=100).stat().st_size
    table = place.load("a.jellyp", partitionBytes=size // 6)
    assert {row.file for row in table.select("file").collect()} == {f"{place.url}/a.jellyp"}
    assert table.rdd.getNumPartitions() >= 5
    assert read_rows(table) == rows_of(operations)


def test_an_index_beside_a_long_file(place: Place) -> None:
    """With an index, planning starts no job until the file changes."""
    operations = make_operations(30, 300)
    size = place.put("a.jellyp", operations, frame_rows=100).stat().st_size
    url = f"{place.url}/a.jellyp"
    for key, value in place.server.settings.items():
        place.spark.conf.set(key, value)
    try:
        made = index_files(place.spark, place.url, spacing=size // 9)
        assert made == [f"{url}.idx"]
        assert index_files(place.spark, place.url, spacing=size // 9) == []
        before = jobs(place.spark).keys()
        table = place.load("", partitionBytes=size // 6)
        assert table.rdd.getNumPartitions() >= 5
        assert jobs(place.spark).keys() == before
        assert read_rows(table) == rows_of(operations)
        # HDFS stores the time of a file in milliseconds.
        place.put("a.jellyp", make_operations(30, 300, seed=1), frame_rows=100)
        table = place.load("", partitionBytes=size // 6)
        assert read_rows(table) == rows_of(make_operations(30, 300, seed=1))
        assert index_files(place.spark, place.url, spacing=size // 9) == made
    finally:
        for key in place.server.settings:
            place.spark.conf.unset(key)


def test_what_is_written_is_read(place: Place) -> None:
    operations = make_operations(2, 30)
    place.put("in/0.jellyp", operations)
    place.put("in/1.jellyp", operations)
    for mode, count, options in (
        ("append", 1, {}),
        ("append", 2, {"compression": "gzip"}),
        ("overwrite", 1, {"compression": "zstd"}),
    ):
        place.save(place.load("in/0.jellyp"), "out", mode, **options)
        names = [name for name in place.names() if name.startswith("out/")]
        # The folder contains no other files.
        assert names[0] == "out/_SUCCESS"
        assert {name[:10] for name in names[1:]} == {"out/part-0"}
        assert len(names) == count + 1
        assert place.load("out", op="TX").count() == 2 * count
    assert read_rows(place.load("out")) == rows_of(operations)


def test_a_failed_job_leaves_no_file(place: Place) -> None:
    from pyspark.sql import functions as F

    place.put("in/0.jellyp", make_operations(1, 30))
    place.save(place.load("in"), "out")
    before = place.names()
    broken = place.load("in").withColumn(
        "o", F.when(F.expr("seq = 20"), "no term").otherwise(F.col("o"))
    )
    for mode in ("append", "overwrite"):
        with pytest.raises(Exception, match="'no term' is not an N-Triples term"):
            place.save(broken, "out", mode)
        assert place.names() == before


def test_streams_read_and_write_each_file_once(place: Place, tmp_path: Path) -> None:
    options = {"maxFilesPerTrigger": 1, **place.server.settings}

    def run() -> list[str]:
        stream = place.spark.readStream.format("jelly-patch").options(**options)
        writer = stream.load(f"{place.url}/in").writeStream.format("jelly-patch")
        writer = writer.options(**place.server.settings).trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.start(f"{place.url}/out").awaitTermination()
        rows = place.load("out", op="H").collect()
        return sorted(row.o.rpartition("/")[2] for row in rows)

    for number in range(3):
        place.put(f"in/{number}.jellyp", make_operations(1, 3, seed=number))
    assert run() == [f"patch{number}-0>" for number in range(3)]
    assert run() == [f"patch{number}-0>" for number in range(3)]
    # Both files have the same time, since S3 stores whole seconds.
    place.put("in/4.jellyp", make_operations(1, 3, seed=4))
    place.put("in/3.jellyp", make_operations(1, 3, seed=3))
    assert run() == [f"patch{number}-0>" for number in range(5)]
    assert not [name for name in place.names() if "_temporary" in name]
    # Nor may the test's credentials appear.
    told = b"".join(f.read_bytes() for f in (tmp_path / "checkpoint").rglob("*") if f.is_file())
    assert b"fs.s3a" not in told
    assert SECRET.encode() not in told


def test_a_patch_log_stays_on_its_machine(place: Place) -> None:
    place.put("log/segments/0.jellyp", make_operations(1, 1))
    place.put("log/log.db", make_operations(1, 1))
    for name in ("log", "log/segments", "log/segments/*", "l*"):
        with pytest.raises(Exception, match="a patch log, whose database can only be read as"):
            place.load(name)

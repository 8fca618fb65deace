"""Tests how much of long files is read for planning: tasks scan each file once."""

import os
import stat
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession
from pyspark.sql.functions import broadcast

import jelly_rdflib as jr
from jelly_rdflib.spark import index_files, register
from jelly_rdflib.spark.indexes import load_parts
from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.planning import Cluster, Findings, Look, cluster_of
from jelly_rdflib.spark.sources.partitions import plan
from jelly_rdflib.spark.storage import Entry, Machine, Storage, Store
from jelly_rdflib.streams.index import FilePart, StaleIndexError
from tests.spark.files import make_operations, read_rows, write_file
from tests.spark.pipeline.test_jobs import jobs

MIB = 1 << 20
FILES = 20
# The partition size, at which each file has two parts.
PART = 3 << 19


@pytest.fixture(scope="module")
def long_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return more files than fit in a small cache, each of at least 2 MiB."""
    folder = tmp_path_factory.mktemp("long")
    path = write_file(folder / "0.jellyp", make_operations(250, 400), frame_rows=256)
    assert path.stat().st_size > 2 * MIB
    for number in range(1, FILES):
        os.link(path, folder / f"{number}.jellyp")
    return folder


def entries(folder: Path) -> list[Entry]:
    return [each for each in Machine().list(str(folder)) if each.path.endswith(".jellyp")]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the bytes that this process reads from each file."""
    found: Counter[str] = Counter()
    opened = Machine.open

    def counted(place: Machine, path: str, ahead: int | None = None) -> Any:
        file = opened(place, path, ahead)

        class Counted:
            def read(self, size: int) -> bytes:
                data = file.read(size) or b""
                found[path] += len(data)
                return data

            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

        return Counted()

    monkeypatch.setattr(Machine, "open", counted)
    return found


def test_the_driver_lets_tasks_look_once(
    spark: SparkSession, long_files: Path, read: Counter[str]
) -> None:
    cluster = cluster_of(spark)
    options = ReadOptions(partition_bytes=PART)
    before = jobs(spark)
    found = plan(entries(long_files), Storage(), JELLY_PATCH, options, cluster)
    assert len(found) == 2 * FILES
    after = jobs(spark)
    # Planning runs one job with a task for each file.
    assert [after[job] for job in after.keys() - before.keys()] == [FILES]
    assert 0 < max(read.values()) <= MIB
    read.clear()
    # Each plan is made again, from another process.
    again = plan(entries(long_files), Storage(), JELLY_PATCH, options, cluster_of(spark))
    assert [each.parts for each in again] == [each.parts for each in found]
    assert not read
    assert jobs(spark).keys() == after.keys()
    # A changed file is scanned again.
    os.utime(long_files / "7.jellyp")
    plan(entries(long_files)[:1], Storage(), JELLY_PATCH, options, cluster)
    new = jobs(spark)
    assert [new[job] for job in new.keys() - after.keys()] == [1]


def test_a_query_over_long_files(spark: SparkSession, tmp_path: Path) -> None:
    operations = make_operations(5, 40)
    path = write_file(tmp_path / "a.jellyp", operations, frame_rows=10)
    register(spark)

    def load(size: int) -> Any:
        return spark.read.format("jelly-patch").option("partitionBytes", size).load(str(path))

    expected = read_rows(load(MIB))
    before = jobs(spark)
    table = load(2000)
    assert read_rows(table) == expected
    first = jobs(spark)
    assert len(first.keys() - before.keys()) == 2
    assert read_rows(table.select("*")) == expected
    assert read_rows(load(2000)) == expected
    assert len(jobs(spark).keys() - first.keys()) == 2


def test_a_file_that_is_gone(spark: SparkSession, tmp_path: Path) -> None:
    files = [Entry(str(tmp_path / "gone"), size=10, modified=1)]
    with pytest.raises(RuntimeError, match=r"No such file or directory: .*gone"):
        cluster_of(spark).parts_of([Look(files[0], Storage(), False, 1, jr.Limits())])


def test_only_this_user_can_open_the_socket(spark: SparkSession) -> None:
    address = Path(cluster_of(spark).address or "")
    assert address.is_socket()
    folder = address.parent.stat()
    assert (stat.S_IMODE(folder.st_mode), folder.st_uid) == (0o700, os.getuid())


def test_the_session_tells_the_size_of_the_cluster(spark: SparkSession) -> None:
    assert cluster_of(spark).least_tasks() == 4
    assert cluster_of(spark).open_cost == 4 * MIB
    settings = {"minPartitionNum": "30", "openCostInBytes": "1m"}
    for key, value in settings.items():
        spark.conf.set(f"spark.sql.files.{key}", value)
    try:
        assert (cluster_of(spark).least_tasks(), cluster_of(spark).open_cost) == (30, MIB)
    finally:
        for key in settings:
            spark.conf.unset(f"spark.sql.files.{key}")


def test_findings_are_kept_by_their_bytes() -> None:
    looked: list[str] = []

    def run(looks: list[Look]) -> Any:
        looked.extend(look.file.path for look in looks)
        return [[FilePart(0, 9, True, (0,) * 5, b"x" * 1000)] for _ in looks]

    def ask(*names: str) -> None:
        found = findings.parts_of([Look(Entry(n), Storage(), False, 1, jr.Limits()) for n in names])
        assert len(found) == len(names)

    findings = Findings(run, most=2500)
    ask("a", "b")
    ask("a", "b")
    assert looked == ["a", "b"]
    # The oldest entry is dropped.
    ask("b", "a")
    ask("c")
    ask("a", "c")
    ask("b")
    assert looked == ["a", "b", "c", "b"]
    ask(*"abcdef")
    # The cache first held all files, and then only the last two.
    assert looked[4:] == list("adef")


class _Stored(Store):
    """A store backed by files on this machine, with an ETag if one is given."""

    def __init__(self, etag: str | None = None) -> None:
        super().__init__("", pyarrow.fs.LocalFileSystem(), "")
        self.etag = etag

    def identity(self, file: Entry) -> dict[str, object]:
        told = super().identity(file)
        return {"size": told["size"], "etag": self.etag} if self.etag else told


@pytest.mark.parametrize("place", [Machine(), _Stored(), _Stored("1")], ids=["file", "time", "tag"])
def test_an_index_in_a_store(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any
) -> None:
    """An index in a store has the same parts as a local index, and a replaced file is noticed."""
    monkeypatch.setattr(Storage, "at", lambda *_: place)
    from jelly_rdflib.spark import indexes
    from jelly_rdflib.spark.sources.reader import FilesReader

    operations = make_operations(5, 40)
    path = str(write_file(tmp_path / "a.jellyp", operations, frame_rows=10))
    file = place.find(path)
    made = indexes._write(Look(file, Storage(), False, 700, jr.Limits()))
    assert made == path + ".idx"
    # The index matches the file.
    assert indexes._write(Look(file, Storage(), False, 700, jr.Limits())) is None
    options = ReadOptions(partition_bytes=1400)
    # No process can scan the file here.
    cluster = Cluster(4)
    reader = FilesReader(
        JELLY_PATCH, options, JELLY_PATCH.schema_for(options), [path], Storage(), cluster
    )
    partitions = reader.partitions()
    assert len(partitions) > 2
    rows = [row for each in partitions for table in reader.read(each) for row in table.to_pylist()]
    assert len(rows) == len(operations)
    assert [row["seq"] for row in rows] == list(range(len(rows)))
    if isinstance(place, _Stored) and place.etag:
        place.etag = "2"
    else:
        os.utime(path, (time.time() + 9,) * 2)
    with pytest.raises(StaleIndexError, match="does not match the file as it is now"):
        load_parts(place, place.find(path), is_statements=False, spacing=2000)
    assert indexes._write(Look(place.find(path), Storage(), False, 700, jr.Limits())) == made
    if isinstance(place, _Stored):
        place.etag = None


def test_indexes_by_a_job(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_file(tmp_path / f"{name}.jellyp", make_operations(5, 40), frame_rows=10)
    write_file(tmp_path / "short.jellyp", make_operations(1, 1))
    before = jobs(spark)
    made = index_files(spark, str(tmp_path), spacing=1500)
    assert sorted(made) == [str(tmp_path / f"{name}.jellyp.idx") for name in ("a", "b", "c")]
    after = jobs(spark)
    # There is a task for each file, plus tasks that distribute the paths.
    assert sum(after[job] for job in after.keys() - before.keys()) <= 3 + 2
    assert index_files(spark, str(tmp_path), spacing=1500) == []


def test_spark_asks_for_no_size(spark: SparkSession, tmp_path: Path) -> None:
    """Spark does not ask Python sources for a size, so small tables need a hint to be broadcast."""
    path = write_file(tmp_path / "a.jellyp", make_operations(1, 3))
    register(spark)
    table, small = (spark.read.format("jelly-patch").load(str(path)) for _ in range(2))

    def join(other: Any) -> str:
        plan: Any = table.join(other, "s")
        return str(plan._jdf.queryExecution().sparkPlan().toString())

    assert "SortMergeJoin" in join(small)
    assert "BroadcastHashJoin" in join(broadcast(small))
    small.persist()
    try:
        small.count()
        assert "BroadcastHashJoin" in join(small)
    finally:
        small.unpersist()

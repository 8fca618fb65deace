"""Tests that a table receives each patch exactly once, whenever the process is killed."""

import os
import random
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.errors import LogError
from jelly_rdflib.spark import read_frames
from jelly_rdflib.spark.pipeline import (
    CHANGES,
    NetChanges,
    chain,
    maintain,
    maintained_versions,
    quad_table,
    read_maintained,
    replay,
)
from jelly_rdflib.spark.pipeline.quad_table import MAX_SUBJECTS, QuadTable, among
from tests.spark.pipeline.upkeep import start
from tests.spark.session import needs_connectors
from tests.spark.tables import change_rows, changes_of, quad_set, quads_of

pytestmark = pytest.mark.usefixtures("spark")

PATCHES = 2
SCHEMA = pa.schema(
    [
        (field.name, "string" if field.dataType.typeName() == "string" else "int64")
        for field in CHANGES
    ]
)


def random_patch(number: int, prev: int | None = None) -> list[Any]:
    """Return a patch on a few quads, many of which are also in other patches."""
    chance = random.Random(number)
    operations: list[Any] = [(Op.H, "id", URIRef(f"urn:{number}"))]
    if number > 0:
        operations.append((Op.H, "prev", URIRef(f"urn:{number - 1 if prev is None else prev}")))
    for _ in range(20):
        op = chance.choice([Op.A, Op.A, Op.D])
        graph = chance.choice([None, URIRef("urn:g")])
        operations.append(
            (op, URIRef("urn:s"), URIRef("urn:p"), Literal(chance.randrange(20)), graph)
        )
    return [*operations, (Op.END,)]


def put(folder: Path, number: int, operations: list[Any]) -> None:
    """Put a file of changes, newer than the other files, into the stream's folder."""
    rows = change_rows(f"{number}.jellyp", operations)
    table = pa.Table.from_pylist([dict(zip(CHANGES.names, row, strict=True)) for row in rows])
    target = folder / "changes" / f"{number}.parquet"
    target.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table.cast(SCHEMA), target)
    # The stream reads files in order of age.
    os.utime(target, (1_000_000 + number,) * 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one file for each patch."""
    needs_connectors()
    for number in range(PATCHES):
        put(tmp_path, number, random_patch(number))
    return tmp_path


@pytest.fixture(scope="module")
def expected() -> list[set[Any]]:
    """Return the expected table after each patch, including a later one."""
    dataset = Dataset()
    found: list[set[Any]] = [set()]
    for number in range(PATCHES + 1):
        jr.apply(random_patch(number), dataset)
        found.append(quads_of(dataset))
    assert len({frozenset(state) for state in found}) == len(found)
    return found


def maintained(spark: SparkSession, folder: Path, version: int | str | None = None) -> set[Any]:
    return quad_set(read_maintained(spark, str(folder / "quads"), version))


class Fault(Exception):
    """Stands for a kill of the process at a given point."""


def fault_at(monkeypatch: pytest.MonkeyPatch, point: str, batch: int) -> None:
    """Make a batch fail before or after its merge."""
    merge = QuadTable.merge

    def failing(
        table: QuadTable, operations: Any, version: int, state: Any, **options: Any
    ) -> None:
        if state.batch != batch or point == "after":
            merge(table, operations, version, state, **options)
        if state.batch == batch:
            raise Fault(point)

    monkeypatch.setattr(QuadTable, "merge", failing)


def test_fails_anywhere_and_goes_on(
    spark: SparkSession, folder: Path, expected: list[set[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch that is stopped at any point is either completely in the table or not at all."""
    for batch, point in enumerate(("before", "after")):
        with monkeypatch.context() as patched:
            fault_at(patched, point, batch)
            with pytest.raises(StreamingQueryException, match=f"Fault: {point}"):
                start(spark, folder).awaitTermination()
        assert maintained(spark, folder) == expected[batch + (point == "after")]
    start(spark, folder).awaitTermination()
    assert maintained(spark, folder) == expected[PATCHES]
    # No batch was merged twice.
    rows = maintained_versions(spark, str(folder / "quads")).orderBy("version").collect()
    assert [(row.delta_version, row.version, row.head, row.batch) for row in rows] == [
        (number + 1, number + 1, f"<urn:{number}>", number) for number in range(PATCHES)
    ]


def with_settings(spark: SparkSession, settings: dict[str, str], statement: str) -> None:
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        spark.sql(statement)
    finally:
        for key in settings:
            spark.conf.unset(key)


def test_versions(spark: SparkSession, folder: Path, expected: list[set[Any]]) -> None:
    start(spark, folder).awaitTermination()
    table = str(folder / "quads")
    # Commits by Delta itself, and other commits that don't change quads, have no log version.
    metadata = {"spark.databricks.delta.commitInfo.userMetadata": "jelly-rdflib: by hand"}
    with_settings(spark, metadata, f"OPTIMIZE delta.`{table}`")
    spark.sql(f"ALTER TABLE delta.`{table}` ADD COLUMNS (source STRING)")
    assert maintained(spark, folder, 1) == expected[1]
    assert maintained(spark, folder, "urn:0") == expected[1]
    assert maintained(spark, folder, PATCHES) == expected[PATCHES]
    with pytest.raises(LogError, match="has no version 99 in its history"):
        maintained(spark, folder, 99)
    # Other readers of Delta tables can also read the table.
    first = spark.read.format("delta").option("versionAsOf", 1).load(table)
    assert quad_set(first) == expected[1]
    # The table's history ends with a vacuum.
    settings = {
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        # By default up to 10,000 tasks list the folder.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    }
    with_settings(spark, settings, f"VACUUM delta.`{table}` RETAIN 0 HOURS")
    with pytest.raises(Exception, match=r"FILE_NOT_EXIST|does not exist"):
        first.collect()
    put(folder, PATCHES, random_patch(PATCHES))
    start(spark, folder).awaitTermination()
    assert QuadTable(spark, table).last()[1].version == PATCHES + 1  # type: ignore[union-attr]
    found = spark.read.format("delta").load(table)
    assert found.columns == ["s", "p", "o", "g", "source"]
    assert found.where("source is not null").count() == 0
    assert maintained(spark, folder) == expected[PATCHES + 1]


def test_broken_chain_over_batches(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, 0, random_patch(0))
    put(tmp_path, 2, random_patch(2))
    with pytest.raises(StreamingQueryException, match=r"patch 1 of 2\.jellyp comes after <urn:1>"):
        start(spark, tmp_path).awaitTermination()
    assert maintained_versions(spark, str(tmp_path / "quads")).count() == 1


def test_another_checkpoint(spark: SparkSession, folder: Path, expected: list[set[Any]]) -> None:
    """The chain shows whether the patches of another query are the next ones."""
    start(spark, folder).awaitTermination()
    with pytest.raises(
        StreamingQueryException, match=r"patch 1 of 0\.jellyp names no patch before"
    ):
        start(spark, folder, checkpoint="another").awaitTermination()
    assert maintained(spark, folder) == expected[PATCHES]
    shutil.rmtree(folder / "changes")
    put(folder, PATCHES, random_patch(PATCHES))
    start(spark, folder, checkpoint="third").awaitTermination()
    last = QuadTable(spark, str(folder / "quads")).last()[1]
    assert last is not None
    assert (last.version, last.head, last.batch) == (PATCHES + 1, f"<urn:{PATCHES}>", 0)
    # Without a chain the order can't be checked.
    with pytest.raises(StreamingQueryException, match="was written by another query"):
        start(spark, folder, checkpoint="fourth", order_by="file").awaitTermination()


def test_in_the_order_of_a_column(
    spark: SparkSession, folder: Path, expected: list[set[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        fault_at(patched, "after", 1)
        with pytest.raises(StreamingQueryException, match="Fault"):
            start(spark, folder, order_by="file").awaitTermination()
    start(spark, folder, order_by="file").awaitTermination()
    assert maintained(spark, folder) == expected[PATCHES]
    rows = maintained_versions(spark, str(folder / "quads")).orderBy("batch").collect()
    assert [(row.version, row.head, row.batch) for row in rows] == [
        (None, None, number) for number in range(PATCHES)
    ]


def test_another_writer_comes_between(
    spark: SparkSession, folder: Path, expected: list[set[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query changes nothing if another query merged since it read the state."""
    merge = QuadTable.merge

    def late(table: QuadTable, operations: Any, version: int, state: Any, **options: Any) -> None:
        if state.batch == 1 and state.query is not None:
            merge(table, operations.limit(0), version, replace(state, query="another"))
        merge(table, operations, version, state, **options)

    with monkeypatch.context() as patched:
        patched.setattr(QuadTable, "merge", late)
        with pytest.raises(StreamingQueryException, match="another query has changed the table"):
            start(spark, folder).awaitTermination()
    assert maintained(spark, folder) == expected[1]


def test_a_table_that_something_else_has_filled(
    spark: SparkSession, folder: Path, expected: list[set[Any]]
) -> None:
    table = folder / "quads"
    changes = spark.read.parquet(str(folder / "changes"))
    replay(changes, upto=1).write.format("delta").save(str(table))
    (folder / "changes" / "0.parquet").unlink()
    with pytest.raises(StreamingQueryException, match=r"the last patch in the table .* is unknown"):
        start(spark, folder).awaitTermination()
    # From the second batch on, the table itself records the last patch.
    for _ in range(2):
        start(spark, folder, after="urn:0").awaitTermination()
        assert maintained(spark, folder) == expected[PATCHES]
    # Another program changes the table.
    spark.sql(f"RESTORE TABLE delta.`{table}` TO VERSION AS OF 0")
    put(folder, PATCHES, random_patch(PATCHES))
    with pytest.raises(StreamingQueryException, match="another program has changed the table"):
        start(spark, folder).awaitTermination()


def test_a_table_with_a_name(spark: SparkSession, folder: Path, expected: list[set[Any]]) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS kept")
    try:
        stream = spark.readStream.schema(CHANGES).parquet(str(folder / "changes"))
        checkpoint = str(folder / "checkpoint")
        trigger = {"availableNow": True}
        maintain(stream, "kept.quads", checkpoint, trigger=trigger).awaitTermination()
        assert quad_set(spark.table("kept.quads")) == expected[PATCHES]
        assert quad_set(read_maintained(spark, "kept.quads", PATCHES)) == expected[PATCHES]
    finally:
        spark.sql("DROP SCHEMA kept CASCADE")


class Sink:
    """A table of another kind, stored in files, since a Spark Connect sink runs on the server."""

    def __init__(self, folder: Path, fails: int | None = None) -> None:
        self.folder = folder
        self.fails = fails

    def __call__(self, changes: NetChanges, batch: int) -> None:
        changes.operations.write.parquet(str(self.folder / "written" / str(batch)))
        (self.folder / "head").write_text(str(changes.head))
        if batch == self.fails:
            raise Fault("after")

    def head(self) -> str | None:
        path = self.folder / "head"
        return path.read_text() if path.exists() else None

    def quads(self, spark: SparkSession) -> set[Any]:
        found: set[Any] = set()
        for batch in range(PATCHES):
            rows = spark.read.parquet(str(self.folder / "written" / str(batch))).collect()
            for op, *quad in rows:
                (found.add if op == "A" else found.discard)(tuple(quad))
        return found


def test_a_sink(spark: SparkSession, folder: Path, expected: list[set[Any]]) -> None:
    failing, sink = Sink(folder, fails=0), Sink(folder)
    with pytest.raises(StreamingQueryException, match="Fault: after"):
        start(spark, folder, sink=failing, after=failing.head).awaitTermination()
    # The batch was already written, and is not written again.
    start(spark, folder, sink=sink, after=sink.head).awaitTermination()
    assert sink.quads(spark) == expected[PATCHES]


def test_a_sink_in_the_order_of_a_column(
    spark: SparkSession, folder: Path, expected: list[set[Any]]
) -> None:
    sink = Sink(folder)
    start(spark, folder, sink=sink, order_by="file").awaitTermination()
    assert sink.quads(spark) == expected[PATCHES]


def test_a_stream_of_frames(
    spark: SparkSession, tmp_path: Path, expected: list[set[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repeated batch that is already in the table still updates Spark's states."""
    needs_connectors()
    encoder = jr.PatchEncoder()
    schema = "key string, offset long, value binary"
    for number in range(PATCHES):
        frame = encoder.encode_frame(random_patch(number))
        table = spark.createDataFrame([("k", number, bytearray(frame))], schema)
        table.coalesce(1).write.parquet(str(tmp_path / "frames" / f"batch={number}"))

    def follow() -> None:
        frames = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        stream = read_frames(frames.parquet(str(tmp_path / "frames" / "batch=*")), key="key")
        trigger = {"availableNow": True}
        checkpoint = str(tmp_path / "checkpoint")
        maintain(stream, str(tmp_path / "quads"), checkpoint, trigger=trigger).awaitTermination()

    with monkeypatch.context() as patched:
        fault_at(patched, "after", 1)
        with pytest.raises(StreamingQueryException, match="Fault: after"):
            follow()
    follow()
    assert maintained(spark, tmp_path) == expected[PATCHES]


def test_something_else_in_the_folder(spark: SparkSession, folder: Path) -> None:
    table = folder / "quads"
    spark.range(1).write.parquet(str(table))
    before = sorted(table.iterdir())
    with pytest.raises(ValueError, match=r"quads can't be a Delta table of quads: it is something"):
        start(spark, folder)
    assert sorted(table.iterdir()) == before
    spark.range(1).write.format("delta").save(str(folder / "numbers"))
    with pytest.raises(ValueError, match="numbers needs the columns s, p, o, g; missing"):
        start(spark, folder, table="numbers")
    with pytest.raises(FileNotFoundError, match="quads is not a Delta table"):
        read_maintained(spark, str(table))


def test_wrong_calls(spark: SparkSession, folder: Path) -> None:
    path = str(folder)
    with pytest.raises(ValueError, match="needs a stream"):
        maintain(changes_of(spark, {}), path, path)
    stream = spark.readStream.schema(CHANGES).parquet(f"{path}/changes")
    with pytest.raises(ValueError, match="to a table or to a sink"):
        maintain(stream, None, path)
    with pytest.raises(ValueError, match="to a table or to a sink"):
        maintain(stream, path, path, sink=print)
    for after in (None, "urn:1"):
        with pytest.raises(ValueError, match="a sink needs after="):
            maintain(stream, None, path, sink=print, after=after)
    with pytest.raises(ValueError, match="which order_by does not use"):
        maintain(stream, path, path, order_by="file", after="urn:1")


def test_a_session_without_delta(folder: Path) -> None:
    session = MagicMock()
    session.conf.get.return_value = None
    with pytest.raises(RuntimeError, match="this session has no Delta Lake: start it with"):
        QuadTable(session, str(folder))


def put_quads(folder: Path, number: int, operations: list[Any]) -> None:
    """Put a patch of quads with numbers as subjects into the stream's folder."""
    head: list[Any] = [(Op.H, "id", URIRef(f"urn:{number}"))]
    if number > 0:
        head.append((Op.H, "prev", URIRef(f"urn:{number - 1}")))
    s = "http://www.example.org/a/path/that/all/subjects/have/in/common/"
    quads = [(op, URIRef(f"{s}{n:06}"), URIRef("urn:p"), Literal(n), None) for op, n in operations]
    put(folder, number, [*head, *quads, (Op.END,)])


def last_merge(spark: SparkSession, table: Path) -> dict[str, int]:
    row = spark.sql(f"DESCRIBE HISTORY delta.`{table}` LIMIT 1").collect()[0]
    return {key: int(value) for key, value in row.operationMetrics.items()}


def test_a_batch_copies_no_quads(spark: SparkSession, tmp_path: Path) -> None:
    needs_connectors()
    for name, has_vectors in (("quads", True), ("plain", False)):
        shutil.rmtree(tmp_path / "changes", ignore_errors=True)
        table = tmp_path / name
        options = {"table": name, "checkpoint": f"of-{name}", "deletion_vectors": has_vectors}
        put_quads(tmp_path, 0, [(Op.A, n) for n in range(2000)])
        start(spark, tmp_path, **options).awaitTermination()
        others = set(table.glob("*.parquet"))
        put_quads(tmp_path, 1, [(Op.A, n) for n in range(5000, 5010)])
        start(spark, tmp_path, **options).awaitTermination()
        first = next(iter(others))
        put_quads(tmp_path, 2, [(Op.D, 7), (Op.D, 5005), (Op.A, 5020)])
        start(spark, tmp_path, **options).awaitTermination()
        found = last_merge(spark, table)
        assert found["numTargetRowsDeleted"] == 2
        assert found["numTargetRowsInserted"] == 1
        assert found["numTargetRowsCopied"] == (0 if has_vectors else 2008)
        # A batch does not read files with other subjects: reading this damaged file would fail.
        saved = first.read_bytes()
        first.write_bytes(b"")
        put_quads(tmp_path, 3, [(Op.D, 5003), (Op.A, 6000)])
        put_quads(tmp_path, 4, [(Op.A, n) for n in range(5100, 5300)])
        if has_vectors:
            start(spark, tmp_path, **options).awaitTermination()
            first.write_bytes(saved)
            quads = read_maintained(spark, str(table))
            assert quads.count() == 2010 - 2 + 1 + 200
        detail = spark.sql(f"DESCRIBE DETAIL delta.`{table}`").collect()[0]
        assert detail.minReaderVersion == (3 if has_vectors else 1)
        assert detail.clusteringColumns == (["s"] if has_vectors else [])


def test_the_subjects_of_a_merge() -> None:
    assert among({"<urn:b>", "_:a"}) == "quads.s = '<urn:b>' OR quads.s = '_:a'"
    many = {f"<urn:{n:03}>" for n in range(MAX_SUBJECTS + 1)}
    assert among(many) == f"quads.s BETWEEN '<urn:000>' AND '<urn:{MAX_SUBJECTS:03}>'"
    for strange in ("<urn:it's>", "_:a\\u0020b", "<urn:{a}>", "<urn:${a}>"):
        assert among({"<urn:a>", strange}) == "true"
    assert among(set()) == "true"


def test_a_batch_of_long_literals_stays_with_the_executors(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of the rows in bytes, not their number, decides whether the driver collects them."""
    needs_connectors()
    taken: list[int | None] = []
    at_hand = chain.at_hand

    def noted(table: Any, **options: Any) -> Any:
        made = at_hand(table, **options)
        taken.append(None if made[1] is None else made[1].num_rows)
        return made

    for module in (import_module(maintain.__module__), quad_table):
        monkeypatch.setattr(module, "at_hand", noted)
    monkeypatch.setattr(chain, "MAX_BYTES", 60_000)
    quads = [
        (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(f"{n:03}" * 100), None) for n in range(9)
    ]
    put(tmp_path, 0, [*quads, (Op.END,)])
    start(spark, tmp_path, order_by="file").awaitTermination()
    assert taken == [10, 9]
    # The same quads and longer ones exceed the maximum in bytes.
    longer = [
        (Op.A, *quad[1:3], Literal("x" * 10_000 + str(n)), None) for n, quad in enumerate(quads)
    ]
    put(tmp_path, 1, [*quads, *longer, (Op.END,)])
    start(spark, tmp_path, order_by="file").awaitTermination()
    assert taken[2:] == [None, None]
    assert len(maintained(spark, tmp_path)) == 18

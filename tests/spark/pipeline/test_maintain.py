"""A table is kept up to date, each patch exactly once, whenever that is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline import CHANGES, maintain, read_maintained
from jelly_rdflib.spark.pipeline.quad_table import QuadTable
from tests.spark.pipeline.upkeep import POINTS, start
from tests.spark.tables import change_rows, changes_of, quad_set, quads_of
from tests.support import ROOT

PATCHES = 5
SCHEMA = pa.schema(
    [
        (field.name, "string" if field.dataType.typeName() == "string" else "int64")
        for field in CHANGES
    ]
)


def random_patch(number: int, prev: int | None = None) -> list[Any]:
    """A patch on a few quads, of which many are in other patches too."""
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
    """Put a file of changes where the stream finds it, after those before it."""
    rows = change_rows(f"{number}.jellyp", operations)
    table = pa.Table.from_pylist([dict(zip(CHANGES.names, row, strict=True)) for row in rows])
    target = folder / "changes" / f"{number}.parquet"
    target.parent.mkdir(exist_ok=True)
    parquet.write_table(table.cast(SCHEMA), target)
    # the stream takes files by their age
    os.utime(target, (1_000_000 + number,) * 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the changes, each patch in a file."""
    for number in range(PATCHES):
        put(tmp_path, number, random_patch(number))
    return tmp_path


@pytest.fixture(scope="module")
def expected() -> list[set[Any]]:
    """What is in the table after each patch."""
    dataset = Dataset()
    found: list[set[Any]] = [set()]
    for number in range(PATCHES):
        jr.apply(random_patch(number), dataset)
        found.append(quads_of(dataset))
    assert len({frozenset(state) for state in found}) == len(found)
    return found


def maintained(spark: SparkSession, folder: Path) -> set[Any]:
    return quad_set(read_maintained(spark, str(folder / "quads")))


class Fault(Exception):
    """The process is as if it were killed here."""


def fault_at(monkeypatch: pytest.MonkeyPatch, point: str, batch: int) -> None:
    """Have a batch fail before it does something."""
    name = "delete_old" if point == "end" else point
    function = getattr(QuadTable, name)

    def failing(table: Any, first: Any, *rest: Any) -> Any:
        number = table.last_commit().batch + (name != "delete_old") if table_exists(table) else -1
        if number == batch and point != "end":
            raise Fault(point)
        result = function(table, first, *rest)
        if number == batch:
            raise Fault(point)
        return result

    monkeypatch.setattr(QuadTable, name, failing)


def table_exists(table: QuadTable) -> bool:
    try:
        table.last_commit()
    except FileNotFoundError:
        return False
    return True


def data_folders(folder: Path) -> set[str]:
    return {path.name for path in (folder / "quads" / "data").iterdir()}


def commits(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "quads" / "commits").glob("*.json")):
        yield json.loads(path.read_text())


def test_fails_anywhere_and_goes_on(
    spark: SparkSession, folder: Path, expected: list[set[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is stopped at a point, and is then in the table, or not at all."""
    for batch, point in enumerate(POINTS):
        with monkeypatch.context() as patched:
            fault_at(patched, point, batch)
            with pytest.raises(StreamingQueryException, match=f"Fault: {point}"):
                start(spark, folder).awaitTermination()
        is_in = point in ("delete_old", "end")
        assert maintained(spark, folder) == expected[batch + is_in]
    start(spark, folder).awaitTermination()
    assert maintained(spark, folder) == expected[-1]
    last = list(commits(folder))[-1]
    assert (last["version"], last["head"]) == (PATCHES, f"<urn:{PATCHES - 1}>")
    # what the batch that failed had written is gone
    used = {path.split("/")[1] for commit in commits(folder) for path in commit["folders"].values()}
    assert data_folders(folder) == used


def kill_at(folder: Path, point: str, batch: int) -> None:
    """Run a process until it is at a point, and kill it with all that it has started."""
    command = [sys.executable, "-m", "tests.spark.pipeline.upkeep", folder, point, batch]
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        assert "stopped" in process.stdout.read(8)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_killed_at_several_points_and_started_again(
    spark: SparkSession, folder: Path, expected: list[set[Any]]
) -> None:
    kill_at(folder, "commit", 1)
    assert maintained(spark, folder) == expected[1]
    # it goes on with the second batch, which is then in the table
    kill_at(folder, "delete_old", 0)
    assert maintained(spark, folder) == expected[2]
    start(spark, folder).awaitTermination()
    assert maintained(spark, folder) == expected[-1]


def test_reader_goes_on_reading_its_version(
    spark: SparkSession, folder: Path, expected: list[set[Any]]
) -> None:
    later = folder / "later"
    later.mkdir()
    for number in range(2, PATCHES):
        name = f"{number}.parquet"
        (folder / "changes" / name).rename(later / name)
    start(spark, folder).awaitTermination()
    reader = read_maintained(spark, str(folder / "quads"))
    for path in sorted(later.iterdir()):
        path.rename(folder / "changes" / path.name)
    start(spark, folder).awaitTermination()
    assert quad_set(reader) == expected[2]
    assert maintained(spark, folder) == expected[-1]
    assert len(list(commits(folder))) == PATCHES + 1


def test_old_versions_are_deleted(
    spark: SparkSession, folder: Path, expected: list[set[Any]]
) -> None:
    start(spark, folder, retention=0).awaitTermination()
    assert maintained(spark, folder) == expected[-1]
    found = list(commits(folder))
    # the one before the last is replaced at this moment
    assert [commit["batch"] for commit in found] == [PATCHES - 2, PATCHES - 1]
    used = {path.split("/")[1] for commit in found for path in commit["folders"].values()}
    assert data_folders(folder) == used


def test_broken_chain_over_batches(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, 0, random_patch(0))
    put(tmp_path, 2, random_patch(2))
    with pytest.raises(StreamingQueryException, match=r"patch 0 of 2\.jellyp comes after <urn:1>"):
        start(spark, tmp_path).awaitTermination()
    assert len(list(commits(tmp_path))) == 2


def test_checkpoint_of_another_table(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, 0, random_patch(0))
    start(spark, tmp_path).awaitTermination()
    shutil.rmtree(tmp_path / "checkpoint")
    with pytest.raises(StreamingQueryException, match="made by another query"):
        start(spark, tmp_path).awaitTermination()


def test_wrong_calls(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path)
    put(tmp_path, 0, random_patch(0))
    with pytest.raises(FileNotFoundError, match="no table of quads"):
        read_maintained(spark, path)
    with pytest.raises(ValueError, match="takes a stream"):
        maintain(changes_of(spark, {}), path, path)
    with pytest.raises(ValueError, match="one bucket"):
        start(spark, tmp_path, buckets=0)
    (tmp_path / "commits").mkdir()
    for text in ("{}", "no JSON", '{"buckets": 1, "folders": {}, "time": 0, "format": "x"}'):
        (tmp_path / "commits" / "1.json").write_text(text)
        with pytest.raises(LogError, match=r"1\.json is"):
            read_maintained(spark, path)

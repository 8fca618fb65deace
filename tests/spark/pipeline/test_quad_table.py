"""The files of a table of quads: which are written, read and deleted. No query is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline.quad_table import Commit, QuadTable, Storage


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_once(spark: SparkSession, tmp_path: Path) -> None:
    storage = Storage(spark, f"{tmp_path}/")
    assert storage.path_of("a/b") == f"{tmp_path}/a/b"
    assert storage.names("a") == []
    for name in ("2", "10", "1", ".hidden", "_hidden"):
        storage.write(f"a/{name}", f"{name} é")
    assert storage.names("a") == ["1", "10", "2"]
    with pytest.raises(FileExistsError, match="a/1 is there already"):
        storage.write("a/1", "another")
    assert storage.read("a/1") == "1 é"
    # Nothing is left of the attempt.
    assert not [name for name in names(tmp_path / "a") if name.startswith((".1-", "..1-"))]
    storage.delete("a/1")
    storage.delete("none")
    assert storage.names("a") == ["10", "2"]
    storage.delete("a")
    assert not (tmp_path / "a").exists()


def commit(batch: int, *folders: int) -> Commit:
    """Return the commit of a batch at that time, with these folders of data."""
    of_bucket = {str(number): f"data/{number}/bucket={number}" for number in folders}
    return Commit(8, of_bucket, time=float(batch), batch=batch)


def test_commits_are_in_their_order(spark: SparkSession, tmp_path: Path) -> None:
    table = QuadTable(spark, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"{tmp_path} is no table of quads"):
        table.last_commit()
    table.create(8)
    made = table.last_commit()
    assert (made.buckets, made.folders, made.batch, made.query) == (8, {}, -1, None)
    assert (made.version, made.head) == (0, None)
    for batch in (0, 9, 10):
        table.commit(commit(batch, batch))
    assert table.last_commit() == commit(10, 10)
    # It is there already.
    table.create(9)
    assert table.last_commit() == commit(10, 10)
    with pytest.raises(FileExistsError, match=r"11\.json is there already"):
        table.commit(commit(10, 11))
    assert table.last_commit() == commit(10, 10)


@pytest.mark.parametrize(
    ("before", "commits", "folders"),
    [
        (0, [0, 1, 2, 3], [0, 1, 2, 3]),
        (1, [0, 1, 2, 3], [0, 1, 2, 3]),
        # The first version was replaced at the time 1.
        (1.5, [1, 2, 3], [1, 2, 3]),
        (2, [1, 2, 3], [1, 2, 3]),
        (3, [2, 3], [1, 2, 3]),
        (3.5, [3], [1, 3]),
        (99, [3], [1, 3]),
    ],
)
def test_old_versions_are_deleted(
    spark: SparkSession, tmp_path: Path, before: float, commits: list[int], folders: list[int]
) -> None:
    table = QuadTable(spark, str(tmp_path))
    for each in (commit(0, 0), commit(1, 1), commit(2, 1, 2), commit(3, 1, 3)):
        for path in each.folders.values():
            (tmp_path / path).mkdir(parents=True, exist_ok=True)
        table.commit(each)
        table.delete_old(0)
    # What is known of earlier commits is not read again.
    (tmp_path / "commits" / f"{2:020}.json").write_text("no JSON")
    (tmp_path / "data" / "of no version").mkdir()
    table.delete_old(before)
    found = [name for name in names(tmp_path / "commits") if name.endswith(".json")]
    assert found == [f"{batch + 1:020}.json" for batch in commits]
    assert names(tmp_path / "data") == list(map(str, folders))


def test_a_commit_of_another_format(spark: SparkSession, tmp_path: Path) -> None:
    table = QuadTable(spark, str(tmp_path))
    table.commit(Commit(8, {}, 0.0, format="another"))
    with pytest.raises(LogError, match=r"0\.json is of another format, 'another', not 'jelly-rdf"):
        table.last_commit()

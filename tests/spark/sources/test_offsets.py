"""Which new files of a folder are in a micro-batch, by the offsets before and after it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxFiles

from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.sources.reader import FolderReader
from jelly_rdflib.spark.storage import Entry
from tests.spark.files import make_operations, write_file

DAY = 24 * 3600 * 10**9


class Folder:
    """A folder with files of given ages, and the stream of it."""

    def __init__(self, path: Path, **options: str) -> None:
        self.path = path
        made = ReadOptions.of({"partitionBytes": "1", **options})
        self.reader = FolderReader(JELLY_PATCH, made, JELLY_PATCH.schema, [str(path)])
        self.offset: dict[str, Any] = self.reader.initialOffset()

    def add(self, name: str, modified: int) -> None:
        path = write_file(self.path / f"{name}.jellyp", make_operations(1, 1))
        os.utime(path, ns=(modified, modified))

    def batch(self, limit: Any = None) -> list[str]:
        """Go on to the next offset; return the names of the files before it, in their order."""
        end = self.reader.latestOffset(self.offset, limit or self.reader.getDefaultReadLimit())
        # Spark stores an offset as JSON.
        end = json.loads(json.dumps(end))
        if end == self.offset:
            return []
        partitions: list[Any] = self.reader.partitions(self.offset, end)
        self.offset = end
        paths = [path for partition in partitions for path, _ in partition.parts]
        assert len(paths) == len(partitions)
        return [Path(path).stem for path in paths]

    def listed(self) -> set[str]:
        return {Path(path).stem for path in self.offset["files"]}


def test_files_come_by_age_and_then_by_name(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.batch() == []
    for name, modified in (("b", 2), ("c", 1), ("a", 2)):
        folder.add(name, DAY + modified)
    assert folder.batch() == ["c", "a", "b"]
    assert folder.batch() == []
    folder.add("d", DAY)
    folder.add("e", DAY + 2)
    assert folder.batch() == ["d", "e"]


def test_a_batch_has_the_oldest_files_first(tmp_path: Path) -> None:
    folder = Folder(tmp_path, maxFilesPerTrigger="2")
    assert folder.reader.getDefaultReadLimit() == ReadMaxFiles(2)
    assert Folder(tmp_path).reader.getDefaultReadLimit() == ReadAllAvailable()
    for number in range(5):
        folder.add(f"{number}", DAY + 9 - number)
    assert folder.batch() == ["4", "3"]
    assert folder.batch(ReadMaxFiles(1)) == ["2"]
    assert folder.batch(ReadAllAvailable()) == ["1", "0"]


def test_a_batch_has_the_bytes_that_are_allowed(tmp_path: Path) -> None:
    for number in range(5):
        Folder(tmp_path).add(f"{number}", DAY + number)
    size = (tmp_path / "0.jellyp").stat().st_size
    folder = Folder(tmp_path, maxBytesPerTrigger=str(2 * size))
    assert folder.reader.getDefaultReadLimit() == ReadMaxBytes(2 * size)
    assert folder.batch() == ["0", "1"]
    # A larger file is a batch of its own.
    assert folder.batch(ReadMaxBytes(1)) == ["2"]
    assert folder.batch(ReadMaxBytes(3 * size - 1)) == ["3", "4"]


def test_the_latest_files_first(tmp_path: Path) -> None:
    for number in range(5):
        Folder(tmp_path).add(f"{number}", (1 + 10 * number) * DAY)
    folder = Folder(tmp_path, maxFilesPerTrigger="2", latestFirst="true")
    # The older files are not too old.
    assert [set(folder.batch()) for _ in range(4)] == [{"3", "4"}, {"1", "2"}, {"0"}, set()]
    assert folder.listed() == set("01234")
    folder = Folder(tmp_path, latestFirst="true")
    assert len(folder.batch()) == 5
    assert folder.offset["before"] == 34 * DAY


def test_files_more_than_seven_days_older_count_as_read(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    # The first batch has files of any age.
    folder.add("old", 0)
    folder.add("edge", 10 * DAY)
    folder.add("new", 17 * DAY)
    assert folder.batch() == ["old", "edge", "new"]
    folder.add("later", 10 * DAY)
    folder.add("late", 10 * DAY - 1)
    assert folder.batch() == ["later"]
    # The offset lists those of seven days alone.
    assert folder.listed() == {"edge", "new", "later"}
    assert folder.batch() == []
    folder.add("newer", 17 * DAY + 1)
    assert folder.batch() == ["newer"]
    assert folder.listed() == {"new", "newer"}
    # An older newest file moves nothing back.
    for name in ("new", "newer"):
        (tmp_path / f"{name}.jellyp").unlink()
    folder.add("between", 12 * DAY)
    assert folder.batch() == ["between"]
    assert folder.offset["before"] == 10 * DAY + 1


def test_the_greatest_age_is_an_option(tmp_path: Path) -> None:
    folder = Folder(tmp_path, maxFileAge="1d")
    folder.add("old", 0)
    folder.add("new", 2 * DAY)
    assert folder.batch() == ["old", "new"]
    assert folder.listed() == {"old", "new"}
    folder.add("late", DAY - 1)
    folder.add("edge", DAY)
    assert folder.batch() == ["edge"]
    assert folder.listed() == {"edge", "new"}


def test_available_now_reads_what_was_there_at_its_start(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    folder.reader.prepareForTriggerAvailableNow()
    folder.add("b", DAY)
    assert folder.batch() == ["a"]
    assert folder.batch() == []
    folder.reader.prepareForTriggerAvailableNow()
    assert folder.batch() == ["b"]


def test_a_batch_comes_again_as_it_was(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    start = folder.reader.initialOffset()
    assert folder.batch() == ["a"]
    end = folder.offset
    folder.add("b", DAY)
    again: Any = folder.reader.partitions(start, end)
    assert [Path(path).stem for partition in again for path, _ in partition.parts] == ["a"]


def test_a_file_that_goes_while_the_folder_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    files = [Entry(str(tmp_path / "gone.jellyp")), *folder.reader.find_files()]
    monkeypatch.setattr(folder.reader, "find_files", lambda: files)
    assert folder.batch() == ["a"]

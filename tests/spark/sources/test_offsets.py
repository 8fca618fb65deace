"""Tests which new files belong to a micro-batch, given the offsets before and after it."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark")
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxFiles

import jelly_rdflib as jr
from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.sources.reader import FolderReader
from jelly_rdflib.spark.storage import Entry
from tests.live.test_chain import EXCHANGES, Exchange
from tests.spark.files import make_operations, write_file

MINUTE = 60 * 10**9
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Folder:
    """A folder with files of given ages, and a stream over this folder."""

    def __init__(self, path: Path, **options: str) -> None:
        self.path = path
        made = ReadOptions.of({"partitionBytes": "1", **options})
        self.reader = FolderReader(JELLY_PATCH, made, JELLY_PATCH.schema, [str(path)])
        self.offset: dict[str, Any] = self.reader.initialOffset()

    def add(self, name: str, modified: int) -> None:
        path = write_file(self.path / f"{name}.jellyp", make_operations(1, 1))
        os.utime(path, ns=(modified, modified))

    def batch(self, limit: Any = None) -> list[str]:
        """Advance to the next offset; return the names of the new files, in order."""
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

    def restart(self, path: Path | None = None) -> None:
        old = self.reader
        paths = old.paths if path is None else [str(path)]
        self.reader = FolderReader(JELLY_PATCH, old.options, JELLY_PATCH.schema, paths)

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
    # A larger file has its own batch.
    assert folder.batch(ReadMaxBytes(1)) == ["2"]
    assert folder.batch(ReadMaxBytes(3 * size - 1)) == ["3", "4"]


def test_the_latest_files_first(tmp_path: Path) -> None:
    for number in range(5):
        Folder(tmp_path).add(f"{number}", (1 + 10 * number) * DAY)
    folder = Folder(tmp_path, maxFilesPerTrigger="2", latestFirst="true")
    # The older files are still accepted.
    assert [set(folder.batch()) for _ in range(4)] == [{"3", "4"}, {"1", "2"}, {"0"}, set()]
    # No older files remain.
    assert folder.offset["before"] == DAY
    folder = Folder(tmp_path, latestFirst="true")
    assert len(folder.batch()) == 5
    assert folder.offset["before"] == 41 * DAY - HOUR


def test_files_more_than_seven_days_older_count_as_read(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    # The first batch accepts files of any age.
    folder.add("old", 0)
    folder.add("edge", 10 * DAY)
    folder.add("new", 17 * DAY)
    assert folder.batch() == ["old", "edge", "new"]
    folder.add("later", 10 * DAY)
    folder.add("late", 10 * DAY - 1)
    assert folder.batch() == ["later"]
    assert folder.batch() == []
    folder.add("newer", 17 * DAY + 1)
    assert folder.batch() == ["newer"]
    # The offset lists only the files of one hour.
    assert folder.listed() == {"new", "newer"}
    # The offset does not move back if the newest file is older.
    for name in ("new", "newer"):
        (tmp_path / f"{name}.jellyp").unlink()
    folder.add("between", 12 * DAY)
    assert folder.batch() == ["between"]
    assert folder.offset["before"] == 17 * DAY + 1 - HOUR


def test_after_a_restart_files_of_the_greatest_delay_are_new(tmp_path: Path) -> None:
    """After a restart, older files count as read, since no offset lists them."""
    folder = Folder(tmp_path, maxFileDelay="2h")
    for name, modified in (("old", 0), ("edge", DAY - 2 * HOUR), ("new", DAY)):
        folder.add(name, modified)
    assert folder.batch() == ["old", "edge", "new"]
    folder.restart()
    folder.add("lost", DAY - 2 * HOUR - 1)
    folder.add("later", DAY - 2 * HOUR)
    assert folder.batch() == ["later"]
    assert folder.listed() == {"edge", "later", "new"}
    # This file counts as read from now on. The next file appears while the query runs.
    folder.add("late", HOUR)
    assert folder.batch() == ["late"]
    folder.restart()
    assert folder.batch() == []


def test_all_late_files_are_in_the_next_batch(tmp_path: Path) -> None:
    """The next batch contains all late files, since they would count as read after a restart."""
    folder = Folder(tmp_path, maxFilesPerTrigger="1")
    folder.add("new", 2 * DAY)
    assert folder.batch() == ["new"]
    for name, modified in (("a", DAY), ("b", DAY + 1), ("c", 2 * DAY), ("d", 2 * DAY)):
        folder.add(name, modified)
    assert folder.batch() == ["a", "b", "c"]
    folder.restart()
    assert folder.batch() == ["d"]


def test_a_file_of_a_time_to_come_makes_no_others_late(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    now = time.time_ns()
    folder.add("a", now + DAY)
    assert folder.batch() == ["a"]
    folder.restart()
    folder.add("b", now - HOUR // 2)
    assert folder.batch() == ["b"]


def test_an_offset_with_the_files_of_seven_days(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in range(3):
        folder.add(f"{number}", 10 * DAY + number * DAY)
    files = {str(path): path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    folder.offset |= {"before": 5 * DAY, "files": files}
    folder.add("late", 6 * DAY)
    folder.add("new", 12 * DAY + 1)
    assert folder.batch() == ["late", "new"]
    assert folder.listed() == {"2", "late", "new"}


AGES = st.sampled_from([0, 1, MINUTE, HOUR, 2 * HOUR, 3 * DAY, 7 * DAY])
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), AGES),
        st.tuples(st.just("batch"), st.integers(1, 3)),
        st.tuples(st.just("kill"), st.booleans()),
    ),
    max_size=30,
)


@given(ACTIONS, st.booleans())
def test_each_file_is_read_once(actions: list[Any], latest_first: bool) -> None:
    """Files of any age are read once, even if a kill comes before or after storing an offset."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        files: list[Entry] = []
        patched.setattr(FolderReader, "find_files", lambda *_: list(files))
        folder = Folder(Path(name), latestFirst=str(latest_first).lower())
        path = write_file(Path(name) / "a.jellyp", make_operations(1, 1))
        patched.setattr(FolderReader, "plan", lambda reader, found: [each.path for each in found])
        patched.setattr(FolderReader, "_find", lambda reader, path: Entry(path))
        read: list[Any] = []
        newest, unread, late = 100 * DAY, set[str](), set[str]()
        has_listed = True

        def next_batch(limit: int) -> dict[str, Any]:
            nonlocal has_listed
            if not has_listed:
                # The first listing after a restart counts all older files as read.
                before = folder.offset["before"]
                late.update(e.path for e in files if e.path in unread and e.modified < before)
            has_listed = True
            end = folder.reader.latestOffset(folder.offset, ReadMaxFiles(limit))
            return json.loads(json.dumps(end))

        for action, value in [*actions, *[("batch", 100)] * 2]:
            if action == "add":
                file = Entry(f"{path}-{len(files)}", size=1, modified=newest - value)
                newest += MINUTE
                files.append(file)
                unread.add(file.path)
            elif action == "batch":
                end = next_batch(value)
                read += folder.reader.partitions(folder.offset, end)
                folder.offset = end
                unread -= set(read)
            else:
                end = next_batch(2)
                if value:
                    # The offset was stored, so the batch is repeated.
                    folder.restart()
                    read += folder.reader.partitions(folder.offset, end)
                    folder.offset = end
                    unread -= set(read)
                else:
                    folder.restart()
                has_listed = False
        assert len(read) == len(set(read))
        assert {file.path for file in files} - set(read) <= late


def test_available_now_reads_what_was_there_at_its_start(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    folder.reader.prepareForTriggerAvailableNow()
    folder.add("b", DAY)
    assert folder.batch() == ["a"]
    assert folder.batch() == []
    folder.reader.prepareForTriggerAvailableNow()
    assert folder.batch() == ["b"]


def test_a_file_that_goes_while_the_folder_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    files = [Entry(str(tmp_path / "gone.jellyp")), *folder.reader.find_files()]
    monkeypatch.setattr(folder.reader, "find_files", lambda _: files)
    assert folder.batch() == ["a"]


@pytest.mark.parametrize("is_stopped", [False, True])
@pytest.mark.parametrize("later", [-1, 1, 2 * DAY])
def test_a_file_that_is_replaced_is_an_error(tmp_path: Path, is_stopped: bool, later: int) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    assert folder.batch() == ["a"]
    if is_stopped:
        folder.restart()
    folder.add("a", DAY + later)
    with pytest.raises(ValueError, match=r"a\.jellyp: this file was replaced .* name; restore"):
        folder.batch()


def test_a_damaged_file_may_be_replaced_before_its_batch_comes_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.add("a", DAY)
    start = folder.offset
    assert folder.batch() == ["a"]
    folder.restart()
    folder.add("a", DAY + 1)
    folder.reader.partitions(start, folder.offset)
    # A batch without files stores the new time in the offset.
    assert folder.batch() == []
    assert list(folder.offset["files"].values()) == [DAY + 1]
    folder.restart()
    assert folder.batch() == []


def test_a_checkpoint_of_another_folder_is_an_error(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    folder = Folder(tmp_path / "a")
    folder.add("1", DAY)
    assert folder.batch() == ["1"]
    folder.restart(tmp_path / "b")
    with pytest.raises(ValueError, match=r"the checkpoint is for .*/a, not for .*/b: use ano"):
        folder.batch()


def log_of(path: Path, count: int = 5) -> list[str]:
    """Append to a log; return the file names of all its patches."""
    log = jr.PatchLog(path, create=True)
    for _ in range(count):
        log.append([])
    return [entry.path.stem for entry in log.patches()]


@pytest.mark.parametrize("change", EXCHANGES)
@pytest.mark.parametrize(
    ("place", "is_stopped"), [("log", False), ("log/segments", True), ("lo[fg]/segments/*", True)]
)
def test_a_log_that_is_exchanged_is_an_error(
    tmp_path: Path, change: Callable[[Path], None], place: str, is_stopped: bool
) -> None:
    exchange = Exchange(tmp_path)
    folder = Folder(tmp_path / place)
    assert len(folder.batch()) == 5
    if is_stopped:
        folder.restart()
    exchange.restore(change)
    # An empty log has no segments.
    with pytest.raises(
        (jr.LogError, FileNotFoundError), match=r"start again|there is no such file"
    ):
        folder.batch()


def test_the_patches_of_a_log_come_in_its_order_whatever_the_times(tmp_path: Path) -> None:
    names = log_of(tmp_path)
    for number, path in enumerate(sorted((tmp_path / "segments").iterdir())):
        os.utime(path, ns=(DAY, (10 - number) * DAY))
    folder = Folder(tmp_path, maxFilesPerTrigger="2", latestFirst="true")
    assert folder.batch() + folder.batch() == names[:4]
    folder.restart()
    names = log_of(tmp_path, 1)
    os.utime(tmp_path / "segments" / f"{names[-1]}.jellyp", ns=(0, 0))
    assert folder.batch() == names[4:]
    assert len(folder.offset["files"]) == 2
    assert folder.batch() == []


def test_a_log_that_is_squashed_under_a_stream(tmp_path: Path) -> None:
    names = log_of(tmp_path)
    folder = Folder(tmp_path, maxFilesPerTrigger="2")
    assert folder.batch() == names[:2]
    log = jr.PatchLog(tmp_path)
    log.squash(1, 2)
    log.squash(3, 4)
    names = log_of(tmp_path, 0)
    assert folder.batch() == names[1:]
    log.squash(5)
    assert folder.batch() == []
    folder = Folder(tmp_path, maxFilesPerTrigger="1")
    assert len(folder.batch()) == 1
    log.squash()
    with pytest.raises(
        jr.LogError, match=r"the stream has read version 2: .* it was squashed; restore"
    ):
        folder.batch()


@pytest.mark.parametrize(("last", "now", "later"), [(5, [(2, 5), (6, 6)], (7, 7)), (7, [], (2, 7))])
def test_what_is_squashed_while_a_query_of_all_that_is_there_runs(
    tmp_path: Path, last: int, now: list[tuple[int, int]], later: tuple[int, int]
) -> None:
    names = log_of(tmp_path, 6)
    folder = Folder(tmp_path, maxFilesPerTrigger="1")
    folder.reader.prepareForTriggerAvailableNow()
    assert folder.batch() == names[:1]
    log_of(tmp_path, 1)
    jr.PatchLog(tmp_path).squash(2, last)
    names = {
        (entry.first, entry.version): entry.path.stem for entry in jr.PatchLog(tmp_path).patches()
    }
    assert [folder.batch() for _ in range(3)] == [
        *([names[each]] for each in now),
        *[[]] * (3 - len(now)),
    ]
    folder.restart()
    folder.reader.prepareForTriggerAvailableNow()
    assert folder.batch() == [names[later]]


@pytest.mark.parametrize("more", [{}, {"modifiedAfter": "1970-01-01T00:00:00Z"}])
@pytest.mark.parametrize("ignores", ["true", "false"])
def test_a_file_of_a_log_that_is_missing_is_an_error(
    tmp_path: Path, ignores: str, more: dict[str, str]
) -> None:
    log_of(tmp_path)
    folder = Folder(tmp_path, ignoreMissingFiles=ignores, **more)
    ends: Any = folder.offset, folder.reader.latestOffset(folder.offset, ReadAllAvailable())
    partitions = folder.reader.partitions(*ends)
    jr.PatchLog(tmp_path).entry(3).path.unlink()
    for work in (
        lambda: [list(folder.reader.read(each)) for each in partitions],
        folder.batch,
        lambda: folder.reader.partitions(*ends),
    ):
        with pytest.raises(FileNotFoundError, match="0000000003-"):
            work()


def test_a_log_that_is_a_log_no_more(tmp_path: Path) -> None:
    log_of(tmp_path / "log")
    folder = Folder(tmp_path / "log")
    assert len(folder.batch()) == 5
    shutil.rmtree(tmp_path / "log")
    (tmp_path / "log").mkdir()
    with pytest.raises(
        jr.LogError, match="has read this log, which is no longer a log; restore it"
    ):
        folder.batch()

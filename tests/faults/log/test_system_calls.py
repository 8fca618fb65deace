"""Tests that a log survives a full disk and an interrupt at every call of ``os``."""

import errno
import resource
import shutil
import signal
import sqlite3
import sys
import uuid
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, PatchLog
from jelly_rdflib.log import staging
from tests.faults.log.system_calls import full_disk, intercepted
from tests.log.support import add, change, files, fill, patch_id

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork()")

COUNT = 4


@dataclass
class Work:
    """A task that is interrupted.

    Args:
        name: The name of the task.
        run: Does the work on the log or replica in a folder.
        is_done: Returns whether the folder shows that the task was done.
    """

    name: str
    run: Callable[[Path], object]
    is_done: Callable[[Path], bool]

    def __str__(self) -> str:
        return self.name


def big_patch() -> list[jr.Operation]:
    """Return a patch of several frames, which needs several writes."""
    return [add(number) for number in range(1200)]


WORKS = [
    Work(
        "append",
        lambda path: PatchLog(path).append(change(COUNT + 1)),
        lambda path: PatchLog(path).version == COUNT + 1,
    ),
    Work(
        "append much",
        lambda path: PatchLog(path).append(big_patch()),
        lambda path: PatchLog(path).version == COUNT + 1,
    ),
    Work(
        "snapshot",
        lambda path: PatchLog(path).snapshot(2),
        lambda path: PatchLog(path).snapshots == [2],
    ),
    Work(
        "squash",
        lambda path: PatchLog(path).squash(2, 3),
        lambda path: [entry.version for entry in PatchLog(path).patches()] == [1, 3, 4],
    ),
]


@pytest.fixture(params=[1, 1 << 20], ids=["aside", "in memory"])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the log either write a file aside or buffer it in memory before naming it."""
    monkeypatch.setattr(staging, "_AT_ONCE", request.param)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """Return the path of a log before the task; tests copy it."""
    path = tmp_path / "template"
    fill(PatchLog.create(path, compression="zst"), COUNT)
    return path


@pytest.fixture
def copy(template: Path, tmp_path: Path) -> Callable[[], Path]:
    """Return a function that makes a new copy of the log, in place of the previous copy."""

    def make() -> Path:
        path = tmp_path / "log"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(template, path)
        return path

    return make


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("work", WORKS, ids=str)
def test_a_disk_may_be_full_anywhere(
    work: Work, stays_full: bool, template: Path, copy: Callable[[], Path]
) -> None:
    before = [path.name for path in files(template / "segments")]
    errors = 0
    turn = 0
    failed = ["something"]
    while failed:
        path = copy()
        error = None
        with full_disk(turn, stays_full=stays_full) as failed:
            try:
                work.run(path)
            except OSError as caught:
                error = caught
        if error is not None:
            errors += 1
            assert error.errno == errno.ENOSPC
            assert not work.is_done(path)
            assert [path.name for path in files(path / "segments")] == before
            assert files(path / "snapshots") == []
            # By their marks and notes, the next writer finds and removes the files that could not
            # be removed.
            left = {each.suffix for each in files(path / "staging")}
            assert left <= ({".mark", ".note"} if stays_full else set()) or "unlink" in failed
        else:
            assert work.is_done(path)
        log = PatchLog(path)
        assert log.verify(deep=True) == []
        log.append(change(log.version + 1))
        assert files(path / "staging") == []
        turn += 1
    assert errors > 5


def test_an_object_goes_on_after_a_full_disk(template: Path) -> None:
    log = PatchLog(template)
    turn = 0
    failed = ["something"]
    while failed:
        version = log.version
        with full_disk(turn, stays_full=False) as failed, suppress(OSError):
            log.append(change(version + 1))
        assert log.version == PatchLog(template).version
        assert log.version - version in (0, 1)
        assert log.append(change(log.version + 1)).version == log.version
        turn += 1
    assert log.verify(deep=True) == []


def test_a_limit_of_the_system(template: Path) -> None:
    """The limit is not simulated: the kernel itself refuses to write more."""
    log = PatchLog(template)
    before = files(template)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            log.append([add(f"{number:0100}") for number in range(10_000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert "staging" in str(caught.value)
    assert files(template) == before
    assert log.verify() == []
    assert log.append(big_patch()).version == COUNT + 1


@pytest.mark.usefixtures("at_once")
def test_an_interrupt_leaves_the_log_as_it_was_or_with_the_patch(copy: Callable[[], Path]) -> None:
    """Ctrl+C may come after any call."""
    outcomes = set()
    for turn in range(0, 50, 2):
        path = copy()
        log = PatchLog(path)
        is_interrupted = False
        try:
            with interrupted(turn):
                log.append(change(COUNT + 1))
        except KeyboardInterrupt:
            is_interrupted = True
        again = PatchLog(path)
        assert again.verify() == []
        outcomes.add((is_interrupted, again.version))
        again.append(change(again.version + 1))
        assert files(path / "staging") == []
    assert outcomes >= {(True, COUNT), (False, COUNT + 1)}


def test_a_file_without_a_row_stays_where_its_patch_is_appended_again_in_vain(
    copy: Callable[[], Path],
) -> None:
    """If an older database was restored, the file may be the last copy of its patch."""
    path = copy()
    old = (path / "log.db").read_bytes()
    patch = [(jr.Op.H, "id", patch_id(9)), *change(COUNT + 1)]
    segment = PatchLog(path).append(patch).path
    data = segment.read_bytes()
    turn = 0
    failed = ["something"]
    while failed:
        (path / "log.db").write_bytes(old)
        with full_disk(turn, stays_full=False) as failed, suppress(OSError):
            assert PatchLog(path).append(patch).path == segment
        assert segment.read_bytes() == data
        turn += 1
    assert PatchLog(path).version == COUNT + 1


@pytest.mark.usefixtures("at_once")
def test_what_fails_is_told_once(copy: Callable[[], Path]) -> None:
    """After an error, a file's compressor writes no more data to the file."""
    path = copy()
    log = PatchLog(path, timeout=0)
    patch = [add(uuid.uuid4()) for _ in range(3000)]
    with closing(sqlite3.connect(path / "log.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogConflict, match="locked by other processes or threads") as caught:
            log.append(patch)
    assert not isinstance(caught.value.__context__, LogConflict)
    assert log.append(patch).version == COUNT + 1


def interrupted(turn: int) -> Any:
    count = -1

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        nonlocal count
        count += 1
        result = real(*arguments)
        if count == turn:
            raise KeyboardInterrupt
        return result

    return intercepted(around)

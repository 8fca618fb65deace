"""A log outlives the end of a process, a failure of power and a full disk, at every system call."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, PatchLog, Replica

from .faults import Kill, full_disk, intercepted, run_and_kill
from .support import add, change, files, fill, state

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork()")

COUNT = 4


@dataclass
class Work:
    """Something that is cut off.

    Args:
        name: What it is.
        run: Does it to the log or replica in a folder.
        is_done: Whether it was done, as the folder shows it.
        needs_log: Whether it is done to a log with some patches; else to nothing.
    """

    name: str
    run: Callable[[Path], object]
    is_done: Callable[[Path], bool]
    needs_log: bool = True

    def __str__(self) -> str:
        return self.name


def big_patch() -> list[jr.Operation]:
    """Some frames: several writes."""
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
    Work(
        "create",
        lambda path: PatchLog(path, create=True),
        lambda path: (path / "log.json").exists() and PatchLog(path).version == 0,
        needs_log=False,
    ),
]


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A log as it is before the work, to be copied."""
    path = tmp_path / "template"
    fill(PatchLog.create(path, compression="zst"), COUNT)
    return path


@pytest.fixture
def copies(template: Path, tmp_path: Path) -> Iterator[Callable[[Work], tuple[Path, Path]]]:
    """Make a folder to work in, and an empty one."""

    def make(work: Work) -> tuple[Path, Path]:
        place, trash = tmp_path / "place", tmp_path / "trash"
        for folder in (place, trash):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        path = place / "log"
        if work.needs_log:
            shutil.copytree(template, path)
        return path, trash

    return make


def assert_whole(path: Path, expected: list[Any], work: Work) -> None:
    """Check that the log opens, has what it had, verifies, and can be written to."""
    log = PatchLog(path, create=not work.needs_log)
    assert log.verify(deep=True) == []
    for entry in log.patches():
        if entry.version <= len(expected):
            assert state(log.checkout(entry.version)) == expected[entry.version - 1]
    before = log.version
    log.append(change(before + 1))
    log.append(change(before + 2))
    assert PatchLog(path).verify() == []
    assert PatchLog(path).version == before + 2
    assert files(path / "staging") == []
    # nothing is left of segments that others stand for
    assert len(files(path / "segments")) == len(log.patches())


@pytest.mark.parametrize(
    ("work", "kill"),
    # Only a squash deletes what was there.
    [(w, k) for w in WORKS for k in Kill if k != Kill.NEW_NAMES_LOST or w.name == "squash"],
    ids=str,
)
def test_a_process_may_end_anywhere(work: Work, kill: Kill, template: Path, copies: Any) -> None:
    log = PatchLog(template)
    expected = [state(log.checkout(version)) for version in range(1, COUNT + 1)]
    expected = expected if work.needs_log else []
    outcomes = set()
    for turn in turns(work, kill, copies):
        path, trash = copies(work)
        is_acknowledged, call = run_and_kill(partial(work.run, path), turn, kill, trash)
        try:
            is_done = work.is_done(path)
        except (LogError, FileNotFoundError):
            # only what is being made need not be a log yet
            assert not work.needs_log
            is_done = False
        assert is_done or not is_acknowledged, "what was acknowledged is lost"
        outcomes.add((call != "", is_done))
        assert_whole(path, expected, work)
    # each end was met
    assert outcomes >= {(True, False), (False, True)}
    if kill == Kill.BEFORE_A_CALL:
        assert (True, True) in outcomes


def turns(work: Work, kill: Kill, copies: Any) -> list[int]:
    """Return the numbers of the calls of a work, and one more; or of those that write."""
    names: list[str] = []

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        names.append(name)
        return real(*arguments)

    path, _ = copies(work)
    with intercepted(around):
        work.run(path)
    assert {"open", "write", "fsync", "rename", "close"} <= set(names)
    is_write = [name in ("write", "pwrite") for name in names]
    numbers = range(len(names) + 1)
    return [each for each in numbers if kill != Kill.IN_A_WRITE or [*is_write, True][each]]


def test_others_see_what_a_killed_process_has_done(template: Path, copies: Any) -> None:
    """Their objects were made before, and don't fork the chain."""
    work = WORKS[0]
    outcomes = set()
    for turn in turns(work, Kill.BEFORE_A_CALL, copies):
        path, trash = copies(work)
        other = PatchLog(path)
        run_and_kill(partial(work.run, path), turn, Kill.BEFORE_A_CALL, trash)
        is_done = work.is_done(path)
        outcomes.add(is_done)
        if is_done:
            with pytest.raises(LogConflict):
                other.append(change(COUNT + 1))
            other.refresh()
        assert other.append(change(COUNT + 2)).version == COUNT + 1 + is_done
        assert other.verify() == []
    assert outcomes == {True, False}


@pytest.mark.parametrize("kill", Kill)
def test_what_others_stand_for_goes_after_they_are_there_to_stay(
    template: Path, tmp_path: Path, kill: Kill
) -> None:
    """A squash broke off after its rename; the next process cleans up, and power fails."""
    expected = state(PatchLog(template).checkout())
    squashed = tmp_path / "squashed"
    shutil.copytree(template, squashed)
    segment = PatchLog(squashed).squash(1, 3).path

    def work(path: Path) -> None:
        os.rename(path / "aside", path / "segments" / segment.name)
        PatchLog(path).append([])

    turn = 0
    call = "something"
    while call:
        path, trash = tmp_path / "log", tmp_path / "trash"
        for folder in (path, trash):
            shutil.rmtree(folder, ignore_errors=True)
        trash.mkdir()
        shutil.copytree(template, path)
        shutil.copy(segment, path / "aside")
        _, call = run_and_kill(partial(work, path), turn, kill, trash)
        log = PatchLog(path)
        assert log.verify() == []
        assert log.version >= COUNT
        assert state(log.checkout()) == expected
        turn += 1
    assert turn > 15


@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("work", [each for each in WORKS if each.needs_log], ids=str)
def test_a_disk_may_be_full_anywhere(
    work: Work, stays_full: bool, template: Path, copies: Any
) -> None:
    before = [path.name for path in files(template / "segments")]
    errors = 0
    turn = 0
    failed = ["something"]
    while failed:
        path, _ = copies(work)
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
            if failed != ["unlink"]:
                assert files(path / "staging") == []
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
    """Not simulated: the kernel refuses to write more."""
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


def test_an_interrupt_leaves_the_log_as_it_was_or_with_the_patch(
    template: Path, copies: Any
) -> None:
    """Ctrl+C may come after any call."""
    work = WORKS[0]
    outcomes = set()
    for turn in range(50):
        path, _ = copies(work)
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


def test_a_replica_may_be_cut_off_anywhere(template: Path, tmp_path: Path) -> None:
    log = PatchLog(template)
    log.squash(1, 2)
    expected = {version: state(log.checkout(version)) for version in (0, 2, 3, 4)}
    start = tmp_path / "start"
    Replica(start).update(log, upto=2)
    for kill in (Kill.BEFORE_A_CALL, Kill.NAMES_LOST, Kill.DATA_LOST):
        turn = 0
        call = "something"
        while call:
            path, trash = tmp_path / "replica", tmp_path / "trash"
            for folder in (path, trash):
                shutil.rmtree(folder, ignore_errors=True)
            trash.mkdir()
            shutil.copytree(start, path)

            def update(path: Path = path) -> None:
                Replica(path).update(log)

            is_done, call = run_and_kill(update, turn, kill, trash)
            replica = Replica(path)
            assert replica.version in ((4,) if is_done else (2, 4))
            assert state(replica.dataset) == expected[replica.version]
            seen: list[jr.LogEntry] = []
            version = replica.version
            assert replica.update(log, progress=seen.append) == 4
            assert [entry.version for entry in seen] == list(range(version + 1, 5))
            assert state(replica.dataset) == state(Replica(path).dataset) == expected[4]
            assert files(path / "staging") == []
            turn += 1

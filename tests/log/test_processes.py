"""Several processes and one log: one wins, the others are told, and nothing is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, PatchLog, Replica
from jelly_rdflib.log.database import Database
from tests.log.support import add, change, files, fill, numbers, state

SPAWN = multiprocessing.get_context("spawn")


barrier: Any = None
"""In a process that `start` has started: where all wait for each other."""


def set_barrier(given: Any) -> None:
    global barrier
    barrier = given


def start(function: Any, count: int, *arguments: Any) -> list[Any]:
    """Run a function in so many processes at once, and return what each returned."""
    with SPAWN.Pool(count, set_barrier, (SPAWN.Barrier(count, timeout=60),)) as pool:
        results = [pool.apply_async(function, (each, *arguments)) for each in range(count)]
        return [result.get(timeout=60) for result in results]


def append_many(number: int, path: Path, count: int) -> int:
    """Append patches as one should: look, make a patch for what there is, and try again."""
    log = PatchLog(path)
    dataset = log.checkout()
    conflicts = 0
    for each in range(count):
        while True:
            present = numbers(dataset)
            patch = [add(1000 * number + each), add(10_000 + len(present))]
            try:
                entry = log.append(patch)
                break
            except LogConflict:
                conflicts += 1
                version = log.version
                log.refresh()
                log.replay(dataset, since=version)
        log.replay(dataset, since=entry.version - 1)
    return conflicts


def append_many_at_once(number: int, path: Path, count: int) -> int:
    barrier.wait()
    return append_many(number, path, count)


def test_nothing_is_lost_however_many_append(tmp_path: Path) -> None:
    log = PatchLog.create(tmp_path / "log", compression="zst")
    start(append_many_at_once, 3, log.path, 8)
    log.refresh()
    assert log.version == 24
    assert log.verify(deep=True) == []
    present = numbers(log.checkout())
    assert {1000 * number + each for number in range(3) for each in range(8)} <= present
    # each was made for what was there just before it
    for entry in log.patches():
        before = len(numbers(log.checkout(entry.version - 1)))
        assert add(10_000 + before)[3] in {each[3] for each in entry.read() if each[0] == jr.Op.A}
    assert files(log.path / "staging") == []


def squash_and_snapshot(number: int, path: Path, moment: float) -> None:
    while time.time() < moment:
        log = PatchLog(path)
        try:
            if log.version > 4:
                log.snapshot(log.version - 1)
                log.squash(1, log.version - 2)
        except LogError:
            pass


def read_again_and_again(number: int, path: Path, moment: float) -> int:
    """Bring a dataset up to date, over and over; from the start where that is squashed away."""
    dataset = Dataset()
    version = 0
    while time.time() < moment:
        log = PatchLog(path)
        problems = log.verify()
        assert problems == [], problems
        try:
            version = log.replay(dataset, since=version)
        except LogError as error:
            check_squashed(error)
            while True:
                try:
                    log.refresh()
                    dataset, version = log.checkout(), log.version
                    break
                except LogError as again:
                    check_squashed(again)
        assert numbers(dataset) == ({version} if version else set())
    return version


def check_squashed(error: LogError) -> None:
    # Before it was read, or while it was.
    if "squashed" not in str(error):
        raise error


def append_one_by_one(number: int, path: Path, moment: float) -> int:
    log = PatchLog(path)
    while time.time() < moment:
        fill(log, 1)
    return log.version


def work_at_once(number: int, path: Path, seconds: float) -> Any:
    barrier.wait()
    moment = time.time() + seconds
    jobs = (append_one_by_one, read_again_and_again, squash_and_snapshot, read_again_and_again)
    return jobs[number](number, path, moment)


def test_readers_and_writers_do_not_meet(tmp_path: Path) -> None:
    log = PatchLog.create(tmp_path / "log")
    appended, *_ = start(work_at_once, 4, log.path, 1.0)
    log.refresh()
    assert log.version == appended > 10
    assert log.verify(deep=True) == []
    assert numbers(log.checkout()) == {appended}


def hold_lock(path: Path, ready: Any) -> None:
    with closing(sqlite3.connect(path / "log.db", isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        ready.set()
        time.sleep(60)


def test_a_lock_is_waited_for_and_freed_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 1)
    impatient = PatchLog(log.path, timeout=0.1)
    ready = SPAWN.Event()
    process = SPAWN.Process(target=hold_lock, args=(log.path, ready))
    process.start()
    assert ready.wait(30)
    calls: list[Any] = [impatient.refresh, impatient.verify, lambda: impatient.append(change(2))]
    for call in calls:
        with pytest.raises(LogConflict, match=r"locked by others for 0\.1 seconds.*timeout="):
            call()
    # It is no problem of the log, even if it comes while that is checked.
    monkeypatch.setattr(Database, "problems", lambda database: [])
    with pytest.raises(LogConflict, match="locked by others"):
        impatient.verify()
    done: list[jr.LogEntry] = []
    thread = threading.Thread(target=lambda: done.append(log.append(change(2))))
    thread.start()
    thread.join(0.3)
    # it waits
    assert done == []
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    thread.join(30)
    process.join()
    assert [entry.version for entry in done] == [2]


def write_slowly(path: Path, ready: Any) -> None:
    def operations() -> Any:
        # More than is kept in memory.
        for number in range(100_000):
            yield add(number)
        ready.set()
        time.sleep(60)

    PatchLog(path).append(operations())


def test_who_writes_slowly_keeps_nobody_waiting(tmp_path: Path) -> None:
    """The file of a process that lives is left alone, that of one that does not is removed."""
    log = PatchLog.create(tmp_path / "log")
    ready = SPAWN.Event()
    process = SPAWN.Process(target=write_slowly, args=(log.path, ready))
    process.start()
    assert ready.wait(30)
    fill(log, 2)
    assert len(files(log.path / "staging")) == 2
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len(files(log.path / "staging")) == 2
    fill(log, 1)
    assert files(log.path / "staging") == []
    assert log.verify() == []


def update_replica(number: int, path: Path, replica: Path) -> int:
    barrier.wait()
    return Replica(replica).update(PatchLog(path), upto=number + 1)


def test_several_processes_update_a_replica(tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 2)
    start(update_replica, 2, log.path, tmp_path / "replica")
    replica = Replica(tmp_path / "replica")
    assert replica.version == 2
    assert state(replica.dataset) == state(log.checkout())

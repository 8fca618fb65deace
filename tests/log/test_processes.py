"""Tests a process that locks a log or writes slowly; `tests/faults/log` tries all pairs."""

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

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, PatchLog
from jelly_rdflib.log.database import Database
from tests.log.support import add, change, files, fill

SPAWN = multiprocessing.get_context("spawn")


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
        with pytest.raises(LogConflict, match=r"processes or threads for 0\.1 seconds.*timeout="):
            call()
    # This error is not a fault of the log, even if it occurs during a check.
    monkeypatch.setattr(Database, "problems", lambda database: [])
    with pytest.raises(LogConflict, match="locked by other processes or threads"):
        impatient.verify()
    done: list[jr.LogEntry] = []
    thread = threading.Thread(target=lambda: done.append(log.append(change(2))))
    thread.start()
    thread.join(0.3)
    # The append waits.
    assert done == []
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    thread.join(30)
    process.join()
    assert [entry.version for entry in done] == [2]


def write_slowly(path: Path, ready: Any) -> None:
    def operations() -> Any:
        # The patch is too large to be kept in memory as a whole.
        for number in range(100_000):
            yield add(number)
        ready.set()
        time.sleep(60)

    PatchLog(path).append(operations())


def test_who_writes_slowly_keeps_nobody_waiting(tmp_path: Path) -> None:
    """The file of a running process is kept; the file of a process that has ended is removed."""
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

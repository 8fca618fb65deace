"""Tests the states of a log after faults, as docs/patch-log.md describes them."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, PatchLog, Replica
from jelly_rdflib.log import database, staging
from tests.log.support import add, change, files, fill, numbers, patch_id


@pytest.fixture
def log(tmp_path: Path) -> PatchLog:
    return fill(PatchLog.create(tmp_path / "log"), 3)


def test_a_relative_path_is_of_the_folder_where_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log, replica = PatchLog("log", create=True), Replica("replica")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    fill(log, 2)
    log.snapshot(1)
    log.squash()
    assert replica.update(log) == Replica(replica.path).version == 2
    assert log.verify(deep=True) == []
    assert log.path == tmp_path / "log"
    assert files(tmp_path / "elsewhere") == []


class Interrupted(sqlite3.Connection):
    """A connection that is interrupted, or fails, just before or after a statement."""

    when = "after"
    error: type[BaseException] = KeyboardInterrupt
    statement = "COMMIT"
    turn = 0

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        kind = type(self)
        hit = statement.startswith(kind.statement)
        kind.turn -= hit
        if hit and kind.turn == 0 and kind.when == "before":
            raise kind.error("disk I/O error")
        result = super().execute(statement, *values)
        if hit and kind.turn == 0 and kind.when == "after":
            raise kind.error("disk I/O error")
        return result


def connect_by(monkeypatch: pytest.MonkeyPatch, kind: type[sqlite3.Connection]) -> None:
    """Make new connections use the class `kind`, except connections to marks."""
    connect = sqlite3.connect

    def connect_otherwise(path: Any, **more: Any) -> sqlite3.Connection:
        is_mark = str(path).endswith(".mark")
        return connect(path, **more, **({} if is_mark else {"factory": kind}))

    monkeypatch.setattr(sqlite3, "connect", connect_otherwise)


@pytest.fixture(params=[KeyboardInterrupt, sqlite3.OperationalError], ids=["Ctrl+C", "EIO"])
def fault(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that injects a fault into the next commit."""

    def set_up(when: str) -> None:
        values = {"when": when, "error": request.param, "turn": 1}
        connect_by(monkeypatch, type("Faulty", (Interrupted,), values))

    set_up.error = request.param  # type: ignore[attr-defined]
    return set_up


def test_a_fault_before_the_commit_leaves_the_log_as_it_was(
    log: PatchLog, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(log.path)
    fault("before")
    # The outcome is known, so no code may check whether the patch was committed.
    monkeypatch.setattr(database.Database, "_repeat_commit", None)
    with pytest.raises((KeyboardInterrupt, OSError)):
        log.append(change(4))
    assert files(log.path) == before
    assert (log.version, PatchLog(log.path).version) == (3, 3)
    assert log.append(change(4)).version == 4
    assert log.verify() == []


def test_a_fault_after_the_commit_leaves_the_patch(log: PatchLog, fault: Any) -> None:
    """The patch stays, as its row exists. On an error the log commits again; Ctrl+C is raised."""
    patch = [(jr.Op.H, "id", patch_id(4)), *change(4)]
    fault("after")
    if fault.error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            log.append(patch)
        assert log.version == 3
        with pytest.raises(LogConflict, match="already: it makes version 4"):
            log.append(patch)
        log.refresh()
    else:
        assert log.append(patch).version == 4
        with log._history.database.reading() as connection:
            assert connection.execute("SELECT count FROM repeats").fetchall() == [(1,)]
    assert (log.version, PatchLog(log.path).version) == (4, 4)
    assert log.verify() == []
    assert files(log.path / "staging") == []
    assert numbers(log.checkout()) == {4}


def test_a_commit_of_which_the_end_cannot_be_told(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If both the commit and the check of its outcome fail, the error says so; nothing is lost."""

    class Broken(sqlite3.Connection):
        turn = 0

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            Broken.turn += statement == "COMMIT"
            if statement == "BEGIN IMMEDIATE" and Broken.turn >= 1:
                raise sqlite3.OperationalError("database is locked")
            result = super().execute(statement, *values)
            if statement == "COMMIT" and Broken.turn == 1:
                raise sqlite3.OperationalError("disk I/O error")
            return result

    with monkeypatch.context() as patched:
        connect_by(patched, Broken)
        with pytest.raises(OSError, match="it is unknown whether this was committed") as caught:
            log.append(change(4))
    assert (caught.value.errno, caught.value.filename) == (errno.EIO, str(log.path / "log.db"))
    assert log.version == 3
    assert log.refresh() is not None
    assert (log.version, log.verify()) == (4, [])
    assert fill(log, 1).version == 5
    assert files(log.path / "staging") == []


def test_an_interrupt_is_told_even_where_a_rollback_fails(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"statement": "ROLLBACK", "when": "before", "error": sqlite3.OperationalError}
    with monkeypatch.context() as patched:
        connect_by(patched, type("Faulty", (Interrupted,), {**values, "turn": 1}))
        with pytest.raises(KeyboardInterrupt), log._history.database.writing():
            raise KeyboardInterrupt
    # Closing the connection also undoes the transaction.
    assert PatchLog(log.path, timeout=0).append([]).version == 4
    assert PatchLog(log.path).verify() == []


def unmarked(folder: Path) -> list[Path]:
    """Return the files in a folder, except the marks that make the next writer clean up."""
    return [path for path in files(folder) if path.suffix not in (".mark", ".note")]


@pytest.mark.parametrize("name", ["segments", "log", "snapshots", "replica"])
def test_a_folder_that_cannot_be_brought_to_the_disk(
    log: PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """After a failed sync no file is left that may not be durable; a second try succeeds."""
    log.snapshot(1)
    replica = Replica(tmp_path / "replica")
    replica.update(log, upto=1)
    real = os.fsync

    def fsync(fd: int) -> None:
        if os.path.basename(os.readlink(f"/proc/self/fd/{fd}")) == name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(fd)

    works = {
        "segments": lambda: log.append(change(4)),
        "snapshots": lambda: log.snapshot(2),
        "replica": lambda: replica.update(log),
        "log": lambda: (shutil.rmtree(log.path / "snapshots"), log.append(change(4))),
    }
    before = unmarked(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match=name) as caught:
            works[name]()
    assert caught.value.errno == errno.EIO
    if name != "log":
        assert unmarked(tmp_path) == before
    assert (log.version, PatchLog(log.path).version, replica.version) == (3, 3, 1)
    works[name]()
    # The test deleted this snapshot.
    assert len(log.verify()) == (name == "log")
    assert Replica(replica.path).version == (3 if name == "replica" else 1)


@pytest.mark.parametrize("at_once", [1, 1 << 20])
def test_a_process_that_is_forked_while_it_appends(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Only the parent process continues; the child neither changes nor damages the log."""
    monkeypatch.setattr(staging, "_AT_ONCE", at_once)
    reader, writer = os.pipe()
    children: list[int] = []

    def operations() -> Any:
        # Some batches are already in a temporary file, others are in memory.
        yield from map(add, range(3000))
        assert len(files(log.path / "staging")) == (2 if at_once == 1 else 0)
        children.append(os.fork())
        if children != [0]:
            os.waitpid(children[0], 0)
        yield add(3000)

    said = "nothing"
    try:
        entry = log.append(operations())
        said = f"version {entry.version}"
    except LogError as error:
        said = str(error)
    finally:
        if children == [0]:
            os.write(writer, said.encode())
            os._exit(0)
    assert b"the process was forked" in os.read(reader, 1000)
    assert said == "version 4"
    assert files(log.path / "staging") == []
    assert PatchLog(log.path).verify() == []
    os.close(reader)
    os.close(writer)


def test_an_object_that_was_there_before_a_fork(log: PatchLog) -> None:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if fill(log, 2).version == 5 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert log.version == 3
    with pytest.raises(LogConflict):
        log.append(change(4))
    log.refresh()
    assert fill(log, 1).version == 6
    assert log.verify() == []


MOUNTED = """
import sys
import jelly_rdflib as jr
log = jr.PatchLog(sys.argv[1])
assert log.verify(deep=True) == [] and list(log.checkout().quads()), log
assert [entry.version for entry in log.patches()] == [2, 3] and log.snapshots == [2]
try:
    log.append([])
except OSError as error:
    print(error)
"""


def mounted(path: Path) -> subprocess.CompletedProcess[str]:
    """Use a log on a read-only medium."""
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" -c "$3" "$1"'
    command = ["unshare", "-m", "sh", "-c", mount, "sh", str(path), sys.executable, MOUNTED]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def can_mount() -> bool:
    command = ["unshare", "-m", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(command, check=False).returncode


@pytest.mark.skipif(not can_mount(), reason="nothing can be mounted here")
def test_a_medium_that_can_only_be_read(log: PatchLog, tmp_path: Path) -> None:
    log.squash(1, 2)
    log.snapshot(2)
    ended = mounted(log.path)
    assert ended.stderr == ""
    assert "Read-only file system" in ended.stdout


HOT = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = TRUNCATE")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("CREATE TABLE filler (x)")
for _ in range(1000):
    connection.execute("INSERT INTO filler VALUES (randomblob(4000))")
os._exit(0)
"""


def test_a_writer_that_was_cut_off_within_its_transaction(log: PatchLog) -> None:
    """The next reader repairs the database, or reports that it can't write to it."""
    path = log.path / "log.db"
    subprocess.run([sys.executable, "-c", HOT, path], check=True)
    assert path.with_name("log.db-journal").stat().st_size > 0
    if can_mount():
        ended = mounted(log.path)
        assert "LogError" in ended.stderr
        assert "must be repaired before it is read" in ended.stderr
    assert PatchLog(log.path).version == 3
    assert log.verify(deep=True) == []
    fill(log, 1)
    assert path.with_name("log.db-journal").stat().st_size == 0


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be another")
@pytest.mark.parametrize(
    ("name", "mode"), [("", 0o555), ("log.db", 0o444), ("log.db-journal", 0o444)]
)
@pytest.mark.parametrize("mode_of_journal", [0o666, 0])
def test_a_repair_by_who_may_not_write(
    log: PatchLog, name: str, mode: int, mode_of_journal: int
) -> None:
    path = log.path / "log.db"
    subprocess.run([sys.executable, "-c", HOT, path], check=True)
    for each, its in ((log.path.parent, 0o755), (log.path, 0o777), (path, 0o666)):
        each.chmod(its)
    path.with_name("log.db-journal").chmod(mode_of_journal)
    (log.path / name).chmod(mode)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setuid(65534)
            PatchLog(log.path)
        except LogError as error:
            code = 0 if "must be repaired before it is read" in str(error) else 3
        except BaseException as error:
            os.write(2, repr(error).encode())
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("text", "is_refused", "has_database", "journal", "code"),
    [
        ("attempt to write a readonly database", True, True, None, errno.EACCES),
        ("unable to open database file", True, True, b"", errno.EACCES),
        ("unable to open database file", False, True, None, errno.EIO),
        ("unable to open database file", True, False, b"", errno.ENOENT),
        ("disk I/O error", True, True, b"", errno.EIO),
        ("database or disk is full", True, True, b"", errno.ENOSPC),
        ("disk I/O error", False, True, b"a transaction", errno.EIO),
    ],
)
def test_what_the_system_refuses_is_told_from_what_fails(
    log: PatchLog,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    is_refused: bool,
    has_database: bool,
    journal: bytes | None,
    code: int,
) -> None:
    path = log.path / "log.db"
    if journal is None:
        path.with_name("log.db-journal").unlink()
    else:
        path.with_name("log.db-journal").write_bytes(journal)
    if not has_database:
        path.unlink()

    def connect(*_: Any, **__: Any) -> Any:
        raise sqlite3.OperationalError(text)

    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(os, "access", lambda path, _: path.exists() and not is_refused)
    with pytest.raises(OSError, match=text) as caught:
        log.append([])
    assert (caught.value.errno, caught.value.filename) == (code, str(path))


MOUNTS = """\
22 1 0:19 / {folder} rw,relatime - tmpfs hidden rw
23 22 0:20 / {folder} rw,relatime shared:5 - {type} server:/export rw,vers=4.2
24 22 0:21 / {folder}/log/inner rw - tmpfs tmpfs rw
25 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
"""


@pytest.mark.parametrize("type", ["nfs4", "cifs", "9p", "fuse.sshfs", "ext4", "fuse.bindfs"])
def test_a_file_system_of_a_network_is_read_and_not_written(
    log: PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type: str
) -> None:
    path = tmp_path / "mountinfo"
    # The system escapes spaces and some other characters in this way.
    folder = os.path.realpath(tmp_path).replace("-", r"\055")
    path.write_text(MOUNTS.format(folder=folder, type=type))
    snapshot = log.snapshot(2)
    monkeypatch.setattr(database, "_MOUNTS", path)
    again = PatchLog(log.path, create=True)
    # The log exists, so nothing is written.
    assert again.snapshot(2) == snapshot
    assert numbers(again.checkout()) == {3}
    if type in ("ext4", "fuse.bindfs"):
        assert again.append(change(4)).version == 4
        return
    works = (
        *(lambda: again.append(change(4)), again.snapshot, again.squash),
        *(lambda: PatchLog.create(tmp_path / "new"), lambda: Replica(tmp_path / "replica")),
    )
    for work in works:
        with pytest.raises(LogError, match=rf"file system \({type}\).*copy it from there"):
            work()  # type: ignore[no-untyped-call]
    assert again.verify() == []


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize("at_once", [1, 1 << 20])
def test_how_a_file_gets_its_name(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch, has_links: bool, at_once: int
) -> None:
    """A file in memory or in a temporary folder is given its name, with and without links."""

    def refused(*paths: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    def replace(source: Path, target: Path) -> None:
        assert target.name in staging.list_noted(log.path / "staging")
        real(source, target)

    real = os.replace
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(staging, "_AT_ONCE", at_once)
    if not has_links:
        monkeypatch.setattr(os, "link", refused)
    opened = len(os.listdir("/proc/self/fd"))
    assert log.append(change(4)).version == 4
    log.snapshot()
    log.squash(2, 3)
    assert numbers(log.checkout()) == {4}
    for path in [*files(log.path / "segments"), *files(log.path / "snapshots")]:
        assert (path.stat().st_nlink, path.stat().st_mode & 0o111) == (1, 0)
    assert log.verify(deep=True) == []
    assert len(os.listdir("/proc/self/fd")) <= opened
    assert files(log.path / "staging") == []


def test_each_connection_has_the_settings_of_the_log(log: PatchLog) -> None:
    settings = {"synchronous": 2, "journal_mode": "truncate", "trusted_schema": 0}
    with log._history.database.reading() as connection:
        found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in settings}
    assert found == settings


def test_a_file_that_cannot_be_closed_is_discarded_all_the_same(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.close

    def close(fd: int) -> None:
        real(fd)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(staging, "_AT_ONCE", 1)
    with log._history.database.staged() as file:
        file.write(b"all of it")
        monkeypatch.setattr(os, "close", close)
    assert files(log.path / "staging") == []

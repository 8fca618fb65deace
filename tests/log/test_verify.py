"""Tests that each fault of a log is reported with advice, and that no faulty data are read."""

import hashlib
import os
import random
import shutil
import sqlite3
import uuid
import warnings
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, PatchLog
from jelly_rdflib.log import verify
from tests.log.support import (
    GRAPH,
    add,
    both,
    change,
    files,
    fill,
    numbers,
    patch_id,
    put_folder,
    put_pipe,
)


@pytest.fixture
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PatchLog:
    compression = getattr(request, "param", None)
    return fill(PatchLog.create(tmp_path / "log", compression=compression), 5)


def segment(log: PatchLog, version: int) -> Path:
    [path] = (log.path / "segments").glob(f"{version:010d}-*")
    return path


def execute(log: PatchLog, statement: str, *values: Any) -> None:
    """Change a log's database in a way that the package never does."""
    with closing(sqlite3.connect(log.path / "log.db", isolation_level=None)) as connection:
        assert connection.execute(statement, values).rowcount != 0


def with_digest(path: Path) -> Path:
    """Make the log's record of a segment match the segment's current content."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    new = path.with_name(path.name[:48] + digest[:16] + path.name[64:])
    path.rename(new)
    size, name = new.stat().st_size, path.name
    log = PatchLog(path.parent.parent)
    statement = "UPDATE segments SET digest = ?, size = ?, file = ? WHERE file = ?"
    execute(log, statement, digest, size, new.name, name)
    return new


# --- files ----------------------------------------------------------------------------------------


HARMS: dict[str, Callable[[Path], object]] = {
    "is gone": Path.unlink,
    "not a file, but a folder": put_folder,
    "folder, a pipe or the like": put_pipe,
    "is damaged": lambda path: path.write_bytes(b""),
}


@both
@pytest.mark.parametrize("version", [1, 3, 5])
@pytest.mark.parametrize("message", HARMS)
def test_a_segment_that_cannot_be_read(log: PatchLog, version: int, message: str) -> None:
    path = segment(log, version)
    HARMS[message](path)
    [problem] = log.verify()
    assert (problem.path, problem.version) == (path, version)
    assert message in problem.message
    assert "restore the file" in problem.advice
    again = PatchLog(log.path)
    assert numbers(again.checkout(version - 1)) == ({version - 1} if version > 1 else set())
    for call in (again.checkout, again.squash, again.snapshot, again.entry(version).read):
        with pytest.raises(LogError, match=message) as caught:
            call()
        assert (caught.value.path, caught.value.message) == (path, problem.message)
    with pytest.raises(LogError, match=message):
        again.replay(Dataset())


@pytest.mark.parametrize("name", ["log.db", "log.db-journal", "staging", "segments"])
@pytest.mark.parametrize("harm", [put_folder, put_pipe])
def test_something_else_where_a_file_or_folder_should_be(
    log: PatchLog, name: str, harm: Callable[[Path], None]
) -> None:
    """The fault is reported at once, without opening a pipe, which could block forever."""
    path = log.path / name
    if path.is_dir():
        if harm is put_folder:
            return
        shutil.rmtree(path)
        path.touch()
    harm(path)
    with pytest.raises(LogError, match="move it away"):
        PatchLog(log.path).append(change(6))
    with pytest.raises(LogError, match="move it away"):
        log.append(change(6))


def test_folders_without_files_may_be_missing(log: PatchLog) -> None:
    """Empty folders may be missing, since tools such as git do not copy them."""
    for name in ("staging", "snapshots"):
        (log.path / name).rmdir()
    assert log.verify(deep=True) == []
    assert numbers(PatchLog(log.path).checkout()) == {5}
    assert not (log.path / "staging").exists()
    fill(log, 1)
    assert log.snapshot().exists()
    assert log.snapshots == [6]
    assert log.verify(deep=True) == []


# --- the database ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "message", "version"),
    [
        ("DELETE FROM segments WHERE version = 3", "version 4 starts at 4", 4),
        ("DELETE FROM segments WHERE version IN (1, 2)", "version 3 starts at 3", 3),
        ("UPDATE segments SET first = 2 WHERE version = 3", "version 3 starts at 2", 3),
        ("UPDATE segments SET prev = 'uuid:7' WHERE version = 4", "must follow <uuid:7>", 4),
        ("UPDATE segments SET id = 'uuid:7' WHERE version = 4", "but follows <uuid:7>", 5),
    ],
)
def test_rows_that_do_not_follow_one_another(
    log: PatchLog, statement: str, message: str, version: int
) -> None:
    execute(log, statement)
    problems = log.verify()
    assert (problems[0].path, problems[0].version) == (log.path / "log.db", version)
    assert message in problems[0].message
    assert "from a backup" in problems[0].advice
    again = PatchLog(log.path)
    before = files(log.path)
    calls: list[Callable[[], object]] = [
        *(again.checkout, again.patches, again.squash, again.snapshot),
        lambda: again.replay(Dataset()),
    ]
    for call in calls:
        with pytest.raises(LogError, match=r"the log is broken, .* see verify"):
            call()
    assert files(log.path) == before


@pytest.mark.parametrize("version", [1, 3, 5])
def test_a_row_that_is_gone(log: PatchLog, version: int) -> None:
    execute(log, "DELETE FROM segments WHERE version = ?", version)
    for call in (log.entry, log.checkout, lambda version: log.patches(upto=version)):
        with pytest.raises(LogError, match=f"the log is broken: version {version} is missing in"):
            call(version)


@both
def test_a_snapshot_without_a_row_gets_one_again(log: PatchLog) -> None:
    path = log.snapshot(2)
    execute(log, "DELETE FROM snapshots")
    assert [problem.path for problem in log.verify()] == [path]
    assert log.snapshot(2) == path
    assert (log.snapshots, log.verify()) == ([2], [])


BLOB = b"0123456789abcdef"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("first", "a"), ("id", BLOB), ("prev", BLOB), ("prev", 1), ("file", BLOB)),
        *(("size", BLOB), ("size", "much"), ("digest", BLOB), ("time", "late"), ("time", BLOB)),
        *(("time", 1e300), ("time", float("inf")), ("id", "nonsense"), ("digest", "")),
    ],
)
@pytest.mark.parametrize("table", ["segments", "snapshots"])
def test_a_row_with_what_cannot_be(log: PatchLog, table: str, column: str, value: Any) -> None:
    if table == "snapshots" and column in ("first", "prev"):
        return
    log.snapshot(4)
    log.snapshot(2)
    execute(log, f"UPDATE {table} SET {column} = ? WHERE version = 4", value)
    if (table, column) != ("snapshots", "time") or not isinstance(value, float):
        assert {4} <= {problem.version for problem in log.verify(deep=True)}
        assert all(problem.advice for problem in log.verify(deep=True))
    again = PatchLog(log.path)
    calls: list[Callable[[], object]] = [
        *(again.checkout, again.patches, lambda: again.entry(4).time, lambda: again.entry(4).read),
        *(lambda: again.replay(Dataset(), since=3), lambda: again.checkout(3), again.refresh),
        *(lambda: again.append([]), lambda: again.snapshot(4), lambda: again.squash(4, 5)),
        *(lambda: again.snapshots, lambda: log.entry(patch_id(4)).digest),
    ]
    for call in calls:
        with suppress(LogError), warnings.catch_warnings():
            warnings.simplefilter("ignore", jr.LogWarning)
            call()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM log", "its table log has no valid row"),
        ("INSERT INTO log SELECT * FROM log", "its table log has no valid row"),
        ("UPDATE log SET id = 'x'", "its table log has no valid row"),
        ("UPDATE log SET id = x'00'", "its table log has no valid row"),
        ("UPDATE log SET compression = 'gz'", "its table log has no valid row"),
        ("DROP TABLE log", "no such table: log"),
        ("DROP TABLE segments", "no such table: segments"),
        ("DROP TABLE snapshots", "no such table: snapshots"),
    ],
)
def test_a_database_that_is_none_of_a_log_any_more(
    log: PatchLog, statement: str, message: str
) -> None:
    execute(log, statement)
    [problem] = log.verify()
    assert problem.path == log.path / "log.db"
    assert str(log.path) not in problem.message
    assert message in problem.message
    assert "jellyp log append NEW segments/*" in problem.advice
    if "snapshots" not in statement:
        with pytest.raises(LogError, match="log append NEW segments"):
            PatchLog(log.path)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TABLE notes (x)", "it has a table notes"),
        ("CREATE VIEW notes AS SELECT 1", "it has a view notes"),
        (
            "CREATE TRIGGER t AFTER INSERT ON segments BEGIN DELETE FROM segments; END",
            "it has a trigger t",
        ),
        ("DROP TABLE repeats", "its table repeats is missing"),
        ("ALTER TABLE snapshots ADD COLUMN x", "its table snapshots is missing, or was changed"),
    ],
)
def test_a_database_with_other_parts(log: PatchLog, statement: str, message: str) -> None:
    execute(log, statement)
    [problem] = log.verify(deep=True)
    assert message in problem.message
    segment(log, 3).unlink()
    assert [problem.version for problem in log.verify()] == [None, 3]


@pytest.mark.parametrize(
    ("harm", "reason"),
    [(Path.unlink, "it is gone"), (lambda path: path.write_bytes(b""), "it is empty")],
)
def test_a_database_that_is_lost(
    log: PatchLog, harm: Callable[[Path], object], reason: str
) -> None:
    harm(log.path / "log.db")
    for create in (False, True):
        with pytest.raises(LogError, match=rf"{reason}.*log append NEW segments/\*"):
            PatchLog(log.path, create=create)
    before = files(log.path)
    with pytest.raises((LogError, OSError)):
        log.append(change(6))
    assert files(log.path) == before


@pytest.mark.parametrize("name", ["segments", "snapshots", "staging"])
@pytest.mark.parametrize("make", [Path.touch, os.mkfifo])
def test_no_folder_where_one_should_be(
    log: PatchLog, name: str, make: Callable[[Path], object]
) -> None:
    path = log.path / name
    shutil.rmtree(path)
    make(path)
    (log.path / "notes.txt").touch()
    problems = log.verify(deep=True)
    assert problems.pop().path.name == "notes.txt"
    [problem] = [problem for problem in problems if problem.path == path]
    assert problem.advice == "move it away"
    assert len(problems) == (6 if name == "segments" else 1)


def test_strange_files_beside_the_database(log: PatchLog) -> None:
    for name in (".hidden", "notes.txt"):
        (log.path / name).touch()
    [problem] = log.verify()
    assert problem.path == log.path / "notes.txt"
    assert "move it away" in problem.advice
    assert str(jr.LogProblem(problem.path, "is strange")) == f"{problem.path}: is strange"


@both
def test_a_database_of_which_pages_are_damaged(log: PatchLog) -> None:
    fill(log, 300)
    path = log.path / "log.db"
    whole = path.read_bytes()
    for page in range(1, len(whole) // 4096):
        data = bytearray(whole)
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
        path.write_bytes(data)
        problems = log.verify()
        assert problems, page
        assert problems[0].path == path
        assert "jellyp log append NEW segments/*" in problems[0].advice
    # This repairs the log.
    path.write_bytes(b"")
    again = PatchLog.create(log.path.with_name("again"), compression=log.compression)
    for each in sorted((log.path / "segments").iterdir()):
        again.append(each)
    assert [entry.id for entry in again.patches()][:5] == list(map(patch_id, range(1, 6)))
    assert numbers(again.checkout()) == {305}


def test_what_sqlite_finds_in_the_file_is_told(log: PatchLog) -> None:
    path = log.path / "log.db"
    data = bytearray(path.read_bytes())
    # Change the number of free pages, which reads do not need.
    data[36:40] = bytes([0, 0, 0, 7])
    path.write_bytes(data)
    assert numbers(log.checkout()) == {5}
    [problem] = log.verify()
    assert problem.path == path
    assert "reelist" in problem.message


def test_a_writer_that_was_cut_off_takes_no_file_with_it(log: PatchLog, tmp_path: Path) -> None:
    """A writer's mark lists only its own files, so no other files are deleted."""
    path = log.path / "log.db"
    older = path.read_bytes()
    newer = [entry.path for entry in fill(log, 2).patches(5)]
    snapshot = log.snapshot(7)
    replica = jr.Replica(tmp_path / "replica")
    replica.update(log, upto=3)
    copied = Path(shutil.copy(snapshot, replica.path))
    for folder in (log.path, replica.path):
        (folder / "staging" / f"{'0' * 32}.mark").touch()
    replica.update(log, upto=4)
    path.write_bytes(older)
    log.refresh()
    problems = log.verify()
    assert [problem.path for problem in problems] == [*newer, snapshot]
    assert all("restore the newer" in problem.advice for problem in problems)
    # The patches can be appended again.
    assert [log.append(each).id for each in newer] == [patch_id(6), patch_id(7)]
    assert all(each.exists() for each in [*newer, snapshot, copied])
    assert files(log.path / "staging") == files(replica.path / "staging") == []


def stuck_mark(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, stuck_mark])
def test_a_mark_that_cannot_be_locked_keeps_its_files(
    log: PatchLog, make: Callable[[Path], object]
) -> None:
    """The files stay, since their writer may still be running."""
    staging = log.path / "staging"
    make(staging / f"{'0' * 32}.mark")
    (staging / f"{'0' * 32}.tmp").touch()
    before = sorted(staging.iterdir())
    assert fill(log, 1).version == 6
    assert sorted(staging.iterdir()) == before


@pytest.mark.parametrize("is_damaged", [False, True])
def test_others_squash_in_each_attempt_to_check_a_log(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch, is_damaged: bool
) -> None:
    """A problem is reported only if it persists."""
    real = verify._problems_of
    path = segment(log, 5)
    path.write_bytes(path.read_bytes()[is_damaged:])

    def problems_of(history: Any, state: Any, *, deep: bool) -> Any:
        newest_squashed = 7 - len(state[0])
        PatchLog(log.path).squash(1, newest_squashed)
        found = list(real(history, state, deep=deep))
        # Different files are missing in each attempt.
        assert newest_squashed in {each.version for each in found}
        return found

    monkeypatch.setattr(verify, "_problems_of", problems_of)
    assert [each.path for each in log.verify()] == [path] * is_damaged
    assert PatchLog(log.path).entry(4).first == 1


def test_a_file_that_gets_its_row_while_a_log_is_checked_is_no_problem(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log.path / "log.db"
    older = path.read_bytes()
    fill(log, 1)
    newer = path.read_bytes()
    real = verify._problems_of

    def problems_of(*arguments: Any, **more: Any) -> Any:
        # Do this in each attempt, since other processes may write at any time.
        path.write_bytes(older)
        return real(*arguments, **more)

    def list_noted(folder: Path) -> set[str]:
        path.write_bytes(newer)
        return set()

    monkeypatch.setattr(verify, "_problems_of", problems_of)
    monkeypatch.setattr(verify, "list_noted", list_noted)
    assert log.verify() == []

    def locked(*_: Any) -> Any:
        raise LogConflict("locked by others")

    monkeypatch.setattr(verify, "_strays", locked)
    with pytest.raises(LogConflict):
        log.verify()


# --- the content ----------------------------------------------------------------------------------


@both
def test_a_damaged_large_segment(log: PatchLog) -> None:
    """A large segment is checked without reading it into memory as a whole."""
    dice = random.Random(2)
    path = log.append([add(dice.getrandbits(4000)) for _ in range(2000)]).path
    assert path.stat().st_size > 1 << 20
    assert log.verify() == []
    data = bytearray(path.read_bytes())
    data[-1000] ^= 4
    path.write_bytes(data)
    [problem] = log.verify()
    assert "is damaged" in problem.message
    with pytest.raises(LogError, match="is damaged"):
        log.checkout()


def encoded(path: Path, operations: list[jr.Operation], **options: object) -> None:
    with jr.PatchWriter(path, jr.PatchOptions(**options)) as writer:  # type: ignore[arg-type]
        writer.write_all(operations)


ID_1 = (jr.Op.H, "id", patch_id(1))
ID, PREV = (jr.Op.H, "id", patch_id(5)), (jr.Op.H, "prev", patch_id(4))


@both
@pytest.mark.parametrize(
    ("version", "operations", "message"),
    [
        (5, [ID, add(1)], f"its header prev is missing; it should be <{patch_id(4)}>"),
        (5, [PREV, add(1)], "its header id is missing"),
        (5, [ID, ID, ID, PREV], "its header id is <{0}> and <{0}>; it".format(patch_id(5))),
        (5, [ID, PREV, add(1), PREV], "its header prev is"),
        (5, [ID, (jr.Op.H, "prev", patch_id(3))], "its header prev is"),
        (5, [ID, PREV, add(1), (jr.Op.END,), add(2)], "it has 2 patches, not one"),
        (5, [], "it has 0 patches, not one"),
        (1, [ID_1, PREV], f"its header prev is <{patch_id(4)}>; there should be none"),
        (1, [ID_1, (jr.Op.H, "previous", patch_id(4))], "its header prev is"),
    ],
)
def test_a_segment_that_was_made_by_others(
    log: PatchLog, version: int, operations: list[jr.Operation], message: str
) -> None:
    """The digest of the segment is correct, but its content is invalid."""
    path = segment(log, version)
    encoded(path, operations)
    path = with_digest(path)
    [problem] = log.verify()
    assert message in problem.message
    assert (problem.path, problem.version) == (path, version)
    again = PatchLog(log.path)
    entry = again.entry(version)
    for call in (entry.operations, entry.batches, entry.read, again.checkout, again.squash):
        if "header" in message or not operations:
            reason = message if operations else "its header id is missing"
            with pytest.raises(LogError, match=f"{path.name} is in the wrong place: {reason}"):
                call()


# --- other files ----------------------------------------------------------------------------------


@both
def test_strange_files_are_told_and_do_no_harm(log: PatchLog) -> None:
    segments, snapshots = log.path / "segments", log.path / "snapshots"
    strange = [
        segments / "notes.txt",
        segments / (segment(log, 3).name + "~"),
        segments / segment(log, 3).name.upper(),
        segments / segment(log, 3).name.replace("0000000003", "00000000003"),
        segments / segment(log, 3).name.replace("0000000003", "0000000003-0000000003"),
        segments / segment(log, 3).name.replace("0000000003", "0000000000"),
        segments / segment(log, 3).name.replace("0000000003", "0000000004-0000000003"),
        segments / segment(log, 3).name.replace("jellyp", "jelly"),
        snapshots / segment(log, 3).name,
    ]
    strange.append(log.path / "staging" / "notes.txt")
    # The log could use this name, but the file is not in the log.
    stray = segments / segment(log, 3).name.replace("0000000003", "0000000006")
    hidden = [segments / ".DS_Store", snapshots / ".nfs0001"]
    for path in [*strange, *hidden]:
        path.write_bytes(b"")
    stray.write_bytes(b"")
    problems = PatchLog(log.path).verify()
    assert sorted(problem.path for problem in problems) == sorted([*strange, stray])
    named = {problem.path for problem in problems if "this is not the name" in problem.message}
    assert named == {*strange[:-1]}
    assert all(problem.advice for problem in problems)
    # If a writer was interrupted, the next writer removes only the files that are noted.
    other = segments / stray.name.replace("0000000006", "0000000007")
    other.write_bytes(b"")
    strange.append(other)
    staging = log.path / "staging"
    row = segment(log, 2)
    notes = [f"{stray.name}.note", f"{row.name}.note", f"{log.path.name}.note", "note"]
    for end in ("mark", "tmp", *notes):
        (staging / f"{'0' * 32}.{end}").touch()
    strange += [staging / f"{'0' * 32}.{end}" for end in notes[2:]]
    assert sorted(problem.path for problem in log.verify()) == sorted(strange)
    assert fill(PatchLog(log.path), 1).version == 6
    assert not stray.exists()
    assert all(path.exists() for path in [*strange, *hidden, row])
    assert len(files(staging)) == 3


def test_snapshots_of_versions_that_are_not_there(log: PatchLog) -> None:
    path = log.snapshot(5)
    segment(log, 5).unlink()
    execute(log, "DELETE FROM segments WHERE version = 5")
    [problem] = log.verify()
    assert "the log has no version 5 with the id" in problem.message
    assert problem.path == path
    assert numbers(PatchLog(log.path).checkout()) == {4}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("size = 7", "but should have 7"),
        ("time = 1e300", "the time of version 5 in the database is not valid"),
        ("time = 'late'", "of version 5, time is str"),
        ("version = 6", "its name does not match its row"),
    ],
)
def test_a_row_that_is_not_of_its_file(log: PatchLog, change: str, message: str) -> None:
    execute(log, f"UPDATE segments SET {change} WHERE version = 5")
    [problem] = log.verify()
    assert message in problem.message


def test_a_name_with_the_digest_of_another_file(log: PatchLog) -> None:
    path = segment(log, 5)
    encoded(path, [ID, PREV, add(1)])
    digest, size = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size
    execute(log, "UPDATE segments SET digest = ?, size = ? WHERE version = 5", digest, size)
    [problem] = log.verify()
    assert "its name does not match its row" in problem.message


@both
def test_a_snapshot_that_is_not_what_the_patches_make(log: PatchLog, tmp_path: Path) -> None:
    path = log.snapshot(3)
    name = path.name
    other = fill(PatchLog.create(tmp_path / "other", compression=log.compression), 2)
    other.append([(jr.Op.H, "id", patch_id(3)), add(3), add(4)])
    path.unlink()
    path = Path(shutil.move(other.snapshot(), log.path / "snapshots"))
    assert path.name != name
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    statement = "UPDATE snapshots SET file = ?, digest = ?, size = ?"
    execute(log, statement, path.name, digest, path.stat().st_size)
    assert log.verify() == []
    [problem] = log.verify(deep=True)
    assert "differs from the replayed version by a patch of 5 operations" in problem.message
    assert problem.version == 3
    # A snapshot with a term that rdflib can't represent can't be loaded either.
    quoted = jr.TripleTerm(*add(1)[1:4])
    with jr.StatementWriter(path, jr.StreamOptions(rdf_star=True)) as writer:
        writer.write((*add(1)[1:3], quoted, GRAPH))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    execute(log, statement, path.name, digest, path.stat().st_size)
    assert log.verify() == []
    [problem] = log.verify(deep=True)
    assert "can't hold" in problem.message
    assert (problem.path, problem.version) == (path, 3)


def test_a_snapshot_before_what_rdflib_cannot_hold(log: PatchLog) -> None:
    log.snapshot(3)
    quoted = jr.TripleTerm(add(1)[1], add(1)[2], add(1)[3])
    patch = [(jr.Op.A, *add(1)[1:3], quoted, None)]
    log.append(patch, options=jr.PatchOptions(rdf_star=True))
    with pytest.warns(jr.LogWarning, match="version 6 can't be replayed: "):
        assert log.verify(deep=True) == []


@given(dice=st.randoms(use_true_random=False))
def test_whatever_happens_to_the_files_is_told(dice: random.Random, folder: Path) -> None:
    """Deleted, copied, swapped, truncated and overwritten segments are all detected."""
    log = fill(PatchLog.create(folder / uuid.uuid4().hex), 4)
    expected = [list(entry.read()) for entry in log.patches()]
    for _ in range(dice.randint(1, 3)):
        paths = files(log.path / "segments")
        if not paths:
            break
        one, two = dice.choice(paths), dice.choice(paths)
        match dice.randrange(4):
            case 0:
                one.unlink()
            case 1:
                two.write_bytes(one.read_bytes())
            case 2:
                data = bytearray(one.read_bytes())
                data[dice.randrange(len(data)) if data else 0 :] = b""
                one.write_bytes(data)
            case 3:
                one.rename(log.path / "other")
                if two != one:
                    two.rename(one)
                (log.path / "other").rename(two)
    again = PatchLog(log.path)
    if not again.verify():
        assert [list(entry.read()) for entry in again.patches()] == expected


def test_names_in_the_database_that_are_no_text_or_too_long(log: PatchLog) -> None:
    with closing(sqlite3.connect(log.path / "log.db", isolation_level=None)) as connection:
        for statement in (
            "CREATE TABLE one (x)",
            "CREATE TABLE two (x)",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET name = CAST('two' AS BLOB) WHERE name = 'two'",
        ):
            connection.execute(statement)
    assert any("one" in problem.message for problem in log.verify())
    # Python refuses to make an int with so many digits.
    name = segment(log, 5).name
    execute(log, "UPDATE segments SET file = ? WHERE file = ?", "9" * 5000 + name[10:], name)
    with pytest.raises(LogError):
        PatchLog(log.path).checkout()
    assert log.verify()

"""A log of the earlier format is converted, and loses nothing.

`old/` was written by that format's own code: six patches, of which 2 to 4 were squashed, and a
snapshot of version 5.
"""

from __future__ import annotations

import hashlib
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jelly_rdflib import Limits, LogError, LogWarning, PatchLog, Replica
from jelly_rdflib.log import upgrade
from tests.faults.log.system_calls import run_and_kill
from tests.log.support import files, fill, numbers, patch_id, put_folder

OLD = Path(__file__).parent / "old"


@pytest.fixture(params=["plain", "zst"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    # git keeps no empty folders
    path = Path(shutil.copytree(OLD / request.param, tmp_path / "log"))
    (path / "staging").mkdir(exist_ok=True)
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in files(path)}


def assert_upgraded(log: PatchLog, before: dict[str, bytes]) -> None:
    after = contents(log.path)
    assert {name for name in before if name not in after} <= {"log.json", "head"}
    assert {name: after[name] for name in before if name in after} == {
        name: data for name, data in before.items() if name not in ("log.json", "head")
    }
    assert [(entry.first, entry.version, entry.id) for entry in log.patches()] == [
        (first, last, patch_id(last)) for first, last in ((1, 1), (2, 4), (5, 5), (6, 6))
    ]
    assert log.snapshots == [5]
    assert log.verify(deep=True) == []
    for version in (0, 1, 4, 5, 6):
        assert numbers(log.checkout(version)) == ({version} if version else set())
    assert [entry.size for entry in log.patches()] == [
        entry.path.stat().st_size for entry in log.patches()
    ]


def test_nothing_is_lost(old: Path) -> None:
    before = contents(old)
    log = upgrade(old)
    assert log.compression == ("zst" if any(name.endswith(".zst") for name in before) else None)
    assert_upgraded(log, before)
    after = contents(old)
    # once more: nothing is to be done
    assert upgrade(old).version == 6
    assert contents(old) == after
    assert fill(log, 2).version == 8
    assert log.squash(1, 6).version == 6
    assert PatchLog(old).verify(deep=True) == []


def test_only_an_upgrade_opens_it(old: Path, tmp_path: Path) -> None:
    before = contents(old)
    calls: list[Callable[[], Any]] = [
        *(lambda: PatchLog(old), lambda: PatchLog(old, create=True), lambda: PatchLog.create(old)),
    ]
    for call in calls:
        with pytest.raises(LogError, match=f"jellyp log upgrade {old}"):
            call()
    with pytest.raises(LogError, match="no replica"):
        Replica(old)
    assert contents(old) == before
    with pytest.raises(LogError, match="no patch log"):
        upgrade(tmp_path)
    with pytest.raises(FileNotFoundError):
        upgrade(tmp_path / "nothing")


def test_it_may_be_cut_off_anywhere(old: Path, tmp_path: Path) -> None:
    before = contents(old)
    turn, call, states = 0, "something", set()
    while call:
        path = tmp_path / "copy"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(old, path)
        call = run_and_kill(lambda path=path: upgrade(path), turn)
        states.add(tuple((path / name).exists() for name in ("log.db", "log.json", "head")))
        assert_upgraded(upgrade(path), before)
        assert not (path / "log.json").exists()
        turn += 1
    assert {(True, True, True), (True, False, False)} <= states


def test_it_may_be_cut_off_before_its_commit(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(old)
    with monkeypatch.context() as patched:
        patched.setattr("jelly_rdflib.log.database._insert", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            upgrade(old)
    with pytest.raises(LogError, match="jellyp log upgrade"):
        PatchLog(old)
    assert_upgraded(upgrade(old), before)


def put(beside: Path, version: int, data: bytes, *, start: str = "") -> Path:
    """Put a file of a version beside another one."""
    digest = hashlib.sha256(data).hexdigest()[:16]
    suffix = "".join(beside.suffixes)
    path = beside.with_name(f"{start}{version:010d}-{patch_id(version)[5:]}-{digest}{suffix}")
    path.write_bytes(data)
    return path


def put_covered(old: Path) -> Path:
    """Put a segment there that was squashed into another, by a squash that was cut off."""
    [squashed] = (old / "segments").glob("0000000002-*")
    return put(squashed, 3, b"as it was written")


def test_what_was_squashed_goes_even_after_an_interrupt(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(old)
    covered = put_covered(old)
    with monkeypatch.context() as patched:
        patched.setattr("jelly_rdflib.log.history.History.read_log", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            upgrade(old)
    assert covered.exists()
    assert PatchLog(old).version == 6
    assert_upgraded(upgrade(old), before)
    assert not covered.exists()


def test_files_that_the_database_does_not_know_stay(old: Path) -> None:
    """It may be an older one, which was brought back together with the marker."""
    marker = (old / "log.json").read_bytes()
    upgrade(old)
    (old / "log.json").write_bytes(marker)
    [segment] = (old / "segments").glob("0000000005-*")
    [snapshot] = (old / "snapshots").iterdir()
    unknown = [
        *(put(segment, 5, b"w", start="0000000003-"), put(segment, 5, b"x")),
        *(put(segment, 7, b"y"), put(snapshot, 6, b"z")),
    ]
    assert sorted(problem.path for problem in upgrade(old).verify()) == unknown
    assert not (old / "log.json").exists()


@pytest.mark.parametrize("is_converted", [False, True])
@pytest.mark.parametrize("name", ["log.json", "head"])
def test_what_is_not_of_the_earlier_format_stays(old: Path, is_converted: bool, name: str) -> None:
    if is_converted:
        upgrade(old)
    elif name == "log.json":
        return
    (old / name).write_text("mine")
    log = upgrade(old)
    assert (old / name).read_text() == "mine"
    [problem] = log.verify()
    assert problem.path == old / name


def test_a_snapshot_of_a_squashed_patch_stays(old: Path, tmp_path: Path) -> None:
    other = upgrade(Path(shutil.copytree(old, tmp_path / "other")))
    shutil.copy(other.snapshot(4), old / "snapshots")
    log = upgrade(old)
    assert (log.snapshots, log.verify(deep=True)) == ([4, 5], [])


def test_limits_hold_for_an_upgrade(old: Path) -> None:
    before = contents(old)
    with pytest.raises(LogError, match="max_string_size"):
        upgrade(old, limits=Limits(max_string_size=5))
    assert contents(old) == before


def test_a_damaged_snapshot_is_left_out(old: Path) -> None:
    [path] = (old / "snapshots").iterdir()
    cut(path)
    with pytest.warns(LogWarning, match=f"{path} is damaged"):
        log = upgrade(old)
    assert path.exists()
    assert (log.version, log.snapshots) == (6, [])
    assert numbers(log.checkout(5)) == {5}
    assert [problem.path for problem in log.verify()] == [path]
    assert log.snapshot(5) == path
    assert log.verify(deep=True) == []


@pytest.mark.parametrize("version", [b"0000000007", b"0000000099"])
def test_a_note_that_is_broken_says_nothing(old: Path, version: bytes) -> None:
    text = (old / "head").read_bytes()
    (old / "head").write_bytes(text.replace(b"version 0000000006", b"version " + version))
    assert upgrade(old).version == 6
    assert not (old / "head").exists()


def test_what_others_stood_for_and_what_was_staged_goes(old: Path) -> None:
    before = contents(old)
    [squashed] = (old / "segments").glob("0000000002-*")
    suffix = ".jellyp" + (".zst" if squashed.name.endswith(".zst") else "")
    covered = put_covered(old)
    [snapshot] = (old / "snapshots").iterdir()
    covered_too = put(snapshot, 3, b"of a version that was squashed")
    # Its digest is the greater one.
    second = put(snapshot, 5, b"a second one")
    other = squashed.with_name(f"0000000003-{patch_id(3)[5:]}-{'0' * 16}{suffix}")
    other.write_bytes(b"something else")
    (old / "staging" / f"{'a' * 32}.tmp").touch()
    (old / "segments" / "notes.txt").write_text("mine")
    strange = Path(shutil.copy(snapshot, old / "segments"))
    log = upgrade(old)
    strange.unlink()
    assert log.snapshots == [5]
    assert not any(path.exists() for path in (covered, covered_too, second))
    assert [problem.path for problem in log.verify() if problem.version] == [other]
    other.unlink()
    assert (old / "segments" / "notes.txt").exists()
    (old / "segments" / "notes.txt").unlink()
    fill(log, 1)
    assert files(old / "staging") == []
    assert set(before) - {"log.json", "head"} <= set(contents(old))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def mark_newer(path: Path) -> None:
    note = path.read_bytes().split(b", check")[0].replace(b"n 0000000006", b"n 0000000007")
    path.write_bytes(note + f", check {zlib.crc32(note):08x}\n".encode())


def twice(path: Path) -> None:
    new = f"{path}.zst" if path.suffix != ".zst" else path.with_suffix("")
    shutil.copy(path, new)


def replace(path: Path) -> None:
    put(path, 6, b"not at all")
    path.unlink()


def repeat(path: Path) -> None:
    shutil.copy(path, path.with_name("0000000007" + path.name[10:]))


def mark_otherwise(path: Path) -> None:
    path.write_text(path.read_text().replace("null", '"gz"').replace("zst", "gz"))


def leave_snapshot_alone(path: Path) -> None:
    shutil.rmtree(path.parent.parent / "segments")
    (path.parent.parent / "head").unlink()


def leave_snapshot_of_first(path: Path) -> None:
    leave_snapshot_alone(path)
    put(path, 1, path.read_bytes())


@pytest.mark.parametrize(
    ("pattern", "harm", "message"),
    [
        ("segments/0000000001-*", Path.unlink, "it starts at version 2, not 1"),
        ("segments/0000000005-*", Path.unlink, "it starts at version 6, not 5"),
        ("segments/0000000006-*", Path.unlink, "the newest segments are missing"),
        ("segments/0000000005-*", cut, "is damaged"),
        ("segments/0000000006-*", repeat, "an earlier version has the same id"),
        ("segments/0000000006-*", replace, r"segments/0000000006-.*: .*byte"),
        ("snapshots/*", leave_snapshot_alone, "the log has no version 5 with its id"),
        ("snapshots/*", leave_snapshot_of_first, "the log has no version 1 with its id"),
        ("log.json", lambda path: path.write_text("{"), "does not mark a patch log"),
        ("log.json", mark_otherwise, "does not mark a patch log"),
        ("log.json", put_folder, "log.json is no file, but a folder"),
        ("head", mark_newer, "there was a version 7"),
        ("segments/0000000006-*", twice, "there twice: also as 0000000006-"),
        ("head", put_folder, "head is no file, but a folder"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_changed(
    old: Path, pattern: str, harm: Callable[[Path], object], message: str
) -> None:
    [path] = old.glob(pattern)
    harm(path)
    before = contents(old)
    with pytest.raises(LogError, match=message):
        upgrade(old)
    assert contents(old) == before


def test_the_note_of_the_newest_version_may_be_gone(old: Path) -> None:
    (old / "head").unlink()
    assert upgrade(old).version == 6

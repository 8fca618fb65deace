"""Tests squashing: one patch replaces several."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import LogError, MissingVersion, Op, PatchLog
from jelly_rdflib.log import history
from jelly_rdflib.log.database import Database
from jelly_rdflib.log.files import check_segment, write_snapshot
from tests.log.support import (
    GRAPH,
    P,
    S,
    add,
    both,
    change,
    delete,
    files,
    fill,
    numbers,
    patch_id,
    state,
)

TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)


def test_a_log_knows_which_patches_it_squashed(log: PatchLog) -> None:
    fill(log, 9)
    log.squash(2, 4)
    log.squash(2, 6)
    for number in (2, 3, 4, 5):
        with pytest.raises(MissingVersion, match="no longer has the patch") as caught:
            log.entry(patch_id(number))
        assert caught.value.squashed_into == 6
    with pytest.raises(MissingVersion) as caught:
        log.entry(patch_id(99))
    assert caught.value.squashed_into is None
    assert PatchLog(log.path).verify(deep=True) == []


def test_the_database_becomes_smaller(log: PatchLog) -> None:
    fill(log, 200)
    before = (log.path / history.NAME).stat().st_size
    log.squash()
    assert (log.path / history.NAME).stat().st_size < before / 2
    again = PatchLog(log.path)
    assert again.verify(deep=True) == []
    assert numbers(again.checkout()) == {200}


def test_a_squash_is_done_even_if_the_database_stays_large(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(log, 3)

    def shrink(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Database, "shrink", shrink)
    assert log.squash().first == 1
    assert PatchLog(log.path).verify() == []


def test_a_squashed_patch_has_each_statement_once(log: PatchLog) -> None:
    log.append([add(1), add(2)])
    log.append([(Op.H, "by", Literal("me")), TX, delete(1), add(3), TC, TX, add(9), TA])
    log.append([add(1), delete(4), delete(3), add(5, GRAPH)])
    entry = log.squash(2, 3)
    headers = {"id": entry.id, "prev": log.entry(1).id, "squashed": Literal("2-3")}
    assert entry.header == {**headers, "by": Literal("me")}
    rest = list(entry.read())[4:]
    assert (rest[0], rest[-1]) == (TX, TC)
    assert set(rest[1:-1]) == {
        *(add(1), delete(3), delete(4), add(5, GRAPH)),
    }
    assert len(rest) == 6
    assert log.squash(1).version == 3
    # If a squash starts at the first version, there is nothing to delete.
    assert set(log.entry().read()) == {
        *((Op.H, "id", log.entry().id), (Op.H, "squashed", Literal("1-3"))),
        *((Op.H, "by", Literal("me")), TX, TC),
        *(add(1), add(2), add(5, GRAPH)),
    }


def test_squashing_what_was_squashed(log: PatchLog) -> None:
    fill(log, 9)
    expected = [state(log.checkout(version)) for version in range(10)]
    log.squash(3, 5)
    with pytest.raises(LogError, match="versions 3 to 5 were squashed"):
        log.squash(1, 4)
    with pytest.raises(LogError, match="versions 3 to 5 were squashed"):
        log.squash(5, 9)
    assert log.squash(3, 5) == log.entry(5)
    log.squash(patch_id(5), 7)
    assert [each.version for each in log.patches()] == [1, 2, 7, 8, 9]
    log.squash()
    assert [each.version for each in log.patches()] == [9]
    assert log.entry().prev is None
    for version in (0, 9):
        assert state(log.checkout(version)) == expected[version]
    assert log.verify(deep=True) == []
    assert len(files(log.path / "segments")) == 1


def test_there_must_be_something_to_squash(log: PatchLog) -> None:
    with pytest.raises(LogError, match="there is no version 1; the log has 0 to 0"):
        log.squash()
    fill(log, 3)
    for first in (4, 7):
        with pytest.raises(LogError, match=f"there is no version {first}; the log has 0 to 3"):
            log.squash(first)
    with pytest.raises(LogError, match="no versions"):
        log.squash(3, 2)
    with pytest.raises(LogError, match="version 0 is empty"):
        log.squash(0, 2)
    before = files(log.path)
    assert log.squash(2, 2) == log.entry(2)
    assert files(log.path) == before


@both
def test_snapshots_between_go_too(log: PatchLog) -> None:
    fill(log, 6)
    for version in (1, 2, 3, 4, 6):
        log.snapshot(version)
    # The file of a snapshot may already be deleted.
    next((log.path / "snapshots").glob("0000000002-*")).unlink()
    log.squash(2, 4)
    assert files(log.path / "staging") == []
    assert log.snapshots == [1, 4, 6]
    assert len(files(log.path / "snapshots")) == 3
    assert log.verify(deep=True) == []
    assert numbers(log.checkout(5)) == {5}


def test_a_reader_is_told_what_happened(log: PatchLog) -> None:
    fill(log, 5)
    other = PatchLog(log.path)
    entries = other.patches()
    log.squash(2, 4)
    for _ in range(2):
        with pytest.raises(LogError, match="were squashed"):
            other.checkout(3)
        other.refresh()
    # The entry was read before the squash.
    with pytest.raises(LogError, match="is gone: it was squashed"):
        entries[2].read()
    assert numbers(other.checkout(4)) == {4}


def test_a_view_of_which_the_newest_version_was_squashed(log: PatchLog) -> None:
    fill(log, 3)
    other = PatchLog(log.path)
    fill(log, 2)
    log.squash(2, 5)
    for call in (other.checkout, other.patches, other.entry, other.snapshot):
        with pytest.raises(LogError, match="version 3 no longer exists: versions 2 to 5"):
            call()
    with pytest.raises(jr.LogConflict):
        other.append([])
    assert (other.refresh(), numbers(other.checkout())) == (log.head, {5})


@pytest.mark.parametrize(("first", "last"), [(1, 3), (2, 4), (3, 4), (2, 5), (4, 6)])
def test_others_squash_while_the_new_patch_is_written(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch, first: int, last: int
) -> None:
    fill(log, 6)
    log.snapshot(3)
    other = PatchLog(log.path)

    def check(*arguments: Any, **more: Any) -> None:
        check_segment(*arguments, **more)
        monkeypatch.undo()
        other.squash(first, last)

    monkeypatch.setattr(history, "check_segment", check)
    with pytest.raises(LogError, match="versions 2 to 4 were squashed in the meantime"):
        log.squash(2, 4)
    assert [(each.first, each.version) for each in log.patches() if each.first < each.version] == [
        (first, last)
    ]
    assert (log.verify(), files(log.path / "staging")) == ([], [])


def test_others_squash_while_a_snapshot_is_written(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(log, 3)
    other = PatchLog(log.path)

    def write(*arguments: Any, **more: Any) -> str:
        monkeypatch.undo()
        other.squash()
        return write_snapshot(*arguments, **more)

    monkeypatch.setattr(history, "write_snapshot", write)
    with pytest.raises(LogError, match="version 2 was squashed in the meantime"):
        log.snapshot(2)
    assert (log.snapshots, log.verify(), files(log.path / "staging")) == ([], [], [])


def test_a_squash_does_not_show_what_others_appended(log: PatchLog) -> None:
    fill(log, 5)
    other = PatchLog(log.path)
    fill(log, 1)
    other.squash(2, 4)
    assert other.version == 5
    with pytest.raises(jr.LogConflict):
        other.append(change(6))
    assert (other.refresh() or log.entry(0)).version == 6


@both
def test_all_kinds_of_terms_stay(log: PatchLog) -> None:
    quoted = jr.TripleTerm(S, P, jr.TripleTerm(S, P, Literal("x")))
    star = jr.PatchOptions(rdf_star=True)
    log.append([(Op.A, S, P, quoted, GRAPH)], options=star)
    generalized = jr.PatchOptions(generalized_statements=True)
    log.append([(Op.A, Literal("s"), P, S, None)], options=generalized)
    entry = log.squash()
    terms = [each[1:4] for each in entry.read() if each[0] == Op.A]
    assert terms == [(S, P, quoted), (Literal("s"), P, S)]
    # Other squashed patches do not allow these kinds of terms.
    fill(log, 3)
    with closing(log.squash(3, 5).operations()) as operations:
        next(operations)
        assert not operations.options.rdf_star
        assert not operations.options.generalized_statements


@both
def test_a_squashed_patch_may_go_to_another_log(log: PatchLog, tmp_path: Path) -> None:
    fill(log, 4)
    log.squash(2, 3)
    other = PatchLog.create(tmp_path / "other")
    for entry in log.patches():
        other.append(entry.read())
    assert [each.id for each in other.patches()] == [each.id for each in log.patches()]
    assert [each.version for each in other.patches()] == [1, 2, 3]
    assert state(other.checkout()) == state(log.checkout())
    assert other.verify() == []
    other.squash(2)
    assert other.verify() == []

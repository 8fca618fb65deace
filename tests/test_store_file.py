"""A `JellyStore` that is opened in a file, with a log beside it."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.plugin import get as get_plugin
from rdflib.store import VALID_STORE, Store

import jelly_rdflib as jr
from tests.faults.log.system_calls import full_disk, run_and_kill

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")


def opened(path: Path, *, create: bool = False) -> Dataset:
    dataset = Dataset(store="Jelly")
    assert dataset.open(str(path), create=create) == VALID_STORE
    return dataset


def add(dataset: Dataset, *numbers: int, commit: bool = True) -> None:
    for number in numbers:
        dataset.graph(G).add((S, P, Literal(number)))
    if commit:
        dataset.commit()


def numbers(graph: Graph) -> set[Any]:
    return {o.value for _, _, o, _ in graph.quads()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.jelly"


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.log")


def test_what_was_committed_is_there_again(path: Path) -> None:
    dataset = opened(path, create=True)
    dataset.bind("ex", "urn:ex#")
    add(dataset, 1, 2)
    add(dataset, 3, commit=False)
    dataset.close()
    assert len(dataset) == 0
    dataset.open(str(path))
    assert numbers(dataset) == {1, 2}
    assert dataset.namespace_manager.store.namespace("ex") == URIRef("urn:ex#")
    add(dataset, 4, commit=False)
    dataset.close(commit_pending_transaction=True)
    assert numbers(opened(path)) == {1, 2, 4}


def test_file_is_one_of_jelly_rdf(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1, 2)
    dataset.close()
    other = Dataset()
    other.parse(path, format="jelly-rdf")
    assert numbers(other) == {1, 2}
    assert sorted(os.listdir(path.parent)) == ["data.jelly", "data.jelly.log"]


def test_each_commit_is_a_patch_of_the_log(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    add(dataset, 2)
    dataset.commit()
    log = jr.PatchLog(log_of(path))
    assert log.version == 2
    assert numbers(log.checkout(1)) == {1}
    assert not path.exists()
    dataset.close()
    assert path.exists()


def test_process_that_ended_without_closing_loses_nothing(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.close()
    lost = opened(path)
    add(lost, 2)
    lost.graph(G).remove((S, P, Literal(1)))
    lost.commit()
    add(lost, 3, commit=False)
    assert numbers(opened(path)) == {2}
    path.unlink()
    assert numbers(opened(path)) == {2}


@pytest.mark.parametrize("name", ["data.jelly", "data.nt"])
def test_file_of_somebody_else_becomes_the_first_patch(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    graph = Graph().add((S, P, Literal(1)))
    graph.bind("ex", "urn:ex#")
    with path.open("wb") as file:
        graph.serialize(file, format="jelly-rdf")
    path.chmod(0o640)
    dataset = opened(path)
    add(dataset, 2)
    dataset.close()
    assert path.stat().st_mode & 0o777 == 0o640
    log = jr.PatchLog(log_of(path))
    assert [numbers(log.checkout(version)) for version in range(3)] == [set(), {1}, {1, 2}]
    assert numbers(opened(path)) == {1, 2}


@pytest.mark.parametrize("name", ["data.jelly.gz", "data.jelly.zst"])
def test_compressed_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.close()
    assert not path.read_bytes().startswith(b"\n")
    assert len(list(jr.read_statements(path))) == 1
    assert numbers(opened(path)) == {1}


def test_new_file_is_for_whom_other_new_files_are(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.close()
    other = path.with_name("other")
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode


def test_file_that_did_not_change_is_not_written(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.close()
    before = path.stat().st_mtime_ns, path.stat().st_ino
    opened(path).close()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_file_that_another_program_has_written_is_refused(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.close()
    with path.open("wb") as file:
        Graph().add((S, P, Literal(5))).serialize(file, format="jelly-rdf")
    dataset = Dataset(store="Jelly")
    with pytest.raises(jr.LogError, match="has other data than the log beside it"):
        dataset.open(str(path))
    assert len(dataset) == 0
    # The same data are no matter.
    with path.open("wb") as file:
        jr.PatchLog(log_of(path)).checkout().serialize(file, format="jelly-rdf")
    dataset = opened(path)
    add(dataset, 2)
    dataset.close()
    assert numbers(opened(path)) == {1, 2}


def test_log_of_another_file_is_refused(path: Path) -> None:
    for number, name in enumerate(("data.jelly", "other.jelly")):
        dataset = opened(path.with_name(name), create=True)
        add(dataset, number)
        dataset.close()
    log_of(path).rename(path.with_name("x"))
    log_of(path.with_name("other.jelly")).rename(log_of(path))
    with pytest.raises(jr.LogError, match="another program has written one"):
        opened(path)


def test_log_may_be_squashed(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    add(dataset, 2)
    dataset.close()
    dataset = opened(path)
    add(dataset, 3)
    del dataset
    log = jr.PatchLog(log_of(path))
    log.squash(1, 2)
    assert numbers(opened(path)) == {1, 2, 3}
    log.squash()
    with pytest.raises(jr.LogError, match="Move it away"):
        opened(path)
    path.unlink()
    assert numbers(opened(path)) == {1, 2, 3}


def test_second_writer_has_a_conflict(path: Path) -> None:
    one, two = opened(path, create=True), opened(path, create=True)
    add(one, 1)
    add(two, 2, commit=False)
    with pytest.raises(jr.LogConflict):
        two.close(commit_pending_transaction=True)
    # It is still open, and its changes are undone.
    assert numbers(two) == set()
    two.close()
    one.close()
    assert numbers(opened(path)) == {1}


def test_what_can_not_be_opened(path: Path) -> None:
    dataset = Dataset(store="Jelly")
    with pytest.raises(FileNotFoundError, match="create=True\\) makes it"):
        dataset.open(str(path))
    with pytest.raises(FileNotFoundError):
        get_plugin("Jelly", Store)(configuration=str(path))
    assert os.listdir(path.parent) == []
    path.write_bytes(b"no Jelly")
    with pytest.raises(jr.DecodeError):
        dataset.open(str(path))
    path.unlink()
    dataset.add((S, P, Literal(1)))
    with pytest.raises(ValueError, match="this one has statements"):
        dataset.open(str(path), create=True)
    dataset = opened(path, create=True)
    with pytest.raises(ValueError, match="close\\(\\) it first"):
        dataset.open(str(path))
    with pytest.raises(jr.RecordError, match="destroy"):
        dataset.store.destroy(None)
    with pytest.raises(jr.RecordError, match="can't be recorded twice"), jr.record(dataset):
        pass


def test_store_of_a_configuration_and_a_copy(path: Path) -> None:
    opened(path, create=True).close()
    store = get_plugin("Jelly", Store)(configuration=str(path))
    dataset = Dataset(store)
    add(dataset, 1)
    other = copy.deepcopy(dataset)
    add(other, 2)
    dataset.close()
    assert numbers(opened(path)) == {1}
    assert numbers(other) == {1, 2}


def test_link_stays_a_link(path: Path) -> None:
    opened(path, create=True).close()
    link = path.with_name("link.jelly")
    link.symlink_to(path)
    dataset = opened(link)
    add(dataset, 1)
    dataset.close()
    assert link.is_symlink()
    assert numbers(opened(path)) == {1}


def test_parse_and_apply_are_pending_until_the_commit(path: Path) -> None:
    dataset = opened(path, create=True)
    dataset.parse(data="<urn:s> <urn:p> 1 .", format="turtle")
    jr.apply([(jr.Op.TX,), (jr.Op.A, S, P, Literal(2), None), (jr.Op.TC,)], dataset)
    assert jr.PatchLog(log_of(path)).version == 0
    dataset.rollback()
    assert numbers(dataset) == set()


# --- faults --------------------------------------------------------------------------------------


def work(path: Path, done: Callable[[int], object]) -> None:
    """Commit and close over and over; tell how far it has come."""
    count = 0
    for _ in range(2):
        dataset = Dataset(store="Jelly")
        dataset.open(str(path), create=True)
        for _ in range(2):
            count += 1
            add(dataset, count)
            done(count)
        dataset.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
def test_process_may_be_killed_at_any_call(path: Path) -> None:
    """Whatever was committed is there, and at most the commit that was not over."""
    turn, calls = 0, set()
    told = path.with_name("told")

    def tell(count: int) -> None:
        told.write_text(str(count))

    while True:
        for each in (path, told):
            each.unlink(missing_ok=True)
        if log_of(path).exists():
            log_of(path).rename(path.with_name(f"{turn}"))
        call = run_and_kill(lambda: work(path, tell), turn)
        if not call:
            break
        calls.add(call)
        count = int(told.read_text()) if told.exists() else 0
        dataset = opened(path, create=True)
        found = numbers(dataset)
        assert found in ({*range(1, count + 1)}, {*range(1, count + 2)})
        add(dataset, 99)
        dataset.close()
        assert numbers(opened(path)) == found | {99}
        turn += 1
    assert calls >= {"open", "fsync", "replace", "write"}


@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "from then on"])
def test_disk_may_be_full_at_any_call(path: Path, stays_full: bool) -> None:
    turn, failed, errors = 0, ["something"], 0
    while failed:
        path.unlink(missing_ok=True)
        if log_of(path).exists():
            log_of(path).rename(path.with_name(f"{turn}"))
        counts = [0]
        with full_disk(turn, stays_full=stays_full) as failed:
            try:
                work(path, counts.append)
            except OSError:
                errors += 1
        dataset = opened(path, create=True)
        assert numbers(dataset) == {*range(1, counts[-1] + 1)}
        add(dataset, 99)
        dataset.close()
        names = {each.name for each in path.parent.iterdir() if not each.name.isdigit()}
        assert names == {"data.jelly", "data.jelly.log"}
        turn += 1
    assert errors > 20

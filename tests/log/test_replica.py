"""Replicas: data that are kept together with their position in a log."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import LogError, Op, PatchLog, Replica

from ..support import run
from ..test_apply import TransactionalStore
from .support import GRAPH, P, S, add, change, files, fill, numbers, patch_id, state

POSITION = URIRef("urn:position")
AT = URIRef("urn:x-jelly-rdflib:position")


@pytest.fixture
def log(tmp_path: Path) -> PatchLog:
    return fill(PatchLog.create(tmp_path / "log"), 4)


# --- in a folder ----------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", [None, "zst"])
def test_a_replica_follows_a_log(log: PatchLog, tmp_path: Path, compression: str | None) -> None:
    path = tmp_path / "a" / "replica"
    replica = Replica(path, compression=compression)
    dataset = replica.dataset
    assert (replica.version, replica.id, state(dataset)) == (0, None, (set(), set()))
    seen: list[jr.LogEntry] = []
    assert replica.update(log, upto=2, progress=seen.append) == 2
    assert replica.update(log, progress=seen.append) == 4
    assert replica.update(log, progress=seen.append) == 4
    assert seen == log.patches()
    assert replica.dataset is dataset
    assert state(dataset) == state(log.checkout())
    assert (replica.version, replica.id) == (4, patch_id(4))
    [data, lock] = files(path)
    assert lock.name == "lock"
    assert data.name.startswith(f"0000000004-{patch_id(4)[5:]}-")
    again = Replica(path)
    assert (again.version, again.id, state(again.dataset)) == (4, patch_id(4), state(dataset))
    fill(log, 2)
    assert (again.update(log), replica.update(log)) == (6, 6)
    assert state(again.dataset) == state(replica.dataset) == state(log.checkout())


def test_a_new_replica_starts_at_a_snapshot(log: PatchLog, tmp_path: Path) -> None:
    log.snapshot(3)
    seen: list[jr.LogEntry] = []
    replica = Replica(tmp_path / "replica")
    replica.update(log, progress=seen.append)
    assert [entry.version for entry in seen] == [4]
    assert state(replica.dataset) == state(log.checkout())


def test_a_replica_does_not_go_back(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log)
    assert replica.update(log, upto=2) == 4
    assert numbers(replica.dataset) == {4}


def test_a_replica_is_of_one_log(log: PatchLog, tmp_path: Path) -> None:
    other = PatchLog.create(tmp_path / "other")
    replica = Replica(tmp_path / "replica")
    assert replica.update(other) == 0
    replica.update(log, upto=2)
    for _ in range(5):
        other.append([add(9)])
    with pytest.raises(LogError, match="has no patch"):
        replica.update(other)
    assert numbers(replica.dataset) == {2}
    log.squash(1, 3)
    with pytest.raises(LogError, match="it was squashed"):
        replica.update(log)


def test_after_an_error_it_is_as_on_the_disk(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log, upto=2)
    options = jr.PatchOptions(rdf_star=True)
    log.append([(Op.A, S, P, jr.TripleTerm(S, P, S), None)], options=options)
    for each in (replica, Replica(tmp_path / "new")):
        before = (each.version, state(each.dataset))
        with pytest.raises(jr.ApplyError):
            each.update(log)
        assert (each.version, state(each.dataset)) == before
        assert each.update(log, upto=4) == 4
        assert state(each.dataset) == state(log.checkout(4))


def test_a_damaged_replica_is_not_opened(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log)
    path = files(replica.path)[0]
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)
    with pytest.raises(LogError, match="is damaged"):
        Replica(tmp_path / "replica")
    with pytest.raises(ValueError, match="compression"):
        Replica(tmp_path / "x", compression="gz")


# --- in the data ----------------------------------------------------------------------------------


def on_disk(path: Path) -> Dataset:
    dataset = Dataset("Oxigraph")
    dataset.open(str(path / "store"), create=not (path / "store").exists())
    return dataset


STORES: dict[str, Callable[[Path], Dataset]] = {
    "memory": lambda path: Dataset(),
    "transactional": lambda path: Dataset(TransactionalStore()),
    "oxigraph": lambda path: Dataset("Oxigraph"),
    "oxigraph on disk": on_disk,
}


@pytest.fixture(params=STORES)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Dataset:
    return STORES[request.param](tmp_path)


def position(dataset: Dataset) -> set[Any]:
    return set(dataset.graph(POSITION))


def data(dataset: Dataset) -> set[Any]:
    return {quad for quad in dataset.quads() if quad[3] != POSITION}


def test_a_dataset_knows_how_far_it_came(log: PatchLog, target: Dataset) -> None:
    assert log.replay(target, position=POSITION, upto=0) == 0
    assert position(target) == set()
    seen: list[jr.LogEntry] = []
    assert log.replay(target, position=POSITION, upto=2, progress=seen.append) == 2
    assert position(target) == {(POSITION, AT, patch_id(2))}
    assert log.replay(target, position=POSITION, progress=seen.append) == 4
    assert log.replay(target, position=POSITION, progress=seen.append) == 4
    assert log.replay(target, position=POSITION, upto=1) == 4
    assert seen == log.patches()
    assert position(target) == {(POSITION, AT, patch_id(4))}
    assert (numbers(target), numbers(target, GRAPH)) == ({4}, {1, 2, 3, 4})


def test_a_dataset_may_follow_several_logs(log: PatchLog, tmp_path: Path, target: Dataset) -> None:
    other = PatchLog.create(tmp_path / "other")
    other.append([add(100)])
    log.replay(target, position=POSITION)
    other.replay(target, position=URIRef("urn:other"))
    assert numbers(target) == {4, 100}
    with pytest.raises(LogError, match="has no patch"):
        other.replay(target, position=POSITION)


def test_what_cannot_have_a_position(log: PatchLog) -> None:
    with pytest.raises(TypeError, match="Dataset"):
        log.replay(Graph(), position=POSITION)
    with pytest.raises(ValueError, match="not both"):
        log.replay(Dataset(), position=POSITION, since=1)


def test_an_empty_patch_moves_the_position(log: PatchLog, target: Dataset) -> None:
    log.append([(Op.H, "id", patch_id(5))])
    log.replay(target, position=POSITION)
    assert position(target) == {(POSITION, AT, patch_id(5))}


def test_a_patch_that_cannot_be_applied_does_not_move_it(log: PatchLog, target: Dataset) -> None:
    options = jr.PatchOptions(rdf_star=True)
    log.append([add(7), (Op.A, S, P, jr.TripleTerm(S, P, S), None)], options=options)
    with pytest.raises(jr.ApplyError):
        log.replay(target, position=POSITION)
    assert position(target) == {(POSITION, AT, patch_id(4))}
    assert numbers(target) == {4}


def test_with_transactions_position_and_data_are_one(log: PatchLog) -> None:
    store = TransactionalStore()
    target = Dataset(store)
    log.replay(target, position=POSITION)
    # what the store would have after the end of its process is what it committed last
    committed = [quad[0] for quad in store.saved[1] if quad[0][1] == AT]
    assert committed == [(POSITION, AT, patch_id(4))]
    assert store.calls.count("commit") >= 4


def cut_off_everywhere(folder: str, log_path: str) -> None:
    """Replay into a new store each, cut off at the first change, the second, and so on."""
    turn = 0
    was_cut = True
    while was_cut:
        path = Path(folder, str(turn))
        path.mkdir(parents=True)
        was_cut = cut_off(path, log_path, turn)
        turn += 1


def cut_off(path: Path, log_path: str, turn: int) -> bool:
    """Replay into a store on a disk, in a process that ends at a change; was it reached?"""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            dataset = on_disk(path)
            store: Any = dataset.store
            count = -1

            def counted(method: Any) -> Any:
                def call(*arguments: Any) -> Any:
                    nonlocal count
                    count += 1
                    if count == turn:
                        os._exit(86)
                    return method(*arguments)

                return call

            store.add, store.remove = counted(store.add), counted(store.remove)
            PatchLog(log_path).replay(dataset, position=POSITION)
            code = 0
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 86)
    return status == 86


def test_without_transactions_it_comes_to_the_same(tmp_path: Path) -> None:
    """A replay into Oxigraph on a disk, cut off at each change and started again."""
    log = PatchLog.create(tmp_path / "log")
    b, g = BNode("b"), BNode("g")
    log.append([add(1), add(2), add(3, GRAPH), (Op.A, b, P, Literal("x"), g)])
    # what is added and deleted in one patch, and in another order than it was before
    log.append(
        [
            *((Op.TX,), (Op.D, b, P, Literal("x"), g), add(4), add(1), (Op.TC,)),
            *((Op.TX,), change(2)[1], change(5)[1], add(6), (Op.TA,)),
            *((Op.TX,), (Op.D, *add(4)[1:]), (Op.A, *add(5)[1:]), (Op.D, *add(1)[1:]), (Op.TC,)),
        ]
    )
    log.append([(Op.A, b, P, Literal("x"), g), (Op.D, *add(2)[1:]), add(4)])
    expected = data(log.checkout(target=Dataset("Oxigraph")))
    # By a process that has no such store open, whose threads would not be in its children.
    code = "from tests.log.test_replica import cut_off_everywhere as work; work(*sys.argv[1:])"
    run(code, str(tmp_path / "stores"), str(log.path))
    turns = len(list((tmp_path / "stores").iterdir()))
    was_at = False
    for turn in range(turns):
        dataset = on_disk(tmp_path / "stores" / str(turn))
        at = {id for _, _, id in position(dataset)}
        assert len(at) <= 2
        # once there is one, it is never lost
        assert at or not was_at
        was_at = bool(at)
        log.replay(dataset, position=POSITION)
        assert data(dataset) == expected
        assert position(dataset) == {(POSITION, AT, log.entry().id)}
    assert turns > 15
    assert DATASET_DEFAULT_GRAPH_ID in {quad[3] for quad in expected}

"""Tests replicas: data stored together with their position in a log."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import LogError, Op, PatchLog, Replica
from jelly_rdflib.log.source import Source
from tests.graph.test_apply import TransactionalStore
from tests.log.support import GRAPH, P, S, add, change, files, fill, numbers, patch_id, state
from tests.support import run

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
    [data, database, journal] = files(path)
    assert (database.name, journal.name) == ("replica.db", "replica.db-journal")
    assert database.read_bytes()[60:72] == b"\0\0\0\x01\0\0\0\0JPRP"
    assert data.name.startswith(f"0000000004-{patch_id(4)[5:]}-")
    assert data.name.endswith(".jelly" if compression is None else ".jelly.zst")
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
    advice = "the replica may be of another log: make a new replica in another folder"
    with pytest.raises(LogError, match=f"has no patch .*: {advice}$"):
        replica.update(other)
    with pytest.raises(LogError, match=r"the log has 0 to 4$"):
        replica.update(log, upto=6)
    assert numbers(replica.dataset) == {2}
    log.squash(1, 3)
    with pytest.raises(LogError, match="it was squashed: the replica can't follow any more"):
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


def test_limits_hold_for_the_data_of_a_replica(log: PatchLog, tmp_path: Path) -> None:
    Replica(tmp_path / "replica").update(log)
    with pytest.raises(jr.LimitError, match="max_frame_size"):
        Replica(tmp_path / "replica", limits=jr.Limits(max_frame_size=10))


@pytest.mark.parametrize("name", ["staging/notes.txt", "data.jelly", "lock"])
def test_a_folder_with_other_things_is_no_replica(log: PatchLog, tmp_path: Path, name: str) -> None:
    path = tmp_path / "project" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(LogError, match="is not a replica, but is not empty"):
        Replica(tmp_path / "project").update(log)
    assert files(tmp_path / "project") == [path]


@pytest.mark.parametrize(
    "statement",
    [
        *("UPDATE data SET digest = x'00'", "UPDATE data SET version = 'a'", "DROP TABLE data"),
        *("UPDATE data SET id = x'00'", "INSERT INTO data SELECT * FROM data"),
    ],
)
def test_a_replica_with_a_damaged_database(log: PatchLog, tmp_path: Path, statement: str) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log, upto=1)
    with closing(sqlite3.connect(replica.path / "replica.db")) as connection, connection:
        connection.execute(statement)
    with pytest.raises(LogError, match=r"is damaged .*: nothing is lost: make a new replica"):
        Replica(replica.path)
    with pytest.raises(LogError, match="is damaged"):
        replica.update(log)


def test_a_replica_that_has_lost_its_database(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log)
    (replica.path / "replica.db").unlink()
    before = files(replica.path)
    with pytest.raises(LogError, match=r"is gone.*nothing is lost: make a new replica"):
        Replica(replica.path)
    assert files(replica.path) == before


def test_what_a_replica_has_not_made_stays(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    replica.update(log, upto=1)
    kept = [replica.path / name for name in ("notes.txt", "staging/mine.tmp", "staging/mine.mark")]
    for path in kept:
        path.write_text("mine")
    stale = replica.path / "staging" / f"{'0' * 32}.tmp"
    stale.write_text("of a writer that is no more")
    replica.update(log)
    assert not stale.exists()
    assert set(kept) < set(files(replica.path))


def test_a_conflict_of_the_caller_ends_an_update(log: PatchLog, tmp_path: Path) -> None:
    """An update is tried again only after a conflict of the replica itself."""
    seen = []

    def progress(entry: jr.LogEntry) -> None:
        seen.append(entry.version)
        assert len(seen) < 10
        raise jr.LogConflict("of another log")

    with pytest.raises(jr.LogConflict, match="of another log"):
        Replica(tmp_path / "replica").update(log, progress=progress)
    assert seen == [1]


class Broker(Source):
    """A source without log versions, which delivers some patches of a log in this order."""

    def __init__(self, log: PatchLog, versions: list[int]) -> None:
        super().__init__("broker", 0)
        self.patches = [log.entry(version).read() for version in versions]
        self.received = 0

    def _receive(self, wait: float) -> jr.Patch | None:
        if self.received == len(self.patches):
            return None
        self.received += 1
        return self.patches[self.received - 1]

    def _close(self) -> None:
        pass

    def resume(self, position: str) -> None:
        raise AssertionError(position)

    @property
    def _position(self) -> str:
        return str(self.received)

    def _acknowledge(self) -> None:
        pass


def test_patches_that_arrived_twice_count_once(log: PatchLog, tmp_path: Path) -> None:
    """After a source without log versions, only the ids show which patches are missing."""
    replica = Replica(tmp_path / "replica")
    assert replica.follow(Broker(log, [1, 1, 2, 2])) == 4
    assert (replica.update(log), numbers(replica.dataset)) == (4, {4})
    assert (replica.id, replica.position) == (patch_id(4), None)


@pytest.mark.parametrize(("versions", "has_all"), [([1, 1, 1, 2], False), ([1, 2, 3, 4, 4], True)])
def test_another_process_follows_a_source(
    log: PatchLog, tmp_path: Path, versions: list[int], has_all: bool
) -> None:
    """An update goes on from what another process has stored in the meantime."""
    replica, seen = Replica(tmp_path / "replica"), []

    def progress(entry: jr.LogEntry) -> None:
        seen.append(entry.version)
        if seen == [1]:
            Replica(replica.path).follow(Broker(log, versions))

    replica.update(log, progress=progress)
    assert seen == ([1, 2, 3, 4] if has_all else [1, 2, 3, 4, 3, 4])
    assert (replica.id, numbers(replica.dataset)) == (patch_id(4), {4})
    assert bool(replica.position) == has_all


def test_an_object_that_has_not_seen_the_newest_patches(log: PatchLog, tmp_path: Path) -> None:
    view = PatchLog(log.path)
    fill(log, 1)
    replica = Replica(tmp_path / "replica")

    def progress(entry: jr.LogEntry) -> None:
        if entry.version == 1:
            Replica(replica.path).follow(Broker(log, [1, 2, 3, 4, 5]))

    assert replica.update(view, progress=progress) == 5
    assert replica.id == log.entry(5).id
    with pytest.raises(jr.MissingVersion, match=r"call refresh\(\)$"):
        replica.update(view)


def test_another_process_follows_another_source(log: PatchLog, tmp_path: Path) -> None:
    replica = Replica(tmp_path / "replica")
    other = PatchLog.create(tmp_path / "other")
    other.append(change(7))

    def progress(entry: jr.LogEntry) -> None:
        if entry.version == 1:
            Replica(replica.path).follow(Broker(other, [1]))

    with pytest.raises(jr.MissingVersion, match="the log has no patch"):
        replica.update(log, progress=progress)
    assert (replica.id, numbers(replica.dataset)) == (other.entry().id, {7})


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
    """Return the triples of the position, without its seal."""
    return {(POSITION, p, o) for _, p, o in dataset.graph(POSITION)}


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
    with pytest.raises(LogError, match="no replay of this log has written"):
        other.replay(target, position=POSITION)


def test_what_cannot_have_a_position(log: PatchLog) -> None:
    with pytest.raises(TypeError, match="Dataset"):
        log.replay(Graph(), position=POSITION)
    with pytest.raises(ValueError, match="not in the default graph"):
        log.replay(Dataset(), position=DATASET_DEFAULT_GRAPH_ID)


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


FAR = (Op.A, POSITION, AT, patch_id(4), POSITION)
HOSTILE: dict[str, list[Any]] = {
    "an add": [FAR],
    "a delete": [(Op.D, *FAR[1:])],
    "in a transaction": [(Op.TX,), add(7), FAR, (Op.TC,)],
    "after much else": [*map(add, range(3000)), FAR],
    "a prefix in that graph": [(Op.PA, "x", URIRef("urn:x#"), POSITION)],
    "a prefix that goes": [(Op.PD, "x", None, POSITION)],
    "another statement": [(Op.A, S, P, Literal(1), POSITION)],
    "as a blank node": [(Op.A, BNode("x"), AT, patch_id(4), POSITION)],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_patch_cannot_move_the_position(tmp_path: Path, target: Dataset, name: str) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 1)
    entry = log.append(HOSTILE[name])
    fill(log, 2)
    for _ in range(2):
        with pytest.raises(jr.ApplyError, match="version 2, changes the graph") as caught:
            log.replay(target, position=POSITION)
        assert entry.id in str(caught.value)
        assert POSITION in str(caught.value)
        assert (numbers(target), position(target)) == ({1}, {(POSITION, AT, patch_id(1))})
    # Under another name the position is accepted.
    copy = Dataset()
    assert log.replay(copy, position=URIRef("urn:mine")) == 4


def test_what_is_aborted_or_elsewhere_does_not_touch_the_position(
    log: PatchLog, target: Dataset
) -> None:
    elsewhere = (Op.A, POSITION, AT, POSITION, GRAPH)
    log.append([(Op.TX,), FAR, (Op.TA,), (Op.TX,), elsewhere, (Op.TC,)])
    log.append([(Op.PA, "x", POSITION, None)])
    assert log.replay(target, position=POSITION) == 6


def test_what_a_patch_put_there_before_is_no_position(tmp_path: Path, target: Dataset) -> None:
    """Data without a position, or with the position of another log or graph, are refused."""
    log = PatchLog.create(tmp_path / "log")
    log.append([add(1), FAR])
    fill(log, 3)
    assert log.version == 4
    log.replay(target, upto=1)
    for _ in range(2):
        with pytest.raises(LogError, match="no replay of this log has written"):
            log.replay(target, position=POSITION)
    assert numbers(target) == {1}
    # The caller may state the version.
    assert log.replay(target, position=POSITION, since=1) == 4
    assert position(target) == {(POSITION, AT, patch_id(4))}
    assert log.replay(target, position=POSITION) == 4
    # The seal for one graph is not valid for another.
    for s, p, o in list(target.graph(POSITION)):
        target.graph("urn:other").add((s, p, o))
    with pytest.raises(LogError, match="no replay of this log"):
        log.replay(target, position=URIRef("urn:other"))
    with pytest.raises(LogError, match="no replay of this log"):
        fill(PatchLog.create(tmp_path / "again"), 4).replay(target, position=POSITION)


def test_with_transactions_position_and_data_are_one(log: PatchLog) -> None:
    store = TransactionalStore()
    target = Dataset(store)
    log.replay(target, position=POSITION)
    # The store keeps what it has committed.
    store.rollback()
    assert position(target) == {(POSITION, AT, patch_id(4))}
    assert store.calls.count("commit") >= 4
    # If nothing has changed, nothing is written.
    calls = list(store.calls)
    log.replay(target, position=POSITION)
    assert store.calls == calls


def cut_off_everywhere(folder: str, log_path: str) -> None:
    """Replay into new stores, and interrupt each replay one change later than the last."""
    turn = 0
    was_cut = True
    while was_cut:
        path = Path(folder, str(turn))
        path.mkdir(parents=True)
        was_cut = cut_off(path, log_path, turn)
        turn += 1


def cut_off(path: Path, log_path: str, turn: int) -> bool:
    """Replay in a process that ends at the given change; return whether it reached that change."""
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
    """A replay into Oxigraph may be interrupted at any change; repeated, it has the same result."""
    log = PatchLog.create(tmp_path / "log")
    b, g = BNode("b"), BNode("g")
    log.append([add(1), add(2), add(3, GRAPH), (Op.A, b, P, Literal("x"), g)])
    # This patch adds and deletes statements in another order than the patch before.
    log.append(
        [
            *((Op.TX,), (Op.D, b, P, Literal("x"), g), add(4), add(1), (Op.TC,)),
            *((Op.TX,), change(2)[1], change(5)[1], add(6), (Op.TA,)),
            *((Op.TX,), (Op.D, *add(4)[1:]), (Op.A, *add(5)[1:]), (Op.D, *add(1)[1:]), (Op.TC,)),
        ]
    )
    log.append([(Op.A, b, P, Literal("x"), g), (Op.D, *add(2)[1:]), add(4)])
    expected = data(log.checkout(target=Dataset("Oxigraph")))
    # Fork in a process without an open store, since a store's threads don't survive a fork.
    code = "from tests.log.test_replica import cut_off_everywhere as work; work(*sys.argv[1:])"
    run(code, str(tmp_path / "stores"), str(log.path))
    turns = len(list((tmp_path / "stores").iterdir()))
    was_at = False
    for turn in range(turns):
        dataset = on_disk(tmp_path / "stores" / str(turn))
        at = {id for _, _, id in position(dataset)}
        assert len(at) <= 2
        # Once a position exists, it is never lost.
        assert at or not was_at
        was_at = bool(at)
        log.replay(dataset, position=POSITION)
        assert data(dataset) == expected
        assert position(dataset) == {(POSITION, AT, log.entry().id)}
    assert turns > 15
    assert DATASET_DEFAULT_GRAPH_ID in {quad[3] for quad in expected}

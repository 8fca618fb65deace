"""Tests recording a store that is open in a file, so its log already records it."""

import io
import os
from pathlib import Path
from typing import Any

import pytest
from rdflib import ConjunctiveGraph, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.faults.log.system_calls import full_disk, run_and_kill
from tests.plugins.test_store_file import add, log_of, numbers, opened
from tests.recording.support import TC, TX, G, H, P, S


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.jelly"


def number(value: int, graph: Any = G) -> tuple[Any, ...]:
    return (Op.A, S, P, Literal(value), graph)


def add_and_fail(dataset: Dataset, value: int) -> None:
    add(dataset, value, commit=False)
    raise ZeroDivisionError


def add_one_to_each(dataset: Dataset) -> None:
    dataset.add((S, P, Literal(1)))
    dataset.commit()
    add(dataset, 2)


def add_late(path: Path, dataset: Dataset) -> None:
    add(opened(path), 1)
    add(dataset, 2)


def add_each(dataset: Dataset, *values: int) -> None:
    for value in values:
        add(dataset, value)


def test_recording_gets_what_the_log_gets(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1, commit=False)
    with jr.record(dataset) as recorder:
        add(dataset, 2, commit=False)
        dataset.graph(G).remove((S, P, Literal(1)))
        dataset.store.bind("ex", URIRef("urn:ex#"))
        dataset.commit()
        add(dataset, 3, commit=False)
    assert list(recorder.patch) == [
        TX, number(2), (Op.D, S, P, Literal(1), G), (Op.PA, "ex", URIRef("urn:ex#"), None), TC,
        TX, number(3), TC,
    ]  # fmt: skip
    counts = (recorder.committed, recorder.aborted, recorder.added, recorder.deleted)
    assert counts == (2, 0, 2, 1)
    # Changes that were pending at the start form an earlier transaction.
    log = jr.PatchLog(log_of(path))
    assert [numbers(log.checkout(version)) for version in (1, 2, 3)] == [{1}, {2}, {2, 3}]
    add(dataset, 4)
    assert recorder.committed == 2
    dataset.close()
    assert numbers(opened(path)) == {2, 3, 4}


@pytest.mark.parametrize("end", ["exception", "rollback"])
def test_what_is_undone_is_neither_in_the_file_nor_recorded(path: Path, end: str) -> None:
    dataset = opened(path, create=True)
    with jr.record(dataset) as recorder:
        add(dataset, 1)
        if end == "rollback":
            add(dataset, 2, commit=False)
            dataset.rollback()
        else:
            with pytest.raises(ZeroDivisionError), recorder.transaction():
                add_and_fail(dataset, 2)
        add(dataset, 3)
    assert list(recorder.patch) == [TX, number(1), TC, TX, number(3), TC]
    assert (recorder.committed, recorder.aborted) == (2, 1)
    assert numbers(dataset) == numbers(opened(path)) == {1, 3}


def test_prefix_that_is_undone_leaves_a_file_of_patches_with_nothing_of_it(path: Path) -> None:
    """Changes before a prefix are written first, so the transaction has already begun."""
    dataset = opened(path, create=True)
    file = io.BytesIO()
    with jr.record(dataset, file) as recorder:
        add(dataset, 1, commit=False)
        dataset.store.bind("ex", URIRef("urn:ex#"))
        dataset.rollback()
        add(dataset, 2, commit=False)
    assert list(jr.read_operations(file.getvalue())) == [TX, number(2), TC, (Op.END,)]
    assert recorder.aborted == 1
    assert dataset.store.namespace("ex") is None


def test_a_graph_is_recorded_without_the_others(path: Path) -> None:
    dataset = opened(path, create=True)
    with jr.record(dataset.graph(G)) as recorder:
        add(dataset, 1, 2)
        dataset.graph(H).add((S, P, Literal(3)))
        dataset.add((S, P, Literal(4)))
        dataset.commit()
        dataset.graph(H).add((S, P, Literal(5)))
        dataset.commit()
        dataset.graph(G).remove((S, P, Literal(1)))
    assert list(recorder.patch) == [
        TX, number(1, None), number(2, None), TC, TX, (Op.D, S, P, Literal(1), None), TC
    ]  # fmt: skip
    assert (recorder.committed, recorder.added, recorder.deleted) == (2, 2, 1)
    assert numbers(opened(path)) == {2, 3, 4, 5}


def test_default_graph_of_another_name(path: Path) -> None:
    dataset = opened(path, create=True)
    with pytest.warns(DeprecationWarning, match="ConjunctiveGraph"):
        other = ConjunctiveGraph(dataset.store)
    with jr.record(other) as recorder:
        other.add((S, P, Literal(1)))
        dataset.graph(G).add((S, P, Literal(2)))
    assert list(recorder.patch) == [TX, number(1, None), number(2), TC]
    with pytest.raises(jr.RecordError, match=str(DATASET_DEFAULT_GRAPH_ID)), jr.record(other):
        dataset.add((S, P, Literal(3)))
    assert len(dataset) == 2


def test_what_the_writer_refuses_is_not_in_the_file(path: Path) -> None:
    dataset = opened(path, create=True)
    file = io.BytesIO()
    options = jr.PatchOptions(statement_type=jr.PatchStatementType.TRIPLES)
    with pytest.raises(jr.EncodeError), jr.record(dataset, file, options=options):
        add_one_to_each(dataset)
    operations = list(jr.read_operations(file.getvalue()))
    assert [operation for operation in operations if operation[0] == Op.TC] == [TC]
    assert len(dataset) == len(opened(path)) == 1
    # The first version has rdflib's own prefixes.
    assert jr.PatchLog(log_of(path)).version == 2


def test_what_the_log_refuses_is_aborted_in_the_recording(path: Path) -> None:
    dataset, file = opened(path, create=True), io.BytesIO()
    with pytest.raises(jr.LogConflict), jr.record(dataset, file) as recorder:
        add_late(path, dataset)
    assert [operation[0] for operation in jr.read_operations(file.getvalue())] == [
        Op.TX, Op.A, Op.TA, Op.END
    ]  # fmt: skip
    assert (recorder.committed, recorder.aborted) == (0, 1)
    assert numbers(opened(path)) == {1}


class FailsAtCommit(list[jr.Patch]):
    def append(self, patch: jr.Patch) -> None:
        if len(self) == 1:
            raise OSError("the disk is full")
        super().append(patch)


def test_writer_that_fails_when_the_log_has_the_transaction(path: Path) -> None:
    dataset = opened(path, create=True)
    patches = FailsAtCommit()
    with (
        pytest.raises(jr.RecordError, match="ends before it") as info,
        jr.record(dataset, patches) as recorder,
    ):
        add_each(dataset, 1, 2, 3)
    assert isinstance(info.value.__cause__, OSError)
    # The recording has no gap, and the file has all data.
    assert [list(patch) for patch in patches] == [[TX, number(1), TC]]
    assert recorder.committed == 1
    assert numbers(dataset) == numbers(opened(path)) == {1, 2, 3}
    add(dataset, 4)
    assert numbers(opened(path)) == {1, 2, 3, 4}


def test_one_recording_at_a_time_and_no_close(path: Path) -> None:
    dataset = opened(path, create=True)
    with jr.record(dataset):
        with pytest.raises(jr.RecordError, match="can't be recorded twice"), jr.record(dataset):
            pass
        with pytest.raises(jr.RecordError, match="close"):
            dataset.close()
        with pytest.raises(jr.RecordError, match="destroy"):
            dataset.store.destroy(None)
    with jr.record(dataset) as recorder:
        add(dataset, 1)
    assert recorder.committed == 1
    dataset.close()
    dataset = opened(path)
    other = Graph(dataset.store, G, namespace_manager=Graph().namespace_manager)
    with pytest.raises(jr.RecordError, match="prefixes of another store"), jr.record(other):
        pass


# --- faults --------------------------------------------------------------------------------------


def work(path: Path, copy: Path) -> None:
    """Commit repeatedly, while a second log records the store."""
    dataset = Dataset(store="Jelly")
    dataset.open(str(path), create=True)
    with jr.record(dataset, jr.PatchLog(copy, create=True)):
        for count in (1, 2):
            add(dataset, count)
    dataset.close()


def compare(path: Path, copy: Path) -> None:
    """Check that the recording has the file's data, or lacks only the last transaction."""
    found = numbers(opened(path, create=True))
    recorded = numbers(jr.PatchLog(copy, create=True).checkout())
    assert found in ({*range(1, n + 1)} for n in range(3))
    assert recorded in (found, found - {max(found, default=0)})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
def test_process_may_be_killed_at_any_call(tmp_path: Path) -> None:
    turn, call = 0, "something"
    while call:
        path, copy = tmp_path / f"{turn}.jelly", tmp_path / f"{turn}.copy"
        call = run_and_kill(lambda path=path, copy=copy: work(path, copy), turn)  # type: ignore[misc]
        compare(path, copy)
        turn += 1
    assert turn > 30


def test_disk_may_be_full_at_any_call(tmp_path: Path) -> None:
    turn, failed = 0, ["something"]
    errors = set()
    while failed:
        path, copy = tmp_path / f"{turn}.jelly", tmp_path / f"{turn}.copy"
        with full_disk(turn, stays_full=True) as failed:
            try:
                work(path, copy)
            except (OSError, jr.RecordError) as error:
                errors.add(type(error).__name__)
        compare(path, copy)
        turn += 1
    assert errors == {"OSError", "RecordError"}

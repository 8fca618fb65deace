"""Tests recordings of a `JellyStore`, which read the store's own journal."""

import copy
import io
import pickle
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph
from rdflib.namespace import NamespaceManager
from rdflib.plugins.stores.memory import Memory

import jelly_rdflib as jr
from jelly_rdflib import JellyStore, Op
from tests.recording.support import (
    TC,
    TX,
    Failure,
    G,
    H,
    O,
    P,
    S,
    add,
    assert_effective,
    delete,
    left,
    statements,
)


def test_no_method_is_replaced() -> None:
    graph = Graph("Jelly")
    with jr.record(graph):
        assert not any(callable(getattr(JellyStore, name, None)) for name in vars(graph.store))


def test_patch_has_batches() -> None:
    graph = Graph("Jelly")
    with jr.record(graph, patches := []):
        graph.add((S, P, O))
    assert [len(part) for part in patches[0].slices] == [1, 1, 1]
    assert list(patches[0]) == [TX, add(), TC]


def test_what_is_undone_before_it_was_told_is_not_in_the_stream() -> None:
    graph = Graph("Jelly")
    file = io.BytesIO()
    with jr.record(graph, file) as recorder:
        with left(recorder.transaction()):
            graph.add((S, P, O))
        with left(recorder.transaction()):
            pass
        graph.add((S, P, Literal(1)))
    assert list(jr.read_operations(file.getvalue())) == [TX, add(1), TC, (Op.END,)]
    assert (recorder.committed, recorder.aborted) == (1, 1)


def test_failed_apply_is_not_recorded() -> None:
    dataset = Dataset("Jelly")
    dataset.add((S, P, O))
    with jr.record(dataset) as recorder:
        dataset.add((S, P, Literal(1)))
        with pytest.raises(jr.ApplyError):
            jr.apply([add(2), delete(), delete(1), add(3, G), add(H, Literal("no name"))], dataset)
        dataset.add((S, P, Literal(4)))
    assert list(recorder.patch) == [TX, add(1), add(4), TC]
    assert statements(dataset) == {(S, P, o, None) for o in (O, Literal(1), Literal(4))}
    assert [graph.identifier for graph in dataset.graphs()] == [DATASET_DEFAULT_GRAPH_ID]


def test_failed_apply_that_somebody_read_is_recorded_with_its_undoing() -> None:
    """An open reader still needs the undone rows, so they are kept and recorded as deleted."""
    graph = Graph("Jelly")
    graph.add((S, P, O))
    readers: list[Any] = []

    def operations() -> Any:
        yield delete()
        yield add(1)
        readers.append(graph.store.triples((None, None, None)))
        raise Failure

    with jr.record(graph) as recorder, pytest.raises(Failure):
        jr.apply(operations(), graph)
    assert [triple for triple, _ in readers[0]] == [(S, P, Literal(1))]
    assert set(graph) == {(S, P, O)}
    assert_effective(recorder.patch, (statements(graph), {}), (statements(graph), {}))
    assert len(recorder.patch) == 6


def test_change_to_another_default_graph_fails_the_transaction_alone() -> None:
    with pytest.warns(DeprecationWarning, match="use Dataset instead"):
        dataset = ConjunctiveGraph("Jelly")
    other = Graph(dataset.store, DATASET_DEFAULT_GRAPH_ID)
    refusal = pytest.raises(jr.RecordError, match="in a patch it would be")
    with jr.record(dataset) as recorder:
        with refusal, recorder.transaction():
            dataset.add((S, P, Literal(1)))
            other.add((S, P, O))
        dataset.add((S, P, Literal(2)))
    assert set(dataset) == {(S, P, Literal(2))}
    assert list(recorder.patch) == [TX, add(2), TC]
    refusal = pytest.raises(jr.RecordError, match="a change was made, but could not be recorded")
    with refusal, jr.record(dataset, atomic=False) as recorder:
        other.add((S, P, O))
        dataset.add((S, P, Literal(3)))
    assert set(dataset) == {(S, P, O), (S, P, Literal(2)), (S, P, Literal(3))}
    assert list(recorder.patch) == [TX, add(3), TC]


def test_copy_of_a_recorded_store_is_not_recorded() -> None:
    graph = Graph("Jelly")
    with jr.record(graph) as recorder:
        graph.add((S, P, O))
        for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
            other.add((S, P, Literal(1)))
            other.commit()
            assert len(other) == 2
    assert list(recorder.patch) == [TX, add(), TC]


def test_store_of_a_long_recording_stays_small() -> None:
    """Rows that earlier transactions deleted are removed from the store."""
    graph = Graph("Jelly")
    with jr.record(graph, io.BytesIO()) as recorder:
        for number in range(5000):
            with recorder.transaction():
                graph.set((S, P, Literal(number)))
    assert graph.store.quads.sizes()["rows"] < 3000
    assert (recorder.added, recorder.deleted) == (5000, 4999)


# --- users' calls of the store while it is recorded -----------------------------------------------


@pytest.mark.parametrize("atomic", [True, False])
def test_rollback_of_a_user_undoes_all(atomic: bool) -> None:
    dataset = Dataset("Jelly")
    dataset.add((S, P, O, H))
    with jr.record(dataset, atomic=atomic) as recorder:
        dataset.add((S, P, Literal(1)))
        dataset.bind("ex", "http://example.org/")
        dataset.add((S, P, Literal(2)))
        dataset.rollback()
        assert dataset.store.namespace("ex") is None
        dataset.add((S, P, Literal(3)))
    assert statements(dataset) == {(S, P, O, H), (S, P, Literal(3), None)}
    assert list(recorder.patch) == [TX, add(3), TC]
    assert (recorder.committed, recorder.aborted) == (1, 1)


def test_rollback_of_a_user_is_one_of_all_graphs() -> None:
    dataset = Dataset("Jelly")
    with jr.record(dataset.graph(G)) as recorder:
        dataset.graph(H).add((S, P, O))
        dataset.graph(G).add((S, P, O))
        dataset.rollback()
        dataset.graph(H).add((S, P, Literal(1)))
        dataset.graph(G).add((S, P, Literal(2)))
    assert statements(dataset) == {(S, P, Literal(1), H), (S, P, Literal(2), G)}
    assert list(recorder.patch) == [TX, add(2), TC]


class Busy(Memory):
    """A store that temporarily can't list its prefixes."""

    is_busy = False

    def namespaces(self) -> Any:
        if self.is_busy:
            raise OSError("busy")
        return super().namespaces()


def test_recording_that_could_not_start_leaves_the_store_free() -> None:
    graph = Graph("Jelly")
    graph.namespace_manager = NamespaceManager(Graph(Busy()), bind_namespaces="none")
    Busy.is_busy = True
    try:
        # The exception is kept, so it keeps the stack frames that it passed through.
        with pytest.raises(OSError, match="busy") as caught, jr.record(graph):
            pass
    finally:
        Busy.is_busy = False
    with jr.record(graph) as recorder:
        graph.add((S, P, O))
    assert caught.value.__traceback__ is not None
    assert list(recorder.patch) == [TX, add(), TC]

"""Tests that each block is a transaction, and that an exception undoes its changes."""

from collections.abc import Callable
from typing import Any

import pytest
from rdflib import Dataset, Graph, URIRef
from rdflib.namespace import NamespaceManager
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.graph.stores.at_hand import exact_state
from tests.graph.stores.test_prefixes import Hidden
from tests.recording.support import (
    TC,
    TX,
    Failure,
    G,
    H,
    O,
    P,
    S,
    TransactionalStore,
    aborted,
    add,
    delete,
    is_hooked,
    left,
    statements,
)

ONE, TWO, THREE = (URIRef(f"urn:{name}") for name in ("one", "two", "three"))


@pytest.fixture
def dataset(make_dataset: Callable[[], Dataset]) -> Dataset:
    dataset = make_dataset()
    dataset.bind("ex", "http://example.org/")
    dataset.add((S, P, ONE))
    dataset.add((S, P, ONE, G))
    dataset.add((S, P, TWO, G))
    dataset.graph(URIRef("urn:empty"))
    return dataset


@pytest.fixture
def graph(make_graph: Callable[[], Graph]) -> Graph:
    graph = make_graph()
    graph.add((S, P, ONE))
    return graph


# --- where transactions begin and end -------------------------------------------------------------


def test_block_that_changes_nothing_writes_nothing(graph: Graph) -> None:
    with jr.record(graph, patches := []) as recorder, recorder.transaction():
        graph.add((S, P, ONE))
        graph.remove((S, P, TWO))
    assert patches == []
    assert (recorder.committed, recorder.aborted) == (0, 0)


def test_each_transaction_by_itself_and_what_is_between(graph: Graph) -> None:
    with jr.record(graph, patches := []) as recorder:
        graph.add((S, P, TWO))
        with recorder.transaction():
            graph.remove((S, P, TWO))
            graph.add((S, P, THREE))
        with recorder.transaction():
            graph.bind("ex", "http://example.org/")
        with recorder.transaction():
            pass
        graph.add((S, P, TWO))
        graph.remove((S, P, ONE))
    assert [list(patch) for patch in patches] == [
        [TX, add(TWO), TC],
        [TX, delete(TWO), add(THREE), TC],
        [TX, (Op.PA, "ex", URIRef("http://example.org/"), None), TC],
        [TX, add(TWO), delete(ONE), TC],
    ]
    assert (recorder.committed, recorder.added, recorder.deleted) == (4, 3, 2)


def test_patch_has_all_transactions_so_far(graph: Graph) -> None:
    with jr.record(graph) as recorder:
        assert list(recorder.patch) == []
        with recorder.transaction():
            graph.add((S, P, TWO))
        assert list(recorder.patch) == [TX, add(TWO), TC]
        graph.add((S, P, THREE))
        assert len(recorder.patch) == 3
    assert list(recorder.patch) == [TX, add(TWO), TC, TX, add(THREE), TC]


def test_transaction_in_a_transaction_is_refused() -> None:
    graph = Graph()
    with jr.record(graph) as recorder, recorder.transaction():
        graph.add((S, P, O))
        with pytest.raises(jr.RecordError, match="inside a transaction"), recorder.transaction():
            pass
    assert list(recorder.patch) == [TX, add(), TC]


def test_transaction_without_a_recording_is_refused() -> None:
    for has_failed in (False, True):
        recorder = jr.record(Graph())
        refusal = pytest.raises(jr.RecordError, match="nothing is being recorded")
        with refusal, recorder.transaction():
            pass
        counts = (recorder.committed, recorder.aborted, recorder.added, recorder.deleted)
        assert counts == (0, 0, 0, 0)
        with left(recorder) if has_failed else recorder:
            pass
        with refusal, recorder.transaction():
            pass


def test_recorder_is_for_one_block() -> None:
    recorder = jr.record(Graph())
    with recorder, pytest.raises(jr.RecordError, match="for one block"), recorder:
        pass
    with pytest.raises(jr.RecordError, match="for one block"), recorder:
        pass


def test_nothing_is_recorded_outside_the_block(graph: Graph) -> None:
    recorder = jr.record(graph)
    graph.add((S, P, TWO))
    with recorder:
        graph.add((S, P, THREE))
    graph.remove((None, None, None))
    assert list(recorder.patch) == [TX, add(THREE), TC]
    assert not is_hooked(graph.store)


# --- exceptions ----------------------------------------------------------------------------------


def test_exception_leaves_what_was_committed_before(dataset: Dataset) -> None:
    with aborted(dataset) as recorder:
        with recorder.transaction():
            dataset.add((S, P, TWO))
        before = exact_state(dataset)
        dataset.add((S, P, THREE))
        dataset.remove_graph(URIRef("urn:empty"))
        dataset.graph(URIRef("urn:new"))
        dataset.bind("more", "http://more/")
        assert exact_state(dataset) != before
    assert exact_state(dataset) == before
    assert not is_hooked(dataset.store)
    assert list(recorder.patch) == [TX, add(TWO), TC]
    assert (recorder.committed, recorder.aborted, recorder.added) == (1, 1, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whatever_leaves_the_block_undoes(error: type[BaseException]) -> None:
    graph = Graph()
    with left(jr.record(graph), error):
        graph.add((S, P, O))
    assert len(graph) == 0
    assert not is_hooked(graph.store)


def test_exception_that_is_caught_in_the_block_undoes_nothing() -> None:
    graph = Graph()
    with jr.record(graph) as recorder:
        graph.add((S, P, ONE))
        with pytest.raises(AssertionError):
            graph.add(("no term", P, TWO))
        graph.add((S, P, THREE))
    assert list(recorder.patch) == [TX, add(ONE), add(THREE), TC]


def test_prefixes_are_undone_with_what_rdflib_remembers_of_them() -> None:
    graph = Graph()
    graph.bind("ex", "http://example.org/")
    with aborted(graph):
        graph.bind("new", "http://example.org/")
        assert graph.qname("http://example.org/a") == "new:a"
    assert graph.qname("http://example.org/a") == "ex:a"


# --- without undoing -----------------------------------------------------------------------------


def test_without_undoing_an_exception_leaves_what_was_changed(dataset: Dataset) -> None:
    before = statements(dataset)
    with aborted(dataset, atomic=False) as recorder:
        dataset.add((S, P, THREE))
        dataset.remove((S, P, TWO, G))
    assert statements(dataset) == (before | {(S, P, THREE, None)}) - {(S, P, TWO, G)}
    assert list(recorder.patch) == [TX, add(THREE), delete(TWO, G), TC]
    assert (recorder.committed, recorder.aborted) == (1, 0)


# --- stores that fail ----------------------------------------------------------------------------


class FailingStore(Memory):
    """A store that raises an error before or after it makes a change."""

    def __init__(self, *, does_it: bool) -> None:
        super().__init__()
        self.fuse = 1_000_000
        self.does_it = does_it

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        self.change(super().add, triple, context)

    def remove(self, triple: Any, context: Any = None) -> None:
        self.change(super().remove, triple, context)

    def change(self, method: Callable[[Any, Any], None], triple: Any, context: Any) -> None:
        self.fuse -= 1
        if self.fuse != 0 or self.does_it:
            method(triple, context)
        if self.fuse == 0:
            raise Failure


@pytest.mark.parametrize("does_it", [False, True])
def test_failed_change_is_recorded_if_it_was_made(does_it: bool) -> None:
    graph = Graph(FailingStore(does_it=does_it))
    graph.add((S, P, ONE))
    for change, operation in (
        (lambda: graph.add((S, P, TWO)), add(TWO)),
        (lambda: graph.remove((S, P, ONE)), delete(ONE)),
        (lambda: graph.remove((S, None, None)), None),
        (lambda: graph.add((S, P, ONE)), add(ONE)),
    ):
        present = statements(graph)
        with jr.record(graph) as recorder:
            graph.store.fuse = 1
            with pytest.raises(Failure):
                change()
            graph.store.fuse = 1_000_000
        if operation is not None:
            assert list(recorder.patch) == ([TX, operation, TC] if does_it else [])
        gone = present - statements(graph)
        assert recorder.deleted == len(gone)
        assert bool(gone or statements(graph) - present) == does_it


class StubbornStore(Memory):
    """A store that does not remove its statements."""

    def remove(self, triple: Any, context: Any = None) -> None:
        raise PermissionError("what is here stays here")


def test_store_that_refuses_to_undo() -> None:
    graph = Graph(StubbornStore())
    refusal = pytest.raises(jr.RecordError, match="what is here stays here")
    with refusal as caught, aborted(graph):
        graph.add((S, P, ONE))
        graph.bind("ex", "http://example.org/")
    assert isinstance(caught.value.__cause__, PermissionError)
    assert len(graph) == 1
    assert "ex" not in dict(graph.namespaces())
    assert not is_hooked(graph.store)


def test_store_that_can_not_unbind() -> None:
    graph = Graph(Hidden())
    refusal = pytest.raises(jr.RecordError, match="can't unbind the prefix 'ex'")
    with refusal, aborted(graph):
        graph.add((S, P, ONE))
        graph.bind("ex", "http://example.org/")
    assert len(graph) == 0


# --- stores with transactions of their own -------------------------------------------------------


def test_what_is_pending_is_committed_first() -> None:
    graph = Graph(TransactionalStore())
    graph.add((S, P, ONE))
    with aborted(graph):
        graph.add((S, P, TWO))
    assert set(graph.objects()) == {ONE}
    assert graph.store.calls == ["commit", "commit"]


class OneGraphStore(TransactionalStore):
    """A store without named graphs."""

    context_aware = graph_aware = False


@pytest.mark.parametrize(
    "make", [lambda: Dataset(TransactionalStore()), lambda: Graph(OneGraphStore())]
)
def test_rollback_of_all_there_is_is_that_of_the_store(make: Callable[[], Graph]) -> None:
    target = make()
    target.add((S, P, ONE))
    with aborted(target):
        target.add((S, P, TWO))
    assert target.store.calls == ["commit", "rollback", "commit"]
    assert statements(target) == {(S, P, ONE, None)}


def test_rollback_of_the_store_is_not_done_twice() -> None:
    dataset = Dataset(TransactionalStore())
    with jr.record(dataset):
        dataset.add((S, P, ONE))
        dataset.rollback()
        assert dataset.store.calls == ["commit", "rollback", "commit"]


def test_end_of_the_block_commits() -> None:
    graph = Graph(AuditableStore(Memory()))
    with jr.record(graph) as recorder:
        graph.add((S, P, ONE))
    graph.rollback()
    assert set(graph.objects()) == {ONE}
    assert list(recorder.patch) == [TX, add(ONE), TC]


def test_commit_of_the_graph_ends_the_transaction() -> None:
    graph = Graph(AuditableStore(Memory()))
    with jr.record(graph, patches := []):
        graph.add((S, P, ONE))
        graph.commit()
        graph.add((S, P, TWO))
    assert [list(patch) for patch in patches] == [[TX, add(ONE), TC], [TX, add(TWO), TC]]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Graph(TransactionalStore()),
        lambda: Graph(AuditableStore(Memory())),
        lambda: Graph(TransactionalStore(), namespace_manager=NamespaceManager(Graph())),
    ],
)
def test_rollback_of_the_graph_aborts_the_transaction(make: Callable[[], Graph]) -> None:
    graph = make()
    graph.add((S, P, ONE))
    with jr.record(graph) as recorder:
        # An AuditableStore undoes this incorrectly, which the recorder repairs.
        graph.remove((S, P, ONE))
        graph.add((S, P, ONE))
        graph.add((S, P, TWO))
        graph.bind("ex", "http://example.org/")
        graph.rollback()
        assert set(graph.objects()) == {ONE}
        graph.add((S, P, THREE))
    assert (recorder.committed, recorder.aborted) == (1, 1)
    # A store does not roll back prefixes, so this prefix is still bound.
    assert list(recorder.patch) == [
        TX,
        add(THREE),
        (Op.PA, "ex", URIRef("http://example.org/"), None),
        TC,
    ]


class UncommittingStore(TransactionalStore):
    """A store that can't commit."""

    is_full = False

    def commit(self) -> None:
        if self.is_full:
            self.is_full = False
            raise OSError("disk full")
        super().commit()


def test_failed_commit_of_the_store_undoes() -> None:
    graph = Graph(UncommittingStore())
    refusal = pytest.raises(OSError, match="disk full")
    with refusal, jr.record(graph, patches := []) as recorder:
        graph.add((S, P, ONE))
        graph.store.is_full = True
    assert (len(graph), patches, recorder.committed, recorder.aborted) == (0, [], 0, 1)


def test_commit_of_a_store_without_transactions_is_nothing() -> None:
    graph = Graph()
    with jr.record(graph) as recorder:
        graph.add((S, P, ONE))
        graph.commit()
        graph.rollback()
        graph.add((S, P, TWO))
    assert list(recorder.patch) == [TX, add(ONE), add(TWO), TC]


def test_store_with_transactions_is_recorded_once_at_a_time() -> None:
    graph = Graph(TransactionalStore())
    with jr.record(graph) as recorder:
        with pytest.raises(jr.RecordError, match="can't be recorded twice"), jr.record(graph):
            pass
        graph.add((S, P, ONE))
    assert list(recorder.patch) == [TX, add(ONE), TC]


# --- several recordings at a time ----------------------------------------------------------------


def test_two_recordings_of_a_store() -> None:
    dataset = Dataset()
    with jr.record(dataset) as outer:
        dataset.add((S, P, ONE, G))
        with jr.record(dataset.graph(G)) as inner:
            dataset.add((S, P, TWO, G))
            dataset.add((S, P, TWO, H))
        dataset.add((S, P, THREE, G))
    assert list(inner.patch) == [TX, add(TWO), TC]
    assert list(outer.patch) == [TX, add(ONE, G), add(TWO, G), add(TWO, H), add(THREE, G), TC]
    assert not is_hooked(dataset.store)


def test_what_one_undoes_the_other_records() -> None:
    dataset = Dataset()
    with jr.record(dataset) as outer:
        with aborted(dataset) as inner:
            dataset.add((S, P, ONE, G))
            dataset.bind("ex", "http://example.org/")
        dataset.add((S, P, TWO, G))
    assert list(inner.patch) == []
    ex = ("ex", URIRef("http://example.org/"), None)
    expected = [TX, add(ONE, G), (Op.PA, *ex), delete(ONE, G), add(TWO, G), (Op.PD, *ex), TC]
    assert list(outer.patch) == expected
    assert not is_hooked(dataset.store)


def test_recordings_that_overlap() -> None:
    graph = Graph()
    one, two = jr.record(graph), jr.record(graph)
    one.__enter__()
    graph.add((S, P, ONE))
    two.__enter__()
    graph.add((S, P, TWO))
    one.__exit__(None, None, None)
    graph.add((S, P, THREE))
    two.__exit__(None, None, None)
    assert list(one.patch) == [TX, add(ONE), add(TWO), TC]
    assert list(two.patch) == [TX, add(TWO), add(THREE), TC]
    assert not is_hooked(graph.store)


def test_methods_that_others_put_on_the_store() -> None:
    graph = Graph()
    calls: list[str] = []

    def watch(label: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            calls.append(label)
            return method(*args, **kwargs)

        return watched

    before = watch("before", graph.store.add)
    graph.store.add = before
    with jr.record(graph) as recorder:
        graph.add((S, P, ONE))
        graph.store.add = watch("meanwhile", graph.store.add)
        graph.add((S, P, TWO))
    # The wrapper that was added during the recording stays; the recorder's own wrapper is removed.
    graph.add((S, P, THREE))
    assert calls == ["before", "meanwhile", "before", "meanwhile", "before"]
    assert list(recorder.patch) == [TX, add(ONE), add(TWO), TC]
    assert len(graph) == 3
    other = Graph()
    other.store.add = before = watch("before", other.store.add)
    with jr.record(other):
        pass
    assert other.store.add is before

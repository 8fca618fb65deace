"""Tests that threads take turns, and that a recording uses memory only to undo changes."""

import sys
import threading
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.namespace import NamespaceManager

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.log import replay
from tests.faults.no_memory import encoded
from tests.graph.stores.at_hand import exact_state
from tests.recording.support import (
    G,
    H,
    P,
    S,
    aborted,
    assert_effective,
    statements,
)


def run_all(*works: Any) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_undoing_what_threads_changed(store: str) -> None:
    graph = Graph(store)
    graph.add((S, P, Literal(7)))
    before = exact_state(graph)

    def work() -> None:
        for number in range(200):
            graph.set((S, P, Literal(number)))

    with aborted(graph):
        run_all(*[work] * 3)
    assert exact_state(graph) == before


def test_what_one_thread_yields_may_wait_for_another() -> None:
    dataset = Dataset("Oxigraph")
    graph = dataset.graph(G)
    asked, answered = threading.Event(), threading.Event()

    def answer() -> None:
        asked.wait(10)
        graph.add((S, P, URIRef("urn:answer")))
        answered.set()

    def quads() -> Any:
        asked.set()
        assert answered.wait(10)
        yield (S, P, URIRef("urn:question"), graph)

    with jr.record(dataset) as recorder:
        run_all(answer, lambda: dataset.addN(quads()))
    found = [(operation[0], str(operation[3])) for operation in list(recorder.patch)[1:-1]]
    assert found == [(Op.A, "urn:answer"), (Op.A, "urn:question")]


@pytest.mark.slow
def test_changes_go_to_the_stream_and_not_to_memory() -> None:
    def kept(**arguments: Any) -> int:
        """Return the bytes that are kept for each change, in addition to those in the graph.

        The encoder's term tables have a maximum size; the first changes fill them.
        """
        graph = Graph()
        triples = [(S, P, Literal(str(number))) for number in range(24_000)]
        for triple in triples:
            graph.add(triple)
        tracemalloc.start()
        try:
            with jr.record(graph, Sink(), **arguments):
                for triple in triples[:12_000]:
                    graph.remove(triple)
                start = tracemalloc.get_traced_memory()[0]
                for triple in triples[12_000:]:
                    graph.remove(triple)
                return (tracemalloc.get_traced_memory()[0] - start) // 12_000
        finally:
            tracemalloc.stop()

    assert kept(atomic=False) < 8
    # Three references, in a list with spare capacity, and a triple that the graph has released.
    assert kept() < 120


class Sink:
    """A file that discards its data."""

    def write(self, data: bytes) -> int:
        return len(data)


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_transactions_end_while_threads_change(store: str) -> None:
    """Each change is recorded in exactly one transaction, in the order of the changes."""
    graph = Graph(store)
    _ = graph.namespace_manager
    is_over = threading.Event()

    def work(name: str) -> None:
        triple = (URIRef(f"urn:{name}"), P, Literal("on and off"))
        for number in range(600):
            graph.add((URIRef(f"urn:{name}"), P, Literal(number)))
            graph.add(triple)
            graph.remove(triple)
            if number % 100 == 0:
                # Let the committing thread run.
                time.sleep(0.001)
        if name == "0":
            is_over.set()

    def commit() -> None:
        while not is_over.is_set():
            with recorder.transaction():
                pass

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with jr.record(graph, patches := []) as recorder:
            run_all(commit, *(lambda n=n: work(str(n)) for n in range(3)))
    finally:
        sys.setswitchinterval(interval)
    assert len(patches) > 3
    recorded = [operation for patch in patches for operation in patch]
    assert_effective(recorded, (set(), {}), (statements(graph), {}))
    assert len(graph) == 1800
    assert (recorder.added, recorder.deleted) == (3600, 1800)


def test_a_patch_of_a_log_is_one_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    one, two, three = ((Op.A, S, P, Literal(number), G) for number in (1, 2, 3))
    log.append([(Op.TX,), one, (Op.TC,), (Op.TX,), two, (Op.TC,)])
    dataset = Dataset()
    threads: list[threading.Thread] = []

    def change_meanwhile(*_: Any) -> None:
        threads.append(threading.Thread(target=lambda: dataset.graph(G).add(three[1:4])))
        if len(threads) == 2:
            threads[1].start()
            # The thread would end within this time if it did not have to wait.
            threads[1].join(0.05)

    monkeypatch.setattr(replay, "_check_graphs", change_meanwhile)
    with jr.record(dataset) as recorder:
        log.replay(dataset)
        threads[1].join()
    assert [each for each in recorder.patch if each[0] == Op.A] == [one, two, three]


class Waiting(Graph):
    """A graph that waits for a thread when its prefixes are read, in the middle of an `apply`."""

    thread: threading.Thread | None = None
    has_waited_in_vain = False

    @property  # type: ignore[misc]
    def namespace_manager(self) -> NamespaceManager:
        if self.thread is not None:
            thread, self.thread = self.thread, None
            thread.start()
            thread.join(0.05)
            self.has_waited_in_vain = thread.is_alive()
        return super().namespace_manager


@pytest.mark.parametrize("make", [list, tuple, jr.Patch, encoded, iter])
def test_no_thread_comes_between_operations_that_are_at_hand(make: Any) -> None:
    """No thread interrupts operations in memory, but an iterator may need another thread."""
    graph = Waiting(identifier=G)
    same = Graph(graph.store, G)
    operations = [(Op.PA, "x", URIRef("urn:x#"), None), (Op.A, S, P, S, None)]
    thread = threading.Thread(target=lambda: same.add((S, P, Literal("other"))))
    with jr.record(graph):
        graph.thread = thread
        jr.apply(make(operations), graph)
        thread.join()
    assert graph.has_waited_in_vain == (make is not iter)
    assert len(graph) == 2


@pytest.mark.parametrize("is_undone", [False, True], ids=["committed", "undone"])
def test_a_patch_that_is_applied_is_one_turn(is_undone: bool) -> None:
    numbers = range(30)
    patch = [(Op.A, S, P, Literal(number), URIRef(f"urn:g{number % 3}")) for number in numbers]
    for _ in range(40):
        dataset = Dataset()
        before = exact_state(dataset)

        def change(dataset: Dataset = dataset) -> None:
            for number in numbers:
                graph = dataset.get_context(URIRef(f"urn:g{number % 3}"))
                graph.remove((S, P, Literal(number)))
                graph.add((S, P, Literal(-number)))

        with suppress(ZeroDivisionError), jr.record(dataset) as recorder:
            run_all(lambda dataset=dataset: jr.apply(patch, dataset), change)
            after = set(dataset.quads())
            assert not is_undone or 1 / 0
        if is_undone:
            assert exact_state(dataset) == before
        else:
            again = Dataset()
            jr.apply(recorder.patch, again)
            assert set(again.quads()) == after


# --- patches that are applied during a recording --------------------------------------------------


class Slow:
    """A log that accepts a patch only after a signal."""

    def __init__(self) -> None:
        self.patches: list[jr.Patch] = []
        self.has_one, self.may_go_on = threading.Event(), threading.Event()

    def append(self, patch: jr.Patch) -> None:
        self.patches.append(patch)
        self.has_one.set()
        assert self.may_go_on.wait(10)


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_patch_fails_while_another_thread_commits(store: str) -> None:
    """Each transaction is undone or committed separately; an undo after a commit is recorded."""
    dataset = Dataset(store)
    _ = dataset.namespace_manager
    sink = Slow()
    has_begun = threading.Event()

    def operations() -> Any:
        yield (Op.A, S, P, Literal(1), G)
        yield (Op.A, S, P, Literal(2), URIRef("urn:another"))
        has_begun.set()
        assert sink.has_one.wait(10)
        sink.may_go_on.set()
        _ = 1 / 0

    def apply() -> None:
        with pytest.raises(ZeroDivisionError):
            jr.apply(operations(), dataset)

    with jr.record(dataset, sink) as recorder:
        thread = threading.Thread(target=apply)
        thread.start()
        assert has_begun.wait(10)
        # All changes so far are committed.
        with recorder.transaction():
            pass
        thread.join()
        dataset.graph(G).add((S, P, Literal(9)))
    assert statements(dataset) == {(S, P, Literal(9), G)}
    replica = Dataset()
    for patch in sink.patches:
        patch.apply(replica)
    assert statements(replica) == statements(dataset)


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_failed_patch_leaves_what_others_have_changed_meanwhile(store: str) -> None:
    graph = Graph(store)

    def operations() -> Any:
        yield (Op.A, S, P, Literal(1), None)
        run_all(lambda: graph.add((S, P, Literal("mine"))))
        yield (Op.A, S, P, Literal(2), None)
        _ = 1 / 0

    with jr.record(graph) as recorder, pytest.raises(ZeroDivisionError):
        jr.apply(operations(), graph)
    assert set(graph.objects()) == {Literal("mine")}
    assert_effective(recorder.patch, (set(), {}), (statements(graph), {}))


def test_recording_does_not_start_while_a_patch_is_applied() -> None:
    graph = Graph("Jelly")

    def operations() -> Any:
        yield (Op.A, S, P, Literal(1), None)
        refusal = pytest.raises(jr.RecordError, match="record it after that")
        with refusal, jr.record(graph):
            raise AssertionError
        yield (Op.A, S, P, Literal(2), None)

    jr.apply(operations(), graph)
    with jr.record(graph) as recorder:
        graph.add((S, P, Literal(3)))
    assert len(recorder.patch) == 3


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_commit_that_waits_for_the_end_of_a_recording(store: str) -> None:
    graph = Graph(store)
    sink = Slow()
    failures: list[BaseException] = []

    def use() -> None:
        assert sink.has_one.wait(10)
        threading.Timer(0.05, sink.may_go_on.set).start()
        try:
            graph.commit()
            graph.bind("ex", "urn:ex#")
            graph.rollback()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    with jr.record(graph, sink):
        graph.add((S, P, Literal(1)))
    thread.join()
    assert failures == []
    assert len(graph) == 1


@pytest.mark.slow
def test_failing_patches_beside_failing_transactions() -> None:
    dataset = Dataset("Jelly")
    _ = dataset.namespace_manager
    names = [URIRef(f"urn:{number}") for number in range(400)]

    def apply() -> None:
        for name in names:
            operations = (
                (Op.A, s, P, name, G) if s is not None else 1 / 0 for s in (S, name, None)
            )
            with suppress(ZeroDivisionError):
                jr.apply(operations, dataset)
            with suppress(jr.ApplyError):
                jr.apply([(Op.A, S, P, name, H), (Op.A, Literal(1), P, name, H)], dataset)

    def change() -> None:
        for number, name in enumerate(names):
            with suppress(ZeroDivisionError), recorder.transaction():
                dataset.bind(f"p{number % 5}", f"urn:n{number % 7}#", replace=True)
                dataset.add((name, P, Literal(number)))
                _ = 1 / (number % 2)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with jr.record(dataset, patches := []) as recorder:
            run_all(apply, change)
    finally:
        sys.setswitchinterval(interval)
    # Undoing the outer transaction may restore a patch that was undone inside it.
    assert statements(dataset) >= {
        (name, P, Literal(number), None) for number, name in enumerate(names) if number % 2
    }
    assert len(list(dataset.quads())) == dataset.store.quads.sizes()["quads"]
    replica = Dataset("Jelly")
    for patch in patches:
        patch.apply(replica)
    assert statements(replica) == statements(dataset)

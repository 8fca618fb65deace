"""Tests the store through rdflib's own interface."""

import copy
import gc
import io
import threading
import weakref
from random import Random
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef, Variable
from rdflib.graph import QuotedGraph
from rdflib.store import TripleAddedEvent, TripleRemovedEvent

import jelly_rdflib as jr
from jelly_rdflib import EncodeError, JellyStore
from tests.support import run

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
G, H = URIRef("urn:g"), URIRef("urn:h")


def test_it_is_a_plugin_of_rdflib() -> None:
    assert type(Dataset(store="Jelly").store) is JellyStore
    assert type(Graph("Jelly").store) is JellyStore


@pytest.mark.parametrize(
    "node", [Variable("x"), jr.TripleTerm(S, P, O), "urn:s", None, 1], ids=repr
)
@pytest.mark.parametrize("place", range(3))
def test_what_is_no_term_is_refused(node: Any, place: int) -> None:
    store = JellyStore()
    triple: list[Any] = [S, P, O]
    triple[place] = node
    with pytest.raises(TypeError, match="the store can't hold"):
        store.add(tuple(triple), Graph(store, G))
    assert (len(store), list(store.contexts())) == (0, [])


def test_formulas_are_refused() -> None:
    store = JellyStore()
    with pytest.raises(TypeError, match="no formulas"):
        store.add((S, P, O), QuotedGraph("Memory", G), quoted=True)
    with pytest.raises(TypeError, match="no formulas"):
        store.add((QuotedGraph("Memory", G), P, O), Graph(store, G))


def test_a_text_without_utf_8_is_refused_and_not_found() -> None:
    store = JellyStore()
    with pytest.raises(EncodeError, match="no UTF-8"):
        store.add((S, P, Literal("\ud800")), Graph(store, G))
    assert list(store.triples((S, P, Literal("\ud800")))) == []
    store.remove((S, P, Literal("\ud800")))


def test_a_triple_is_in_a_graph() -> None:
    store = JellyStore()
    with pytest.raises(TypeError, match="graph is None"):
        store.add((S, P, O), None)
    with pytest.raises(TypeError, match="graph is None"):
        store.addN([(S, P, O, None)])


def test_iterators_see_one_state_whoever_changes_it() -> None:
    graph = Graph("Jelly")
    for number in range(2000):
        graph.add((S, P, Literal(number)))
    seen = []
    for triple in graph.triples((S, P, None)):
        graph.remove(triple)
        graph.add((S, P, Literal("new " + triple[2])))
        seen.append(int(triple[2]))
    assert sorted(seen) == list(range(2000))
    assert len(graph) == 2000
    assert all(o.startswith("new ") for o in graph.objects())


def test_an_iterator_outlasts_a_rollback_and_a_smaller_store() -> None:
    graph = Graph("Jelly")
    graph.add((S, P, Literal("kept")))
    graph.commit()
    for number in range(30_000):
        graph.add((S, P, Literal(number)))
    # A graph's iterator starts reading the store at its first item, so use the store's iterator.
    inside = graph.store.triples((None, None, None))
    graph.rollback()
    before = graph.store.triples((None, None, None))
    for _ in range(2):
        for number in range(30_000):
            graph.add((S, P, Literal(number)))
        graph.remove((S, P, None))
        graph.commit()
    assert len(list(inside)) == 30_001
    assert [triple[2] for triple, _ in before] == [Literal("kept")]
    assert len(graph) == 0


@pytest.mark.parametrize("format", ["turtle", "nt", "jelly-rdf"])
def test_what_is_parsed_is_pending_with_the_rest(format: str) -> None:
    graph = Graph().add((S, P, O))
    graph.bind("ex", "urn:ex#")
    data = graph.serialize(format=format, encoding="utf-8")
    damaged = data + b"!" if format == "jelly-rdf" else data + b"<urn:a> <urn:b> 'c' . <!> ."
    graph = Graph("Jelly")
    graph.add((S, P, Literal("committed")))
    graph.commit()
    graph.add((S, P, Literal("pending")))
    with pytest.raises(jr.DecodeError):
        graph.parse(data=damaged, format=format)
    assert {str(o) for o in graph.objects()} == {"committed", "pending"}
    graph.parse(data=data, format=format)
    assert {str(o) for o in graph.objects()} == {"committed", "pending", str(O)}
    graph.rollback()
    assert {str(o) for o in graph.objects()} == {"committed"}


def test_a_transaction_takes_prefixes_and_graphs_with_it() -> None:
    dataset = Dataset("Jelly")
    dataset.bind("a", "urn:a#")
    dataset.commit()
    dataset.bind("a", "urn:b#", replace=True)
    dataset.bind("c", "urn:c#")
    dataset.add_graph(G)
    dataset.rollback()
    prefixes = dict(dataset.store.namespaces())
    assert prefixes["a"] == URIRef("urn:a#")
    assert "c" not in prefixes
    assert G not in {graph.identifier for graph in dataset.graphs()}


def test_old_values_are_given_back() -> None:
    """The store does not keep all old values of a property that changes often."""
    graph = Graph("Jelly")
    for number in range(100_000):
        graph.set((S, P, Literal(number)))
    assert [int(o) for o in graph.objects()] == [99_999]
    sizes = graph.store.quads.sizes()
    assert sizes["rows"] < 40_000
    assert sizes["terms"] < 40_000


def test_graphs_are_as_they_were_after_a_smaller_store_is_rolled_back() -> None:
    dataset = Dataset("Jelly")
    graph = dataset.graph(G)
    for number in range(3000):
        graph.add((S, P, Literal(number)))
    dataset.commit()
    dataset.graph(H)
    # Delete so much that terms are renumbered.
    for number in range(5000):
        graph.add((S, P, Literal(f"new {number}")))
        graph.remove((S, P, Literal(f"new {number}")))
    assert dataset.store.quads.sizes()["rows"] < 5000
    dataset.rollback()
    assert [graph.identifier for graph in dataset.store.contexts()] == [G]


def test_a_large_graph_is_dropped_and_no_other() -> None:
    dataset = Dataset("Jelly")
    dataset.add((S, P, O, G))
    for number in range(30_000):
        dataset.add((S, P, Literal(number), H))
    dataset.store.remove_graph(dataset.graph(H))
    # So much was deleted that terms were renumbered.
    assert dataset.store.quads.sizes() == {"quads": 1, "rows": 1, "terms": 5}
    assert [graph.identifier for graph in dataset.store.contexts()] == [G]


def test_a_copy_has_literals_of_any_size() -> None:
    graph = Graph("Jelly")
    long = Literal("x" * 20_000_000)
    graph.add((S, P, long))
    copied = Graph(copy.deepcopy(graph.store), graph.identifier)
    assert copied.value(S, P) == long


def test_a_base_of_a_graph_outlasts_a_smaller_store() -> None:
    dataset = Dataset("Jelly")
    graph = Graph(dataset.store, G, base="urn:base")
    graph.add((S, P, O))
    for number in range(10_000):
        graph.set((S, P, Literal(number)))
    assert [each.base for each in dataset.store.contexts() if each.identifier == G] == ["urn:base"]


def test_events() -> None:
    graph = Graph("Jelly")
    events: list[Any] = []
    graph.store.dispatcher.subscribe(TripleAddedEvent, events.append)
    graph.store.dispatcher.subscribe(TripleRemovedEvent, events.append)
    graph.add((S, P, O))
    graph.remove((S, None, None))
    jr.apply([(jr.Op.A, S, P, O, None)], graph)
    assert [type(event) for event in events] == [
        TripleAddedEvent,
        TripleRemovedEvent,
        TripleAddedEvent,
    ]


def test_destroy_empties_it() -> None:
    dataset = Dataset("Jelly")
    dataset.add((S, P, O, G))
    dataset.bind("a", "urn:a#")
    dataset.store.destroy(None)
    assert (len(dataset.store), list(dataset.store.contexts())) == (0, [])
    assert list(dataset.store.namespaces()) == []


def test_a_store_is_collected() -> None:
    # Existing objects need not be collected.
    gc.freeze()
    dataset = Dataset("Jelly")
    dataset.add((S, P, O, G))
    reader = dataset.store.triples((None, None, None))
    _, graphs = next(reader)
    assert [graph.identifier for graph in graphs] == [G]
    reference = weakref.ref(dataset.store)
    del dataset, reader, graphs
    gc.collect()
    gc.unfreeze()
    assert reference() is None


def test_two_threads() -> None:
    """Two threads make the store shrink while others read, apply and commit."""
    dataset = Dataset("Jelly")
    failures: list[BaseException] = []
    patch = [(jr.Op.A, S, P, Literal(number), G) for number in range(50)]
    data = io.BytesIO()
    with jr.PatchWriter(data) as writer:
        writer.write_all(patch)

    def run(work: Any, *arguments: Any) -> threading.Thread:
        def guarded() -> None:
            try:
                work(*arguments)
            except BaseException as error:
                failures.append(error)

        return threading.Thread(target=guarded)

    def change(name: URIRef) -> None:
        graph = dataset.graph(name)
        for number in range(6000):
            graph.add((BNode(), P, Literal(f"{name} {number}")))
            graph.remove((None, P, Literal(f"{name} {number - 1}")))
        dataset.store.commit()

    def read() -> None:
        for _ in range(100):
            for s, p, o, g in dataset.quads((None, None, None, None)):
                assert p == P
                # If term numbers were mixed up, a literal would appear in another graph.
                assert s == S or o.startswith(f"{g} ")

    def apply() -> None:
        for _ in range(100):
            jr.apply(data.getvalue(), dataset)

    threads = [run(change, G), run(change, H), run(read), run(apply)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert dataset.store.quads.sizes()["rows"] < 5000
    assert len(dataset.graph(H)) == 1
    assert len(dataset.graph(G)) == 51


def test_collector_may_add_quads_in_the_middle_of_an_addition() -> None:
    # Python's garbage collector, and so any destructor, may run while an object is made.
    code = """
import gc
from rdflib import Literal, URIRef
from jelly_rdflib import JellyStore

store = JellyStore()
s, p, o = (URIRef(f"urn:{name}") for name in "spo")
ran = 0

class Adds:
    def __del__(self):
        global ran
        ran += 1
        for n in range(300):
            store.quads.add((s, p, Literal(f"{ran}-{n}")), URIRef(f"urn:late:{ran}-{n}"))

graphs = [URIRef(f"urn:graph:{n}") for n in range(100)]
gc.collect()
gc.freeze()
gc.set_threshold(1, 1000, 1000)
for graph in graphs:
    gc.disable()
    adds = Adds()
    adds.itself = adds
    del adds
    gc.enable()
    store.quads.add((s, p, o), graph)
gc.disable()
gc.collect()
counts = {context.identifier: store.quads.count(context.identifier) for context in store.contexts()}
print(ran, store.quads.sizes()["quads"], sum(counts.values()), {counts[graph] for graph in graphs})
"""
    assert run(code).split() == ["100", "30100", "30100", "{1}"]


@pytest.mark.parametrize("seed", range(8))
def test_len_of_all_graphs_counts_each_triple_once(seed: int) -> None:
    """The length is correct even after so many changes that the cached count is dropped."""
    random = Random(seed)
    dataset = Dataset(store="Jelly", default_union=bool(seed % 2))
    graphs = [dataset.graph(URIRef(f"urn:g{i}")) for i in range(random.choice([1, 2, 7]))]
    state, committed = set[Any](), set[Any]()
    for _ in range(300):
        is_long = random.random() < 0.1
        for _ in range(random.randrange(300) if is_long else 2):
            graph = random.choice(graphs)
            triple = (S, P, Literal(random.randrange(200)))
            if random.random() < 0.6:
                graph.add(triple)
                state.add((*triple, graph.identifier))
            else:
                graph.remove(triple)
                state.discard((*triple, graph.identifier))
        end = random.random()
        if end < 0.1:
            dataset.rollback()
            state = set(committed)
        elif end < 0.2:
            dataset.commit()
            committed = set(state)
        if random.random() < 0.7:
            assert len(dataset) == len({quad[:3] for quad in state})


@pytest.mark.parametrize("kind", [list, iter, tuple])
def test_a_pattern_may_be_any_iterable_as_for_memory(kind: Any) -> None:
    for pattern in ([S, None, O], [None, P, None], [None, None, None]):
        ends = []
        for name in ("Jelly", "Memory"):
            graph = Graph(name, G)
            store: Any = graph.store
            store.add((S, P, O), graph)
            store.add((G, H, O), graph)
            found = {triple for triple, _ in store.triples(kind(pattern), graph)}
            # Memory reads a pattern twice, so it can't take an iterator for a removal.
            graph.remove(kind(pattern) if kind is not iter or name == "Jelly" else tuple(pattern))
            ends.append((found, set(graph)))
        assert ends[0] == ends[1]


@pytest.mark.parametrize("kind", [list, iter])
def test_a_triple_may_be_any_iterable_as_for_memory(kind: Any) -> None:
    store = JellyStore()
    store.add(kind([S, P, O]), Graph(store, G))
    assert [triple for triple, _ in store.triples((None, None, None))] == [(S, P, O)]
    for size in (0, 2, 4):
        with pytest.raises(ValueError, match="three terms"):
            store.add(kind([S] * size), Graph(store, G))
        with pytest.raises(ValueError, match="three terms"):
            store.remove(kind([S] * size))
        with pytest.raises(ValueError, match="three terms"):
            store.triples(kind([S] * size))

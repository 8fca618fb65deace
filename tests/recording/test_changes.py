"""Tests that, in each store, every kind of change by rdflib is recorded if it had an effect."""

from collections.abc import Callable
from typing import Any

import pytest
from rdflib import BNode, ConjunctiveGraph, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph, ReadOnlyGraphAggregate
from rdflib.namespace import FOAF, XSD, NamespaceManager
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.store import TripleAddedEvent, TripleRemovedEvent

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.recording.support import (
    DATASETS,
    TC,
    TX,
    G,
    H,
    O,
    P,
    S,
    aborted,
    add,
    assert_effective,
    delete,
    left,
    statements,
)


def some_quads(dataset: Dataset) -> None:
    for g, o in ((None, "1"), (G, "1"), (G, "2"), (H, "2"), (H, "3")):
        dataset.add((S, P, URIRef(f"urn:{o}"), g or dataset.default_graph))


def iri(operation: Callable[..., jr.Operation], o: str, g: Any = None) -> jr.Operation:
    return operation(URIRef(f"urn:{o}"), g)


def test_graph_without_a_name_gets_one() -> None:
    dataset = Dataset()
    with jr.record(dataset) as recorder:
        graph = dataset.graph()
        graph.add((S, P, O))
    genid, quad = list(recorder.patch)[1:-1]
    assert genid[:2] == (Op.PA, "genid")
    assert quad == add(g=graph.identifier)


def test_graph_of_another_store_is_copied_by_its_name() -> None:
    other = Graph(identifier=G)
    other.add((S, P, O))
    dataset = Dataset()
    with jr.record(dataset) as recorder:
        dataset.add_graph(other)
        other.add((S, P, Literal("not here")))
    assert list(recorder.patch) == [TX, add(g=G), TC]


# --- prefixes ------------------------------------------------------------------------------------


def test_prefixes_of_rdflib_are_not_recorded() -> None:
    graph = Graph()
    with jr.record(graph) as recorder:
        # rdflib binds its own prefixes when the graph is first asked for its prefixes
        assert len(list(graph.namespaces())) > 20
        graph.add((S, P, O))
        assert graph.qname(FOAF.name) == "foaf:name"
    assert list(recorder.patch) == [TX, add(), TC]


def test_prefix_that_rdflib_makes_up_is_recorded() -> None:
    graph = Graph()
    with jr.record(graph) as recorder:
        assert graph.qname(URIRef("http://made/up")) == "ns1:up"
    assert list(recorder.patch) == [TX, (Op.PA, "ns1", URIRef("http://made/"), None), TC]


def test_prefixes_where_the_manager_keeps_them() -> None:
    keeper = Graph()
    graph = Graph(namespace_manager=NamespaceManager(keeper))
    ex, other = URIRef("http://example.org/"), URIRef("http://other/")
    with jr.record(graph) as recorder:
        graph.bind("ex", other)
        # `apply` first compares prefixes, and finds the binding, which was not recorded yet.
        jr.apply([(Op.PA, "ex", ex, None)], graph)
        graph.add((S, P, O))
        with left(recorder.transaction()):
            graph.bind("no", ex)
            assert graph.qname(ex + "a") == "no:a"
        assert graph.qname(ex + "a") == "ex:a"
        assert "no" not in dict(keeper.namespaces())
        graph.remove((S, P, O))
    assert list(recorder.patch) == [TX, (Op.PA, "ex", ex, None), add(), TC, TX, delete(), TC]
    with aborted(graph):
        graph.bind("ex", other, replace=True)
    assert dict(keeper.namespaces())["ex"] == ex
    manager = Graph(graph.store).namespace_manager
    with jr.record(graph) as recorder:
        graph.bind("ey", other)
        # A prefix that another graph of the store binds is not recorded.
        manager.bind("ey", ex)
    assert list(recorder.patch) == [TX, (Op.PA, "ey", other, None), TC]


# --- which graphs --------------------------------------------------------------------------------


def test_other_graphs_of_the_store_are_not_recorded(make_dataset: Callable[[], Dataset]) -> None:
    dataset = make_dataset()
    some_quads(dataset)
    with jr.record(dataset.get_context(G)) as recorder:
        dataset.add((S, P, URIRef("urn:4"), H))
        dataset.add((S, P, URIRef("urn:4"), G))
        dataset.add((S, P, URIRef("urn:5")))
        dataset.remove((None, None, URIRef("urn:2")))
        dataset.remove_graph(H)
    assert list(recorder.patch) == [TX, iri(add, "4"), iri(delete, "2"), TC]


def test_other_graphs_are_not_undone(make_dataset: Callable[[], Dataset]) -> None:
    dataset = make_dataset()
    some_quads(dataset)
    with aborted(dataset.get_context(G)):
        dataset.add((S, P, URIRef("urn:4"), H))
        dataset.add((S, P, URIRef("urn:4"), G))
        dataset.remove((None, None, URIRef("urn:2")))
    assert {(str(o)[4:], g) for _, _, o, g in statements(dataset)} == {
        ("1", None),
        ("1", G),
        ("2", G),
        ("3", H),
        ("4", H),
    }


def test_the_default_graph_alone() -> None:
    dataset = Dataset()
    with jr.record(dataset.default_graph) as recorder:
        dataset.add((S, P, O))
        dataset.add((S, P, O, G))
    assert list(recorder.patch) == [TX, add(), TC]


def test_all_graphs_of_a_store_that_does_not_know_graphs() -> None:
    store = SimpleMemory()
    with jr.record(Graph(store)) as recorder:
        Graph(store, URIRef("urn:another")).add((S, P, O))
    assert list(recorder.patch) == [TX, add(), TC]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_conjunctive_graph() -> None:
    graph = ConjunctiveGraph()
    before = statements(graph), dict(graph.namespaces())
    with jr.record(graph) as recorder:
        graph.add((S, P, O))
        graph.get_context(G).add((S, P, O))
        graph.remove((S, P, None))
        graph.add((S, P, O, graph.default_context))
    operations = list(recorder.patch)
    assert_effective(operations, before, (statements(graph), dict(graph.namespaces())))
    assert set(operations[1:5]) == {add(), add(g=G), delete(), delete(g=G)}
    assert operations[5:] == [add(), TC]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_graph_that_would_become_the_default_graph_is_refused() -> None:
    graph = ConjunctiveGraph()
    with jr.record(graph) as recorder:
        graph.add((S, P, O))
        with pytest.raises(jr.RecordError, match="is not the default graph here"):
            graph.get_context(DATASET_DEFAULT_GRAPH_ID).add((S, P, O))
    assert list(recorder.patch) == [TX, add(), TC]
    assert len(graph.get_context(DATASET_DEFAULT_GRAPH_ID)) == 0


def test_any_graph_object_with_the_store(make_dataset: Callable[[], Dataset]) -> None:
    dataset = make_dataset()
    before = dataset.get_context(G)
    with jr.record(dataset) as recorder:
        before.add((S, P, URIRef("urn:1")))
        Graph(dataset.store, G).add((S, P, URIRef("urn:2")))
        Dataset(dataset.store).add((S, P, URIRef("urn:3"), G))
        dataset.store.add((S, P, URIRef("urn:4")), before)
    assert [str(operation[3]) for operation in list(recorder.patch)[1:-1]] == [
        f"urn:{number}" for number in (1, 2, 3, 4)
    ]


# --- whatever rdflib can represent ---------------------------------------------------------------


def test_generalized_statements_and_quoted_triples() -> None:
    quoted = jr.TripleTerm(S, P, O)
    graph = Graph()
    with jr.record(graph) as recorder:
        graph.add((Literal("s"), BNode("p"), O))
        graph.add((quoted, P, quoted))
        graph.remove((None, None, quoted))
    assert list(recorder.patch) == [
        TX,
        (Op.A, Literal("s"), BNode("p"), O, None),
        (Op.A, quoted, P, quoted, None),
        (Op.D, quoted, P, quoted, None),
        TC,
    ]


def test_removal_is_recorded_as_the_store_spells_it() -> None:
    stored, asked = Literal("x", lang="en"), Literal("x", lang="EN")
    for pattern in ((S, P, asked), (None, None, asked), (S, None, asked)):
        dataset = Dataset()
        dataset.add((S, P, stored, G))
        for remove in (dataset.graph(G).remove, dataset.remove):
            with aborted(dataset, patches := []) as recorder:
                with recorder.transaction():
                    remove(pattern)
                (operation,) = list(patches[0])[1:-1]
            assert operation[0] == Op.D
            assert operation[3].language == "en"
            dataset.add((S, P, stored, G))


@pytest.mark.parametrize("name", ["oxigraph", "another oxigraph"])
def test_literals_are_recorded_as_oxigraph_spells_them(name: str) -> None:
    dataset = DATASETS[name]()
    spellings = [
        (Literal("x"), Literal("x", datatype=XSD.string)),
        (Literal("x", lang="EN-gb"), Literal("x", lang="en-gb")),
        (Literal("1.0", datatype=XSD.decimal, normalize=False), Literal("1", datatype=XSD.decimal)),
        (Literal("a", datatype=URIRef("urn:d")), Literal("a", datatype=URIRef("urn:d"))),
    ]
    with jr.record(dataset) as recorder:
        for given, _ in spellings:
            dataset.add((S, P, given))
        dataset.add((S, P, Literal("x", datatype=XSD.string)))
        dataset.addN([(S, P, given, dataset.graph(G)) for given, _ in spellings])
        twice = [(S, P, Literal("y", **more)) for more in ({}, {"datatype": XSD.string})]
        dataset.addN([(*triple, dataset.graph(G)) for triple in twice])
        dataset.remove((S, P, Literal("x")))
    for operation, (_, literal) in zip(list(recorder.patch)[1:], spellings, strict=False):
        o = operation[3]
        assert (type(o), o.value, o.ill_typed) == (Literal, literal.value, literal.ill_typed)
        assert (o.language, o.datatype, hash(o)) == (
            literal.language,
            literal.datatype,
            hash(literal),
        )
    stored = [literal.n3() for _, literal in spellings]
    found = [(op, o.n3(), g) for op, _, _, o, g in list(recorder.patch)[1:-1]]
    assert found[:8] == [(Op.A, o, g) for g in (None, G) for o in stored]
    y, x = Literal("y", datatype=XSD.string).n3(), stored[0]
    assert found[8] == (Op.A, y, G)
    assert set(found[9:]) == {(Op.D, x, None), (Op.D, x, G)}
    assert len(found) == 11


# --- other code that changes the store -----------------------------------------------------------


def test_changes_of_subscribers_are_recorded_too() -> None:
    graph = Graph()
    inferred = URIRef("urn:inferred")

    def infer(event: Any) -> None:
        s, p, o = event.triple
        if p == P and isinstance(event, TripleAddedEvent):
            graph.add((s, inferred, o))
        elif p == P:
            graph.remove((s, inferred, o))

    graph.store.dispatcher.subscribe(TripleAddedEvent, infer)
    with jr.record(graph) as recorder:
        graph.add((S, P, O))
    assert set(recorder.patch) == {TX, add(), (Op.A, S, inferred, O, None), TC}
    assert len(graph) == 2
    with aborted(graph):
        graph.add((H, P, O))
    assert len(graph) == 2


class RedirectingStore(Memory):
    """A store that adds and removes by calling its other methods."""

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        self.addN([(*triple, context)])

    def addN(self, quads: Any) -> None:
        for s, p, o, context in quads:
            super().add((s, p, o), context)

    def remove(self, triple: Any, context: Any = None) -> None:
        if None in triple:
            for each, _ in list(self.triples(triple, context)):
                self.remove(each, context)
        else:
            super().remove(triple, context)

    def remove_graph(self, graph: Any) -> None:
        self.remove((None, None, None), graph)
        super().remove_graph(graph)


def test_what_a_store_does_by_its_other_methods_is_recorded_once() -> None:
    dataset = Dataset(RedirectingStore())
    some_quads(dataset)
    with jr.record(dataset) as recorder:
        dataset.add((S, P, URIRef("urn:4"), G))
        dataset.remove_graph(G)
    first, *others = list(recorder.patch)[1:-1]
    assert first == iri(add, "4", G)
    assert sorted(others, key=str) == [iri(delete, o, G) for o in "124"]


def test_subscribers_hear_of_each_change() -> None:
    graph = Graph()
    heard: list[Any] = []
    graph.store.dispatcher.subscribe(TripleAddedEvent, heard.append)
    graph.store.dispatcher.subscribe(TripleRemovedEvent, heard.append)
    with jr.record(graph):
        graph.add((S, P, O))
        graph.add((S, P, O))
    assert len(heard) == 2


# --- what can't be recorded ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        Memory,
        lambda: None,
        lambda: QuotedGraph(Memory(), URIRef("urn:f")),
        lambda: ReadOnlyGraphAggregate([Graph()]),
    ],
)
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_other_targets(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="give an rdflib Graph or Dataset"):
        jr.record(make())


def test_formulas_are_refused() -> None:
    dataset = Dataset()
    formula = QuotedGraph(dataset.store, URIRef("urn:f"))
    formula.add((S, P, O))
    dataset.add((S, P, O, G))
    dataset.add((S, P, Literal("2"), G))
    with jr.record(dataset) as recorder:
        for change in (
            lambda: formula.add((S, P, Literal("2"))),
            lambda: formula.remove((S, P, O)),
            lambda: dataset.store.remove_graph(formula),
            lambda: dataset.store.add_graph(formula),
            lambda: dataset.remove((S, P, O)),
            lambda: dataset.remove((S, P, None)),
        ):
            with pytest.raises(jr.RecordError, match="a patch has no formulas"):
                change()
        dataset.remove((S, P, None, G))
    assert len(list(recorder.patch)) == 4
    assert len(formula) == 1


def test_statement_in_no_graph_is_refused() -> None:
    dataset = Dataset()
    with jr.record(dataset) as recorder, pytest.raises(jr.RecordError, match="it is not a Graph"):
        dataset.store.add((S, P, O), None)
    assert list(recorder.patch) == []


def test_store_stays_open(tmp_path: Any) -> None:
    dataset = Dataset("Oxigraph")
    dataset.open(str(tmp_path / "store"), create=True)
    with jr.record(dataset):
        dataset.add((S, P, O))
        for method in (
            lambda: dataset.close(),
            lambda: dataset.open(str(tmp_path / "other")),
            lambda: dataset.destroy(str(tmp_path / "store")),
        ):
            with pytest.raises(jr.RecordError, match="can't be called while the store is being"):
                method()
    assert len(dataset) == 1
    dataset.close()

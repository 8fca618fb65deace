"""Tests `read_batches` on graphs and datasets."""

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph

import jelly_rdflib as jr
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
DEFAULT = DATASET_DEFAULT_GRAPH_ID
STORES = ["default", "Jelly"]


def big(store: str) -> Dataset:
    dataset = Dataset(store=store)
    for n in range(3000):
        triple = (URIRef(f"urn:{n}"), P, Literal(n % 5))
        dataset.add((*triple, G) if n % 2 else triple)
    return dataset


@pytest.mark.parametrize("store", STORES)
def test_batches_have_all_statements(store: str) -> None:
    dataset = big(store)
    batches = list(jr.read_batches(dataset))
    assert len(batches) > 1
    found = [operation for batch in batches for operation in batch]
    assert {code for code, *_ in found} == {jr.Op.A}
    assert {(s, p, o, g or DEFAULT) for _, s, p, o, g in found} == {
        (s, p, o, g or DEFAULT) for s, p, o, g in dataset.quads()
    }
    assert [len(statement) for statement in batches[0].statements()] == [4] * len(batches[0])


@pytest.mark.parametrize("store", STORES)
def test_graph_has_triples(store: str) -> None:
    graph = Graph(store=store)
    graph.add((S, P, Literal("o")))
    (batch,) = jr.read_batches(graph)
    assert list(batch.statements()) == [(S, P, Literal("o"))]


@pytest.mark.parametrize(
    "settings",
    [{"limits": jr.Limits()}, {"format": "nq"}, {"strict": False}, {"base": "urn:b"}],
)
def test_settings_for_bytes_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(settings))} can't be given with a graph"):
        jr.read_batches(Graph(), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", STORES)
def test_batches_are_bounded_by_their_text(store: str) -> None:
    graph = Graph(store=store)
    for n in range(100):
        graph.add((S, P, Literal(f"{n}" + "x" * 100_000)))
    sizes = [len(batch.terms.data) for batch in jr.read_batches(graph)]
    assert sum(sizes) > 10_000_000
    assert max(sizes) < 1_300_000


@pytest.mark.parametrize("store", STORES)
def test_conjunctive_graph_has_its_own_default_graph(store: str) -> None:
    dataset = Dataset(store=store)
    with pytest.warns(DeprecationWarning, match="ConjunctiveGraph"):
        graph = ConjunctiveGraph(dataset.store, URIRef("urn:default"))
    graph.add((S, P, Literal("o")))
    # Listing the graphs makes the store list an empty default graph.
    list(dataset.graphs())
    (batch,) = jr.read_batches(graph)
    assert [operation[1:] for operation in batch] == [(S, P, Literal("o"), None)]
    dataset.add((S, P, Literal("another")))
    with pytest.raises(jr.PatchError, match="give a Dataset of the store"):
        jr.read_batches(graph)


def test_nodes_that_have_no_utf8_form_are_an_error() -> None:
    graph = Graph()
    graph.add((S, P, Literal("\ud800")))
    with pytest.raises(jr.EncodeError, match="UTF-8"):
        list(jr.read_batches(graph))


def test_iterable_of_a_node_batch_may_fail_and_call_back() -> None:
    def statements() -> object:
        yield (jr.Op.A, S, P, BNode("b"), None)
        with pytest.raises(ValueError, match="already reading"):
            next(batches)
        raise KeyError("broken")

    batches = NodeBatches(NODE_TYPES, statements())  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="broken"):
        next(batches)
    assert list(batches) == []

"""Tests that literals with invalid lexical forms stay ill-typed in a `JellyStore`."""

from typing import Any

import pytest
from rdflib import RDF, XSD, BNode, Graph, Literal, URIRef
from rdflib.term import XSDToPython

import jelly_rdflib as jr
from jelly_rdflib import JellyStore

S, P = URIRef("urn:s"), URIRef("urn:p")
TEXTS = ["none", "TRUE", "true", "false", "1", "0", "01", "", "300", "-5", "1.0", "2020-13-01", "é"]
# Readers and the store don't parse HTML into a tree: see docs/reliability.md.
DATATYPES = [datatype for datatype in XSDToPython if datatype not in (None, RDF.HTML)]

pytestmark = pytest.mark.filterwarnings("ignore:Parsing weird boolean")


def state(node: Any) -> Any:
    return str(node), node.datatype, node.ill_typed, type(node.value)


@pytest.mark.parametrize("datatype", DATATYPES, ids=str)
@pytest.mark.parametrize("normalize", [True, False])
def test_a_node_comes_out_as_it_was_added(datatype: URIRef, normalize: bool) -> None:
    for text in TEXTS:
        node = Literal(text, datatype=datatype, normalize=normalize)
        graph = Graph("Jelly").add((S, P, node))
        assert [state(o) for o in graph.objects()] == [state(node)]
        assert (S, P, node) in graph


@pytest.mark.parametrize("format", ["nt", "turtle", "n3", "xml", "json-ld"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_boolean_is_parsed_as_into_memory(format: str, text: str) -> None:
    node = Literal(text, datatype=XSD.boolean, normalize=False)
    data = Graph().add((S, URIRef("urn:p#p"), node))
    # rdflib's Turtle and N3 serializers write all booleans as keywords.
    written = data.serialize(format="nt" if format in ("turtle", "n3") else format)
    ours, theirs = (Graph(name).parse(data=written, format=format) for name in ("Jelly", "Memory"))
    # rdflib does not determine whether a literal made from a JSON value is ill-typed.
    states = [[(str(o), o.value, bool(o.ill_typed)) for o in g.objects()] for g in (ours, theirs)]
    assert states[0] == states[1]


def test_the_first_spelling_of_a_boolean_stays() -> None:
    ill = Literal("none", datatype=XSD.boolean)
    well = Literal("false", datatype=XSD.boolean)
    for first, second in ((ill, well), (well, ill)):
        graph = Graph("Jelly").add((S, P, first)).add((S, P, second))
        assert [o.ill_typed for o in graph.objects()] == [first.ill_typed]


def test_a_boolean_stays_ill_typed_when_the_store_is_rewritten() -> None:
    graph = Graph("Jelly").add((S, P, Literal("none", datatype=XSD.boolean)))
    graph.commit()
    for _ in range(3000):
        node = BNode()
        graph.add((node, P, S)).remove((node, P, S))
        graph.commit()
    assert isinstance(graph.store, JellyStore)
    assert graph.store.quads.sizes()["rows"] < 3000
    assert [o.ill_typed for o in graph.objects()] == [True]


def test_a_boolean_stays_ill_typed_after_a_rollback() -> None:
    graph = Graph("Jelly").add((S, P, Literal("none", datatype=XSD.boolean)))
    graph.commit()
    # The terms are new, so the rollback truncates the dictionary.
    graph.add((S, P, Literal("new")))
    graph.rollback()
    assert [o.ill_typed for o in graph.objects()] == [True]


@pytest.mark.parametrize("normalize", [True, False])
def test_applied_booleans_are_ill_typed(normalize: bool) -> None:
    graph = Graph("Jelly")
    data = b'A <urn:s> <urn:p> "none"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n'
    jr.apply(data, graph, normalize=normalize, format="rdf-patch")
    expected = Literal("none", datatype=XSD.boolean, normalize=normalize)
    assert [state(o) for o in graph.objects()] == [state(expected)]
    jr.apply([(jr.Op.D, S, P, expected, None)], graph)
    assert len(graph) == 0

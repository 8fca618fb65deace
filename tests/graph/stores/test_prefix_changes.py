"""Tests prefix changes in consecutive transactions, and limits on the number of prefixes."""

import io
from typing import Any

import pytest
from rdflib import RDF, Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib import LimitError, Op
from tests.algebra.strategies import write

TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)
ONE, TWO = "urn:1#", "urn:2#"


def bind(prefix: str, iri: str = ONE) -> Any:
    return (Op.PA, prefix, URIRef(iri), None)


def unbind(prefix: str) -> Any:
    return (Op.PD, prefix, None, None)


def own(graph: Graph) -> dict[str, str]:
    """Return the prefixes of a graph, without those that rdflib binds."""
    rdflibs = dict(Graph().namespaces())
    return {prefix: str(iri) for prefix, iri in graph.namespaces() if prefix not in rdflibs}


@pytest.mark.parametrize("atomic", [True, False])
@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([bind("x"), bind("x", TWO), bind("x")], {"x": ONE}),
        ([bind("x"), bind("y"), bind("x")], {"x": ONE}),
        ([bind("x"), unbind("x"), bind("x")], {"x": ONE}),
        ([unbind("x"), bind("x"), unbind("x")], {}),
        ([bind("x"), bind("y"), unbind("x"), bind("x", TWO), unbind("x")], {"y": ONE}),
        ([bind("x"), bind("y"), bind("y", TWO), unbind("y")], {}),
    ],
)
def test_the_last_change_of_a_transaction_counts(
    atomic: bool, operations: Any, expected: Any
) -> None:
    graph = Graph()
    jr.apply(operations, graph, atomic=atomic)
    assert own(graph) == expected


def test_what_a_transaction_changed_is_news_for_the_next() -> None:
    graph = Graph()
    jr.apply([TX, bind("x"), TA, TX, bind("x"), TC], graph)
    assert own(graph) == {"x": ONE}
    jr.apply([TX, unbind("x"), TA, TX, unbind("x"), TC], graph)
    assert own(graph) == {}


def test_what_a_transaction_may_change() -> None:
    """Changes are kept in memory until the commit; a repeated change is kept only once."""
    limits = jr.Limits(max_prefixes=3)
    three = [unbind("a"), unbind("b"), unbind("c")]
    jr.apply(write([TX, *three * 2, TC, TX, *three, TC]), Graph(), limits=limits)
    jr.apply(write([bind("rdf", str(RDF))] * 4), Graph(), limits=limits)
    with pytest.raises(LimitError, match="changes more than 3 prefixes"):
        jr.apply(write([TX, *three, unbind("d"), TC]), Graph(), limits=limits)


def test_how_many_prefixes_a_store_may_have() -> None:
    """The limit counts the current prefixes of a store, not all prefixes that it ever had."""
    room = 3
    limits = jr.Limits(max_prefixes=len(list(Graph().namespaces())) + room)
    turns = [
        op
        for n in range(room * 2 + 1)
        for op in (TX, bind("x", f"urn:x{n}#"), TC, TX, unbind("x"), TC)
    ]
    graph = Graph()
    jr.apply(
        write([*turns, *(bind(f"x{n}", f"urn:{n}#") for n in range(room))]), graph, limits=limits
    )
    assert len(own(graph)) == room
    with pytest.raises(LimitError, match=f"more than {limits.max_prefixes} prefixes"):
        jr.apply(write([bind("one-more", "urn:more#")]), graph, limits=limits)
    assert len(own(graph)) == room


def test_namespaces_of_statements_are_taken_back_at_the_limit() -> None:
    """At the limit, prefixes are unbound again, though rdflib's method binds them one by one."""
    file = io.BytesIO()
    with jr.StatementWriter(file, jr.StreamOptions(namespace_declarations=True)) as writer:
        for number in range(20):
            writer.add_namespace(f"n{number}", URIRef(f"urn:n#{number}"))
    graph = Graph()
    graph.bind("n1", "urn:mine#")
    before = dict(graph.namespaces())
    with pytest.raises(LimitError, match="prefixes"):
        graph.parse(file.getvalue(), format="jelly-rdf", limits=jr.Limits(max_prefixes=40))
    assert dict(graph.namespaces()) == before
    # The unbound prefixes do not change how an IRI is split, either.
    assert graph.namespace_manager.compute_qname("urn:n#0a", generate=True)[2] == "0a"
    graph.parse(file.getvalue(), format="jelly-rdf")
    assert own(graph).keys() >= {"n0", "n1", "n19"}
    assert own(graph)["n1"] == "urn:mine#"

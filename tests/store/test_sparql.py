"""Tests that SPARQL has the same results on a JellyStore as on rdflib's Memory store."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.plugins.sparql import CUSTOM_EVALS

from jelly_rdflib import JellyStore
from jelly_rdflib.plugins.sparql import evaluate

A, B, C = NODES = [URIRef(f"urn:{letter}") for letter in "abc"]
G, H = URIRef("urn:g"), URIRef("urn:h")
OBJECTS = [*NODES, Literal("x"), Literal("x", lang="en"), Literal(1), BNode("n")]
QUADS = list(product([*NODES, BNode("n")], NODES, OBJECTS, [None, G, H]))

PARTS: list[str] = []
"""The names of the parts of a query that were evaluated on term numbers."""


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(ctx: Any, part: Any) -> Iterator[Any]:
        found = evaluate(ctx, part)
        PARTS.append(part.name)
        return found

    PARTS.clear()
    monkeypatch.setitem(CUSTOM_EVALS, "jelly-store", count)


def dataset(store: Any, quads: Any, *, is_union: bool = False) -> Dataset:
    made = Dataset(store=store, default_union=is_union)
    for s, p, o, g in quads:
        (made if g is None else made.graph(g)).add((s, p, o))
    return made


def answer(asked: Graph, query: str, **more: Any) -> Counter[Any]:
    result: Any = asked.query(query, **more)
    return Counter(frozenset(row.asdict().items()) for row in result)


def end_of(asked: Graph, query: str, **more: Any) -> Any:
    try:
        return answer(asked, query, **more)
    except Exception as error:
        # rdflib can't sum values that are not numbers or that come from initial bindings.
        if "SUM(" not in query:
            raise
        return type(error)


def assert_same(quads: Any, query: str, *, is_union: bool, **more: Any) -> None:
    """Check that both stores return the same answer, or raise the same error."""
    memory, store = (
        end_of(dataset(kind, quads, is_union=is_union), query, **more)
        for kind in ("Memory", JellyStore())
    )
    assert store == memory


def text(term: Any) -> str:
    # A blank node in a query is a variable.
    return str(term.n3())


slots = st.sampled_from(["?x", "?y", "?z", "_:b"])
patterns = st.lists(
    st.tuples(
        slots | st.sampled_from(NODES).map(text),
        slots.filter(lambda slot: slot != "_:b") | st.sampled_from(NODES).map(text),
        slots | st.sampled_from(OBJECTS[:-1]).map(text),
    ).map(" ".join),
    min_size=1,
    max_size=4,
).map(" . ".join)
shapes = st.sampled_from(
    [
        "{{ {0} }}",
        "{{ {0} OPTIONAL {{ {1} }} }}",
        "{{ {0} FILTER EXISTS {{ {1} }} }}",
        "{{ {0} MINUS {{ {1} }} }}",
        "{{ GRAPH ?g {{ {0} }} }}",
        "{{ GRAPH ?g {{ {0} FILTER NOT EXISTS {{ {1} }} }} }}",
        "{{ GRAPH <urn:g> {{ {0} }} {1} }}",
        "{{ {{ {0} }} UNION {{ {1} }} }}",
        "{{ VALUES ?x {{ <urn:a> <urn:none> }} {0} }}",
        "{{ {0} {{ SELECT ?x (COUNT(*) AS ?n) WHERE {{ {1} }} GROUP BY ?x }} }}",
    ]
)


@given(
    quads=st.lists(st.sampled_from(QUADS), max_size=40, unique=True),
    shape=shapes,
    one=patterns,
    other=patterns.map(lambda pattern: pattern.replace("_:b", "_:c")),
    is_union=st.booleans(),
)
def test_any_patterns(quads: Any, shape: str, one: str, other: str, is_union: bool) -> None:
    query = "SELECT * " + shape.format(one, other)
    assert_same(quads, query, is_union=is_union)


counts = st.sampled_from(
    [
        "SELECT (COUNT(*) AS ?n) WHERE {0}",
        "SELECT (COUNT(?x) AS ?n) WHERE {0}",
        "SELECT ?x (COUNT(*) AS ?n) (COUNT(?y) AS ?m) WHERE {0} GROUP BY ?x",
        "SELECT ?x ?y (COUNT(*) AS ?n) WHERE {0} GROUP BY ?y ?x HAVING (COUNT(?x) > 1)",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {0} GROUP BY ?z",
        "SELECT ?g (COUNT(*) AS ?n) WHERE {0} GROUP BY ?g",
        "SELECT (SUM(?z) AS ?n) (COUNT(*) AS ?m) WHERE {0} GROUP BY ?x",
        "SELECT (COUNT(*) AS ?n) WHERE {0} GROUP BY STR(?x)",
        "SELECT (COUNT(STR(?x)) AS ?n) WHERE {0}",
    ]
)


@given(
    quads=st.lists(st.sampled_from(QUADS), max_size=40, unique=True),
    query=counts,
    shape=st.sampled_from(["{ %s }", "{ GRAPH ?g { %s } }", "{ GRAPH <urn:g> { %s } }"]),
    one=patterns,
    is_union=st.booleans(),
    bound=st.sampled_from([{}, {"x": A}, {"g": G}]),
)
def test_any_counts(
    quads: Any, query: str, shape: str, one: str, is_union: bool, bound: dict[str, Any]
) -> None:
    text = query.format(shape % one)
    assert_same(quads, text, is_union=is_union, initBindings=bound)


def test_solutions_are_counted_on_numbers() -> None:
    made = dataset(JellyStore(), [(A, B, C, None), (C, B, C, G), (A, B, A, G), (A, B, C, H)])
    query = "SELECT ?o (COUNT(*) AS ?n) { GRAPH ?g { ?s <urn:b> ?o } } GROUP BY ?o"
    found = {(row["o"], row["n"].value) for row in map(dict, answer(made, query))}
    assert found == {(A, 1), (C, 2)}
    assert PARTS == ["AggregateJoin"]


def test_patterns_are_evaluated_on_numbers() -> None:
    made = dataset(JellyStore(), [(A, B, C, None), (C, B, A, None), (A, A, A, G)])
    query = "SELECT ?x ?y WHERE { ?x <urn:b> ?y . ?y <urn:b> ?x . ?x ?p ?y }"
    assert answer(made.default_graph, query) == Counter(
        {frozenset({("x", A), ("y", C)}): 1, frozenset({("x", C), ("y", A)}): 1}
    )
    assert PARTS == ["BGP"]
    # A variable with an initial binding, and a variable that occurs twice.
    assert answer(made, query, initBindings={"x": A}) == Counter(
        {frozenset({("x", A), ("y", C)}): 1}
    )
    assert answer(made.graph(G), "SELECT * { ?x ?x ?x }") == Counter({frozenset({("x", A)}): 1})
    assert PARTS.count("BGP") == 3


@pytest.mark.parametrize("query", ["SELECT * { ?x <urn:b>+ ?y }", "SELECT * { ?x !<urn:a> ?y }"])
def test_paths_are_left_to_rdflib(query: str) -> None:
    quads = [(A, B, C, None), (C, B, A, None), (A, A, A, None)]
    assert answer(dataset(JellyStore(), quads), query) == answer(dataset("Memory", quads), query)
    assert PARTS == []


def test_all_graphs_together_are_left_to_rdflib() -> None:
    made = dataset(JellyStore(), [(A, B, C, None), (A, B, C, G)], is_union=True)
    assert answer(made, "SELECT * { ?x <urn:b> ?y }").total() == 1
    assert PARTS == []


def test_another_store_is_left_to_rdflib() -> None:
    answer(dataset("Memory", [(A, B, C, None)]), "SELECT * { ?x <urn:b> ?y }")
    assert PARTS == []


def test_solutions_are_those_of_the_start() -> None:
    graph = Graph(JellyStore())
    for number in range(5000):
        graph.add((URIRef(f"urn:s{number}"), B, Literal(number)))
    result: Any = graph.query("SELECT ?s ?o { ?s <urn:b> ?o . ?s ?p ?o }")
    found = 0
    for s, o in result:
        graph.remove((s, None, None))
        graph.add((URIRef(f"{s}x"), B, o))
        found += 1
    assert (found, len(graph)) == (5000, 5000)


def test_a_store_that_is_changed_before_its_solutions_are_read() -> None:
    graph = Graph(JellyStore())
    for number in range(3000):
        graph.add((URIRef(f"urn:s{number}"), B, Literal(number)))
        graph.add((URIRef(f"urn:s{number}"), C, Literal(number)))
    result: Any = graph.query("SELECT ?s ?o { ?s <urn:b> ?o . ?s ?p ?x }")
    graph.add((A, A, A))
    graph.remove((A, A, A))
    graph.remove((None, C, None))
    assert list(graph.triples((A, None, None))) == []
    assert len(list(result)) == 6000


def test_counts_of_expressions_are_left_to_rdflib() -> None:
    made = dataset(JellyStore(), [(A, B, Literal(1), None), (A, B, Literal(2), None)])
    for query in (
        "SELECT (COUNT(?o * 2) AS ?n) { ?s ?p ?o }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY STR(?s)",
    ):
        assert answer(made, query) == Counter({frozenset({("n", Literal(2))}): 1})
    assert PARTS == ["BGP", "BGP"]


def test_spellings_are_one_group() -> None:
    graph = Graph(JellyStore())
    for number, tag in enumerate(["en", "EN", "EN"]):
        graph.add((URIRef(f"urn:{number}"), B, Literal("x", lang=tag)))
    query = "SELECT ?o (COUNT(*) AS ?n) { ?s <urn:b> ?o } GROUP BY ?o"
    [row] = answer(graph, query)
    assert dict(row)["n"] == Literal(3)
    assert PARTS == ["AggregateJoin"]


@pytest.mark.parametrize("value", [0, -1, 7, 10**9, 10**30])
def test_a_number_is_no_term(value: int) -> None:
    made = dataset(JellyStore(), [(A, B, C, None)])
    for query in ("SELECT * { ?s <urn:b> ?x }", "SELECT (COUNT(*) AS ?n) { ?s <urn:b> ?x }"):
        answer(made, query, initBindings={"x": value})
    assert PARTS == []
    quads = made.store.quads
    for patterns, groups in (([(A, B, value)], []), ([(A, B, C)], [value]), ([(A, B)], [])):
        with pytest.raises((ValueError, OverflowError)):
            quads.count_solutions(patterns, URIRef("urn:x-rdflib:default"), 0, groups)


def test_an_update_that_reads_what_it_changes() -> None:
    graph = Graph(JellyStore())
    graph.update("INSERT DATA { <urn:a> <urn:b> 1 . <urn:b> <urn:b> 2 }")
    graph.update("DELETE { ?s ?p ?o } INSERT { ?s ?p ?n } WHERE { ?s ?p ?o BIND(?o + 1 AS ?n) }")
    assert sorted(str(o) for o in graph.objects()) == ["2", "3"]


def test_a_join_of_many_patterns() -> None:
    graph = Graph(JellyStore())
    for number in range(30):
        graph.add((URIRef(f"urn:{number}"), B, URIRef(f"urn:{number + 1}")))
    chain = " . ".join(f"?v{n} <urn:b> ?v{n + 1}" for n in range(30))
    assert answer(graph, f"SELECT ?v0 ?v30 {{ {chain} }}") == Counter(
        {frozenset({("v0", URIRef("urn:0")), ("v30", URIRef("urn:30"))}): 1}
    )


@pytest.mark.parametrize(
    "pattern", [((A, B, C),), ((A, B, Literal("\ud800")),), ((A, B, 0), (0, C, 1))]
)
@pytest.mark.parametrize("graph", [G, URIRef("urn:none"), Graph(identifier=G)])
def test_nothing_is_found(pattern: Any, graph: Any) -> None:
    store = JellyStore()
    store.add((A, B, B), Graph(store, G))
    variables = len({term for triple in pattern for term in triple if type(term) is int})
    assert list(store.quads.join(pattern, graph, variables)) == []

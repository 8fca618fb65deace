"""Tests that a statement has one identity, whatever its spelling, source and store."""

import io
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.core.arrow import RowFilter, RowSelection, TermCondition
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.terms import TripleTerm, identity
from jelly_rdflib.viewer.terms import Terms
from tests.faults.targets import OtherMemory


class Own(Literal):
    """A program's own subclass of Literal, whose literals are the same terms."""


S, P = URIRef("urn:s"), URIRef("urn:p")
STRING = [Literal("x"), Literal("x", datatype=XSD.string)]
TAGGED = [Literal("x", lang=tag) for tag in ("en-GB", "en-gb", "EN-gb")]
INTEGERS = [Literal("1", datatype=XSD.integer), Own("1", datatype=XSD.integer)]
TERMS = [[*STRING, Own("x")], [*TAGGED, Own("x", lang="en-GB")], INTEGERS, [URIRef("urn:x")]]
PAIRS = [(one, other) for terms in TERMS for one in terms for other in terms]


STORES: dict[str, Callable[[], Any]] = {
    "Memory": lambda: "default",
    "Jelly": lambda: "Jelly",
    "Oxigraph": lambda: "Oxigraph",
    "general": OtherMemory,
}
SYNTAXES = ["nt", "nquads", "turtle", "trig", "xml", "json-ld"]
PATCHES = ["rdf-patch", "rdf-patch-thrift", "jelly-patch"]
ROUTES = [*SYNTAXES, *PATCHES, "jelly-rdf", "nodes"]
G = URIRef("urn:g")
# On these routes a statement may be in a named graph.
NAMED_ROUTES = ["nquads", "trig", "json-ld", *PATCHES, "jelly-rdf", "nodes"]
# Each way has a route for the base, a route for the patch, and a graph for both.
WAYS = st.one_of(
    st.tuples(st.sampled_from(ROUTES), st.sampled_from(ROUTES), st.none()),
    st.tuples(st.sampled_from(NAMED_ROUTES), st.sampled_from(NAMED_ROUTES), st.just(G)),
)


def changes_by(route: str, op: Op, o: Any, g: URIRef | None) -> Any:
    """Return a patch that changes the statement, as the route represents it."""
    file = io.BytesIO()
    if route in PATCHES:
        with jr.PatchWriter(file, format=route) as writer:
            writer.write_all([(op, S, P, o, g)])
        read = jr.read_operations(file.getvalue(), format=route, normalize=False)
        return [operation for operation in read if operation[0] == op]
    if route == "nodes":
        return [(op, S, P, o, g)]
    triple = f"{S.n3()} {P.n3()} {o.n3()}"
    if route == "jelly-rdf":
        with jr.StatementWriter(file) as statements:
            statements.write_all([(S, P, o) if g is None else (S, P, o, g)])
        text = file.getvalue()
    elif route in ("xml", "json-ld"):
        graph = Graph() if g is None else (dataset := Dataset()).graph(g)
        graph.add((S, P, o))
        text = (graph if g is None else dataset).serialize(format=route).encode()
    elif g is None:
        text = f"{triple} .".encode()
    else:
        text = (f"{triple} {g.n3()} ." if route == "nquads" else f"{g.n3()} {{{triple}}}").encode()
    (statement,) = jr.read_statements(text, format=route, normalize=False)
    assert g is None or statement[3:] == (g,)
    return [(op, *statement[:3], g)]


@pytest.mark.parametrize("store", STORES)
@given(st.sampled_from(PAIRS), WAYS, st.booleans())
def test_a_change_finds_its_statement(store: str, pair: Any, way: Any, is_batch: bool) -> None:
    """A base and a patch may come by different routes, with any spelling of a statement."""
    there, here, g = way
    dataset = Dataset(STORES[store]())
    form = jr.Patch if is_batch else list
    jr.apply(form(changes_by(there, Op.A, pair[0], g)), dataset)
    add, delete = (changes_by(here, op, pair[1], g) for op in (Op.A, Op.D))
    again = jr.apply(form(add), dataset)
    assert (again.added, again.ineffective, len(list(dataset.quads()))) == (0, 1, 1)
    assert list(effective(add, dataset)) == []
    assert len(list(effective(delete, dataset))) == 1
    gone = jr.apply(form(delete), dataset, strict=True)
    assert (gone.deleted, gone.ineffective, len(list(dataset.quads()))) == (1, 0, 0)


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("store", STORES)
def test_nodes_of_every_spelling_are_found(store: str, is_batch: bool) -> None:
    for pair, g in product(PAIRS, [None, G]):
        check: Any = test_a_change_finds_its_statement
        check.hypothesis.inner_test(store, pair, ("nodes", "nodes", g), is_batch)


@pytest.mark.parametrize("store", ["Jelly", "Oxigraph"])
@pytest.mark.parametrize("g", [None, G])
def test_a_recorded_update_finds_its_statement(store: str, g: Any, tmp_path: Path) -> None:
    """SPARQL Update and the recorded patch delete a statement in any spelling."""
    path = tmp_path / "changes.jellyp"
    for one, other in PAIRS:
        data = f"{S.n3()} {P.n3()} {other.n3()}"
        data = data if g is None else f"GRAPH {g.n3()} {{{data}}}"
        base = [(Op.A, S, P, one, g)]
        jr.apply(base, dataset := Dataset(STORES[store]()))
        with jr.record(dataset, path):
            dataset.update(f"INSERT DATA {{{data}}}")
            assert len(list(dataset.quads())) == 1
            dataset.update(f"DELETE DATA {{{data}}}")
            assert len(list(dataset.quads())) == 0
        for follower in STORES.values():
            jr.apply(base, copy := Dataset(follower()))
            jr.apply(path, copy, strict=True)
            assert len(list(copy.quads())) == 0


@pytest.mark.parametrize("store", STORES)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(STRING + TAGGED)), max_size=6))
def test_followers_of_one_log_have_the_same_statements(store: str, steps: Any) -> None:
    operations = [(Op.A if is_add else Op.D, S, P, o, None) for is_add, o in steps]
    dataset, model = Dataset(STORES[store]()), Dataset("Jelly")
    for operation in operations:
        # Each operation is a separate patch, as in a log.
        result, expected = jr.apply([operation], dataset), jr.apply([operation], model)
        assert (result.added, result.deleted) == (expected.added, expected.deleted)
        assert {*map(identity, dataset.objects())} == {*map(identity, model.objects())}
    assert not list(jr.diff(dataset, model))
    assert not list(jr.diff(model, dataset))
    together = Dataset(STORES[store]())
    jr.apply(compact(operations), together)
    assert {*map(identity, together.objects())} == {*map(identity, model.objects())}


# Users change a graph with these calls; each takes the graph, a term and another term.
HANDS: list[Callable[[Graph, Any, Any], object]] = [
    lambda graph, o, _: graph.add((S, P, o)),
    lambda graph, o, _: graph.remove((S, P, o)),
    lambda graph, o, other: graph.addN([(S, P, each, graph) for each in (o, other)]),
    lambda graph, *_: graph.remove((S, P, None)),
]
STEPS = st.lists(st.tuples(st.sampled_from(HANDS), *[st.sampled_from(STRING + TAGGED)] * 2))


@pytest.mark.parametrize("store", STORES)
@given(STEPS, STEPS, st.booleans())
def test_a_follower_of_what_is_recorded_has_the_same_statements(
    store: str, before: Any, steps: Any, is_undone: bool
) -> None:
    """A follower has the same statements, though rdflib's store has two for one string literal."""
    leader, follower = Dataset(STORES[store]()), Dataset("Jelly")
    for change, *terms in before:
        change(leader.default_graph, *terms)
    follower.addN(leader.quads())
    start = set(leader.quads())
    with suppress(KeyError), jr.record(leader) as recording:
        for change, *terms in steps:
            change(leader.default_graph, *terms)
        if is_undone:
            raise KeyError
    if is_undone:
        assert set(leader.quads()) == start
    else:
        jr.apply(recording.patch, follower, strict=True)
    assert {*map(identity, leader.objects())} == {*map(identity, follower.objects())}


def test_a_store_gives_back_the_spelling_that_it_got_first() -> None:
    for first, second in PAIRS:
        dataset = Dataset("Jelly")
        dataset.add((S, P, first))
        dataset.add((S, P, second))
        # A different statement keeps its own spelling.
        dataset.add((S, S, second))
        assert [o.n3() for o in dataset.objects(S, P)] == [first.n3()]
        assert [o.n3() for o in dataset.objects(S, S)] == [second.n3()]
        assert list(dataset.triples((S, P, second))) == list(dataset.triples((S, P, first)))


def test_an_addition_after_a_deletion_has_its_own_spelling() -> None:
    for first, second in PAIRS:
        patch = [(Op.D, S, S, second, None), (Op.D, S, P, second, None), (Op.A, S, P, second, None)]
        for source in (patch, str(jr.Patch(patch)).encode()):
            dataset = Dataset("Jelly")
            dataset.add((S, P, first))
            jr.apply(source, dataset)
            assert [o.n3() for o in dataset.objects(S, P)] == [second.n3()]


@pytest.mark.parametrize("is_rewritten", [False, True])
def test_all_graphs_together_give_the_spelling_that_came_first(is_rewritten: bool) -> None:
    for first, second in PAIRS:
        dataset = Dataset("Jelly", default_union=True)
        # The older graph receives the statement later.
        names = [URIRef("urn:older"), URIRef("urn:newer")]
        for name in names:
            dataset.graph(name)
        dataset.add((S, P, first, names[1]))
        if is_rewritten:
            dataset.commit()
            for number in range(3000):
                dataset.add((S, S, Literal(number)))
                dataset.remove((S, S, None))
                dataset.commit()
        dataset.add((S, P, second, names[0]))
        assert [o.n3() for o in dataset.objects(S, P)] == [first.n3()]
        assert [o.n3() for _, _, o, _ in dataset.quads((S, P, None, None))] == [first.n3()] * 2


def test_quoted_triples_have_the_identity_of_their_terms() -> None:
    deep = [TripleTerm(S, P, TripleTerm(S, P, o)) for o in STRING]
    assert identity(deep[0]) == identity(deep[1])
    assert identity(deep[0]) != identity(TripleTerm(S, P, TripleTerm(S, P, TAGGED[0])))
    assert len(list(compact([(Op.A, S, P, deep[0], None), (Op.D, S, P, deep[1], None)]))) == 3


OTHERS = [
    Literal("1"),
    Literal("01", datatype=XSD.integer, normalize=False),
    Literal("x", lang="en-GX"),
    Literal("x", lang="en"),
    Literal("X"),
    Literal("x", datatype=URIRef("urn:d")),
    Literal("x", datatype=URIRef("urn:D")),
    URIRef("x"),
]
ALL = [*(term for terms in TERMS for term in terms), *OTHERS]


def batch_of(*terms: Any) -> Batch:
    (part,) = jr.Patch([(Op.A, S, P, o, None) for o in terms])._slices()
    return part.as_batch()


def are_same_by_filter(one: Any, other: Any, *, any_spelling: bool = True) -> bool:
    condition = TermCondition(
        make_node_factory(False), jr.Limits(), [one.n3()], any_spelling=any_spelling
    )
    selection = RowSelection(RowFilter(o=[condition]), 9)
    return any(map(len, selection.select(batch_of(other), 0, 1)))


def are_same_by_page(one: Any, other: Any) -> bool:
    """Return whether a page assigns one number to both terms, in one batch and in two batches."""
    both, terms = batch_of(one, other), Terms()
    found = [terms.numbers_of(both)[o] for o in both.o]
    for term in (other, one):
        found += [terms.numbers_of(batch)[o] for batch in [batch_of(term)] for o in batch.o]
    assert found[:2] == found[:1:-1]
    return found[0] == found[1]


def are_same_by_compact(one: Any, other: Any) -> bool:
    patch = compact([(Op.A, S, P, one, None), (Op.D, S, P, other, None)])
    return sum(operation[0] in (Op.A, Op.D) for operation in patch) == 1


def are_same_by_store(one: Any, other: Any) -> bool:
    dataset = Dataset("Jelly")
    dataset.add((S, P, one))
    dataset.add((S, P, other))
    return len(dataset) == 1


QUOTING: list[Callable[[Any], Any]] = [
    lambda o: o,
    lambda o: TripleTerm(o, P, S),
    lambda o: TripleTerm(S, P, o),
    lambda o: TripleTerm(S, P, TripleTerm(o, P, S)),
]


# Stores don't support quoted triples.
WITH_QUOTED = (are_same_by_filter, are_same_by_page, are_same_by_compact)


@pytest.mark.parametrize(
    ("are_same", "quote"), [*product(WITH_QUOTED, QUOTING), (are_same_by_store, QUOTING[0])]
)
def test_everybody_tells_the_same_terms(are_same: Any, quote: Any) -> None:
    for one, other in product(map(quote, ALL), repeat=2):
        assert are_same(one, other) == (identity(one) == identity(other))


def test_spark_gets_what_has_the_same_text() -> None:
    for one, other in product((quote(o) for quote in QUOTING for o in ALL), repeat=2):
        is_found = are_same_by_filter(one, other, any_spelling=False)
        assert is_found == (one.n3() == other.n3())


def test_another_value_is_another_term() -> None:
    one, other = Literal("01", datatype=XSD.integer, normalize=False), Literal(1)
    assert identity(one) != identity(other)
    for store in ("default", "Jelly"):
        dataset = Dataset(store)
        dataset.add((S, P, other))
        result = jr.apply([(Op.D, S, P, one, None)], dataset)
        assert (result.deleted, result.missed) == (0, ((Op.D, S, P, one, None),))
        with pytest.raises(jr.ApplyError, match="the value is there in another spelling"):
            jr.apply([(Op.D, S, P, one, None)], dataset, strict=True)

"""Tests the laws of `effective`: the same change, by operations that all have an effect."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from rdflib import Dataset, Graph, Literal, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ReadOnlyGraphAggregate
from rdflib.plugins.stores.memory import SimpleMemory

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, Op, Patch
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.effective import effective
from tests.algebra.strategies import (
    contents,
    datasets,
    forms,
    make_dataset,
    patches,
    same_graphs,
    streams,
    write,
)

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o", lang="en")  # noqa: E741
A, D = (Op.A, S, P, O, None), (Op.D, S, P, O, None)


@given(datasets, streams(), forms)
def test_does_the_same_to_the_dataset(content: Any, stream: Any, form: Any) -> None:
    dataset, other = make_dataset(content), make_dataset(content)
    operations = list(effective(form(stream), dataset))
    assert contents(dataset) == contents(other)
    jr.apply(operations, dataset)
    jr.apply(stream, other)
    assert contents(dataset) == contents(other)


@given(datasets, streams())
def test_each_operation_takes_effect(content: Any, stream: Any) -> None:
    dataset = make_dataset(content)
    operations = list(effective(stream, dataset))
    for operation in operations:
        if operation[0] not in (Op.A, Op.D, Op.PA, Op.PD):
            continue
        before = contents(dataset)
        jr.apply([operation], dataset)
        after = contents(dataset)
        changed = [(before[0] ^ after[0]), (set(before[1].items()) ^ set(after[1].items()))]
        assert sum(map(len, changed)) == 1, operation


@given(datasets, streams())
def test_idempotent(content: Any, stream: Any) -> None:
    dataset = make_dataset(content)
    operations = list(effective(stream, dataset))
    assert list(effective(operations, dataset)) == operations


@given(datasets, streams())
def test_may_be_applied_as_it_comes(content: Any, stream: Any) -> None:
    dataset, other = make_dataset(content), make_dataset(content)
    operations = list(effective(stream, other))
    result = jr.apply(effective(iter(stream), dataset), dataset)
    jr.apply(stream, other)
    assert contents(dataset) == contents(other)
    changes = [operation for operation in operations if operation[0] in (Op.A, Op.D)]
    assert result.added + result.deleted == len(changes)


@given(datasets, patches())
def test_nothing_is_left_of_transactions_that_have_no_effect(content: Any, patch: Any) -> None:
    operations = list(effective(patch, make_dataset(content)))
    assert (Op.TA,) not in operations
    assert ((Op.TX,), (Op.TC,)) not in pairwise(operations)


@pytest.mark.parametrize("store", ["default", "Oxigraph", "SimpleMemory"])
def test_stores(store: str) -> None:
    graph = Graph(SimpleMemory() if store == "SimpleMemory" else store)
    graph.add((S, P, O))
    patch = [A, (Op.TX,), D, D, A, (Op.TA,), (Op.TX,), A, (Op.TC,), D, (Op.A, S, P, S, None)]
    assert list(effective(patch, graph)) == [D, (Op.A, S, P, S, None)]
    assert set(graph) == {(S, P, O)}


def test_what_was_committed_is_there_and_what_was_aborted_is_not() -> None:
    tx, tc, ta = (Op.TX,), (Op.TC,), (Op.TA,)
    patch = [tx, A, tc, A, tx, A, tc, tx, D, ta, A, tx, A, D, tc, A, tx, D, ta, D, D]
    assert list(effective(patch, Graph())) == [tx, A, tc, tx, D, tc, A, D]


def test_long_transactions_are_kept_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_SIZE", 100)
    monkeypatch.setattr("jelly_rdflib.algebra.effective._MAX_KEPT", 10)
    adds = [(Op.A, S, P, Literal(number), None) for number in range(95)]
    deletes = [(Op.D, *operation[1:]) for operation in adds]
    header = (Op.H, "late", O)
    patch = [
        *[(Op.TX,), *adds, *adds, (Op.TA,), (Op.TX,), *adds, header, *adds, *deletes, (Op.TC,)],
        *[(Op.TX,), *deletes, (Op.TC,), *adds[:3], *adds[:4], (Op.END,)],
    ]
    # A header does not belong to the transaction.
    expected = [header, (Op.TX,), *adds, *deletes, (Op.TC,), *adds[:4], (Op.END,)]
    for source in (patch, write(patch)):
        assert same_graphs(effective(source, Dataset())) == same_graphs(expected)


def test_prefixes() -> None:
    graph = Graph(bind_namespaces="none")
    a, b, c = (URIRef(f"urn:{name}#") for name in "abc")
    jr.apply([(Op.PA, "a", a, None), (Op.PA, "b", b, None)], graph)
    before = dict(graph.namespaces())
    patch = [
        (Op.PA, "a", a, None),
        (Op.PA, "a", b, None),
        (Op.PD, "b", None, None),
        (Op.TX,),
        (Op.PA, "b", c, None),
        (Op.PD, "a", None, None),
        (Op.TA,),
        (Op.TX,),
        (Op.PD, "a", c, None),
        (Op.PA, "c", str(c), None),
        (Op.TC,),
    ]
    assert list(effective(patch, graph)) == [
        (Op.PD, "a", a, None),
        (Op.PD, "b", b, None),
        (Op.PA, "a", b, None),
        (Op.TX,),
        (Op.PD, "a", b, None),
        (Op.PA, "c", c, None),
        (Op.TC,),
    ]
    assert dict(graph.namespaces()) == before


def test_method_of_a_patch() -> None:
    graph = Graph()
    assert list(Patch([A, A, D]).effective(graph)) == [A, D]
    assert isinstance(Patch().effective(graph), Patch)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_what_changes_can_not_be_for() -> None:
    for target in (None, "graph", ReadOnlyGraphAggregate([Graph()])):
        with pytest.raises(TypeError, match="Graph or Dataset"):
            effective([A], target)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ((Op.A, S, P, O, S), "no named graphs"),
        ((Op.A, O, P, O, None), "as a subject"),
        ((Op.D, S, O, O, None), "as a predicate"),
        ((Op.A, S, P, jr.TripleTerm(S, P, O), None), "as an object"),
        ((Op.A, S, P, O, URIRef("")), "empty name"),
    ],
)
def test_what_the_target_can_not_hold(operation: Any, message: str) -> None:
    operations = effective([A, operation], Graph())
    assert next(operations) == A
    with pytest.raises(ApplyError, match=message):
        next(operations)


def test_single_operations_of_an_iterator_are_as_those_of_a_list() -> None:
    s, o = URIRef("urn:s"), URIRef("urn:o")
    operations: Any = [
        (7, s, s, s, None),
        (Op.A, s, s, o, DATASET_DEFAULT_GRAPH_ID),
        (Op.PA, "ex", "urn:x", None),
        (Op.D, s, s, o, None),
    ]
    found = list(effective(iter(operations), Dataset()))
    assert found == list(effective(operations, Dataset()))
    assert all(type(each[0]) is Op and each[-1] is None for each in found)
    assert type(found[2][2]) is URIRef
    wrong: Any = [(Op.A, s, s, Variable("x"), None)]
    for source in (wrong, iter(wrong)):
        with pytest.raises(jr.EncodeError):
            list(effective(source, Dataset()))

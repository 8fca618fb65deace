"""Tests that parsed and applied statements are recorded, in every format."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rdflib import ConjunctiveGraph, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores.native import MemoryChanges, UndoLog
from jelly_rdflib.graph.stores.target import Target
from tests.algebra.strategies import write
from tests.graph.stores.at_hand import exact_state
from tests.recording.support import (
    TC,
    TX,
    G,
    H,
    O,
    P,
    S,
    add,
    assert_effective,
    copy_of,
    delete,
    is_hooked,
    statements,
)

# Formats of both kinds of parsers: rdflib's add statements with various methods; ours add whole
# batches.
QUADS = ["nquads", "trig", "json-ld", "jelly-patch", "jelly-rdf"]


def check(target: Graph, make: Callable[[], Graph], change: Callable[[], Any]) -> list[Any]:
    """Record a change, check the recording, and return its operations."""
    copy = copy_of(target, make)
    before = statements(target), dict(target.namespaces())
    with jr.record(target) as recorder:
        change()
    after = statements(target), dict(target.namespaces())
    assert_effective(recorder.patch, before, after)
    assert not is_hooked(target.store)
    recorder.patch.apply(copy)
    assert (statements(copy), dict(copy.namespaces())) == after
    return list(recorder.patch)


def encoded(target: Graph, format: str) -> bytes:
    data = target.serialize(format=format, encoding="utf-8")
    return data if isinstance(data, bytes) else data.encode()


@pytest.mark.parametrize("format", QUADS)
def test_parse_into_a_dataset(make_dataset: Callable[[], Dataset], format: str) -> None:
    source = Dataset()
    source.bind("ex", "http://example.org/")
    for o, g in (("1", None), ("1", G), ("2", G), ("3", H)):
        iri = URIRef(f"urn:{o}")
        source.add((S, URIRef("http://example.org/p"), iri, g or source.default_graph))
    target = make_dataset()
    target.add((S, URIRef("http://example.org/p"), URIRef("urn:2"), G))
    target.add((S, P, O))
    data = encoded(source, format)
    operations = check(target, make_dataset, lambda: target.parse(data=data, format=format))
    assert sum(operation[0] == Op.A for operation in operations) == 3


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
@pytest.mark.parametrize("format", QUADS)
def test_parse_into_a_conjunctive_graph(format: str) -> None:
    source = Dataset()
    for g in (G, H):
        source.add((S, URIRef("http://example.org/p"), g, g))
    target = ConjunctiveGraph()
    # A Dataset of the same store lists a graph that is not the default graph of `target`.
    list(Dataset(target.store).graphs())
    data = encoded(source, format)
    check(target, ConjunctiveGraph, lambda: target.parse(data=data, format=format))


def test_removal_by_a_parser_is_recorded_too() -> None:
    # rdflib's parser of N-Quads removes statements from the default graph.
    dataset = Dataset()
    dataset.add((S, P, O))
    data = "<urn:s> <urn:p> <urn:o> <urn:g> ."
    operations = check(dataset, Dataset, lambda: dataset.parse(data=data, format="nquads"))
    assert operations[-2] == add(URIRef("urn:o"), G)
    if not len(dataset.default_graph):
        assert operations[1] == delete()


def test_formulas_of_n3_are_refused() -> None:
    dataset = Dataset()
    data = "@prefix : <urn:> . :a :b :c . { :a :b ?x } => { :x :y ?x } ."
    refusal = pytest.raises(jr.RecordError, match="a patch has no formulas")
    with refusal, jr.record(dataset):
        dataset.parse(data=data, format="n3")
    assert statements(dataset) == set()


# --- patches -------------------------------------------------------------------------------------

EX = ("ex", URIRef("http://example.org/"), None)


def some_operations(o: int = 1) -> list[jr.Operation]:
    return [
        *(TX, (Op.PA, *EX), add(o, G), add(o, G), delete(9, G), TC),
        *(TX, add(o + 1, H), delete(O, G), (Op.TA,)),
        *(TX, add(o + 2, H), delete(O, G), TC),
    ]


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        iter,
        jr.Patch,
        write,
    ],
    ids=["list", "iterator", "patch", "bytes"],
)
def test_apply(make_dataset: Callable[[], Dataset], wrap: Callable[..., Any]) -> None:
    dataset = make_dataset()
    dataset.add((S, P, O, G))
    dataset.add((S, P, Literal(2), H))
    operations = check(dataset, make_dataset, lambda: jr.apply(wrap(some_operations()), dataset))
    found = {operation for operation in operations if operation[0] in (Op.A, Op.D, Op.PA)}
    assert {add(1, G), add(3, H), (Op.PA, *EX)} < found
    # All changes are in the block's only transaction.
    assert operations.count(TX) == 1


def test_patch_that_is_taken_back_right_after_its_commit() -> None:
    # This simulates an interrupt right after the commit.
    dataset = Dataset()
    before = exact_state(dataset)
    refusal = pytest.raises(jr.RecordError, match="interrupted while it was applied")
    with refusal, jr.record(dataset) as recorder:
        log = UndoLog()
        changes = MemoryChanges(Target(dataset), log, is_atomic=True)
        changes.begin()
        changes.statements(iter([add(1, G)]))
        changes.commit()
        log.undo(changes, changes.begin_undoing, changes.end_undoing)
    assert exact_state(dataset) == before
    assert list(recorder.patch) == []


def test_operations_that_change_the_dataset_themselves() -> None:
    dataset = Dataset()

    def operations() -> Iterator[jr.Operation]:
        yield add(1, G)
        dataset.remove((S, P, Literal(1), G))
        yield add(1, G)

    operations_of = check(dataset, Dataset, lambda: jr.apply(operations(), dataset))
    assert operations_of == [TX, add(1, G), delete(1, G), add(1, G), TC]

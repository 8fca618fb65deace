"""Tests that a rolled-back change restores each term in the store's own spelling."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.events import Dispatcher
from rdflib.namespace import XSD
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from rdflib.store import TripleAddedEvent, TripleRemovedEvent

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores import prefixes
from tests.faults.injection import Fuse, wired
from tests.faults.targets import OtherMemory, TransactionalStore
from tests.graph.stores.at_hand import AT_HAND, MORE, Failure, StoreAtHand, exact_state
from tests.graph.stores.test_aborted import begin, literal, perform, plans

S, P = URIRef("urn:s"), URIRef("urn:p")
G, H = URIRef("urn:g"), URIRef("urn:h")
TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)


def apply_all(target: Graph, operations: list[Any]) -> None:
    jr.apply([TX, *operations, TA], target)


def change_recorded(target: Graph, operations: list[Any]) -> None:
    """Record changes made by rdflib's own methods, and leave the recording with an exception."""
    with suppress(Failure), jr.record(target):
        perform(target, operations)
        raise Failure


def apply_recorded(target: Graph, operations: list[Any]) -> None:
    """Apply the changes while they are recorded, and leave the recording with an exception."""
    with suppress(Failure), jr.record(target):
        jr.apply([TX, *operations, TC], target)
        raise Failure


WAYS = [apply_all, change_recorded, apply_recorded]


# --- every short sequence ------------------------------------------------------------------------

ALIKE = {
    "integers": (literal("1", datatype=XSD.integer), literal("01", datatype=XSD.integer)),
    "strings": (literal("keep"), literal("keep", datatype=XSD.string)),
    "tags": (literal("x", lang="en"), literal("x", lang="EN")),
}


def sequences(size: int) -> Iterator[tuple[Any, ...]]:
    changes = list(product((Op.A, Op.D), (0, 1)))
    for length in range(1, size + 1):
        yield from product(changes, repeat=length)


# Stores with their own fast paths are tested with the longest sequences.
LONGEST = {"Memory", "SimpleMemory", "Oxigraph in memory"}
STORES = [each for each in (*AT_HAND, *MORE) if not each.is_slow]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("store", "alike"),
    [
        (store, alike)
        for store in STORES
        for alike in (("integers", "strings") if "Oxigraph" in store.name else ("tags",))
    ],
    ids=str,
)
def test_every_short_sequence(store: StoreAtHand, alike: str, way: Any) -> None:
    """Up to four changes of two literals are rolled back, from each possible initial state."""
    terms = ALIKE[alike]
    size = 4 if way is apply_all and store.name in LONGEST else 2
    with store.make() as target:
        _ = target.namespace_manager
        for before in ((), (0,), (1,), (0, 1), (1, 0)):
            for sequence in sequences(size):
                target.remove((None, None, None))
                for number in before:
                    target.add((S, P, terms[number]))
                expected = exact_state(target)
                way(target, [(op, S, P, terms[n], None) for op, n in sequence])
                assert exact_state(target) == expected, (before, sequence)


def test_indexes_of_memory_that_spell_a_statement_in_two_ways() -> None:
    """Two graphs have different spellings of a statement; each gets its own spelling back."""
    for make in (Dataset, lambda: Dataset(OtherMemory()), lambda: Dataset(TransactionalStore())):
        for way in WAYS:
            dataset = make()
            small, large = literal("x", lang="en"), literal("x", lang="EN")
            dataset.get_context(G).add((S, P, small))
            dataset.get_context(H).add((S, P, large))
            expected = exact_state(dataset)
            for given_term in (small, large):
                deleted = [(Op.D, S, P, given_term, g) for g in (G, H)]
                way(dataset, [*deleted, (Op.A, S, P, given_term, None)])
                assert exact_state(dataset) == expected, way


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", STORES, ids=str)
@given(
    way=st.sampled_from(WAYS),
    error=st.sampled_from([RuntimeError, KeyboardInterrupt]),
    does_it=st.booleans(),
    data=st.data(),
)
def test_a_fault_of_the_store(
    store: StoreAtHand,
    way: Any,
    error: type[BaseException],
    does_it: bool,
    data: st.DataObject,
) -> None:
    start, _, operations = data.draw(plans(store))
    counter = Fuse()
    with store.make() as target, suppress(jr.JellyError):
        begin(store, target, start)
        with wired(target.store, counter):
            way(target, operations)
    if not counter.calls:
        return
    fuse = Fuse(data.draw(st.integers(0, counter.calls - 1)), error=error, does_it=does_it)
    with store.make() as target:
        begin(store, target, start)
        expected = exact_state(target)
        with suppress(error, jr.JellyError), wired(target.store, fuse):
            way(target, operations)
        assert exact_state(target) == expected


# --- endpoints -----------------------------------------------------------------------------------


def test_blank_nodes_are_refused_where_they_could_not_be_undone() -> None:
    store = SPARQLUpdateStore("urn:q", "urn:u")
    for operation in (
        (Op.A, BNode("b"), P, S, None),
        (Op.D, S, P, BNode("b"), None),
        (Op.A, S, P, S, BNode("b")),
    ):
        with pytest.raises(jr.ApplyError, match=r"_:b can't be applied to a SPARQLUpdateStore"):
            jr.apply([operation], Dataset(store))


def test_an_unbound_prefix_is_bound_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A SPARQL store can unbind prefixes, although rdflib has no method for this."""
    store = SPARQLUpdateStore("urn:q", "urn:u")
    target = Dataset(store)
    target.bind("before", S)
    expected = dict(store.namespaces())
    bind = store.bind

    def bind_others(prefix: str, *args: Any, **more: Any) -> None:
        if prefix == "new":
            raise Failure
        bind(prefix, *args, **more)

    monkeypatch.setattr(store, "bind", bind_others)
    with pytest.raises(Failure):
        jr.apply([TX, (Op.PD, "before", None, None), (Op.PA, "new", G, None), TC], target)
    assert dict(store.namespaces()) == expected


def test_a_deletion_of_a_prefix_is_refused_before_a_change_that_could_not_be_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = SPARQLUpdateStore("urn:q", "urn:u")
    target = Dataset(store)
    target.bind("before", S)
    expected = dict(store.namespaces())
    monkeypatch.setattr(prefixes, "_find_unbind", lambda store: None)
    with pytest.raises(jr.ApplyError, match="can't unbind the prefix 'ex'"):
        jr.apply([TX, (Op.PA, "ex", G, None), (Op.PD, "ex", None, None), TC], target)
    assert dict(store.namespaces()) == expected


@pytest.mark.parametrize("store", [each for each in AT_HAND if not each.is_dataset], ids=str)
def test_tags_that_differ_in_case_in_one_go(store: StoreAtHand) -> None:
    alike = [Literal("x", lang="EN"), Literal("x", lang="en")]
    with store.make() as target:
        with suppress(Failure), jr.record(target):
            target.addN((S, P, each, target) for each in alike)
            raise Failure
        assert len(target) == 0


@pytest.mark.parametrize("store", AT_HAND, ids=str)
def test_a_subscriber_that_adds_what_is_alike(store: StoreAtHand) -> None:
    def add_another(event: Any) -> None:
        if str(event.triple[2].language) == "en":
            graph.add((S, P, Literal("x", lang="EN")))

    with store.make() as target:
        graph = target.default_graph if isinstance(target, Dataset) else target
        wanted = exact_state(target)
        target.store.dispatcher = Dispatcher()
        target.store.dispatcher.subscribe(TripleAddedEvent, add_another)
        # rdflib's dispatcher refuses an event without a subscriber.
        target.store.dispatcher.subscribe(TripleRemovedEvent, lambda event: None)
        try:
            with suppress(Failure), jr.record(target):
                graph.add((S, P, Literal("x", lang="en")))
                raise Failure
        finally:
            target.store.dispatcher = Dispatcher()
        assert exact_state(target) == wanted

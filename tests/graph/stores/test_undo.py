"""What is undone leaves what there was, term by term as the store itself spells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.events import Dispatcher
from rdflib.graph import ConjunctiveGraph
from rdflib.namespace import XSD
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from rdflib.store import TripleAddedEvent, TripleRemovedEvent

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores import prefixes
from tests.faults.injection import Fuse, wired
from tests.faults.targets import ForeignStore, OtherMemory, TransactionalStore
from tests.graph.stores.at_hand import AT_HAND, Failure, StoreAtHand
from tests.graph.stores.at_hand import exact_state as all_that_it_has
from tests.graph.stores.memory_state import exact_state
from tests.recording.support import OtherOxigraph

S, P = URIRef("urn:s"), URIRef("urn:p")
G, H, EMPTY = URIRef("urn:g"), URIRef("urn:h"), URIRef("urn:empty")
TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)

TARGETS: dict[str, Callable[[], Graph]] = {
    "memory": Dataset,
    "another memory": lambda: Dataset(OtherMemory()),
    "oxigraph": lambda: Dataset("Oxigraph"),
    "another oxigraph": lambda: Dataset(OtherOxigraph()),
    "of a third party": lambda: Dataset(ForeignStore()),
    "transactional": lambda: Dataset(TransactionalStore()),
    "memory, a Graph": lambda: Graph(identifier=G),
    "simple memory": lambda: Graph(SimpleMemory(), G),
    "auditable": lambda: Graph(AuditableStore(Memory()), G),
    "auditable simple memory": lambda: Graph(AuditableStore(SimpleMemory()), G),
    "auditable oxigraph": lambda: Graph(AuditableStore(OtherOxigraph()), G),
}


def literal(text: str, **more: Any) -> Literal:
    """Return a literal that rdflib leaves as it is."""
    return Literal(text, normalize=False, **more)


def apply_all(target: Graph, operations: list[Any], end: Any) -> None:
    jr.apply([TX, *operations, end], target)


def apply_and_break(target: Graph, operations: list[Any], end: Any) -> None:
    """Apply operations, and end in an error if they are to be undone."""
    with suppress(jr.ApplyError):
        jr.apply([TX, *operations, TC if end == TC else TX], target)


def change_recorded(target: Graph, operations: list[Any], end: Any) -> None:
    """Make the same changes by rdflib's own methods, recorded, and leave by an exception."""
    with suppress(KeyError), jr.record(target):
        change(target, operations)
        if end == TA:
            raise KeyError


def change_recorded_twice(target: Graph, operations: list[Any], end: Any) -> None:
    """Do so with another recording around, which is told of what is undone, and undone itself."""
    if target.store.transaction_aware:
        change_recorded(target, operations, end)
        return
    with suppress(KeyError), jr.record(target):
        change_recorded(target, operations, end)
        change(target, operations[:1])
        if end == TA:
            raise KeyError


def apply_recorded(target: Graph, operations: list[Any], end: Any) -> None:
    """Apply them while it is recorded, and leave the recording by an exception."""
    with suppress(KeyError), jr.record(target):
        jr.apply([TX, *operations, TC], target)
        if end == TA:
            raise KeyError


def apply_aborted_recorded(target: Graph, operations: list[Any], end: Any) -> None:
    with jr.record(target) as recorder, recorder.transaction():
        jr.apply([TX, *operations, end], target)


WAYS = [
    *(apply_all, apply_and_break, change_recorded, change_recorded_twice),
    *(apply_recorded, apply_aborted_recorded),
]


def change(target: Graph, operations: list[Any]) -> None:
    for op, *terms in operations:
        if op in (Op.A, Op.D):
            s, p, o, g = terms
            graph = target
            if isinstance(target, ConjunctiveGraph):
                graph = target.default_graph if g is None else Graph(target.store, g)
            (graph.add if op == Op.A else graph.remove)((s, p, o))
        elif op == Op.PA:
            target.store.bind(terms[0], URIRef(terms[1]))


def can_take(target: Graph, operation: Any) -> bool:
    if operation[0] == Op.PD:
        return not isinstance(target.store, ForeignStore)
    return len(operation) < 5 or operation[4] is None or isinstance(target, ConjunctiveGraph)


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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "alike"),
    [
        (name, alike)
        for name in TARGETS
        for alike in (("integers", "strings") if "oxigraph" in name else ("tags",))
    ],
)
def test_every_short_sequence(name: str, alike: str, way: Any) -> None:
    """Four changes of two literals, from each of the sets of data there can be."""
    terms = ALIKE[alike]
    # Those with their own fast ways are tried with the longest.
    size = 4 if way is apply_all and name in ("memory", "oxigraph", "simple memory") else 2
    target = TARGETS[name]()
    _ = target.namespace_manager
    for before in ((), (0,), (1,), (0, 1), (1, 0)):
        for sequence in sequences(size):
            target.remove((None, None, None))
            for number in before:
                target.add((S, P, terms[number]))
            expected = exact_state(target)
            way(target, [(op, S, P, terms[n], None) for op, n in sequence], TA)
            assert exact_state(target) == expected, (before, sequence)


def test_a_statement_that_oxigraph_holds_equal_is_kept() -> None:
    dataset = Dataset("Oxigraph")
    dataset.add((S, P, Literal("keep")))
    string = Literal("keep", datatype=XSD.string)
    operations = [
        *(TX, (Op.D, S, P, Literal("keep"), None), (Op.A, S, P, string, None)),
        *((Op.D, S, P, Literal("keep"), None), TA),
    ]
    jr.apply(operations, dataset)
    assert [o.n3() for o in dataset.default_graph.objects()] == [string.n3()]


def test_indexes_of_memory_that_spell_a_statement_in_two_ways() -> None:
    """The one graph has another spelling than the other, and each gets its own back."""
    for make in (Dataset, lambda: Dataset(OtherMemory()), lambda: Dataset(TransactionalStore())):
        for way in WAYS:
            dataset = make()
            small, large = literal("x", lang="en"), literal("x", lang="EN")
            dataset.get_context(G).add((S, P, small))
            dataset.get_context(H).add((S, P, large))
            expected = exact_state(dataset)
            for given_term in (small, large):
                deleted = [(Op.D, S, P, given_term, g) for g in (G, H)]
                way(dataset, [*deleted, (Op.A, S, P, given_term, None)], TA)
                assert exact_state(dataset) == expected, way


# --- anything ------------------------------------------------------------------------------------

LITERALS = st.sampled_from(
    [
        *(literal("x"), literal("x", datatype=XSD.string), literal("x", lang="en")),
        *(literal("x", lang="EN"), literal("x", lang="En"), literal("1", datatype=XSD.integer)),
        *(literal("01", datatype=XSD.integer), literal("+1", datatype=XSD.integer)),
        *(literal("1", datatype=XSD.decimal), literal("1.0", datatype=XSD.decimal)),
        *(literal("NaN", datatype=XSD.double), literal("1.10", datatype=XSD.double)),
        literal("1.1E0", datatype=XSD.double),
        *(literal("none", datatype=XSD.integer), literal("1." + "0" * 40, datatype=XSD.decimal)),
        *(literal("ab", datatype=XSD.hexBinary), literal("AB", datatype=XSD.hexBinary)),
        literal("urn:x", datatype=URIRef("urn:x")),
    ]
)
SUBJECTS = st.sampled_from([S, BNode("b")])
GRAPHS = st.sampled_from([None, G, H, BNode("g")])
STATEMENTS = st.tuples(
    st.sampled_from([Op.A, Op.D]), SUBJECTS, st.just(P), LITERALS | SUBJECTS, GRAPHS
)
PREFIXES = st.tuples(
    st.just(Op.PA),
    st.sampled_from(["a", "b", "rdf"]),
    st.sampled_from(["urn:x#", "urn:y#", str(XSD)]),
    st.none(),
)
CHANGES = st.lists(STATEMENTS | PREFIXES, max_size=10)


def prepared(name: str, before: list[Any]) -> Graph:
    target = TARGETS[name]()
    _ = target.namespace_manager
    change(target, [each for each in before if can_take(target, each)])
    if isinstance(target, Dataset):
        target.graph(EMPTY)
    if target.store.transaction_aware:
        target.store.commit()
    return target


@pytest.mark.parametrize("name", TARGETS)
@given(way=st.sampled_from(WAYS), before=CHANGES, operations=CHANGES)
@settings(max_examples=2 * settings.default.max_examples)
def test_anything(name: str, way: Any, before: list[Any], operations: list[Any]) -> None:
    target = prepared(name, before)
    operations = [each for each in operations if can_take(target, each)]
    if name == "of a third party":
        # Nothing unbinds there: docs/reliability.md.
        operations = [each for each in operations if each[0] != Op.PA]
    expected = exact_state(target)
    way(target, operations, TA)
    assert exact_state(target) == expected


@pytest.mark.parametrize("name", TARGETS)
@given(
    way=st.sampled_from([apply_all, apply_recorded, change_recorded]),
    before=CHANGES,
    operations=CHANGES,
    error=st.sampled_from([RuntimeError, KeyboardInterrupt]),
    does_it=st.booleans(),
    data=st.data(),
)
def test_anything_with_a_fault_of_the_store(
    name: str,
    way: Any,
    before: list[Any],
    operations: list[Any],
    error: type[BaseException],
    does_it: bool,
    data: st.DataObject,
) -> None:
    if name == "of a third party":
        operations = [each for each in operations if each[0] != Op.PA]
    counter = Fuse()
    target = prepared(name, before)
    with wired(target.store, counter):
        way(target, [each for each in operations if can_take(target, each)], TA)
    if not counter.calls:
        return
    fuse = Fuse(data.draw(st.integers(0, counter.calls - 1)), error=error, does_it=does_it)
    target = prepared(name, before)
    expected = exact_state(target)
    with suppress(error, jr.RecordError, jr.ApplyError), wired(target.store, fuse):
        way(target, [each for each in operations if can_take(target, each)], TA)
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
    """A SPARQL store can unbind, though rdflib has no method for it."""
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
        wanted = all_that_it_has(target)
        target.store.dispatcher = Dispatcher()
        target.store.dispatcher.subscribe(TripleAddedEvent, add_another)
        # rdflib's dispatcher refuses an event that nobody subscribes to.
        target.store.dispatcher.subscribe(TripleRemovedEvent, lambda event: None)
        try:
            with suppress(Failure), jr.record(target):
                graph.add((S, P, Literal("x", lang="en")))
                raise Failure
        finally:
            target.store.dispatcher = Dispatcher()
        assert all_that_it_has(target) == wanted

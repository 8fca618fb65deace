"""Tests that the fast path into the Memory store gives the same result as the store's methods."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.namespace import XSD
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.store import TripleAddedEvent

from jelly_rdflib.errors import ApplyError, LimitError
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.stores.native import (
    Changes,
    GeneralChanges,
    MemoryChanges,
    UndoLog,
    can_use,
)
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.terms import TripleTerm
from tests.graph.stores.at_hand import exact_state
from tests.graph.stores.memory_state import full_state

# There are few terms, so that statements are repeated, and the terms are recreated each time, so
# that equal terms are different objects. A URIRef and a Literal with the same text have the same
# hash.
IDENTIFIED = st.sampled_from(["urn:a", "urn:b"]).map(URIRef) | st.sampled_from("ab").map(BNode)
LITERALS = st.builds(
    lambda text, more: Literal(text, **more),
    st.sampled_from(["urn:a", "x", "01"]),
    st.sampled_from([{}, {"lang": "en"}, {"lang": "EN"}, {"datatype": XSD.integer}]),
)
GRAPHS = st.none() | st.sampled_from(
    [DATASET_DEFAULT_GRAPH_ID, URIRef("urn:g"), URIRef("urn:h"), BNode("g")]
)
STATEMENTS = st.tuples(
    st.sampled_from([Op.A, Op.A, Op.D]), IDENTIFIED, IDENTIFIED, IDENTIFIED | LITERALS, GRAPHS
)
TRANSACTIONS = st.lists(st.tuples(st.lists(STATEMENTS, max_size=20), st.booleans()), max_size=6)


def run(
    make: Callable[[UndoLog], Changes], transactions: list[tuple[list[Operation], bool]]
) -> list[tuple[int, int]]:
    counts = []
    log = UndoLog()
    changes = make(log)
    for operations, is_committed in transactions:
        log.clear()
        changes.begin()
        assert changes.statements(iter(operations)) is None
        counts.append((changes.added, changes.deleted))
        if is_committed:
            changes.commit()
        else:
            log.undo(changes, changes.begin_undoing, changes.end_undoing)
    return counts


def fast_way(graph: Graph, **more: Any) -> Callable[[UndoLog], MemoryChanges]:
    more = {"is_atomic": True, **more}
    return lambda log: MemoryChanges(Target(graph), log, **more)


def general_way(graph: Graph, is_atomic: bool = True) -> Callable[[UndoLog], GeneralChanges]:
    return lambda log: GeneralChanges(Target(graph), log, is_atomic=is_atomic)


@given(TRANSACTIONS, st.booleans())
def test_equals_the_general_way(
    transactions: list[tuple[list[Operation], bool]], is_atomic: bool
) -> None:
    if not is_atomic:
        transactions = [(operations, True) for operations, _ in transactions]
    fast, general = Dataset(), Dataset()
    fast_counts = run(fast_way(fast, is_atomic=is_atomic), transactions)
    general_counts = run(general_way(general, is_atomic), transactions)
    states = full_state(fast.store), full_state(general.store)
    for state in states:
        # If a deleted statement does not exist, only the fast path registers its graph.
        del state["context_obj_map"]
    assert states[0] == states[1]
    assert fast_counts == general_counts


class Interrupting(URIRef):
    """A node whose comparison is interrupted, as Ctrl-C may interrupt any Python code."""

    fuse = -1

    def __eq__(self, other: object) -> bool:
        Interrupting.fuse -= 1
        if Interrupting.fuse == 0:
            raise KeyboardInterrupt
        return isinstance(other, URIRef) and str(self) == str(other)

    __hash__ = URIRef.__hash__


NODES = st.sampled_from(["urn:a", "urn:b"]).map(Interrupting)
INTERRUPTING = st.tuples(st.sampled_from([Op.A, Op.D]), NODES, NODES, NODES, GRAPHS)


@given(
    st.lists(INTERRUPTING, max_size=10),
    st.lists(INTERRUPTING, min_size=1, max_size=20),
    st.integers(1, 200),
)
def test_rollback_from_the_middle_of_a_change(
    before: list[Operation], operations: list[Operation], fuse: int
) -> None:
    dataset = Dataset()
    Interrupting.fuse = -1
    run(general_way(dataset), [(before, True)])
    expected = exact_state(dataset)
    log = UndoLog()
    changes = fast_way(dataset)(log)
    changes.begin()
    Interrupting.fuse = fuse
    try:
        changes.statements(iter(operations))
    except KeyboardInterrupt:
        # Another interrupt comes while the changes are rolled back.
        Interrupting.fuse = fuse
    with suppress(KeyboardInterrupt):
        log.undo(changes, changes.begin_undoing, changes.end_undoing)
    Interrupting.fuse = -1
    assert exact_state(dataset) == expected


def test_statements_of_formulas() -> None:
    dataset = Dataset()
    s, p, o = URIRef("urn:s"), URIRef("urn:p"), Literal("o")
    formula = QuotedGraph(dataset.store, URIRef("urn:f"))
    formula.add((s, p, o))
    dataset.add((s, p, o, URIRef("urn:g")))
    before = full_state(dataset.store)
    operations = [(Op.D, s, p, o, URIRef("urn:f")), (Op.D, s, p, o, URIRef("urn:g"))]
    run(fast_way(dataset), [(operations, False)])
    after = full_state(dataset.store)
    assert sorted(after["tripleContexts"][0][1]) == sorted(before["tripleContexts"][0][1])
    assert after["contextTriples"] == before["contextTriples"]
    run(fast_way(dataset), [(operations[1:], True)])
    # No graph has the statement any more, but a formula still quotes it.
    assert [*dataset.quads()] == []
    assert (s, p, o) in formula


def test_triple_in_no_graph_survives_a_rollback() -> None:
    dataset = Dataset()
    s, p, o = URIRef("urn:s"), URIRef("urn:p"), Literal("o")
    dataset.store.add((s, p, o), None)
    run(fast_way(dataset), [([(Op.A, s, p, o, URIRef("urn:g"))], False)])
    assert [triple for triple, _ in dataset.store.triples((None, None, None))] == [(s, p, o)]


def test_operations_may_have_plain_numbers_as_codes() -> None:
    graph = Graph()
    changes = fast_way(graph)(UndoLog())
    changes.begin()
    s, p, o = URIRef("urn:s"), URIRef("urn:p"), Literal("o")
    assert changes.statements(iter([(7, s, p, o, None), (8, s, p, o, None), (9,)])) == (9,)
    assert (changes.added, changes.deleted, changes.operations) == (1, 1, 2)


def test_nodes_without_a_hash() -> None:
    changes = fast_way(Dataset())(UndoLog())
    s, p, o, g = (URIRef(f"urn:{name}") for name in "spog")
    inner = TripleTerm([], p, o)
    for wrong in ([], {}, inner):
        for operation in (
            (Op.A, wrong, p, o, g),
            (Op.D, s, wrong, o, g),
            (Op.A, s, p, wrong, g),
            (Op.D, s, p, o, wrong),
        ):
            changes.begin()
            with pytest.raises(ApplyError, match=r"as an? |can't be an? "):
                changes.statements(iter([operation]))


class Subclass(Memory):
    """A subclass, whose methods may do more."""


def test_only_for_the_very_store() -> None:
    assert can_use(Memory())
    assert not can_use(Subclass())
    assert not can_use(SimpleMemory())
    store = Memory()
    store.dispatcher.subscribe(TripleAddedEvent, print)
    assert not can_use(store)
    store = Memory()
    del store._Memory__spo
    assert not can_use(store)


def test_terms_made_to_collide_in_rdflibs_hash_are_refused() -> None:
    """Such terms are refused, because rdflib's dicts would need time quadratic in their number."""
    s, p = URIRef("urn:s"), URIRef("urn:p")
    colliding = [Literal(f"urn:{n}", datatype=URIRef(f"urn:{n}")) for n in range(201)]
    assert len({hash(literal) for literal in colliding}) == 1
    dataset = Dataset()
    dataset.add((s, p, Literal("before"), URIRef("urn:g")))
    before = exact_state(dataset)
    with pytest.raises(LimitError, match="200 different terms have the same hash"):
        apply([(Op.A, s, p, literal, None) for literal in colliding], dataset)
    assert exact_state(dataset) == before
    allowed = [(Op.A, s, p, literal, None) for literal in colliding[:200]]
    assert apply(allowed, dataset).added == 200


@pytest.mark.slow
def test_colliding_terms_are_counted_over_the_whole_stream() -> None:
    """So many other terms come between the colliding ones that the earlier ones are forgotten."""
    s, p = URIRef("urn:s"), URIRef("urn:p")

    def operations() -> Iterator[Operation]:
        for number in range(201):
            yield Op.A, s, p, Literal(f"urn:{number}", datatype=URIRef(f"urn:{number}")), None
            if number == 100:
                for other in range(700_000):
                    yield Op.D, URIRef(f"urn:s{other}"), p, URIRef(f"urn:o{other}"), None

    dataset = Dataset()
    with pytest.raises(LimitError, match="200 different terms have the same hash"):
        apply(operations(), dataset)
    assert len(dataset) == 0

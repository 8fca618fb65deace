"""Tests that an aborted or interrupted change leaves every store exactly as it was.

Each store has its own notion of equal terms, and its own spelling of terms. So the tests ask each
store for everything that it has, before and after, and compare the results.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import rdflib
from hypothesis import given, note
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores.native import SpellingError
from tests.graph.stores.at_hand import Failure, StoreAtHand, each_store, exact_state

IRI = XSD.anyURI


def literal(text: str, **more: Any) -> Literal:
    """Return a literal with exactly the given spelling."""
    return Literal(text, **more, normalize=False)


# In each family, some store confuses some of the literals, and some literals are not equal to
# themselves.
FAMILIES = [
    [
        *(literal("x"), literal("x", datatype=XSD.string), literal("x", datatype=URIRef("urn:x"))),
        *(literal("x", lang="en"), literal("x", lang="EN"), literal("X", lang="en")),
    ],
    [
        *(literal(text, datatype=XSD.integer) for text in ("1", "01", "+1")),
        *(literal("1", datatype=each) for each in (None, XSD.decimal, XSD.double, XSD.boolean)),
        literal("true", datatype=XSD.boolean),
    ],
    [
        *(literal(text, datatype=XSD.double) for text in ("NaN", "nan", "INF", "+INF", "1e400")),
        *(literal("NaN", datatype=each) for each in (None, XSD.float, XSD.string)),
    ],
    [
        *(literal(text, datatype=XSD.integer) for text in ("one", "", " 1")),
        *(literal(text, datatype=XSD.dateTime) for text in ("today", "2000-01-01T24:00:00")),
        *(literal(""), literal("", lang="en"), literal("urn:a"), literal("urn:a", datatype=IRI)),
    ],
]
IRIS = [URIRef("urn:a"), URIRef("urn:b")]
# SQLAlchemy's store uses a separate table for each kind of statement.
TYPE, P = RDF.type, URIRef("urn:p")


def operation(op: Op, s: Any, pair: tuple[Any, Any], g: Any) -> jr.Operation:
    return (op, s, *pair, g)


@st.composite
def plans(draw: st.DrawFn, store: StoreAtHand) -> list[list[Any]]:
    """Draw three lists of operations with a few similar terms, without transaction markers."""
    nodes = st.sampled_from(IRIS if store.is_endpoint else [*IRIS, BNode("b")])
    family = draw(st.sampled_from(FAMILIES))
    if store.merges_languages:
        family = [each for each in family if each.language != "EN"]
    literals = st.sampled_from(family)
    if rdflib.NORMALIZE_LITERALS:
        literals = literals.map(lambda each: Literal(each, each.language, each.datatype))
    names = [None, URIRef("urn:g"), URIRef("urn:h")] if store.is_dataset else [None]
    pairs = st.one_of(
        st.tuples(st.just(P), literals),
        st.tuples(st.just(P), literals),
        st.tuples(st.sampled_from([P, TYPE]), nodes),
    )
    operations = st.builds(
        operation,
        st.sampled_from([Op.A, Op.D]),
        st.one_of(st.just(IRIS[0]), nodes),
        pairs,
        st.sampled_from(names),
    )
    if store.unbinds and not store.is_endpoint:
        # The empty prefix is omitted: BerkeleyDB's own bind treats it as missing, and then fails.
        prefixes, iris = st.sampled_from(["a", "b"]), st.sampled_from(["urn:a#", "urn:b#"])
        operations = st.one_of(
            *[operations] * 4,
            st.tuples(st.just(Op.PA), prefixes, iris.map(URIRef), st.none()),
            st.tuples(st.just(Op.PD), prefixes, st.none(), st.none()),
        )
    return [draw(st.lists(operations, min_size=least, max_size=9)) for least in (0, 0, 1)]


def begin(store: StoreAtHand, target: Graph, operations: list[Any]) -> None:
    """Give a new target its initial content."""
    perform(target, operations)
    if isinstance(target, Dataset) and not store.is_endpoint:
        target.graph(URIRef("urn:empty"))
    if target.store.transaction_aware:
        target.store.commit()


def graph_of(target: Graph, name: URIRef | None) -> Graph:
    if not isinstance(target, Dataset):
        return target
    return target.default_graph if name is None else target.get_context(name)


def perform(target: Graph, operations: list[Any]) -> None:
    """Perform the operations with rdflib's own methods, where rdflib has any."""
    for op, *terms in operations:
        if op in (Op.A, Op.D):
            *triple, g = terms
            graph = graph_of(target, g)
            (graph.add if op == Op.A else graph.remove)(tuple(triple))
        elif op == Op.PA:
            target.bind(terms[0], terms[1], replace=True)
        else:
            jr.apply([(op, *terms)], target)


# The last of these is not an operation.
ENDS: dict[str, list[Any]] = {
    "aborts": [(Op.TA,)],
    "ends inside": [],
    "is broken": [(Op.A, "no term", None, None, None)],
}


@contextmanager
def spelling(data: st.DataObject) -> Iterator[None]:
    """Make rdflib normalize literals in a block, or not; most stores read them as rdflib does."""
    was_normalizing = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = data.draw(st.booleans(), "literals are normalized")
    try:
        yield
    finally:
        rdflib.NORMALIZE_LITERALS = was_normalizing


def check_apply(store: StoreAtHand, data: st.DataObject) -> None:
    start, first, second = data.draw(plans(store), "start, first and second transaction")
    end = ENDS[data.draw(st.sampled_from(sorted(ENDS)), "end")]
    with store.make() as target:
        begin(store, target, start)
        undone(target, [(Op.TX,), *first, (Op.TC,)])
        wanted = exact_state(target)
        undone(target, [(Op.TX,), *second, *end])
        assert exact_state(target) == wanted
    # All transactions are applied in one call, which keeps its undo log between them.
    with store.make() as target:
        begin(store, target, start)
        undone(target, [(Op.TX,), *first, (Op.TC,), (Op.TX,), *second, *end])
        assert exact_state(target) == wanted


def undone(target: Graph, operations: list[Any]) -> None:
    """Apply operations whose last transaction is rolled back, or that the store refuses."""
    try:
        jr.apply(operations, target)
    except jr.RollbackError:
        raise
    except jr.ApplyError as error:
        note(str(error))


WAYS = ["add and remove", "in one go", "by patterns", "apply"]


def check_record(store: StoreAtHand, data: st.DataObject) -> None:
    start, *blocks = data.draw(plans(store), "start, first and second block")
    is_nested = data.draw(st.booleans(), "another recording around")
    with store.make() as target:
        begin(store, target, start)
        wanted = exact_state(target)
        with suppress(Failure, SpellingError), jr.record(target):
            if is_nested and not target.store.transaction_aware:
                # The outer recording receives the changes that roll back the inner recording.
                check_block(store, data, target, blocks)
            for operations in blocks:
                change(target, store, data.draw(st.sampled_from(WAYS), "way"), operations)
            raise Failure
        assert exact_state(target) == wanted


def check_block(store: StoreAtHand, data: st.DataObject, target: Graph, blocks: Any) -> None:
    before = exact_state(target)
    with suppress(Failure), jr.record(target):
        for operations in blocks:
            change(target, store, data.draw(st.sampled_from(WAYS), "way inside"), operations)
        raise Failure
    assert exact_state(target) == before


def change(target: Graph, store: StoreAtHand, way: str, operations: list[Any]) -> None:
    if way == "add and remove":
        perform(target, operations)
    elif way == "in one go":
        # rdflib would put these statements into a graph other than the endpoint's default graph.
        name = URIRef("urn:g") if store.is_endpoint else None
        graph = graph_of(target, name)
        target.addN((*op[1:4], graph) for op in operations if op[0] == Op.A)
    elif way == "by patterns":
        for op, *terms in operations:
            if op == Op.D and not store.is_endpoint:
                s, p, o, g = terms
                graph = graph_of(target, g)
                graph.remove((s, None, o) if p == TYPE else (None, p, None))
            elif op == Op.A and isinstance(target, Dataset) and terms[3] is not None:
                target.remove_graph(terms[3])
    else:
        jr.apply([(Op.TX,), *operations, (Op.TA,)], target)
        jr.apply(operations, target)


@each_store
@given(data=st.data())
def test_apply(store: StoreAtHand, data: st.DataObject) -> None:
    with spelling(data):
        check_apply(store, data)


@each_store
@given(data=st.data())
def test_record(store: StoreAtHand, data: st.DataObject) -> None:
    with spelling(data):
        check_record(store, data)

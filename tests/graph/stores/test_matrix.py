"""Tests every use of every store, and that the page on stores shows the results."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rdflib import XSD, Dataset, Graph, Literal, URIRef
from rdflib.graph import ReadOnlyGraphAggregate
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory
from rdflib.plugins.stores.sparqlstore import SPARQLStore

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.graph.stores.at_hand import (
    AT_HAND,
    NAME,
    Failure,
    StoreAtHand,
    exact_state,
    graph_on,
    sqlalchemy,
)

TEXT = (Path(__file__).parents[3] / "docs" / "stores.md").read_text(encoding="utf-8")

S, P, Q = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:q")
TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)
PREFIX = (Op.PA, "ex", URIRef("http://example.org/"), None)


def filled(target: Graph) -> set[str]:
    """Add some statements to a target; return its content."""
    graphs = [target]
    if isinstance(target, Dataset):
        graphs = [target.default_graph, target.graph(URIRef("urn:g"))]
    for graph in graphs:
        for o in (Literal("old"), Literal("kept", lang="en"), S):
            graph.add((S, P, o))
    return content(target)


def content(target: Graph) -> set[str]:
    # Some stores return "x"^^xsd:string for "x", which is the same in RDF 1.1.
    adds = (op[1:] for op in jr.diff(type(target)(), target) if op[0] == Op.A)
    return {str(terms).replace(f", datatype={XSD.string!r}", "") for terms in adds}


def apply(target: Graph) -> None:
    before = filled(target)
    g = URIRef("urn:g") if isinstance(target, Dataset) else None
    add, delete = (Op.A, S, P, Literal("new"), g), (Op.D, S, P, Literal("old"), g)
    result = jr.apply([TX, PREFIX, add, delete, add, TC], target)
    assert (result.added, result.deleted, result.prefixes_added) == (1, 1, 1)
    assert len(content(target) ^ before) == 2
    assert target.store.namespace("ex") == PREFIX[2]
    assert jr.apply([(Op.PD, "ex", None, None)], target).prefixes_deleted == 1
    assert target.store.namespace("ex") is None


def record(target: Graph) -> None:
    filled(target)
    copy = type(target)()
    jr.diff(copy, target).apply(copy)
    with jr.record(target) as recorder:
        target.add((S, Q, Literal("new")))
        target.remove((None, P, Literal("old")))
        target.remove((S, P, S))
        target.bind("ex", PREFIX[2])
    assert PREFIX in list(recorder.patch)
    recorder.patch.apply(copy)
    assert content(copy) == content(target)


def update(target: Graph) -> None:
    filled(target)
    copy = type(target)()
    jr.diff(copy, target).apply(copy)
    with jr.record(target) as recorder:
        target.update("INSERT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o FILTER(isLiteral(?o)) }")
        target.update("DELETE DATA { <urn:s> <urn:p> <urn:s> }")
    assert recorder.added == 2
    recorder.patch.apply(copy)
    assert content(copy) == content(target)


def undo(target: Graph) -> None:
    filled(target)
    before = exact_state(target)
    g = URIRef("urn:h") if isinstance(target, Dataset) else None
    changes = [PREFIX, (Op.A, S, P, Literal("new"), g), (Op.D, S, P, Literal("old"), None)]
    assert jr.apply([TX, *changes, TA], target).aborted == 1
    assert exact_state(target) == before
    with suppress(Failure), jr.record(target):
        jr.apply(changes, target)
        raise Failure
    assert exact_state(target) == before


def diff(target: Graph) -> None:
    filled(target)
    other = type(target)()
    other.add((S, P, Literal("kept", lang="en")))
    other.add((S, Q, Literal("new")))
    jr.diff(target, other).apply(target)
    assert content(target) == content(other)


USES: dict[str, Callable[[Graph], None]] = {
    "apply": apply,
    "record": record,
    "update": update,
    "undo": undo,
    "diff": diff,
}


def try_out(store: StoreAtHand) -> dict[str, str]:
    """Return the error of each use, or an empty string if the use works.

    Raises:
        Exception: A use fails with an error that is not from this package.
    """
    said = {}
    for name, use in USES.items():
        with store.make() as target:
            try:
                use(target)
                said[name] = ""
            except jr.JellyError as error:
                said[name] = f"`{type(error).__name__}`: {error}"
    return said


def lines_of(store: StoreAtHand, said: dict[str, str]) -> tuple[str, list[str]]:
    """Return a store's table row, and the lines below the table about uses that fail."""
    kind = "Dataset" if store.is_dataset else "Graph"
    cells = [store.name, kind, *("no" if said[use] else "yes" for use in USES)]
    row = f"| {' | '.join(cells)} |\n"
    return row, [f"- **{store.name}**, {use}: {text}\n" for use, text in said.items() if text]


@pytest.mark.parametrize("store", AT_HAND, ids=str)
def test_page(store: StoreAtHand) -> None:
    check_page(store)


def check_page(store: StoreAtHand) -> None:
    row, notes = lines_of(store, try_out(store))
    said = [line for line in TEXT.splitlines(keepends=True) if f"**{store}**" in line]
    assert row in TEXT, "docs/stores.md needs this row"
    assert said == notes, "docs/stores.md needs these notes"


def unopened_sqlalchemy() -> Graph:
    # Without the library the test is skipped.
    with sqlalchemy() as target:
        return graph_on(type(target.store)(identifier=NAME))


class WithIsOpen(Memory):
    """A store with `is_open`, like BerkeleyDB's store, which may not be installed."""

    def __init__(self, *, is_open: bool) -> None:
        super().__init__()
        self.is_open = lambda: is_open


UNUSABLE: dict[str, tuple[Any, str]] = {
    "closed": (lambda: Graph(WithIsOpen(is_open=False)), "WithIsOpen.* is not open: call open"),
    "in an AuditableStore": (
        lambda: Graph(AuditableStore(WithIsOpen(is_open=False))),
        "WithIsOpen.* is not open",
    ),
    "SQLAlchemy, not opened": (unopened_sqlalchemy, "SQLAlchemy.* is not open: call open"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_store_that_is_not_open(name: str) -> None:
    make, message = UNUSABLE[name]
    target = make()
    with pytest.raises(jr.ApplyError, match=message):
        jr.apply([], target)
    with pytest.raises(jr.RecordError, match=message):
        jr.record(target)
    for pair in ((target, Graph()), (Graph(), target)):
        with pytest.raises(jr.PatchError, match=message):
            jr.diff(*pair)


def test_a_store_that_is_open() -> None:
    target = Graph(WithIsOpen(is_open=True))
    assert jr.apply([(jr.Op.PA, "x", URIRef("urn:x#"), None)], target).prefixes_added == 1


def test_what_can_only_be_read() -> None:
    target = Dataset(SPARQLStore("http://localhost/"))
    with pytest.raises(jr.ApplyError, match=r"SPARQLStore.* is read-only: use a SPARQLUpdateStore"):
        jr.apply([], target)
    with pytest.raises(
        jr.RecordError, match=r"SPARQLStore.* is read-only: use a SPARQLUpdateStore"
    ):
        jr.record(target)
    aggregate = ReadOnlyGraphAggregate([Graph(), Graph()])
    for use in (lambda: jr.apply([], aggregate), lambda: jr.record(aggregate)):
        with pytest.raises(TypeError, match=r"not .*ReadOnlyGraphAggregate"):
            use()

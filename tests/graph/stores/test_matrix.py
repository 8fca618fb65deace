"""The page of stores says what a run says."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from rdflib import Dataset, Graph, URIRef
from rdflib.graph import ReadOnlyGraphAggregate
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory
from rdflib.plugins.stores.sparqlstore import SPARQLStore

import jelly_rdflib as jr
from tests.graph.stores.at_hand import AT_HAND, NAME, StoreAtHand, graph_on, sqlalchemy
from tests.graph.stores.matrix import PAGE, lines_of, try_out

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("store", AT_HAND, ids=str)
def test_page(store: StoreAtHand) -> None:
    check_page(store)


def check_page(store: StoreAtHand) -> None:
    row, notes = lines_of(store, try_out(store))
    said = [line for line in TEXT.splitlines(keepends=True) if f"**{store}**" in line]
    assert row in TEXT, "write the page anew: make stores-page"
    assert said == notes, "write the page anew: make stores-page"


def berkeley(*, was_open: bool = False) -> Dataset:
    store = pytest.importorskip("rdflib.plugins.stores.berkeleydb")
    if not store.has_bsddb:
        pytest.skip(
            "there is no Berkeley DB: apt install libdb-dev, pip install --group berkeleydb"
        )
    found = Dataset(store.BerkeleyDB())
    if was_open:
        with TemporaryDirectory() as folder:
            found.open(str(Path(folder, "store")), create=True)
            found.close()
    return found


def unopened_sqlalchemy() -> Graph:
    # Skipped where it is missing.
    with sqlalchemy() as target:
        return graph_on(type(target.store)(identifier=NAME))


class WithIsOpen(Memory):
    """Says whether it is open, as BerkeleyDB's store does, which may not be installed."""

    def __init__(self, *, is_open: bool) -> None:
        super().__init__()
        self.is_open = lambda: is_open


UNUSABLE: dict[str, tuple[Any, str]] = {
    "BerkeleyDB, not opened": (berkeley, "BerkeleyDB.* is not open: open it first"),
    "BerkeleyDB, closed": (lambda: berkeley(was_open=True), "BerkeleyDB.* is not open"),
    "in an AuditableStore": (
        lambda: Graph(AuditableStore(berkeley().store)),
        "BerkeleyDB.* not op",
    ),
    "like BerkeleyDB, closed": (lambda: Graph(WithIsOpen(is_open=False)), "WithIsOpen.* not open"),
    "SQLAlchemy, not opened": (unopened_sqlalchemy, "SQLAlchemy.* is not open: open it first"),
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
    with pytest.raises(jr.ApplyError, match=r"SPARQLStore.* only be read: a SPARQLUpdateStore"):
        jr.apply([], target)
    with pytest.raises(jr.RecordError, match=r"SPARQLStore.* only be read: a SPARQLUpdateStore"):
        jr.record(target)
    aggregate = ReadOnlyGraphAggregate([Graph(), Graph()])
    for use in (lambda: jr.apply([], aggregate), lambda: jr.record(aggregate)):
        with pytest.raises(TypeError, match=r"not .*ReadOnlyGraphAggregate"):
            use()

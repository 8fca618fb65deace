"""Tests stores that keep prefixes in other ways, or that give an IRI two prefixes."""

from typing import Any

import pytest
from rdflib import URIRef
from rdflib.plugins.stores.memory import SimpleMemory
from rdflib.store import Store

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores.prefixes import PrefixMap, open_prefixes
from tests.graph.stores.at_hand import exact_state, graph_on

ONE, TWO, THREE = (URIRef(f"urn:{number}#") for number in range(1, 4))


def test_tables_of_bytes() -> None:
    """rdflib's BerkeleyDB store has tables whose keys and values are bytes."""
    store: Any = Store()
    iris: dict[bytes, bytes] = {}
    names: dict[bytes, bytes] = {}
    store._BerkeleyDB__namespace, store._BerkeleyDB__prefix = iris, names
    prefixes = open_prefixes(store)
    assert isinstance(prefixes, PrefixMap)
    assert prefixes.bind("", ONE) == []
    assert prefixes.bind("x", TWO) == []
    assert (iris, names) == (
        {b"": ONE.encode(), b"x": TWO.encode()},
        {ONE.encode(): b"", TWO.encode(): b"x"},
    )
    assert len(prefixes) == 2
    assert prefixes.has("", ONE)
    assert not prefixes.has("y", ONE)
    assert prefixes.bind("x", ONE) == [("x", TWO), ("", ONE)]
    assert prefixes.unbind("y") == []
    assert [type(iri) for _, iri in prefixes.unbind("x")] == [URIRef]
    assert (iris, names) == ({}, {})


@pytest.mark.parametrize(
    ("iris", "names"),
    [({"a": ONE}, {ONE: "b"}), ({"a": TWO}, {ONE: "a"}), ({}, {ONE: "a"}), ({"a": ONE}, {})],
)
def test_bound_in_one_direction_only(iris: Any, names: Any) -> None:
    prefixes = PrefixMap(iris, names)
    assert not prefixes.has("a", ONE)
    prefixes.bind("a", ONE)
    assert prefixes.has("a", ONE)


def test_what_may_change_is_followed() -> None:
    """A prefix leads to an IRI, the IRI to another prefix, and so on."""
    prefixes = PrefixMap({"a": ONE, "b": TWO, "c": THREE}, {ONE: "b", TWO: "c", THREE: "a"})
    assert prefixes.watch("a", None) == {"a": ONE, "b": TWO, "c": THREE}


class Hidden(SimpleMemory):
    """A store that hides its prefixes, so that only the methods common to all stores are left."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = SimpleMemory()
        for name in ("bind", "prefix", "namespace", "namespaces"):
            setattr(self, name, getattr(self.hidden, name))
        del vars(self)["_SimpleMemory__namespace"]


def test_what_was_bound_and_what_was_not_is_taken_back() -> None:
    graph = graph_on(Hidden())
    graph.store.bind("old", ONE)
    before = exact_state(graph)
    changes = [("new", ONE), ("old", TWO), ("new", TWO), ("old", THREE), ("last", ONE)]
    jr.apply([(Op.TX,), *((Op.PA, *each, None) for each in changes), (Op.TA,)], graph)
    assert exact_state(graph) == before

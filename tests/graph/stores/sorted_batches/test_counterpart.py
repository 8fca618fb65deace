"""Tests that the difference of two stores equals the difference of two sets of quads."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr

names = st.sampled_from([URIRef(f"urn:{n}") for n in range(4)])
terms = names | st.sampled_from(
    [
        BNode("b"),
        Literal("a"),
        Literal("a", lang="en"),
        Literal("a", lang="EN"),
        Literal("a", datatype=URIRef("urn:1")),
        Literal("a", datatype=URIRef("urn:d")),
    ]
)
graphs = names | st.sampled_from([BNode("b"), DATASET_DEFAULT_GRAPH_ID])
changes = st.lists(st.tuples(st.booleans(), names, names, terms, graphs), max_size=30)


def change(dataset: Dataset, changes: Any) -> Dataset:
    for is_added, *quad in changes:
        if is_added:
            dataset.add(tuple(quad))
        else:
            s, p, o, g = quad
            dataset.store.remove((s, p, o), Graph(dataset.store, g))
    return dataset


def pairs(old: Any, new: Any, both: Any) -> list[tuple[Dataset, Dataset]]:
    """Return both datasets, once in a `JellyStore` each and once in rdflib's own store each."""
    return [
        (
            change(change(Dataset(store=store), both), old),
            change(change(Dataset(store=store), both), new),
        )
        for store in ("Jelly", "default")
    ]


@given(both=changes, old=changes, new=changes)
def test_difference_is_that_of_sets(both: Any, old: Any, new: Any) -> None:
    ours, theirs = pairs(old, new, both)
    assert list(jr.diff(*ours)) == list(jr.diff(*theirs))
    mixed = jr.diff(ours[0], theirs[1])
    assert list(mixed) == list(jr.diff(*theirs))


@given(both=changes, old=changes, new=changes, name=graphs, other=graphs)
def test_one_graph_is_its_own_default_graph(
    both: Any, old: Any, new: Any, name: Any, other: Any
) -> None:
    ours, theirs = pairs(old, new, both)

    def parts(before: Dataset, after: Dataset) -> list[tuple[Graph, Graph]]:
        return [
            (Graph(before.store, name), Graph(after.store, other)),
            (Graph(before.store, name), after),
            (before, Graph(after.store, other)),
            # Both graphs are in the same store.
            (Graph(before.store, name), Graph(before.store, other)),
        ]

    for one, two in zip(parts(*ours), parts(*theirs), strict=True):
        assert list(jr.diff(*one)) == list(jr.diff(*two))


def test_patch_turns_one_into_the_other() -> None:
    old, new = Dataset(store="Jelly"), Dataset(store="Jelly")
    for n in range(5000):
        quad = (URIRef(f"urn:{n % 50}"), URIRef("urn:p"), Literal(n), URIRef(f"urn:g{n % 3}"))
        if n % 100:
            old.add(quad)
        if n % 77:
            new.add(quad)
    patch = jr.diff(old, new)
    patch.apply(old)
    assert set(old.quads()) == set(new.quads())
    assert not list(jr.diff(old, new))

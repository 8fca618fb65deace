"""Blank nodes are paired one with one, and labels have no say."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from jelly_rdflib.graph.canonical.pairing import pair
from jelly_rdflib.graph.canonical.quads import describer

S, P, Q = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:q")
NODES = [BNode(letter) for letter in "abcde"]
describe = describer(folds_strings=False)

graphs = st.lists(
    st.tuples(
        st.sampled_from(NODES),
        st.sampled_from([P, Q]),
        st.sampled_from([*NODES, S, Literal("x"), Literal("y")]),
        st.just(DATASET_DEFAULT_GRAPH_ID),
    ),
    max_size=9,
    unique=True,
)


def rename(quads: Any, names: dict[Any, Any]) -> list[Any]:
    return [tuple(names.get(term, term) for term in quad) for quad in quads]


@given(graphs, graphs)
def test_one_with_one(old: Any, new: Any) -> None:
    pairs = pair(old, new, describe)
    assert len(set(pairs.values())) == len(pairs)
    for quads, nodes in ((new, pairs), (old, pairs.values())):
        assert set(nodes) <= {term for quad in quads for term in quad}


@given(graphs, graphs, st.permutations([BNode(f"n{number}") for number in range(5)]))
def test_what_it_leaves_does_not_depend_on_labels(old: Any, new: Any, labels: Any) -> None:
    names = dict(zip(NODES, labels, strict=True))
    other = list(reversed(rename(new, names)))
    assert kept(old, new) == kept(old, other)


def kept(old: Any, new: Any) -> set[Any]:
    """Return what is in both; a node without a pair is none of the old ones, whatever its label."""
    nodes = {term for quad in new for term in quad if isinstance(term, BNode)}
    strangers = {node: BNode(f"stranger-{node}") for node in nodes}
    return set(old) & {tuple(quad) for quad in rename(new, strangers | pair(old, new, describe))}


@given(graphs)
def test_nodes_with_something_of_their_own_are_paired(old: Any) -> None:
    names = {node: BNode(f"n{node}") for node in NODES}
    # what is said of a node alone tells it apart
    marked = [*old, *((node, P, Literal(str(node)), DATASET_DEFAULT_GRAPH_ID) for node in NODES)]
    assert pair(marked, rename(marked, names), describe) == {
        new: node for node, new in names.items()
    }


def lines(*triples: Any) -> list[Any]:
    return [(*triple, DATASET_DEFAULT_GRAPH_ID) for triple in triples]


A, B, C, D, E = NODES
NEW = {node: BNode(f"n{node}") for node in NODES}


def test_a_chain_is_paired_by_the_surroundings_of_its_nodes() -> None:
    """No statement of a node is its own: only how far the ends are tells the nodes apart."""
    old = lines((A, P, B), (B, P, C), (C, P, D), (D, P, E))
    assert pair(old, rename(old, NEW), describe) == {NEW[node]: node for node in NODES}


def test_free_nodes_are_taken_for_each_other_if_there_is_no_other_choice() -> None:
    old = lines((A, P, B), (A, Q, Literal("old")), (B, Q, Literal("old, too")))
    new = lines((A, P, B), (A, Q, Literal("new")), (B, Q, Literal("new, too")))
    assert pair(old, rename(new, NEW), describe) == {NEW[A]: A, NEW[B]: B}


def test_known_statements_count_before_those_with_free_nodes() -> None:
    """A says P of a free node, as both sides do; but "x" is said of B there and of A here."""
    old = lines((A, P, C), (B, Q, Literal("x")), (C, P, Literal("old")))
    new = lines((A, P, C), (A, Q, Literal("x")), (C, P, Literal("new")))
    assert pair(old, rename(new, NEW), describe)[NEW[A]] == B


def test_as_many_twins_are_paired_as_both_sides_have() -> None:
    old = lines((S, P, A), (S, P, B), (S, P, C))
    new = lines((S, P, A), (S, P, B))
    pairs = pair(old, rename(new, NEW), describe)
    assert set(pairs) == {NEW[A], NEW[B]}
    assert len(set(pairs.values())) == 2


def test_what_a_pair_tells_of_others_is_used_again() -> None:
    """Each round pairs one node, by the one before it."""
    old = lines((A, P, Literal("x")), (A, Q, B), (B, Q, C), (C, Q, D), (B, P, S), (C, P, S))
    new = lines((A, P, Literal("x")), (A, Q, B), (B, Q, C), (C, Q, D), (D, P, S))
    assert pair(old, rename(new, NEW), describe) == {NEW[node]: node for node in (A, B, C, D)}

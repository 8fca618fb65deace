"""Tests that blank nodes are paired one to one."""

from itertools import chain, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from jelly_rdflib.graph.canonical.pairing import pair

S, P, Q = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:q")
NODES = [BNode(letter) for letter in "abcde"]

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
    pairs = pair(old, new)
    assert len(set(pairs.values())) == len(pairs)
    for quads, nodes in ((new, pairs), (old, pairs.values())):
        assert set(nodes) <= {term for quad in quads for term in quad}


def lines(*triples: Any) -> list[Any]:
    return [(*triple, DATASET_DEFAULT_GRAPH_ID) for triple in triples]


A, B, C, D, E = NODES
NEW = {node: BNode(f"n{node}") for node in NODES}


def test_a_chain_is_paired_by_the_surroundings_of_its_nodes() -> None:
    """No node has its own statements: only the distances to the ends distinguish the nodes."""
    old = lines((A, P, B), (B, P, C), (C, P, D), (D, P, E))
    assert pair(old, rename(old, NEW)) == {NEW[node]: node for node in NODES}


def test_free_nodes_are_taken_for_each_other_if_there_is_no_other_choice() -> None:
    old = lines((A, P, B), (A, Q, Literal("old")), (B, Q, Literal("old, too")))
    new = lines((A, P, B), (A, Q, Literal("new")), (B, Q, Literal("new, too")))
    assert pair(old, rename(new, NEW)) == {NEW[A]: A, NEW[B]: B}


def test_known_statements_count_before_those_with_free_nodes() -> None:
    """The statement with the known term "x" decides, not the statement with a free node."""
    old = lines((A, P, C), (B, Q, Literal("x")), (C, P, Literal("old")))
    new = lines((A, P, C), (A, Q, Literal("x")), (C, P, Literal("new")))
    assert pair(old, rename(new, NEW))[NEW[A]] == B


def test_as_many_twins_are_paired_as_both_sides_have() -> None:
    old = lines((S, P, A), (S, P, B), (S, P, C))
    new = lines((S, P, A), (S, P, B))
    pairs = pair(old, rename(new, NEW))
    assert set(pairs) == {NEW[A], NEW[B]}
    assert len(set(pairs.values())) == 2


def test_what_a_pair_tells_of_others_is_used_again() -> None:
    """Each round pairs one node, with the help of the node paired before."""
    old = lines((A, P, Literal("x")), (A, Q, B), (B, Q, C), (C, Q, D), (B, P, S), (C, P, S))
    new = lines((A, P, Literal("x")), (A, Q, B), (B, Q, C), (C, Q, D), (D, P, S))
    assert pair(old, rename(new, NEW)) == {NEW[node]: node for node in (A, B, C, D)}


def test_nodes_that_only_look_alike_are_paired_with_their_neighbours() -> None:
    old, new = lines((A, P, C), (B, P, D)), rename(lines((A, P, D), (B, P, C)), NEW)
    assert sorted(rename(new, pair(old, new))) == sorted(old)


@pytest.mark.parametrize("is_gone", [True, False])
def test_the_first_of_two_that_look_alike_is_not_taken(is_gone: bool) -> None:
    """If two nodes on one side look like a node on the other side, their objects decide."""
    two = lines(
        (A, Q, Literal("x")), (A, P, D), (D, Q, Literal("d")),
        (B, Q, Literal("x")), (B, P, E), (E, Q, Literal("e")), (E, P, Literal("old")),
    )  # fmt: skip
    one = lines((B, Q, Literal("x")), (B, P, E), (E, Q, Literal("e")), (E, P, Literal("new")))
    old, new = (two, one) if is_gone else (one, two)
    assert pair(old, rename(new, NEW)) == {NEW[B]: B, NEW[E]: E}


def test_nodes_are_told_apart_by_the_neighbours_of_their_neighbours() -> None:
    """The statements of a child or a parent alone do not distinguish the node from all others."""
    kinds = {A: "xx", B: "xy", C: "yy"}
    children = {node: [BNode(f"{node}{n}") for n in range(2)] for node in kinds}
    old = lines(
        *((node, P, child) for node in kinds for child in children[node]),
        *((child, Q, Literal(kind)) for node in kinds
          for child, kind in zip(children[node], kinds[node], strict=True)),
    )  # fmt: skip
    names = {node: BNode(f"n{node}") for node in [*kinds, *chain(*children.values())]}
    pairs = pair(old, rename(old, names))
    assert {node: pairs[names[node]] for node in kinds} == {node: node for node in kinds}
    assert [pairs[names[child]] for child in children[B]] == children[B]


def test_the_names_of_known_nodes_tell_their_neighbours_apart() -> None:
    """The subject and the graph of a free node together distinguish it from the others."""
    subjects, graphs = (A, B), (D, E)
    free = {pair: BNode("".join(pair)) for pair in product(subjects, graphs)}

    def quads_with(word: str) -> list[Any]:
        return [
            *lines(*((node, Q, Literal(f"of {node}")) for node in (*subjects, *graphs))),
            *lines(*((node, Q, Literal(f"{word} {node}")) for node in free.values())),
            *((subject, P, node, graph) for (subject, graph), node in free.items()),
        ]

    names = {node: BNode(f"n{node}") for node in (*subjects, *graphs, *free.values())}
    assert pair(quads_with("old"), rename(quads_with("new"), names)) == {
        new: node for node, new in names.items()
    }

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

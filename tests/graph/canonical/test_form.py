"""Tests that the canonical form of a component depends on everything but its labels."""

import random
from collections import Counter
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD

from jelly_rdflib.graph.canonical import symmetry
from jelly_rdflib.graph.canonical.form import Canonicalizer
from jelly_rdflib.graph.canonical.quads import (
    Known,
    Quad,
    describe,
    is_blank,
    lines_by_node,
    split,
)
from jelly_rdflib.graph.canonical.symmetry import find_marks
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.terms import identity

S, P, Q = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:q")
DEFAULT = DATASET_DEFAULT_GRAPH_ID
NODES = [BNode(letter) for letter in "abcdefg"]

canonicalizer = Canonicalizer()

# The graphs have few edges. In larger graphs, similar nodes may not be interchangeable.
graphs = st.sets(
    st.tuples(
        st.sampled_from(NODES),
        st.sampled_from([P, P, P, Q]),
        st.sampled_from([*NODES, *NODES, Literal("x")]),
        st.just(DEFAULT),
    ),
    min_size=1,
    max_size=9,
)


def relabel(quads: Any, seed: int) -> list[Quad]:
    """Return `quads` in random order, with random blank-node labels."""
    dice = random.Random(seed)
    labels = [f"n{number}" for number in range(len(NODES))]
    dice.shuffle(labels)
    names: dict[Any, Any] = dict(zip(NODES, map(BNode, labels), strict=True))
    result: list[Any] = [tuple(names.get(term, term) for term in quad) for quad in quads]
    dice.shuffle(result)
    return result


def forms(quads: Any) -> list[str]:
    return sorted(canonicalizer.form(component).text for component in split(quads))


@pytest.mark.parametrize("most", [0, 1, 4])
@given(quads=graphs, seed=st.integers())
def test_labels_do_not_matter(most: int, quads: Any, seed: int) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        # The limit determines when the canonicalizer uses marks.
        monkeypatch.setattr(symmetry, "_MAX_ALIKE", most)
        assert forms(sorted(quads, key=str)) == forms(relabel(quads, seed))


@given(graphs, graphs)
def test_same_form_only_if_isomorphic(one: Any, other: Any) -> None:
    graphs = []
    for quads in (one, other):
        graphs.append(Graph())
        for s, p, o, _ in quads:
            graphs[-1].add((s, p, o))
    assert (forms(one) == forms(other)) == isomorphic(*graphs)


@given(graphs)
def test_is_that_of_rdfc_where_no_marks_are_needed(quads: Any) -> None:
    for component in split(quads):
        if find_marks(component):
            continue
        dataset = ox.Dataset(
            ox.parse(
                "".join(
                    f"{s.n3()} {p.n3()} {o.n3()} .\n"  # type: ignore[attr-defined]
                    for s, p, o, _ in component
                ),
                ox.RdfFormat.N_QUADS,
            )
        )
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        assert canonicalizer.form(component).text == "\n".join(
            sorted(f"{quad} ." for quad in dataset)
        )


@given(graphs)
def test_form_has_all_statements(quads: Any) -> None:
    for component in split(quads):
        form = canonicalizer.form(component)
        assert form.text == canonicalizer.form(component).text
        assert len(form.quads) == len(component)
        assert forms(form.quads) == [form.text]


@given(graphs)
def test_components_share_no_blank_nodes(quads: Any) -> None:
    components = split(quads)
    assert sorted(map(str, quads)) == sorted(str(quad) for each in components for quad in each)
    nodes = [
        {term for quad in each for term in quad if isinstance(term, BNode)} for each in components
    ]
    assert sum(map(len, nodes)) == len(set().union(*nodes))


def test_known_nodes_keep_their_labels() -> None:
    quads: list[Quad] = [(BNode("x"), P, Known("a b"), DEFAULT), (BNode("x"), P, S, DEFAULT)]
    form = canonicalizer.form(quads)
    assert set(form.quads) == {
        (BNode("c14n0"), P, Known("a b"), DEFAULT),
        (BNode("c14n0"), P, S, DEFAULT),
    }
    # IRIs with the same text, and other known nodes, have a different form.
    for other in (URIRef("a b"), Known("b"), URIRef("x-jelly-rdflib:node:a%20b")):
        assert canonicalizer.form([(BNode("x"), P, other, DEFAULT), quads[1]]).text != form.text


def rings(*sizes: int) -> list[tuple[str, str]]:
    """Return rings of the given sizes, and a hub that points to all their nodes."""
    edges = []
    for ring, size in enumerate(sizes):
        for number in range(size):
            edges.append((f"r{ring}n{number}", f"r{ring}n{(number + 1) % size}"))
            edges.append(("hub", f"r{ring}n{number}"))
    return edges


RINGS: list[Quad] = [
    (BNode(one), P, BNode(other), DEFAULT) for one, other in rings(6, 3, 3, 5, 5, 2)
]


# As soon as the two nodes below the root are distinguished, so are the two pairs of nodes below
# them.
TREE: list[Quad] = [
    (BNode(one), predicate, BNode(other), DEFAULT)
    for predicate, one, others in (
        (P, "root", ("one", "other")),
        (P, "one", ("a", "b")),
        (P, "other", ("c", "d")),
        (Q, "root", "efghi"),
    )
    for other in others
]


@pytest.mark.parametrize("seed", range(4))
def test_where_alike_is_not_interchangeable_the_difference_is_right(seed: int) -> None:
    """A node's surroundings look the same in a ring of six and in a ring of three."""
    edges = rings(6, 3, 3)
    labels = sorted({label for edge in edges for label in edge})
    shuffled = random.Random(seed).sample(labels, len(labels))
    old, new = Graph(), Graph()
    for graph, names in ((old, labels), (new, shuffled)):
        nodes = dict(zip(labels, map(BNode, names), strict=True))
        for one, other in edges:
            graph.add((nodes[one], P, nodes[other]))
    diff(old, new, canonical=True).apply(old)
    assert isomorphic(old, new)


@pytest.mark.parametrize(
    "edges",
    [
        [(number, number + 1) for number in range(30)],
        [(one, other) for one in range(9) for other in range(9) if one != other],
    ],
    ids=["path", "clique"],
)
def test_looks_are_counted(edges: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit on looks is reached after each node was signed twice; then labels decide."""
    monkeypatch.setattr(symmetry, "_MAX_LOOKS", 1)
    looks: list[Any] = []

    def describe_predicate(term: Any) -> str:
        looks.append(term)
        return describe(term)

    quads: list[Quad] = [(BNode(str(a)), P, BNode(str(b)), DEFAULT) for a, b in edges]
    monkeypatch.setattr(symmetry, "describe", describe_predicate)
    marks = find_marks(quads)
    # Each of the two nodes in a statement looks at the predicate once per signing.
    assert looks.count(P) == 2 * 2 * len(quads)
    assert len(set(marks.values())) == len(marks) == len({node for edge in edges for node in edge})


class _Hashed(BNode):
    """A node with a hash chosen by the test, so that sets have the order of another process."""

    def __hash__(self) -> int:
        return HASHES[str(self)]


HASHES: dict[str, int] = {}


def test_the_choice_among_alike_nodes_is_the_same_in_each_process() -> None:
    """The choice matters here: the first node may be in the ring of six or in a ring of three."""
    labels = sorted({label for edge in rings(6, 3, 3) for label in edge})
    texts = set()
    for seed in range(6):
        HASHES.update(zip(labels, random.Random(seed).sample(range(64), len(labels)), strict=True))
        texts.add(
            canonicalizer.form(
                [(_Hashed(a), P, _Hashed(b), DEFAULT) for a, b in rings(6, 3, 3)]
            ).text
        )
    assert len(texts) == 1


def test_exchangeable_nodes_are_told_apart_without_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes are distinguished at once, because one by one would need too many looks."""
    monkeypatch.setattr(symmetry, "_MAX_LOOKS", 5)

    def form(seed: int) -> str:
        labels = random.Random(seed).sample(range(100), 45)
        nodes = [BNode(f"n{label}") for label in labels]
        return canonicalizer.form(
            [(one, P, other, DEFAULT) for one in nodes[:20] for other in nodes[20:]]
        ).text

    assert len({form(seed) for seed in range(4)}) == 1


@pytest.mark.parametrize("most", [0, 1, 4])
@given(quads=graphs)
def test_as_few_nodes_stay_alike_as_wanted(most: int, quads: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(symmetry, "_MAX_ALIKE", most)
        for component in [*split(quads), RINGS, TREE]:
            marks: dict[BNode, Any] = find_marks(component)
            if not marks:
                # The nodes' own statements already distinguish them.
                marks = {
                    node: str(
                        sorted(
                            [
                                "*" if term == node else "_" if is_blank(term) else term
                                for term in quad
                            ]
                            for quad in lines
                        )
                    )
                    for node, lines in lines_by_node(component).items()
                }
            counts = Counter(marks.values())
            assert sum(count for count in counts.values() if count > 1) <= most


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Literal("1"), Literal("1", datatype=XSD.integer)),
        (Literal("1"), Literal("1", lang="en")),
        # pyoxigraph does not accept surrogates as text.
        (Literal("\ud800", datatype=XSD.token), Literal("\ud800", datatype=XSD.Name)),
        (Literal("\ud800", lang="de"), Literal("\ud800", lang="en")),
        (Literal("\ud800"), Literal("\ud800", datatype=XSD.token)),
        (Known("a"), URIRef("a")),
        (Literal("1"), Literal("1", datatype=XSD.string)),
        (Literal("x", lang="en"), Literal("x", lang="EN")),
    ],
)
def test_which_terms_are_the_same(one: Any, other: Any) -> None:
    """Different spellings of one term are identical, and all other terms differ."""
    is_same = identity(one) == identity(other)
    assert is_same == (other in (Literal("1", datatype=XSD.string), Literal("x", lang="EN")))
    assert (describe(one) == describe(other)) == is_same
    texts = {canonicalizer.form([(BNode("x"), P, term, DEFAULT)]).text for term in (one, other)}
    assert (len(texts) == 1) == is_same

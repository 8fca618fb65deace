"""Tests the difference of datasets, whatever the labels of their blank nodes."""

import sys
from collections.abc import Iterable
from hashlib import sha256
from itertools import chain, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.namespace import XSD

from jelly_rdflib import Op, PatchError
from jelly_rdflib.graph.canonical import differ
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.terms import plain

S, P, Q, R = (URIRef(f"urn:{name}") for name in "spqr")
G = URIRef("urn:g")
DEFAULT = DATASET_DEFAULT_GRAPH_ID
PLAIN, STRING = Literal("x"), Literal("x", datatype=XSD.string)

BLANK_NODES = [BNode(name) for name in "abcd"]
nodes = st.sampled_from([S, *BLANK_NODES])
quads = st.tuples(
    nodes,
    st.sampled_from([P, Q]),
    nodes | st.sampled_from([PLAIN, STRING, Literal("x", lang="en"), R]),
    st.sampled_from([DEFAULT, DEFAULT, G, BLANK_NODES[0]]),
)
contents = st.sets(quads, max_size=9)
labels = st.permutations(["a", "x", "c", "y", "b", "z", "d"])


def fill(quads: Iterable[Any], store: str = "default") -> Dataset:
    dataset = Dataset(store)
    for quad in quads:
        dataset.add(quad)
    return dataset


def rename(quads: Iterable[Any], names: dict[Any, Any]) -> set[Any]:
    return {tuple(names.get(term, term) for term in quad) for quad in quads}


def relabel(quads: set[Any], labels: list[str]) -> set[Any]:
    names = dict(zip(BLANK_NODES, map(BNode, labels), strict=False))
    return rename(quads, names)


def are_isomorphic(one: set[Any], other: set[Any]) -> bool:
    """Return whether some mapping of the blank nodes makes both sets equal."""
    one, other = ({tuple(map(plain, quad)) for quad in quads} for quads in (one, other))
    ours, theirs = (
        sorted({term for quad in quads for term in quad if isinstance(term, BNode)})
        for quads in (one, other)
    )
    return len(ours) == len(theirs) and any(
        rename(one, dict(zip(ours, names, strict=True))) == other for names in permutations(theirs)
    )


def changes(old: Any, new: Any) -> list[Any]:
    """Return the changes to statements."""
    return [op for op in diff(old, new, canonical=True) if op[0] in (Op.A, Op.D)]


@given(contents, contents, labels)
def test_turns_the_old_into_the_new_but_for_labels(before: Any, after: Any, labels: Any) -> None:
    old, new = fill(before), fill(relabel(after, labels))
    patch = diff(old, new, canonical=True)
    result = patch.apply(old)
    assert are_isomorphic(set(old.quads()), set(new.quads()))
    # The patch has no operations without effect.
    assert result.added + result.deleted == max(0, len(patch) - 2)
    assert not changes(old, new)


@given(contents, contents, labels)
def test_same_patch_whatever_the_labels_of_the_new(before: Any, after: Any, labels: Any) -> None:
    old = fill(before)
    assert changes(old, fill(after)) == changes(old, fill(relabel(after, labels)))


@given(contents, contents, labels)
def test_no_larger_than_it_is_without_pairs(before: Any, after: Any, labels: Any) -> None:
    after = relabel(after, labels)
    assert len(changes(fill(before), fill(after))) <= len(before) + len(after)


@given(contents, contents, quads)
def test_components_that_stay_are_not_touched(before: Any, after: Any, more: Any) -> None:
    names = {node: BNode(f"other-{node}") for node in BLANK_NODES}
    same = rename([*before, more], names)
    here = {term for quad in same for term in quad if isinstance(term, BNode)}
    # The other labels in the new dataset do not occur in the old one.
    there = rename(same, {node: BNode(f"new-{node}") for node in here})
    for operation in changes(fill(same), fill(there | after)):
        assert operation[0] == Op.A
        assert not here & set(operation)


@given(contents, contents)
def test_new_labels_are_of_no_node_that_was_there(before: Any, after: Any) -> None:
    old = fill(before)
    added = changes(fill([]), fill(after))
    # The old dataset already has the added statements, with the labels that would be generated.
    fresh = [operation[1:] for operation in added if operation[0] == Op.A]
    old_and_fresh = fill([*before, *fresh])
    quads = set(old_and_fresh.quads())
    patch = diff(old_and_fresh, fill([*relabel(quads, list("pqrs")), *after]), canonical=True)
    patch.apply(old_and_fresh)
    expected = fill([*relabel(quads, list("pqrs")), *after])
    assert not changes(old_and_fresh, expected)
    del old


@pytest.mark.parametrize("stores", [("default", "Oxigraph"), ("Oxigraph", "default")])
@given(before=contents, after=contents, labels=labels)
def test_stores_that_fold_strings(stores: Any, before: Any, after: Any, labels: Any) -> None:
    def folded(dataset: Any) -> set[Any]:
        return {(s, p, PLAIN if o == STRING else o, g) for s, p, o, g in dataset.quads()}

    old, new = fill(before, stores[0]), fill(relabel(after, labels), stores[1])
    diff(old, new, canonical=True).apply(old)
    assert are_isomorphic(folded(old), folded(new))
    assert not changes(old, new)
    # Equal datasets have no difference.
    assert not changes(fill(before, stores[0]), fill(relabel(before, labels), stores[1]))


# --- how small it is ------------------------------------------------------------------------------


def graph(turtle: str) -> Graph:
    result = Graph()
    result.parse(data=f"@prefix : <urn:> . {turtle}", format="turtle")
    return result


@pytest.mark.parametrize(
    ("before", "after", "deletes", "adds"),
    [
        # A statement about a node changes.
        (':s :p [ :q "a"; :r "b" ].', ':s :p [ :q "a"; :r "c" ].', 1, 1),
        (':s :p [ :q "a"; :r "b" ].', ':s :p [ :q "a" ].', 1, 0),
        # One of several similar nodes changes.
        (':s :p [ :q "a" ], [ :q "b" ].', ':s :p [ :q "a" ], [ :q "c" ].', 1, 1),
        (':s :p [ :q "a" ], [ :q "a" ].', ':s :p [ :q "a" ].', 2, 0),
        (':s :p [ :q "a" ].', ':s :p [ :q "a" ], [ :q "a" ].', 0, 2),
        # A list member is changed, added, removed, or moved to the end.
        (':s :p ("a" "b" "c" "d").', ':s :p ("a" "x" "c" "d").', 1, 1),
        (':s :p ("a" "b" "c" "d").', ':s :p ("a" "b" "x" "c" "d").', 1, 3),
        (':s :p ("a" "b" "c" "d").', ':s :p ("a" "b" "d").', 3, 1),
        (':s :p ("a" "a" "a" "a").', ':s :p ("a" "a" "a" "a" "a").', 1, 3),
        # The blank nodes are nested.
        (":s :p [ :q [ :q [ :q 1 ] ] ].", ":s :p [ :q [ :q [ :q 2 ] ] ].", 1, 1),
        (":s :p [ :q [ :q [ :q 1 ] ] ].", ":s :p [ :r [ :q [ :q 1 ] ] ].", 1, 1),
        # Many similar nodes are next to a change.
        (':s :p [ :r 1; :q [ :p "a" ], [ :p "a" ], [ :p "a" ] ].',
         ':s :p [ :r 2; :q [ :p "a" ], [ :p "a" ], [ :p "a" ] ].', 1, 1),
        (':s :p [ :r 1; :q [ :p "a" ], [ :p "a" ], [ :p "a" ] ].',
         ':s :p [ :r 2; :q [ :p "a" ], [ :p "a" ], [ :p "a" ], [ :p "a" ] ].', 1, 3),
        # Nodes are joined and separated.
        (":s :p [ :q 1 ], [ :q 2 ].", ":s :p [ :q 1; :r _:b ], _:b. _:b :q 2.", 0, 1),
        (":s :p [ :q 1; :r _:b ], _:b. _:b :q 2.", ":s :p [ :q 1 ], [ :q 2 ].", 1, 0),
    ],
)  # fmt: skip
def test_only_what_changed(before: str, after: str, deletes: int, adds: int) -> None:
    old, new = graph(before), graph(after)
    patch = diff(old, new, canonical=True)
    codes = [operation[0] for operation in patch]
    assert (codes.count(Op.D), codes.count(Op.A)) == (deletes, adds)
    patch.apply(old)
    assert isomorphic(old, new)


def test_canonical_labels() -> None:
    new = graph(':s :p [ :q "a"; :r [ :q "b" ] ].')
    operations = changes(Graph(), new)
    label = operations[0][3]
    tag = label.split("-")[1]
    assert len(tag) == 16
    other = BNode(f"c14n1-{tag}")
    assert label == BNode(f"c14n0-{tag}")
    assert operations == [
        (Op.A, S, P, label, None),
        (Op.A, label, Q, Literal("a"), None),
        (Op.A, label, R, other, None),
        (Op.A, other, Q, Literal("b"), None),
    ]
    # A second copy gets its own labels, which are the same each time.
    old = Graph()
    diff(old, new, canonical=True).apply(old)
    both = new + graph(':s :p [ :q "a"; :r [ :q "b" ] ].')
    more = changes(old, both)
    assert len(more) == 4
    assert not {label, other} & {term for operation in more for term in operation}
    assert changes(old, both) == more


@pytest.mark.parametrize("is_weak", [False, True])
def test_labels_of_a_component_do_not_depend_on_others(
    is_weak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = graph(':s :p [ :q "a" ].'), graph(':s :p [ :q "b" ].')
    if not is_weak:
        assert set(changes(Graph(), one + other)) == {
            *changes(Graph(), one), *changes(Graph(), other)
        }  # fmt: skip
        return

    class Weak:
        """A weak hash: the n-th copies of all components have the same hash."""

        def __init__(self, data: bytes) -> None:
            self.digest = sha256(data).digest
            self.hexdigest = sha256(data.split()[0]).hexdigest

    monkeypatch.setattr(differ, "sha256", Weak)
    result = Graph()
    diff(result, one + other, canonical=True).apply(result)
    assert isomorphic(result, one + other)


def test_which_copies_stay_does_not_depend_on_the_order() -> None:
    copies = [[(S, P, BNode(name), DEFAULT), (BNode(name), Q, R, DEFAULT)] for name in "abc"]
    new = list(chain(*copies[:2]))
    deleted = set()
    for order in permutations(copies):
        quads, added = differ.differ(list(chain(*order)), new)
        assert (len(quads), added) == (2, [])
        deleted.add(frozenset(quads))
    assert len(deleted) == 1


def test_the_label_of_a_node_is_no_iri() -> None:
    old, new = Graph(), Graph()
    for target, value in ((old, BNode("urn:s")), (new, S)):
        target.add((BNode("a"), P, value))
        target.add((BNode("a"), Q, PLAIN))
    assert changes(old, new) == [
        (Op.D, BNode("a"), P, BNode("urn:s"), None),
        (Op.A, BNode("a"), P, S, None),
    ]


def test_graphs_with_blank_nodes_for_names() -> None:
    old, new = Dataset(), Dataset()
    for dataset, a, b in ((old, "a", "b"), (new, "x", "y")):
        dataset.add((S, P, Literal(1), BNode(a)))
        dataset.add((S, P, Literal(2), BNode(b)))
        dataset.add((BNode(a), Q, BNode(b), DEFAULT))
    assert not changes(old, new)
    new.add((S, P, Literal(3), BNode("y")))
    new.add((S, P, Literal(4), BNode("z")))
    first, second = changes(old, new)
    assert first == (Op.A, S, P, Literal(3), BNode("b"))
    assert second[:4] == (Op.A, S, P, Literal(4))
    assert second[4].startswith("c14n0-")


def test_prefixes_and_ground_statements_are_as_ever() -> None:
    old, new = graph(":s :p 1, 2."), graph("@prefix ex: <urn:ex#>. :s :p 2, 3.")
    assert list(diff(old, new, canonical=True)) == list(diff(old, new))


@pytest.mark.parametrize(
    "term",
    [
        URIRef("urn:with space"),
        URIRef("relative"),
        URIRef(""),
        URIRef("x-jelly-rdflib:iri:a"),
        URIRef("x-jelly-rdflib:mark"),
        Literal("x", lang="abcdefghij-toolong"),
        Literal("x", lang="EN"),
        Literal("x", datatype=URIRef("no iri at all")),
        Literal("x", datatype=URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")),
        STRING,
        Literal("\ud800"),
        Literal("01", datatype=XSD.integer, normalize=False),
    ],
    ids=repr,
)
def test_terms_that_are_none_for_pyoxigraph(term: Any) -> None:
    def make(labels: str, last: Any) -> Graph:
        result = Graph()
        a, b = map(BNode, labels)
        for quad in ((a, P, term), (a, Q, b), (b, P, last), (b, Q, term)):
            result.add(quad)
        return result

    assert not changes(make("ab", PLAIN), make("yx", PLAIN))
    old, new = make("ab", PLAIN), make("yx", S)
    patch = diff(old, new, canonical=True)
    assert len(patch) == 4
    # The patch has the term exactly as it is in the new graph.
    added = {operation[3] for operation in diff(Graph(), new, canonical=True) if len(operation) > 3}
    assert any(o == term and str(o) == str(term) for o in added)


@pytest.mark.parametrize(
    ("triple", "message"),
    [
        ((S, BNode("b"), S), "_:b is a predicate"),
        ((Literal("x"), P, BNode("b")), '"x" is a subject'),
        ((BNode("b"), Literal("x"), S), '"x" is a predicate'),
        ((BNode("b"), P, QuotedGraph(Graph().store, S)), "is an object"),
    ],
)
def test_statements_without_a_canonical_form(triple: Any, message: str) -> None:
    target = Graph()
    target.store.add(triple, target)
    for graphs in ((target, Graph()), (Graph(), target)):
        with pytest.raises(PatchError, match=message):
            diff(*graphs, canonical=True)


def test_without_pyoxigraph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(ImportError, match=r"jelly-rdflib\[syntaxes\]"):
        diff(Graph(), Graph(), canonical=True)
    assert len(diff(Graph(), Graph())) == 0


# --- graphs of great symmetry ---------------------------------------------------------------------


def edges(name: str, size: int) -> list[tuple[Any, Any]]:
    if name == "path":
        return [(i, i + 1) for i in range(size)]
    if name == "ring":
        return [(i, (i + 1) % size) for i in range(size)]
    if name == "tree":
        return [(i, child) for i in range(size) for child in (2 * i + 1, 2 * i + 2)]
    if name == "star":
        return [(0, i) for i in range(1, size)]
    if name == "pairs":
        return [edge for i in range(size) for edge in (("hub", ("a", i)), (("a", i), ("b", i)))]
    if name == "two stars":
        return [("a", "b"), ("b", "a"), *((hub, (hub, i)) for hub in "ab" for i in range(size))]
    if name == "torus":
        cells = [(i, j) for i in range(size) for j in range(size)]
        return [
            (cell, other)
            for cell in cells
            for other in (((cell[0] + 1) % size, cell[1]), (cell[0], (cell[1] + 1) % size))
        ]
    assert name == "clique"
    return [(i, j) for i in range(size) for j in range(size) if i != j]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("path", 1000),
        ("ring", 200),
        ("tree", 60),
        ("star", 300),
        ("two stars", 60),
        ("pairs", 200),
        ("torus", 12),
        ("clique", 14),
    ],
)
def test_symmetry_takes_no_exponential_time(name: str, size: int) -> None:
    def make(label: Any, pairs: Any) -> Graph:
        result = Graph()
        for one, other in pairs:
            result.add((label(one), P, label(other)))
        return result

    pairs = edges(name, size)
    names: dict[Any, BNode] = {}
    old = make(lambda node: BNode(f"b{node}"), pairs)
    new = make(lambda node: names.setdefault(node, BNode()), reversed(pairs))
    assert not changes(old, new)
    # After one more statement about a node, the patch still makes the graphs equal.
    new.add((names[pairs[0][0]], Q, S))
    patch = diff(old, new, canonical=True)
    patch.apply(old)
    assert not changes(old, new)

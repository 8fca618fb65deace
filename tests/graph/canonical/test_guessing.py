"""Tests that blank nodes whose descriptions changed are paired with the most similar nodes."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from rdflib import OWL, RDF, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic

from jelly_rdflib import Op
from jelly_rdflib.graph.canonical import guessing
from jelly_rdflib.patch.diff import diff
from tests.strategies import dice

P = URIRef("urn:p")
OLD, NEW = Namespace("urn:old#"), Namespace("urn:new#")


def ontology(ns: Namespace, classes: list[list[int]], r: random.Random) -> Graph:
    """Return classes, each a list of shared restrictions, with random labels."""
    graph = Graph()
    tags = {tag: BNode(f"t{r.random()}") for tag in {tag for each in classes for tag in each}}
    for tag, node in tags.items():
        graph.add((node, RDF.type, OWL.Restriction))
        graph.add((node, OWL.hasValue, ns[f"tag{tag}"]))
    for number, each in enumerate(classes):
        node = BNode(f"c{r.random()}")
        rest: BNode | URIRef = RDF.nil
        for tag in reversed(each):
            item = BNode(f"l{r.random()}")
            graph.add((item, RDF.first, tags[tag]))
            graph.add((item, RDF.rest, rest))
            rest = item
        graph.add((ns[f"class{number}"], OWL.equivalentClass, node))
        graph.add((node, OWL.intersectionOf, rest))
    return graph


def count(old: Graph, new: Graph) -> int:
    """Return the number of changed statements; check that the patch results in the new graph."""
    patch = diff(old, new, canonical=True)
    result = Graph()
    for triple in old:
        result.add(triple)
    patch.apply(result)
    assert isomorphic(result, new)
    return len([1 for operation in patch if operation[0] in (Op.A, Op.D)])


def some_classes(r: random.Random) -> list[list[int]]:
    """Return classes of one to four tags, some of which are more common than others."""
    return [
        sorted({min(r.randrange(1, 9), r.randrange(1, 9)) for _ in range(r.randrange(1, 5))})
        for _ in range(r.randrange(1, 12))
    ]


@settings(max_examples=20)
@given(dice)
def test_the_result_is_right_whatever_is_guessed(r: random.Random) -> None:
    old, new = (ontology(r.choice([OLD, NEW]), some_classes(r), r) for _ in range(2))
    assert count(old, new) <= len(old) + len(new)


@settings(max_examples=20)
@given(dice)
def test_labels_have_no_say(r: random.Random) -> None:
    before, after = some_classes(r), some_classes(r)
    old = ontology(OLD, before, r)
    one, other = (diff(old, ontology(NEW, after, r), canonical=True) for _ in range(2))
    assert list(one) == list(other)


def test_other_names_leave_the_statements_between_blank_nodes() -> None:
    """If an ontology moves to another namespace, the description of every node changes."""
    r = random.Random(1)
    # Tag 0 is in all lists, tag 1 in every second list, and so on.
    classes = [[tag for tag in range(6) if number % (tag + 1) == 0] for number in range(30)]
    old, new = (ontology(ns, classes, r) for ns in (OLD, NEW))
    named = [triple for triple in old if any(str(term).startswith(OLD) for term in triple)]
    assert count(old, new) == 2 * len(named)


def test_what_has_come_beside_it_leaves_the_rest() -> None:
    r = random.Random(2)
    classes = [[tag for tag in range(6) if number % (tag + 1) == 0] for number in range(30)]
    old, same, more = (
        ontology(ns, each, r)
        for ns, each in ((OLD, classes), (NEW, classes), (NEW, [*classes, [0, 1, 7, 8]]))
    )
    assert count(old, more) - count(old, same) <= 2 * (len(more) - len(same))


def test_a_node_goes_to_the_one_that_has_most_of_it() -> None:
    """Each node shares some statements with many nodes, but most of them with one node."""

    def nodes(kind: str) -> Graph:
        graph = Graph()
        for number in range(10):
            node = BNode(f"{kind}{(number * 7) % 10}")
            graph.add((node, P, Literal(f"{kind} {number}")))
            for value in range(number * 3, number * 3 + 10):
                graph.add((node, P, Literal(value)))
        return graph

    assert count(nodes("old"), nodes("new")) == 2 * 10


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """If too many nodes share a statement, not all nodes are compared with each other."""
    monkeypatch.setattr(guessing, "_LEAST_LOOKS", 0)
    looks = []
    most_alike = guessing._most_alike

    def noted(levels: Any, sums: Any, least: int, most: int) -> Any:
        found = most_alike(levels, sums, least, most)
        looks.append((len(found), most))
        return found

    monkeypatch.setattr(guessing, "_most_alike", noted)
    size = 300
    old, new = Dataset(), Dataset()
    for kind, dataset in (("old", old), ("new", new)):
        for number in range(size):
            node = BNode(f"{kind}{number}")
            dataset.add((node, P, Literal("all")))
            dataset.add((node, P, Literal(f"{kind} {number}")))
    patch = diff(old, new, canonical=True)
    assert all(found <= most for found, most in looks)
    assert 0 < len(looks) < 20
    # The statement that all nodes share is still kept.
    assert len(patch) == 2 + 2 * size

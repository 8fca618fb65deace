"""Tests that a store's batches have the order of Python's strings, for all texts."""

import io
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD

import jelly_rdflib as jr

# The alphabet is small, so that many texts share a prefix and end with zeros.
texts = st.text(alphabet="a\0é\uffff\U00010000", max_size=20)
iris = texts.map(lambda text: URIRef(f"urn:{text}"))
blank_nodes = texts.map(lambda text: BNode(f"b{text}"))
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(Literal, texts, lang=st.sampled_from(["en", "EN", "de-AT"])),
    st.builds(
        Literal, texts, datatype=st.sampled_from([XSD.string, URIRef("urn:d"), URIRef("urn:d0")])
    ),
)
quads = st.tuples(
    iris | blank_nodes,
    iris,
    iris | blank_nodes | literals,
    iris | blank_nodes | st.just(DATASET_DEFAULT_GRAPH_ID),
)


def fill(quads: Any) -> tuple[Dataset, Dataset]:
    """Return a dataset in a `JellyStore`, and one in rdflib's own store."""
    quads = list(quads)
    datasets = Dataset(store="Jelly"), Dataset()
    for dataset in datasets:
        for quad in quads:
            dataset.add(quad)
    return datasets


def rows(source: Any) -> list[Any]:
    return [
        (
            int(op),
            *(
                (type(term), str(term), getattr(term, "language", None), term.datatype)
                if isinstance(term, Literal)
                else (type(term), term)
                for term in terms
            ),
        )
        for batch in jr.read_batches(source)
        for op, *terms in batch
    ]


@given(st.lists(quads, max_size=60))
def test_order_is_that_of_other_stores(quads: list[Any]) -> None:
    jelly, memory = fill(quads)
    assert rows(jelly) == rows(memory)
    assert rows(jelly) == rows(jelly)


def test_many_texts_that_start_alike() -> None:
    dice = random.Random(1)
    iris = [URIRef("urn:" + "x" * (7 * dice.randrange(60)) + str(n % 977)) for n in range(3000)]
    literals = [Literal("", datatype=iri) for iri in iris] + [Literal(iri) for iri in iris]
    dice.shuffle(literals)
    jelly, memory = fill(
        (dice.choice(iris), dice.choice(iris[:5]), o, DATASET_DEFAULT_GRAPH_ID) for o in literals
    )
    assert rows(jelly) == rows(memory)


@pytest.mark.parametrize("graph", ["urn:g", "urn:none", DATASET_DEFAULT_GRAPH_ID])
def test_one_graph(graph: str) -> None:
    quads = [
        (URIRef(f"urn:{n % 7}"), URIRef("urn:p"), Literal(n), URIRef(name))
        for n in range(1000)
        for name in ("urn:g", "urn:h", DATASET_DEFAULT_GRAPH_ID)
    ]
    jelly, memory = fill(quads)
    ours, theirs = (graph_of(dataset, graph) for dataset in (jelly, memory))
    assert rows(ours) == rows(theirs)
    assert len(rows(ours)) == (0 if graph == "urn:none" else 1000)


def graph_of(dataset: Dataset, name: str) -> Graph:
    """Return a graph of the dataset without making the dataset list the graph."""
    return Graph(dataset.store, URIRef(name))


@pytest.mark.parametrize("format", ["jelly-rdf", "jelly-patch", "rdf-patch"])
@given(quads=st.lists(quads, max_size=20))
def test_files_are_those_of_other_stores(format: str, quads: list[Any]) -> None:
    files = []
    for dataset in fill(quads):
        file = io.BytesIO()
        id = {} if format == "jelly-rdf" else {"header_id": "urn:uuid:1"}
        dataset.serialize(file, format=format, **id)
        files.append(file.getvalue())
    assert files[0] == files[1]


def test_batches_are_of_the_state_at_the_start() -> None:
    dataset, _ = fill(
        (URIRef("urn:s"), URIRef("urn:p"), Literal(n), URIRef("urn:g")) for n in range(5000)
    )
    batches = jr.read_batches(dataset)
    count = len(next(batches))
    dataset.remove((None, None, None, None))
    dataset.commit()
    assert count + sum(map(len, batches)) == 5000
    assert not rows(dataset)

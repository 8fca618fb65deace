"""Thrift as a format of rdflib."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.plugins import register

register()

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
FORMATS = ("rdf-patch-thrift", "application/rdf-patch+thrift")


@pytest.mark.parametrize("format", FORMATS)
def test_there_and_back(format: str) -> None:
    dataset = Dataset()
    dataset.bind("ex", "http://example.org/")
    dataset.add((S, P, Literal("é", lang="fr"), G))
    dataset.add((S, P, Literal(1)))
    data = dataset.serialize(format=format, encoding="utf-8")
    copy = Dataset().parse(data=data, format=format)
    assert set(copy.quads()) == set(dataset.quads())
    assert ("ex", URIRef("http://example.org/")) in copy.namespaces()


def test_the_format_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfpb"
    Graph().add((S, P, Literal("o"))).serialize(path, format="rdf-patch-thrift")
    assert set(Graph().parse(path)) == {(S, P, Literal("o"))}


def test_it_is_binary() -> None:
    with pytest.raises(TypeError, match="RDF Patch in Thrift is binary"):
        Graph().serialize(format="rdf-patch-thrift")
    with pytest.raises(TypeError, match="RDF Patch in Thrift is binary"):
        Graph().parse(data="TX .", format="rdf-patch-thrift")


def test_options_are_refused() -> None:
    with pytest.raises(ValueError, match="has none"):
        Graph().serialize(format="rdf-patch-thrift", encoding="utf-8", options=jr.PatchOptions())


def test_an_error_leaves_the_graph_as_it_was() -> None:
    graph = Graph().add((S, P, Literal("o")))
    data = graph.serialize(format="rdf-patch-thrift", encoding="utf-8", operation="remove")
    with pytest.raises(jr.DecodeError, match="inside a row"):
        graph.parse(data=data[:-1], format="rdf-patch-thrift")
    assert len(graph) == 1
    graph.parse(data=data, format="rdf-patch-thrift")
    assert len(graph) == 0

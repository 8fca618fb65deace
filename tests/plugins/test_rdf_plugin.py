"""Tests the Jelly-RDF parser and serializer as rdflib calls them."""

import io
import warnings
from typing import Any

import pytest
import rdflib
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD
from rdflib.parser import Parser
from rdflib.plugins.stores.memory import SimpleMemory
from rdflib.serializer import Serializer

import jelly_rdflib as jr
from jelly_rdflib.plugins import register
from jelly_rdflib.plugins.rdf_parser import JellyParser
from jelly_rdflib.plugins.rdf_serializer import JellySerializer
from tests.graph.stores.at_hand import exact_state

register()

S, P, O, G = URIRef("urn:s"), URIRef("urn:p"), Literal("o", lang="en"), URIRef("urn:g")  # noqa: E741
QUADS = {
    (S, P, O, DATASET_DEFAULT_GRAPH_ID),
    (S, P, Literal(1), G),
    (BNode("b"), P, BNode("b"), G),
    (BNode("b"), P, Literal("x", datatype=XSD.token), BNode("graph")),
}


def make_dataset() -> Dataset:
    dataset = Dataset()
    dataset.bind("ex", "http://example.org/")
    for s, p, o, g in QUADS:
        (dataset if g == DATASET_DEFAULT_GRAPH_ID else dataset.graph(g)).add((s, p, o))
    assert set(dataset.quads()) == QUADS
    return dataset


def jelly(statements: list[Any], **options: Any) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file, jr.StreamOptions(**options)) as writer:
        writer.write_all(statements)
    return file.getvalue()


@pytest.mark.parametrize("name", ["jelly", "application/x-jelly-rdf"])
def test_they_are_ours_where_they_are_free(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Parser, Serializer):
        monkeypatch.delitem(rdflib.plugin._plugins, (name, kind))
    register()
    assert rdflib.plugin.get(name, Parser) is JellyParser
    assert rdflib.plugin.get(name, Serializer) is JellySerializer


@pytest.mark.parametrize("store", ["Memory", "Jelly", "Oxigraph"])
def test_a_dataset_there_and_back(store: str) -> None:
    data = make_dataset().serialize(format="jelly-rdf", encoding="utf-8")
    copy = Dataset(store=store).parse(data=data, format="jelly-rdf")
    assert set(copy.quads()) == QUADS
    assert ("ex", URIRef("http://example.org/")) in copy.namespaces()


@pytest.mark.parametrize("store", ["Jelly", SimpleMemory])
def test_a_graph_there_and_back(store: Any) -> None:
    graph = Graph(store="default").add((S, P, O)).add((BNode("b"), P, Literal("é", lang="fr")))
    data = graph.serialize(format="jelly-rdf", encoding="utf-8")
    copy = Graph(store=store if isinstance(store, str) else store())
    copy.parse(data=data, format="jelly-rdf")
    assert set(copy) == set(graph)


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ((jr.TripleTerm(S, P, O), P, O, G), "read_statements"),
        ((S, P, jr.TripleTerm(S, P, O), G), "read_statements"),
        ((Literal("s"), P, O, G), "read_statements"),
        ((S, P, O, Literal("g")), "read_statements"),
    ],
)
def test_what_rdflib_can_not_hold(statement: Any, match: str) -> None:
    """The error names a function that can read the statement, and no statement is added."""
    data = jelly(
        [(S, P, O, G), statement, (S, P, Literal(2), G)],
        rdf_star=True,
        generalized_statements=True,
    )
    dataset = make_dataset()
    before = exact_state(dataset)
    with pytest.raises(jr.ApplyError, match=match):
        dataset.parse(data=data, format="jelly-rdf")
    assert exact_state(dataset) == before
    assert statement in list(jr.read_statements(data))


def test_bad_input_leaves_the_dataset_as_it_was() -> None:
    data = jelly([(BNode(str(n)), P, O, G) for n in range(600)])
    dataset = make_dataset()
    before = exact_state(dataset)
    for bad in (data[:-1], data + b"\x05\x01", b"<a> <b> <c> .\n", b""):
        with pytest.raises(jr.DecodeError):
            dataset.parse(data=bad, format="jelly-rdf")
        assert exact_state(dataset) == before


def test_a_patch_is_called_so() -> None:
    patch = make_dataset().serialize(format="jelly-patch", encoding="utf-8")
    with pytest.raises(jr.DecodeError, match="Jelly-Patch"):
        Dataset().parse(data=patch, format="jelly-rdf")
    data = make_dataset().serialize(format="jelly-rdf", encoding="utf-8")
    with pytest.raises(jr.DecodeError, match="Jelly-RDF"):
        Dataset().parse(data=data, format="jelly-patch")


def test_a_patch_and_statements_are_refused_with_the_format_to_parse_instead() -> None:
    for wrong, right in (("jelly-patch", "jelly-rdf"), ("jelly-rdf", "jelly-patch")):
        data = make_dataset().serialize(format=right, encoding="utf-8")
        with pytest.raises(jr.DecodeError, match=rf'use read_.*, or parse\(format="{right}"\)'):
            Dataset().parse(data=data, format=wrong)


def test_labels_are_kept_or_mapped() -> None:
    data = jelly([(BNode("b"), P, BNode("c"), G), (BNode("b"), P, O, G)])
    kept = Dataset().parse(data=data, format="jelly-rdf")
    assert (BNode("b"), P, BNode("c"), G) in set(kept.quads())
    context: dict[str, BNode] = {}
    mapped = Dataset()
    for _ in range(2):
        mapped.parse(data=data, format="jelly-rdf", bnode_context=context)
    assert set(mapped.quads()) == {(context["b"], P, context["c"], G), (context["b"], P, O, G)}
    assert BNode("b") not in context.values()
    mapped.parse(data=data, format="jelly-rdf", bnode_context={})
    assert len(list(mapped.quads())) == 4
    data = make_dataset().serialize(format="jelly-rdf", encoding="utf-8")
    mapped.parse(data=data, format="jelly-rdf", bnode_context={})
    assert ("ex", URIRef("http://example.org/")) in mapped.namespaces()


def test_literals_are_normalized_as_rdflib_does() -> None:
    data = jelly([(S, P, Literal("01", datatype=XSD.integer, normalize=False))])
    normal = Graph().parse(data=data, format="jelly-rdf")
    assert [str(o) for _, _, o in normal] == ["1"]
    as_it_is = Graph().parse(data=data, format="jelly-rdf", normalize=False)
    assert [str(o) for _, _, o in as_it_is] == ["01"]


def test_options_of_the_serializer() -> None:
    dataset = make_dataset()
    options = jr.StreamOptions.small(physical_type="GRAPHS", stream_name="name")
    data = dataset.serialize(format="jelly-rdf", encoding="utf-8", options=options)
    reader = jr.read_frames(data, normalize=False)
    frames = list(reader)
    assert reader.options is not None
    assert reader.options.physical_type is jr.PhysicalStreamType.GRAPHS
    assert reader.options.stream_name == "name"
    assert [frame.namespaces for frame in frames] == [[]]
    statements = {statement for frame in frames for statement in frame}
    assert statements == QUADS
    with pytest.raises(jr.EncodeError, match="namespace_declarations"):
        dataset.serialize(format="jelly-rdf", encoding="utf-8", options=options, namespaces=True)


def test_namespaces_can_be_left_out() -> None:
    graph = Graph().add((S, P, O))
    data = graph.serialize(format="jelly-rdf", encoding="utf-8", namespaces=False)
    reader = jr.read_frames(data)
    assert [frame.namespaces for frame in reader] == [[]]
    assert reader.options is not None
    assert reader.options.version == 1


def test_what_would_become_a_str_is_an_error() -> None:
    with pytest.raises(TypeError, match="Jelly-RDF is binary"):
        Graph().serialize(format="jelly-rdf")
    with pytest.raises(TypeError, match="Jelly-RDF is binary"):
        Graph().parse(source=io.StringIO("text"), format="jelly-rdf")


def test_a_warning_comes_once_and_says_where() -> None:
    options = jr.StreamOptions(physical_type="TRIPLES")
    data = bytearray(jr.StatementEncoder(options).encode_frame([(S, P, O)]))
    at = data.index(b"\x70\x01")
    data[at + 1] = 4
    for graph in (Graph(), Dataset()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            graph.parse(data=bytes(data), format="jelly-rdf")
        [warning] = [each for each in caught if each.category is UserWarning]
        assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(jr.DecodeError, match="logical type"):
            Graph().parse(data=bytes(data), format="jelly-rdf", strict=True)


def test_prefixes_of_the_user_stay() -> None:
    """A prefix that the user has bound keeps its IRI, as with rdflib's own parsers."""
    source = Graph(bind_namespaces="none")
    source.add((URIRef("http://example.org/s"), URIRef("http://example.org/p"), O))
    source.bind("ex", "http://example.org/")
    graph, as_turtle = Graph(), Graph()
    for each in (graph, as_turtle):
        each.bind("ex", "urn:mine#")
    graph.parse(data=source.serialize(format="jelly-rdf", encoding="utf-8"), format="jelly-rdf")
    as_turtle.parse(data=source.serialize(format="turtle"), format="turtle")
    assert ("ex", URIRef("urn:mine#")) in graph.namespaces()
    assert sorted(graph.namespaces()) == sorted(as_turtle.namespaces())


def test_options_of_the_other_format() -> None:
    options: Any = jr.PatchOptions()
    with pytest.raises(TypeError, match="StreamOptions"):
        Graph().serialize(format="jelly-rdf", encoding="utf-8", options=options)


def test_a_prefix_that_rdflib_refuses() -> None:
    options = jr.StreamOptions(namespace_declarations=True)
    data = jr.StatementEncoder(options).encode_frame(
        [(S, P, O)], namespaces=[("ok", "urn:ok#"), ("a b", "urn:a#")]
    )
    dataset = Dataset()
    with pytest.raises(jr.ApplyError, match="'a b'"):
        dataset.parse(data=data, format="jelly-rdf")
    assert len(dataset) == 0
    assert "ok" not in dict(dataset.namespaces())

"""Tests that pyjelly and this package read the same statements from each other's output."""

import io
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.parser import InputSource

import jelly_rdflib as jr
from tests.core.jelly import statement_strategies as strategies
from tests.interop import peer
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node, plain

PHYSICAL = ["TRIPLES", "QUADS", "GRAPHS"]
GROUPED = {
    "TRIPLES": ["GRAPHS", "SUBJECT_GRAPHS"],
    "QUADS": ["DATASETS", "NAMED_GRAPHS", "TIMESTAMPED_NAMED_GRAPHS"],
    "GRAPHS": ["DATASETS", "NAMED_GRAPHS", "TIMESTAMPED_NAMED_GRAPHS"],
}
XSD = "http://www.w3.org/2001/XMLSchema#"

LOOKUPS = {
    "default": {},
    "no prefixes": {
        "max_name_table_size": 16,
        "max_prefix_table_size": 0,
        "max_datatype_table_size": 8,
    },
}
"""Lookups that are large enough for pyjelly, which overwrites entries that a row still needs."""

FEATURES = {
    "rdf 1.1": {},
    "star": {"rdf_star": True},
    "generalized": {"generalized_statements": True},
    "both": {"rdf_star": True, "generalized_statements": True},
}

physical_types = pytest.mark.parametrize("physical", PHYSICAL)
feature_sets = pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
lookup_sizes = pytest.mark.parametrize("lookups", LOOKUPS.values(), ids=LOOKUPS)


def _iri(text: str) -> Plain:
    return ("iri", "http://example.org/" + text)


PREDICATES = [
    ("iri", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
    ("iri", "http://xmlns.com/foaf/0.1/knows"),
    _iri("ns#age"),
    _iri("note"),
]


def _data(physical: str, features: dict[str, bool], count: int = 500, seed: int = 1) -> list[Plain]:
    """Return statements like real data: runs with the same subject, one graph after another."""
    rng = random.Random(seed)
    names = [_iri(f"{rng.choice(['people/', 'places/é', 'things#', ''])}{n}") for n in range(60)]
    resources: list[Plain] = [*names, *(("bnode", f"b{n}") for n in range(20))]
    texts: list[Plain] = [
        ("literal", "", None, None),
        *(("literal", f"text {n}\n“…” \U0001f600", None, None) for n in range(20)),
        *(("literal", f"Wort {n}", "de", None) for n in range(20)),
        *(("literal", str(n), None, XSD + "integer") for n in range(20)),
        ("literal", "2024-01-01", None, XSD + "date"),
        ("literal", "POINT(1 2)", None, "http://www.opengis.net/ont/geosparql#wktLiteral"),
    ]
    subjects, predicates, graphs = list(resources), list(PREDICATES), [DEFAULT_GRAPH, *resources]
    if features.get("generalized_statements"):
        subjects += texts
        predicates += [*texts[:4], *resources[:4]]
        graphs += texts
    quoted: list[Plain] = []
    if features.get("rdf_star"):
        quoted = [("triple", s, rng.choice(PREDICATES), rng.choice(names)) for s in subjects[::3]]
    objects = [*resources, *texts, *quoted]
    subjects += quoted
    result: list[Plain] = []
    while len(result) < count:
        subject, graph = rng.choice(subjects), rng.choice(graphs)
        for _ in range(rng.randint(1, 6)):
            triple = (subject, rng.choice(predicates), rng.choice(objects))
            result.append(triple if physical == "TRIPLES" else (*triple, graph))
    return result[:count]


def _parts(statements: list[Plain], count: int = 5) -> list[list[Plain]]:
    size = len(statements) // count
    return [statements[n * size : (n + 1) * size] for n in range(count)]


def _write(groups: Sequence[Sequence[Plain]], options: jr.StreamOptions) -> bytes:
    """Return the stream that we write; in a grouped stream, each group is a frame."""
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for group in groups:
            writer.write_all(_nodes(group))
            if options.logical_type % 10 in (3, 4):
                writer.end_frame()
    return file.getvalue()


def _nodes(statements: Sequence[Plain]) -> Iterator[tuple[Any, ...]]:
    return (tuple(map(node, statement)) for statement in statements)


def _read(data: bytes) -> list[peer.Frame]:
    """Return the frames that we read, in the form of `peer.read`."""
    return [
        (
            [tuple(map(plain, statement)) for statement in frame.statements],
            [(prefix, str(iri)) for prefix, iri in frame.namespaces],
            frame.metadata,
        )
        for frame in jr.read_frames(data, normalize=False)
    ]


def _all(frames: list[peer.Frame]) -> list[Plain]:
    return [statement for statements, _, _ in frames for statement in statements]


@physical_types
@feature_sets
@lookup_sizes
def test_flat_streams_both_ways(physical: str, features: Any, lookups: Any) -> None:
    options = jr.StreamOptions(physical_type=physical, frame_rows=7, **features, **lookups)
    statements = _data(physical, features)
    ours, theirs = _write([statements], options), peer.write([statements], options)
    for data in (ours, theirs):
        frames = _read(data)
        assert frames == peer.read(data)
        assert _all(frames) == statements
        assert len(frames) > 400 // 7
    reader = jr.read_statements(theirs)
    list(reader)
    for name in ("physical_type", "logical_type", *features, *lookups):
        assert getattr(reader.options, name) == getattr(options, name)
    # With frames of the usual size, our stream is not larger.
    options = jr.StreamOptions(physical_type=physical, **features, **lookups)
    assert len(_write([statements], options)) <= len(peer.write([statements], options))


@physical_types
@feature_sets
@pytest.mark.parametrize("subtype", [0, 1])
def test_grouped_streams_and_bare_frames(physical: str, features: Any, subtype: int) -> None:
    names = GROUPED[physical]
    logical = names[subtype % len(names)]
    groups = _parts(_data(physical, features))
    grouped = jr.StreamOptions(physical_type=physical, logical_type=logical, **features)
    bare = jr.StreamOptions(physical_type=physical, delimited=False, **features)
    for options, elements in ((grouped, groups), (bare, groups[:1])):
        for data in (peer.write(elements, options), _write(elements, options)):
            frames = _read(data)
            assert frames == peer.read(data)
            assert [statements for statements, _, _ in frames] == elements


@physical_types
def test_a_string_by_its_datatype_is_a_plain_one(physical: str) -> None:
    row = [_iri("s"), _iri("p"), ("literal", "x", None, XSD + "string"), _iri("g")]
    statement = tuple(row[: 3 if physical == "TRIPLES" else 4])
    row[2] = ("literal", "x", None, None)
    options = jr.StreamOptions(physical_type=physical, max_datatype_table_size=0)
    for data in (peer.write([[statement]], options), _write([[statement]], options)):
        assert _all(_read(data)) == _all(peer.read(data)) == [tuple(row[: len(statement)])]


@physical_types
def test_metadata(physical: str) -> None:
    metadata = {"": b"", "key": b"\x00\xff", "é" * 100: b"x" * 300}
    logical = GROUPED[physical][0]
    options = jr.StreamOptions(physical_type=physical, logical_type=logical)
    groups = _parts(_data(physical, {}))
    data = peer.write(groups, options, metadata)
    assert _read(data) == peer.read(data)
    assert [frame[2] for frame in _read(data)] == [metadata] * len(groups)

    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for number, group in enumerate(groups):
            writer.write_all(_nodes(group))
            writer.end_frame(metadata if number % 2 else None)
    frames = peer.read(file.getvalue())
    assert frames == _read(file.getvalue())
    expected = [metadata if number % 2 else {} for number in range(len(groups))]
    assert [frame[2] for frame in frames] == expected


@physical_types
@pytest.mark.parametrize("prefix_table", [0, 1, 150])
def test_our_namespaces(physical: str, prefix_table: int) -> None:
    namespaces = [
        ("ex", "http://example.org/"),
        ("", "http://example.org/ns#"),
        ("é", "urn:"),
        ("ex", "http://example.org/other#"),
    ]
    options = jr.StreamOptions(
        physical_type=physical, namespace_declarations=True, max_prefix_table_size=prefix_table
    )
    groups = _parts(_data(physical, {}), len(namespaces))
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for (prefix, iri), group in zip(namespaces, groups, strict=True):
            writer.add_namespace(prefix, URIRef(iri))
            writer.write_all(_nodes(group))
    frames = peer.read(file.getvalue(), rdflib=True)
    assert frames == _read(file.getvalue())
    assert [pair for _, pairs, _ in frames for pair in pairs] == namespaces
    assert _all(frames) == [statement for group in groups for statement in group]


# -- whole streams, any terms --------------------------------------------------------------------


@st.composite
def _streams(draw: st.DrawFn) -> tuple[jr.StreamOptions, list[Plain]]:
    stream = draw(strategies.streams(logical="flat"))
    options = jr.StreamOptions(
        physical_type=stream.options["physical_type"],
        rdf_star=stream.options["rdf_star"],
        generalized_statements=stream.options["generalized_statements"],
        max_name_table_size=draw(st.sampled_from([128, 4000])),
        max_prefix_table_size=draw(st.sampled_from([0, 128, 150])),
        max_datatype_table_size=128,
        frame_rows=draw(st.sampled_from([1, 5, 256])),
    )
    return options, [row for row in stream.statements if all(map(_usual, row))]


def _usual(term: Plain) -> bool:
    """Return whether both sides can represent the exact term.

    pyjelly reads an empty datatype as none and, like RDF 1.1, also xsd:string. rdflib's constructor
    changes the white space of some lexical forms.
    """
    if term[0] == "literal":
        return term[3] not in ("", XSD + "string") and plain(node(term)) == term
    return term[0] != "triple" or all(map(_usual, term[1:]))


@given(_streams())
def test_any_stream(stream: tuple[jr.StreamOptions, list[Plain]]) -> None:
    options, statements = stream
    data = _write([statements], options)
    assert _all(peer.read(data)) == _all(_read(data)) == statements
    data = peer.write([statements], options)
    assert _all(_read(data)) == statements


# -- rdflib's graphs and datasets ----------------------------------------------------------------

EX = Namespace("http://example.org/")


def _graph(seed: int = 1) -> Graph:
    graph = Graph(bind_namespaces="none")
    graph.bind("ex", EX)
    graph.bind("xsd", XSD)
    for s, p, o in _nodes(_data("TRIPLES", {}, 100, seed)):
        graph.add((s, p, _normal(o)))
    return graph


def _dataset(seed: int = 1) -> Dataset:
    dataset = Dataset()
    dataset.bind("ex", EX)
    for s, p, o, g in _nodes(_data("QUADS", {}, 100, seed)):
        dataset.graph(g).add((s, p, _normal(o)))
    return dataset


def _normal(term: Any) -> Any:
    if isinstance(term, Literal):
        return Literal(str(term), lang=term.language, datatype=term.datatype)
    return term


def _content(graph: Graph) -> set[tuple[Any, ...]]:
    if isinstance(graph, Dataset):
        return {(s, p, o, g or DATASET_DEFAULT_GRAPH_ID) for s, p, o, g in graph.quads()}
    return set(graph)


def _make(physical: str, seed: int = 1) -> Graph:
    return _graph(seed) if physical == "TRIPLES" else _dataset(seed)


def _empty(physical: str) -> Graph:
    return Graph(bind_namespaces="none") if physical == "TRIPLES" else Dataset()


def _peer_serialize(graph: Graph, options: jr.StreamOptions) -> bytes:
    stream = peer.STREAMS[options.physical_type.name].for_rdflib(peer.serializer_options(options))
    file = io.BytesIO()
    peer.rdflib_serialize.RDFLibJellySerializer(graph).serialize(file, stream=stream)
    return file.getvalue()


def _peer_parse(data: bytes, target: Graph) -> None:
    source = InputSource()
    source.setByteStream(io.BytesIO(data))
    peer.rdflib_parse.RDFLibJellyParser().parse(source, target)


@physical_types
@pytest.mark.parametrize("namespaces", [False, True])
def test_graphs_both_ways(physical: str, namespaces: bool) -> None:
    graph = _make(physical)
    options = jr.StreamOptions(physical_type=physical, namespace_declarations=namespaces)
    theirs = _peer_serialize(graph, options)
    ours = graph.serialize(format="jelly-rdf", encoding="utf-8", options=options)
    assert isinstance(ours, bytes)
    one, other = _empty(physical).parse(data=theirs, format="jelly-rdf"), _empty(physical)
    _peer_parse(ours, other)
    for target in (one, other):
        assert _content(target) == _content(graph)
        assert (dict(target.namespaces()).get("ex") == URIRef(EX)) == namespaces
    pairs = [pair for frame in jr.read_frames(theirs) for pair in frame.namespaces]
    assert pairs == (list(graph.namespaces()) if namespaces else [])


@physical_types
def test_streams_of_graphs(physical: str) -> None:
    graphs = [_make(physical, seed) for seed in range(4)]
    options = jr.StreamOptions(physical_type=physical, logical_type=GROUPED[physical][0])
    contents = list(map(_content, graphs))

    file = io.BytesIO()
    jr.write_graphs(graphs, file, options)
    file.seek(0)
    theirs = list(peer.rdflib_parse.parse_jelly_grouped(file, logical_type_strict=True))
    assert list(map(_content, theirs)) == contents

    file = io.BytesIO()
    stream = peer.STREAMS[physical].for_rdflib(peer.serializer_options(options))
    for graph in graphs:
        for frame in peer.rdflib_serialize.stream_frames(stream, graph):
            peer.write_delimited(frame, file)
    ours = list(jr.read_graphs(file.getvalue()))
    assert list(map(_content, ours)) == contents
    assert {type(graph) for graph in ours} == {Graph if physical == "TRIPLES" else Dataset}

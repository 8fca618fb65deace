"""Tests writing Jelly-RDF alone; `test_write` tests both formats."""

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.namespace import Namespace

import jelly_rdflib as jr
from tests.core.jelly import statement_strategies as strategies
from tests.core.jelly.formats import RDF
from tests.core.jelly.statement_strategies import PHYSICAL_TYPES, Stream
from tests.core.jelly.statement_support import (
    few,
    put,
    read,
    statements,
    write,
    write_frames,
)
from tests.oracle import rdf_decoder, wire
from tests.oracle.rdf_build import DATASETS, GRAPHS, GRAPHS_OF_TRIPLES, QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import (
    as_written,
    node,
    plain,
)

EXAMPLE = "http://example.org/"
S, P, O, G = (URIRef(EXAMPLE + name) for name in "spog")  # noqa: E741


def flat(physical_type: Any, **options: Any) -> jr.StreamOptions:
    return jr.StreamOptions(physical_type=physical_type, **options)


def grouped(physical_type: Any, **options: Any) -> jr.StreamOptions:
    logical_type = GRAPHS_OF_TRIPLES if physical_type == TRIPLES else DATASETS
    return jr.StreamOptions(physical_type=physical_type, logical_type=logical_type, **options)


def frames_of(stream: Stream) -> list[Frame]:
    return [Frame(as_written(frame.operations), frame.metadata) for frame in stream.frames]


class TestAgainstProtobuf:
    """The reference decoder can read what the package writes."""

    @few
    @given(strategies.streams(), st.sampled_from([1, 256, 10_000]))
    def test_frames_that_are_ended(self, stream: Stream, frame_rows: int) -> None:
        options = RDF.options_for(stream, frame_rows=frame_rows)
        data = write_frames(stream.frames, options)
        got, expected = rdf_decoder.read(data), frames_of(stream)
        if frame_rows == 10_000 or stream.options["logical_type"] % 10 > 2:
            assert got == expected
        else:
            # Full frames may end earlier, but a frame always ends where the caller requested it.
            assert [op for frame in got for op in frame.operations] == as_written(stream.operations)
            assert [frame.metadata for frame in got if frame.metadata] == [
                frame.metadata for frame in expected if frame.metadata
            ]

    @given(strategies.streams())
    def test_frames_one_by_one(self, stream: Stream) -> None:
        encoder = jr.StatementEncoder(RDF.options_for(stream))
        reference = rdf_decoder.Reference()
        for frame, expected in zip(stream.frames, frames_of(stream), strict=True):
            data = encoder.encode_frame(
                [tuple(map(node, statement)) for statement in frame.statements],
                namespaces=[(name, URIRef(iri[1])) for name, iri in frame.namespaces],
                metadata=frame.metadata,
            )
            got = reference.frame(rdf_decoder.parse(data))
            assert got.statements == expected.statements
            assert got.namespaces == expected.namespaces
            assert got.metadata == expected.metadata
        reference.finish()

    @few
    @given(strategies.streams(logical="flat"))
    def test_the_methods_write_what_tuples_write(self, stream: Stream) -> None:
        options = RDF.options_for(stream)
        file = io.BytesIO()
        with jr.StatementWriter(file, options) as writer:
            for op in stream.operations:
                if op[0] == "PA":
                    put(writer, op)
                else:
                    writer.add(*(None if term is None else node(term) for term in op[1:]))
        assert file.getvalue() == write(stream.operations, options)
        file = io.BytesIO()
        nodes = [tuple(map(node, statement)) for statement in stream.statements]
        with jr.StatementWriter(file, options) as writer:
            writer.write_all(iter(nodes))
        without = [op for op in stream.operations if op[0] == "A"]
        assert file.getvalue() == write(without, options)


class TestEconomy:
    """The writer uses zero ids and repeated terms wherever possible."""

    @few
    @given(strategies.streams(physical_type=GRAPHS, logical="flat"))
    def test_graphs_are_opened_only_where_they_change(self, stream: Stream) -> None:
        """In a flat stream a graph stays open from frame to frame."""
        for frame_rows in (2, 1000):
            data = write(stream.operations, RDF.options_for(stream, frame_rows=frame_rows))
            got = Counter(row.WhichOneof("row") for row in RDF.rows(data))
            graphs = [op[4] for op in as_written(stream.operations) if op[0] == "A"]
            changes = sum(a != b for a, b in zip([None, *graphs], graphs, strict=False))
            assert got["graph_start"] == got["graph_end"] == changes


MISSHAPEN: tuple[Any, ...] = ((), (S,), (S, P), (S, P, O, G, G), [S, P, O], None, 5, "spo")


class TestRefusals:
    """Input that can't be written raises `EncodeError` and leaves nothing in the stream."""

    @pytest.mark.parametrize("wrong", MISSHAPEN, ids=range(len(MISSHAPEN)))
    def test_what_is_no_statement(self, wrong: Any) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, flat(TRIPLES)) as writer:
            for _ in range(2):
                with pytest.raises((jr.EncodeError, TypeError)):
                    writer.write(wrong)
                writer.write((S, P, O))
        assert statements(file.getvalue()) == [tuple(map(plain, (S, P, O)))] * 2

    @pytest.mark.parametrize("name", [5, None, "\ud800"])
    def test_names_of_namespaces(self, name: Any) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, flat(QUADS, namespace_declarations=True)) as writer:
            writer.add_namespace("a", S)
            with pytest.raises((jr.EncodeError, TypeError)):
                writer.add_namespace(name, URIRef("urn:new/x"))
            writer.add_namespace("c", URIRef("urn:new/x"))
        (frame,) = read(file.getvalue())
        assert frame.namespaces == [("a", plain(S)), ("c", ("iri", "urn:new/x"))]

    @pytest.mark.parametrize(
        "metadata",
        [
            5,
            [("k", b"v")],
            {"k": "text"},
            {"k": None},
            {5: b"v"},
            {"\ud800": b""},
        ],
    )
    def test_metadata(self, metadata: Any) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, grouped(QUADS)) as writer:
            writer.add(S, P, O, G)
            with pytest.raises((jr.EncodeError, TypeError)):
                writer.end_frame(metadata=metadata)
            writer.add(O, P, S, G)
            writer.end_frame(metadata={"k": b"v"})
        (frame,) = read(file.getvalue())
        assert frame.metadata == {"k": b"v"}
        assert len(frame.statements) == 2

    def test_refusals_of_encode_frame_keep_what_came_before(self) -> None:
        encoder = jr.StatementEncoder(flat(TRIPLES))
        with pytest.raises(jr.EncodeError):
            encoder.encode_frame([(S, P, O), (S, P, 5), (O, P, S)])
        frame = rdf_decoder.Reference().frame(rdf_decoder.parse(encoder.encode_frame([(S, P, O)])))
        assert frame.statements == [tuple(map(plain, (S, P, O)))] * 2


class TestFrames:
    @pytest.mark.parametrize("make", [flat, grouped])
    def test_a_frame_that_is_ended_leaves_no_graph_open(self, make: Any) -> None:
        """In a flat stream, a frame that ends because it is full may leave a graph open."""
        element = Frame([("A", *map(plain, (S, P, O, G)))], {"k": b"v"})
        encoder = jr.StatementEncoder(make(GRAPHS))
        statement = (S, P, O, G)
        for data in (
            write_frames([element] * 3, make(GRAPHS)),
            b"".join(
                wire.varint(len(frame)) + frame
                for frame in (encoder.encode_frame([statement]) for _ in range(3))
            ),
        ):
            assert len(RDF.messages(data)) == 3
            for message in RDF.messages(data):
                got = [row.WhichOneof("row") for row in message.rows]
                assert (got.count("graph_start"), got[-1]) == (1, "graph_end")

    @pytest.mark.parametrize(("make", "kept"), [(flat, [1, 1]), (grouped, [1])])
    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_an_element_that_an_exception_cuts_is_left_out(
        self, physical_type: int, make: Any, kept: list[int]
    ) -> None:
        """A reader would mistake the part for a whole element."""
        file = io.BytesIO()
        with (  # noqa: PT012
            pytest.raises(KeyError),
            jr.StatementWriter(file, make(physical_type)) as writer,
        ):
            writer.add(S, P, O)
            writer.end_frame()
            writer.add(O, P, S)
            raise KeyError("x")
        assert [len(frame.statements) for frame in rdf_decoder.read(file.getvalue())] == kept

    def test_a_bare_frame_is_one_element(self) -> None:
        options = grouped(QUADS, delimited=False)
        with jr.StatementWriter(io.BytesIO(), options) as writer:
            writer.add(S, P, O)
            writer.end_frame()
            with pytest.raises(jr.EncodeError):
                writer.add(S, P, O)


def a_graph(*names: str) -> Graph:
    graph = Graph()
    for name in names:
        graph.add((BNode(name), P, Literal(name, lang="en")))
    return graph


def a_dataset(**graphs: str) -> Dataset:
    """Return a dataset whose graphs, ``default`` or named, contain a statement for each letter."""
    dataset = Dataset()
    for name, letters in graphs.items():
        graph = (
            dataset.default_graph if name == "default" else dataset.graph(URIRef(EXAMPLE + name))
        )
        for letter in letters:
            graph.add((BNode(letter), P, Literal(letter)))
    return dataset


def content(graph: Any) -> set[Any]:
    return set(graph.quads()) if isinstance(graph, Dataset) else set(graph)


class TestFramesThatFail:
    """A frame of a grouped stream is a graph; one that fails leaves nothing in the next frame."""

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_next_frame_has_nothing_of_it(self, physical_type: int) -> None:
        grouped_type = "GRAPHS" if physical_type == 1 else "DATASETS"
        options = jr.StreamOptions.small(
            physical_type=physical_type, logical_type=grouped_type, namespace_declarations=True
        )
        encoder, decoder = jr.StatementEncoder(options), jr.StatementDecoder(normalize=False)
        terms = [URIRef(f"{EXAMPLE}{n % 7}/{n}") for n in range(40)]

        def statements(start: int) -> list[Any]:
            triples = [(terms[start + n], terms[n], terms[start]) for n in range(5)]
            if physical_type == 1:
                return triples
            return [(*triple, terms[n % 2]) for n, triple in enumerate(triples)]

        def failing() -> Iterator[Any]:
            yield from statements(20)
            raise KeyError("x")

        for start in (0, 3, 30):
            with pytest.raises(jr.EncodeError):
                encoder.encode_frame(
                    statements(10), namespaces=[("a", EXAMPLE)], metadata={"a": "b"}
                )  # type: ignore[dict-item]
            with pytest.raises(KeyError):
                encoder.encode_frame(failing())
            frame = decoder.decode_frame(encoder.encode_frame(statements(start)))
            assert frame.statements == statements(start)
            assert frame.namespaces == []


class TestWriteGraphs:
    """`jr.write_graphs` writes a frame for each Graph or Dataset."""

    def test_graphs(self) -> None:
        graphs = [a_graph("a", "b"), Graph(), a_graph("c")]
        file = io.BytesIO()
        jr.write_graphs(graphs, file)
        options = RDF.rows(file.getvalue())[0].options
        assert (options.physical_type, options.logical_type) == (TRIPLES, GRAPHS_OF_TRIPLES)
        assert [len(frame.statements) for frame in rdf_decoder.read(file.getvalue())] == [2, 0, 1]
        again = list(jr.read_graphs(file.getvalue()))
        assert list(map(content, again)) == list(map(content, graphs))
        assert [type(graph) for graph in again] == [Graph] * 3

    @pytest.mark.parametrize("physical_type", [None, QUADS, GRAPHS])
    def test_datasets(self, physical_type: int | None) -> None:
        datasets = [a_dataset(default="a", g="bc", h="d"), Dataset(), a_dataset(g="e")]
        file = io.BytesIO()
        jr.write_graphs(datasets, file, None if physical_type is None else grouped(physical_type))
        options = RDF.rows(file.getvalue())[0].options
        assert (options.physical_type, options.logical_type) == (physical_type or QUADS, DATASETS)
        again = list(jr.read_graphs(file.getvalue()))
        assert list(map(content, again)) == list(map(content, datasets))
        assert [type(graph) for graph in again] == [Dataset] * 3

    @pytest.mark.parametrize("make", [Graph, Dataset])
    def test_namespaces(self, make: Any) -> None:
        graphs = [make(), make()]
        graphs[0].bind("ex", Namespace(EXAMPLE))
        for namespaces in (False, True):
            file = io.BytesIO()
            jr.write_graphs(graphs, file, namespaces=namespaces)
            assert RDF.rows(file.getvalue())[0].options.version == 1 + namespaces
            first, second = rdf_decoder.read(file.getvalue())
            assert (("ex", ("iri", EXAMPLE)) in first.namespaces) == namespaces
            assert ("ex", ("iri", EXAMPLE)) not in second.namespaces

    def test_a_graph_that_fails_half_way_is_no_element(self) -> None:
        bad = a_graph("a", "b", "c")
        bad.add((BNode("d"), P, Literal("\ud800")))
        file = io.BytesIO()
        with pytest.raises(jr.EncodeError):
            jr.write_graphs([a_graph("a"), bad], file)
        assert [len(graph) for graph in jr.read_graphs(file.getvalue())] == [1]

    @pytest.mark.parametrize("wrong", [5, "text", None, (S, P, O)])
    def test_a_file_is_not_overwritten_for_want_of_good_arguments(
        self, wrong: Any, tmp_path: Path
    ) -> None:
        path = tmp_path / "x.jelly"
        path.write_bytes(b"precious")
        with pytest.raises(TypeError):
            jr.write_graphs([wrong], path)
        with pytest.raises(jr.EncodeError, match="namespace_declarations"):
            jr.write_graphs([a_graph("a")], path, jr.StreamOptions(), namespaces=True)
        assert path.read_bytes() == b"precious"

    def test_a_dataset_among_triples_is_an_error(self) -> None:
        with pytest.raises((TypeError, jr.EncodeError)):
            jr.write_graphs([a_graph("a"), a_dataset(g="a")], io.BytesIO())

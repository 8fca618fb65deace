"""Tests rules of Jelly-RDF alone; each test is named after its rule.

There is a class for each section, in the specification's order. "Rulings" are later decisions of
the format's authors. "Decided" is a decision of this project where the specification leaves
a point open. The rules that both formats share are in `test_spec_rules` and `test_shared_rules`.
`test_read`, `test_write` and `test_statement_decoder` compare frames, metadata and graphs with the
reference decoder.
"""

import io
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from tests.core.jelly.formats import (
    RDF,
    RDF_GRAPHS,
    Format,
    G,
    O,
    P,
    S,
    in_row,
    iri,
    rdf_types,
)
from tests.core.jelly.statement_support import read, statements
from tests.oracle import rdf_build as b
from tests.oracle import rdf_decoder, wire
from tests.oracle.rdf_build import DATASETS, GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import SUPPORT, Frame
from tests.oracle.terms import DEFAULT_GRAPH
from tests.support import refuse as refuse_patch

X, Y = ("bnode", "x"), ("bnode", "y")


class TestVersioning:
    """The sections "Versioning" and "Stream options, version"."""

    def test_features_are_read_whatever_the_version_says(self) -> None:
        """Decided: namespace declarations in a stream of version 1 are accepted."""
        (frame,) = read(RDF.one(b.namespace("ex", b.iri(0, 1)), RDF.triple(), version=1))
        assert (frame.namespaces, frame.statements) == ([("ex", P)], [(S, P, O)])

    def test_the_writer_sets_the_lowest_version_or_the_one_it_is_told(self) -> None:
        """The producer MUST set the version; the lowest with the used features is RECOMMENDED."""
        for given, version in (({}, 1), ({"namespace_declarations": True}, 2), ({"version": 2}, 2)):
            assert RDF.rows(RDF.write([], **given))[0].options.version == version
        for wrong in (0, 3, -1, 10_001):
            with pytest.raises(ValueError, match="version"):
                jr.StreamOptions(version=wrong)

    def test_the_writer_writes_no_namespaces_in_version_1(self) -> None:
        """The table of versions: RdfNamespaceDeclaration was added in version 2."""
        with pytest.raises(ValueError, match="version"):
            jr.StreamOptions(version=1, namespace_declarations=True)
        with pytest.raises(jr.EncodeError):
            RDF.write([("PA", "ex", P, None)], version=1)


def test_batches_have_metadata_before_the_options_too() -> None:
    """Decided: the attribute `batch.metadata`."""
    data = b.delimited([b.frame(metadata={"k": b"v"}), b.frame(b.options())])
    assert [frame.metadata for frame in jr.read_frames(data)] == [{"k": b"v"}, {}]
    assert [batch.metadata for batch in jr.read_batches(data)] == [{"k": b"v"}, {}]


@rdf_types
@pytest.mark.parametrize("kind", ["triple", "quad", "graph_start", "graph_end"])
def test_kinds_that_must_not_appear_in_a_type_are_refused(f: Format, kind: str) -> None:
    """Stream rows: some kinds MUST NOT appear in streams of another type."""
    rows = {
        "triple": b.spo("s", b.iri(0, 1), "o"),
        "quad": b.spog("s", b.iri(0, 1), "o", "g"),
        "graph_start": b.start("g"),
        "graph_end": b.end(),
    }
    head = f.start if kind != "graph_start" else []
    data = f.one(*head, rows[kind])
    if kind in f.kinds(f.stream(f.some())):
        assert len(f.statements(data)) == (kind in ("triple", "quad"))
    else:
        error = f.refuse(data, row=True)
        assert (error.frame, error.row) == (1, 3 + len(head))


LOGICAL_TYPES = [*range(5), 13, 14, 114, 23, 24, 11, 12, 1004, 2_000_000_003]


class TestTypes:
    """The sections "Physical stream types" and "Logical stream types"."""

    @pytest.mark.parametrize("wrong", [0, 4, "UNSPECIFIED", "nope", None])
    def test_the_writer_has_no_unspecified_type(self, wrong: Any) -> None:
        """The unspecified physical stream type MUST NOT be used."""
        with pytest.raises(ValueError, match="PhysicalStreamType"):
            jr.StreamOptions(physical_type=wrong)

    @rdf_types
    @pytest.mark.parametrize("logical_type", LOGICAL_TYPES)
    def test_types_must_be_consistent(self, f: Format, logical_type: int) -> None:
        """The support matrix: an implementation MAY throw an error, and a writer SHOULD."""
        data = f.one(*f.some(), logical_type=logical_type)
        if logical_type % 10 in SUPPORT[f.type]:
            for strict in (True, False):
                reader = jr.read_statements(data, strict=strict)
                assert list(map(f.plain, reader)) == [f.expected]
                assert reader.options == f.writer_options(
                    logical_type=logical_type,
                    **{f"max_{kind}_table_size": 16 for kind in ("name", "prefix", "datatype")},
                )
            return
        f.refuse(data, row=True)
        for call in (statements, read):
            with pytest.warns(UserWarning, match="logical"):
                assert len(call(data, strict=False)) == 1
        with pytest.raises(ValueError, match="logical"):
            f.writer_options(logical_type=logical_type)

    def test_the_writers_default_is_the_flat_type(self) -> None:
        """Decided: the default is the flat type that matches the physical type."""
        for physical_type, flat in ((TRIPLES, 1), (QUADS, 2), (GRAPHS, 2)):
            assert jr.StreamOptions(physical_type=physical_type).logical_type == flat


START, END, TRIPLE, AGAIN = b.start("g"), b.end(), RDF.triple(), b.spo()

REFUSED = {
    "MUST NOT occur outside of a graph": [TRIPLE],
    "MUST NOT occur outside of a graph, behind one": [START, TRIPLE, END, AGAIN],
    "a start MUST NOT occur inside another graph": [START, b.start("x")],
    "a start MUST NOT occur inside another graph, of the same name": [START, TRIPLE, START],
    "an end MUST NOT occur outside a graph": [END],
    "an end MUST NOT occur outside a graph, behind one": [START, END, END],
    "Rulings: a start without a graph": [b.start()],
    "Rulings: a start does not repeat a graph": [START, END, b.start()],
}
READ = {
    "between the start and the end": [
        START, TRIPLE, b.spo("x"), END, b.start(b.default_graph()), b.spo("y"), END,
    ],
    "a graph MAY be empty": [START, END, START, END, b.start("x"), TRIPLE, END],
    "MAY occur multiple times": [START, TRIPLE, END, b.start("x"), AGAIN, END, START, AGAIN, END],
    "Decided: it may be open at the end": [START, TRIPLE],
    "IRIs: numbered by stream row": [
        *map(b.name, "abcdefg"), b.start(b.iri(0, 2)),
        b.spo(b.iri(), b.iri(), "o"), END, b.start(b.iri()), b.spo(b.iri()), END,
    ],
    "Stream options: repeated also after other rows": [
        RDF_GRAPHS.options(), START, RDF_GRAPHS.options(), TRIPLE, RDF_GRAPHS.options(), AGAIN,
    ],
}  # fmt: skip


class TestStatementsAndGraphs:
    """The section "RDF statements and graphs"."""

    @pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED)
    def test_refused(self, rows: list[Any]) -> None:
        assert RDF_GRAPHS.refuse(RDF_GRAPHS.one(*rows), row=True).row == 2 + len(rows)

    @pytest.mark.parametrize("rows", READ.values(), ids=READ)
    def test_read(self, rows: list[Any]) -> None:
        data = RDF_GRAPHS.one(*rows)
        assert read(data) == rdf_decoder.read(data)
        decoder = jr.StatementDecoder()
        decoder.decode_frame(wire.split(data)[0])
        decoder.finish()

    def test_a_field_of_no_graph_is_none(self) -> None:
        """Rulings: an unset graph in RdfGraphStart is an error (MUST)."""
        head = b.frame(RDF_GRAPHS.options())
        RDF_GRAPHS.refuse(b.delimited([head + in_row(4, wire.field(9, b"g"))]), row=True)

    def test_parts_of_a_graph_are_one_graph(self) -> None:
        """Parts of a graph MUST be treated as a single graph, in each frame."""
        options = RDF_GRAPHS.options(logical_type=DATASETS)
        more = [b.start("x"), AGAIN, END, START, b.spo("z"), END]
        frames = [options, b.name("urn:p"), START, TRIPLE, END, *more], [START, b.spo("y"), END]
        first, second = jr.read_graphs(b.stream(*frames))
        assert {term for term, _, _ in first.graph(BNode("g"))} == {BNode("s"), BNode("z")}
        assert len(first.graph(BNode("x"))) == 1
        assert {term for term, _, _ in second.graph(BNode("g"))} == {BNode("y")}

    def test_a_graph_may_span_frames(self) -> None:
        """A graph MAY span more than one stream frame."""
        options = [RDF_GRAPHS.options(), b.name("urn:p")]
        data = b.stream([*options, START], [TRIPLE], [], [b.spo("x"), END, b.start("y")], [AGAIN])
        assert statements(data) == [(S, P, O, G), (X, P, O, G), (X, P, O, Y)]
        error = RDF_GRAPHS.refuse(b.stream([*options, START], [START]), row=True)
        assert (error.frame, error.row) == (2, 1)

    def test_the_writer_opens_and_closes_graphs(self) -> None:
        """Triples MUST NOT occur outside of a graph, nor a graph inside another."""
        graphs = (G, G, DEFAULT_GRAPH, iri("urn:g"), G, None, None)
        data = RDF_GRAPHS.write([("A", S, P, O, g) for g in graphs])
        letters = {"graph_start": "(", "triple": "t", "graph_end": ")"}
        assert "".join(letters.get(kind, "") for kind in RDF_GRAPHS.kinds(data)) == (
            "(tt)(t)(t)(t)(tt)"
        )
        assert [g for *_, g in statements(data)] == [g or DEFAULT_GRAPH for g in graphs]


class TestNamespaceDeclarations:
    def test_they_come_with_their_frame(self) -> None:
        """Namespace declarations can be freely interspersed with triples or quads."""
        use = b.iri(0, 1)
        data = b.stream(
            [b.options(version=2), b.name("urn:p"), b.namespace("a", use)],
            [TRIPLE, b.namespace("b", use), b.spo(), b.namespace("a", use)],
            [],
        )
        assert [frame.namespaces for frame in read(data)] == [[("a", P)], [("b", P), ("a", P)], []]

    def test_batches_have_them_as_pa(self) -> None:
        """Decided: the operation is Op.PA, and its graph is 0."""
        (batch,) = jr.read_batches(RDF.one(b.namespace("a", b.iri(0, 1)), TRIPLE))
        assert next(iter(batch)) == (jr.Op.PA, "a", URIRef("urn:p"), None)
        assert list(memoryview(batch.g)) == [0, 0]

    @rdf_types
    def test_the_writer_writes_them_in_their_place(self, f: Format) -> None:
        """Namespace declarations may appear in any stream type."""
        space = ("PA", "ex", iri("http://example.org/"), None)
        operations = [space, ("A", S, P, O, f.graph)] * 2
        assert f.operations(f.write(operations, namespace_declarations=True)) == operations

    def test_the_writer_gives_every_namespace_a_value(self) -> None:
        """The field `value` is REQUIRED."""
        options = jr.StreamOptions(namespace_declarations=True)
        with jr.StatementWriter(io.BytesIO(), options) as writer:
            for wrong in (None, BNode("b"), Literal("l"), 5):
                with pytest.raises((jr.EncodeError, TypeError)):
                    writer.add_namespace("ex", wrong)


class TestDelimiting:
    """The sections "Delimited variant" and "Internet media type and file extension"."""

    def test_a_delimited_frame_of_ten_bytes(self) -> None:
        """protocol.md: a stream is delimited when byte 1 is 0x0A and byte 2 is not."""
        row = b.options(max_prefix_table_size=0, max_datatype_table_size=0)
        data = b.delimited([b.frame(row)])
        assert data[:3] == b"\x0a\x0a\x08"
        assert read(data) == [Frame([], {})]

    @pytest.mark.parametrize("start", [b"\0\0", b.delimited([b.frame(metadata={"k": b"v"})])])
    def test_leading_frames_without_rows_mean_delimited(self, start: bytes) -> None:
        """protocol.md. Decided: each empty frame is a frame. The options are the first row."""
        data = start + RDF.one(TRIPLE)
        frames = read(data)
        assert frames == rdf_decoder.read(data)
        assert statements(data) == [(S, P, O)] == frames[-1].statements


class TestApart:
    """Decided: Jelly-RDF and Jelly-Patch have different options, which distinguish them."""

    def test_statements_of_a_patch_are_refused_by_name(self) -> None:
        options = wire.field(1, 1) + wire.field(2, 2) + wire.field(9, 16) + wire.field(15, 1)
        patch = in_row(1, options) + in_row(6, b"") + in_row(7, b"")
        for data in (patch, b.delimited([patch])):
            for call in (jr.read_statements, jr.read_frames, jr.read_graphs):
                with pytest.raises(jr.DecodeError, match="Jelly-Patch"):
                    list(call(data))
        with pytest.raises(jr.DecodeError, match="Jelly-Patch"):
            jr.StatementDecoder().decode_frame(patch)

    @rdf_types
    @pytest.mark.parametrize("stream_name", ["", "name"])
    def test_operations_of_statements_are_refused_by_name(
        self, f: Format, stream_name: str
    ) -> None:
        frame = f.frame(f.options(stream_name=stream_name), b.name("urn:p"), *f.some())
        for data in (frame, b.delimited([frame])):
            assert "Jelly-RDF" in str(refuse_patch(data))
            with pytest.raises(jr.DecodeError, match="Jelly-RDF"):
                list(jr.read_patches(data))
        with pytest.raises(jr.DecodeError, match="Jelly-RDF"):
            jr.PatchDecoder().decode_frame(frame)

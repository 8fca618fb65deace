"""Rules of Jelly-RDF alone; each test is named after its rule.

A class for each section, in the specification's order. "Rulings" are the later ones of the format's
authors; "Decided" is what this project made of what the specification leaves open. The rules that
both formats share are in `test_spec_rules` and `test_shared_rules`.

For a consumer, streams are built of protobuf's messages. For a producer, what the package writes is
parsed with protobuf's classes.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from tests.core.jelly.formats import G, O, P, S, in_row, iri
from tests.core.jelly.statement_support import (
    messages,
    read,
    refuse,
    rows,
    statements,
    write,
    write_frames,
)
from tests.oracle import rdf_build as b
from tests.oracle import schema as pb
from tests.oracle import wire
from tests.oracle.rdf_build import DATASETS, FLAT_QUADS, GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import SUPPORT, Frame
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.support import refuse as refuse_patch

PHYSICAL_TYPES = [TRIPLES, QUADS, GRAPHS]


def one(*content: Any, **options: Any) -> bytes:
    """A stream of one frame: options, a name entry "urn:p" (id 1), then the content."""
    return b.stream([b.options(**options), b.name("urn:p"), *content])


def triple(s: Any = "s", o: Any = "o") -> Any:
    """A row of a triple whose predicate is name 1."""
    return b.spo(s, b.iri(0, 1), o)


def quad(s: Any = "s", o: Any = "o", g: Any = "g") -> Any:
    """A row of a quad whose predicate is name 1."""
    return b.spog(s, b.iri(0, 1), o, g)


def some(physical_type: int, **terms: Any) -> list[Any]:
    """The rows of a statement in a stream of this type; in GRAPHS, a graph of its own."""
    if physical_type == QUADS:
        return [quad(**terms)]
    row = triple(**{position: terms[position] for position in terms if position != "g"})
    return [row] if physical_type == TRIPLES else [b.start(terms.get("g", "g")), row, b.end()]


def expected(physical_type: int) -> Plain:
    """The statement that `some` makes."""
    return (S, P, O) if physical_type == TRIPLES else (S, P, O, G)


def kinds(data: bytes) -> list[str]:
    return [row.WhichOneof("row") for row in rows(data)]


class TestVersioning:
    """Versioning; Stream options, version."""

    def test_features_are_read_whatever_the_version_says(self) -> None:
        """Decided: namespace declarations in a stream of version 1 are accepted."""
        (frame,) = read(one(b.namespace("ex", b.iri(0, 1)), triple(), version=1))
        assert (frame.namespaces, frame.statements) == ([("ex", P)], [(S, P, O)])

    @pytest.mark.parametrize("physical_type", ["TRIPLES", "QUADS", "GRAPHS"])
    def test_the_writer_sets_the_lowest_version(self, physical_type: str) -> None:
        """RECOMMENDED: the lowest version tag that is compatible with the features used."""
        options = jr.StreamOptions(physical_type=physical_type)
        assert options.version == 1
        assert rows(write([], options))[0].options.version == 1
        options = jr.StreamOptions(physical_type=physical_type, namespace_declarations=True)
        assert options.version == 2
        assert rows(write([], options))[0].options.version == 2

    def test_the_writer_sets_the_version_it_is_told(self) -> None:
        """The producer MUST set the version tag."""
        assert rows(write([], jr.StreamOptions(version=2)))[0].options.version == 2
        for wrong in (0, 3, -1, 10_001):
            with pytest.raises(ValueError, match="version"):
                jr.StreamOptions(version=wrong)

    def test_the_writer_writes_no_namespaces_in_version_1(self) -> None:
        """The table of versions: RdfNamespaceDeclaration came with version 2."""
        with pytest.raises(ValueError, match="version"):
            jr.StreamOptions(version=1, namespace_declarations=True)
        with pytest.raises(jr.EncodeError):
            write([("PA", "ex", P, None)], jr.StreamOptions(version=1))


class TestMetadata:
    """Stream frame metadata."""

    def test_the_later_entry_of_a_key_wins(self) -> None:
        """Protocol Buffers: maps."""
        entries = b"".join(
            wire.field(15, wire.field(1, key) + wire.field(2, value))
            for key, value in [(b"a", b"1"), (b"b", b"2"), (b"a", b"3")]
        )
        data = b.delimited([b.frame(b.options()) + entries])
        assert read(data) == [Frame([], {"a": b"3", "b": b"2"})]

    def test_what_an_entry_leaves_out_is_empty(self) -> None:
        """Protocol Buffers: maps, defaults."""
        head = b.frame(b.options())
        for entry, metadata in [
            (b"", {"": b""}),
            (wire.field(1, b"k"), {"k": b""}),
            (wire.field(2, b"v"), {"": b"v"}),
            (wire.field(2, b"v") + wire.field(1, b"k"), {"k": b"v"}),
            (wire.field(1, b"x") + wire.field(1, b"k") + wire.field(2, b"v"), {"k": b"v"}),
        ]:
            assert read(b.delimited([head + wire.field(15, entry)])) == [Frame([], metadata)]

    def test_batches_have_it_before_the_options_too(self) -> None:
        """Issue: batch.metadata."""
        data = b.delimited([b.frame(metadata={"k": b"v"}), b.frame(b.options())])
        assert [frame.metadata for frame in jr.read_frames(data)] == [{"k": b"v"}, {}]
        assert [batch.metadata for batch in jr.read_batches(data)] == [{"k": b"v"}, {}]

    def test_the_writer_writes_it_with_its_frame(self) -> None:
        """The metadata field of RdfStreamFrame."""
        frames = [
            Frame([("A", S, P, O, G)], {"id": b"\xff\x00", "": b""}),
            Frame([("A", S, P, O, G)], {}),
            Frame([], {"é": b"x"}),
        ]
        data = write_frames(frames, jr.StreamOptions(logical_type=DATASETS))
        assert [dict(message.metadata) for message in messages(data)] == [
            frame.metadata for frame in frames
        ]


ROWS = {
    "triple": triple,
    "quad": quad,
    "graph_start": lambda: b.start("g"),
    "graph_end": b.end,
    "namespace": lambda: b.namespace("ex", b.iri(0, 1)),
    "name": lambda: b.name("x"),
    "prefix": lambda: b.prefix("x"),
    "datatype": lambda: b.datatype("x"),
}

ALLOWED = {
    TRIPLES: {"triple"},
    QUADS: {"quad"},
    GRAPHS: {"triple", "graph_start", "graph_end"},
}


class TestStreamRows:
    """Stream rows."""

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("kind", ["triple", "quad", "graph_start", "graph_end"])
    def test_kinds_that_must_not_appear_in_a_type_are_refused(
        self, physical_type: int, kind: str
    ) -> None:
        """MUST NOT appear in streams of type other than …"""
        head = [b.start("g")] if physical_type == GRAPHS and kind != "graph_start" else []
        data = one(*head, ROWS[kind](), physical_type=physical_type)
        if kind in ALLOWED[physical_type]:
            assert len(statements(data)) == (kind in ("triple", "quad"))
        else:
            error = refuse(data, row=True)
            assert (error.frame, error.row) == (0, 2 + len(head))

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("kind", ["namespace", "name", "prefix", "datatype"])
    def test_other_kinds_may_appear_in_any_type(self, physical_type: int, kind: str) -> None:
        """It may appear in any stream type."""
        start = [b.start("g")] if physical_type == GRAPHS else []
        row = quad() if physical_type == QUADS else triple()
        make = ROWS[kind]
        data = one(make(), *start, make(), row, make(), physical_type=physical_type)
        assert statements(data) == [expected(physical_type)]

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_writes_the_kinds_of_its_type(self, physical_type: int) -> None:
        """MUST NOT appear in streams of type other than …"""
        graphs = [None] if physical_type == TRIPLES else [None, G, G, iri("urn:g")]
        data = write(
            [("A", S, P, O, g) for g in graphs], jr.StreamOptions(physical_type=physical_type)
        )
        got = {kind for kind in kinds(data) if kind not in ("options", "name", "prefix")}
        assert got == ALLOWED[physical_type]


class TestPhysicalStreamTypes:
    """Physical stream types."""

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_each_type_is_read(self, physical_type: int) -> None:
        """The following types are defined."""
        data = one(*some(physical_type), physical_type=physical_type)
        assert statements(data) == [expected(physical_type)]
        reader = jr.read_statements(data)
        next(reader)
        assert reader.options.physical_type is jr.PhysicalStreamType(physical_type)

    @pytest.mark.parametrize("wrong", [0, 4, "UNSPECIFIED", "nope", None])
    def test_the_writer_has_no_unspecified_type(self, wrong: Any) -> None:
        """This physical stream type MUST NOT be used."""
        with pytest.raises(ValueError, match="PhysicalStreamType"):
            jr.StreamOptions(physical_type=wrong)


LOGICAL_TYPES = [*range(5), 13, 14, 114, 23, 24, 11, 12, 1004, 2_000_000_003]
CONSISTENT = [(p, lt) for p in PHYSICAL_TYPES for lt in LOGICAL_TYPES if lt % 10 in SUPPORT[p]]
INCONSISTENT = [
    (p, lt) for p in PHYSICAL_TYPES for lt in LOGICAL_TYPES if lt % 10 not in SUPPORT[p]
]


class TestLogicalStreamTypes:
    """Logical stream types."""

    @pytest.mark.parametrize(("physical_type", "logical_type"), CONSISTENT)
    def test_consistent_types_are_read(self, physical_type: int, logical_type: int) -> None:
        """Consistency with physical stream types: the support matrix."""
        data = one(*some(physical_type), physical_type=physical_type, logical_type=logical_type)
        for strict in (True, False):
            assert statements(data, strict=strict) == [expected(physical_type)]
            reader = jr.read_statements(data, strict=strict)
            next(reader)
            assert reader.options.logical_type == logical_type

    @pytest.mark.parametrize(("physical_type", "logical_type"), INCONSISTENT)
    def test_inconsistent_types_are_refused_or_warned_about(
        self, physical_type: int, logical_type: int
    ) -> None:
        """Consistency with physical stream types: the implementation MAY throw an error."""
        data = one(*some(physical_type), physical_type=physical_type, logical_type=logical_type)
        refuse(data, row=True)
        with pytest.warns(UserWarning, match="logical"):
            assert statements(data, strict=False) == [expected(physical_type)]
        with pytest.warns(UserWarning, match="logical"):
            assert len(read(data, strict=False)) == 1

    @pytest.mark.parametrize(
        ("logical_type", "base"),
        [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (13, 3), (14, 4), (114, 4)],
    )
    def test_the_base_type_is_the_last_digit(self, logical_type: int, base: int) -> None:
        """MUST take the last digit of the logical stream type number."""
        got = jr.LogicalStreamType(logical_type).base
        assert got == base
        assert type(got) is jr.LogicalStreamType

    def test_the_types_have_the_names_of_the_specification(self) -> None:
        """The following logical stream types are defined."""
        enum = pb.RdfStreamOptions.DESCRIPTOR.fields_by_name["logical_type"].enum_type
        ours = {f"LOGICAL_STREAM_TYPE_{t.name}": t.value for t in jr.LogicalStreamType}
        assert ours == {value.name: value.number for value in enum.values}
        for name in ("flat_triples", "NAMED_GRAPHS"):
            assert jr.LogicalStreamType(name).name == name.upper()

    @pytest.mark.parametrize(("physical_type", "logical_type"), INCONSISTENT)
    def test_the_writer_writes_no_inconsistent_types(
        self, physical_type: int, logical_type: int
    ) -> None:
        """SHOULD ensure that the logical type is consistent with the physical type."""
        with pytest.raises(ValueError, match="logical"):
            jr.StreamOptions(physical_type=physical_type, logical_type=logical_type)

    def test_the_writers_default_is_the_flat_type(self) -> None:
        """Issue: the flat type that goes with the physical type."""
        for physical_type, flat in ((TRIPLES, 1), (QUADS, 2), (GRAPHS, 2)):
            assert jr.StreamOptions(physical_type=physical_type).logical_type == flat


class TestStreamOptions:
    """Stream options."""

    def test_options_may_be_repeated_inside_a_graph(self) -> None:
        """Also after other rows."""
        again = b.options(physical_type=GRAPHS)
        data = b.stream([again, b.name("urn:p"), b.start("g"), again, triple(), again, b.spo()])
        assert statements(data) == [(S, P, O, G)] * 2

    @pytest.mark.parametrize("name", ["", "x", "é \U0001f600", "\x00", "x" * 1000])
    def test_the_stream_name_is_any_text(self, name: str) -> None:
        """stream_name: OPTIONAL."""
        data = one(triple(), stream_name=name)
        reader = jr.read_statements(data)
        next(reader)
        assert reader.options.stream_name == name
        options = jr.StreamOptions(stream_name=name)
        assert rows(write([], options))[0].options.stream_name == name

    def test_the_writer_writes_the_options_it_was_given(self) -> None:
        """Every field."""
        fields: dict[str, Any] = {
            "stream_name": "é",
            "physical_type": GRAPHS,
            "generalized_statements": True,
            "rdf_star": True,
            "max_name_table_size": 11,
            "max_prefix_table_size": 7,
            "max_datatype_table_size": 5,
            "logical_type": 114,
            "version": 2,
        }
        assert rows(write([], jr.StreamOptions(**fields)))[0].options == pb.RdfStreamOptions(
            **fields
        )
        for options, sizes in [
            (None, (4000, 150, 32)),
            (jr.StreamOptions.big(), (4000, 150, 32)),
            (jr.StreamOptions.small(), (128, 16, 16)),
        ]:
            got = rows(write([], options))[0].options
            assert sizes == (
                got.max_name_table_size, got.max_prefix_table_size, got.max_datatype_table_size
            )  # fmt: skip
            assert (got.physical_type, got.logical_type, got.version) == (QUADS, FLAT_QUADS, 1)
            assert not got.generalized_statements
            assert not got.rdf_star


def graphs(*content: Any) -> bytes:
    """A stream of GRAPHS in one frame."""
    return one(*content, physical_type=GRAPHS)


class TestStatementsAndGraphs:
    """RDF statements and graphs."""

    def test_a_triple_belongs_to_the_graph_around_it(self) -> None:
        """A triple between the start and end of the graph is considered to be in the graph."""
        data = graphs(
            b.start("g"), triple(), b.spo("x"), b.end(),
            b.start(b.default_graph()), b.spo("y"), b.end(),
        )  # fmt: skip
        x, y = ("bnode", "x"), ("bnode", "y")
        assert statements(data) == [(S, P, O, G), (x, P, O, G), (y, P, O, DEFAULT_GRAPH)]

    def test_triples_outside_a_graph_are_refused(self) -> None:
        """Triples MUST NOT occur outside of a graph; the consumer SHOULD throw an error."""
        assert refuse(graphs(triple()), row=True).row == 2
        assert refuse(graphs(b.start("g"), triple(), b.end(), b.spo()), row=True).row == 5

    def test_a_graph_inside_a_graph_is_refused(self) -> None:
        """A graph start MUST NOT occur inside another graph; SHOULD throw an error."""
        assert refuse(graphs(b.start("g"), b.start("x")), row=True).row == 3
        assert refuse(graphs(b.start("g"), triple(), b.start("g")), row=True).row == 4
        head = [b.options(physical_type=GRAPHS), b.start("g")]
        error = refuse(b.stream(head, [b.start("g")]), row=True)
        assert (error.frame, error.row) == (1, 0)

    def test_an_end_outside_a_graph_is_refused(self) -> None:
        """A graph end MUST NOT occur outside a graph; MAY throw an error."""
        assert refuse(graphs(b.end()), row=True).row == 2
        assert refuse(graphs(b.start("g"), b.end(), b.end()), row=True).row == 4

    def test_a_graph_may_be_empty(self) -> None:
        """A graph MAY be empty."""
        data = graphs(b.start("g"), b.end(), b.start("g"), b.end(), b.start("x"), triple(), b.end())
        assert statements(data) == [(S, P, O, ("bnode", "x"))]

    def test_a_graph_may_occur_several_times(self) -> None:
        """MAY occur multiple times in a stream or a frame; MUST be treated as a single graph."""
        parts = [b.start("g"), triple(), b.end(), b.start("x"), b.spo(), b.end()]
        data = b.stream(
            [b.options(physical_type=GRAPHS, logical_type=DATASETS), b.name("urn:p"), *parts,
             b.start("g"), b.spo("z"), b.end()],
            [b.start("g"), b.spo("y"), b.end()],
        )  # fmt: skip
        assert [(s[1], g[1]) for s, _, _, g in statements(data)] == [
            ("s", "g"), ("s", "x"), ("z", "g"), ("y", "g"),
        ]  # fmt: skip
        first, second = jr.read_graphs(data)
        assert {term for term, _, _ in first.graph(BNode("g"))} == {BNode("s"), BNode("z")}
        assert len(first.graph(BNode("x"))) == 1
        assert {term for term, _, _ in second.graph(BNode("g"))} == {BNode("y")}

    def test_a_graph_may_span_frames(self) -> None:
        """A graph MAY span more than one stream frame."""
        data = b.stream(
            [b.options(physical_type=GRAPHS), b.name("urn:p"), b.start("g")],
            [triple()], [], [b.spo("x"), b.end(), b.start("y")], [b.spo()],
        )  # fmt: skip
        assert [(s[1], g[1]) for s, _, _, g in statements(data)] == [
            ("s", "g"), ("x", "g"), ("x", "y"),
        ]  # fmt: skip

    def test_a_graph_may_be_open_at_the_end(self) -> None:
        """Decided: accepted, as a graph may go on in a frame that is yet to come."""
        assert statements(graphs(b.start("g"), triple())) == [(S, P, O, G)]
        assert statements(graphs(b.start("g"))) == []
        decoder = jr.StatementDecoder()
        decoder.decode_frame(b.frame(b.options(physical_type=GRAPHS), b.start("g")))
        decoder.finish()

    def test_a_start_must_have_a_graph(self) -> None:
        """Rulings: an unset graph in RdfGraphStart is an error (MUST); no repeated terms."""
        refuse(graphs(b.start()), row=True)
        refuse(graphs(b.start("g"), b.end(), b.start()), row=True)
        number = wire.field(9, b"g")
        head = b.frame(b.options(physical_type=GRAPHS))
        refuse(b.delimited([head + in_row(4, number)]), row=True)

    def test_the_writer_opens_and_closes_graphs(self) -> None:
        """Triples MUST NOT occur outside of a graph; nor a graph inside another."""
        operations = [("A", S, P, O, g) for g in (G, G, DEFAULT_GRAPH, iri("urn:g"), G, None, None)]
        data = write(operations, jr.StreamOptions(physical_type=GRAPHS))
        got = [kind for kind in kinds(data) if kind in ALLOWED[GRAPHS]]
        start, end = "graph_start", "graph_end"
        assert got == [
            start, "triple", "triple", end, start, "triple", end, start, "triple", end,
            start, "triple", end, start, "triple", "triple", end,
        ]  # fmt: skip
        assert [g for *_, g in statements(data)] == [
            G, G, DEFAULT_GRAPH, iri("urn:g"), G, DEFAULT_GRAPH, DEFAULT_GRAPH,
        ]  # fmt: skip

    def test_the_writer_keeps_graphs_in_the_frames_of_grouped_streams(self) -> None:
        """Note: if it is a stream of datasets, graphs are contained within a frame."""
        options = jr.StreamOptions(physical_type=GRAPHS, logical_type=DATASETS)
        data = write_frames([Frame([("A", S, P, O, G)], {})] * 3, options)
        for message in messages(data):
            got = [row.WhichOneof("row") for row in message.rows]
            assert [kind for kind in got if kind in ALLOWED[GRAPHS]] == [
                "graph_start", "triple", "graph_end",
            ]  # fmt: skip


class TestRepeatedTerms:
    """Repeated terms."""

    def test_terms_repeat_across_graphs(self) -> None:
        """From the previous triple, whatever graph it was in."""
        data = graphs(b.start("g"), triple(), b.end(), b.start("x"), b.spo(), b.end())
        assert statements(data) == [(S, P, O, G), (S, P, O, ("bnode", "x"))]


class TestIris:
    """IRIs."""

    def test_iris_of_graph_starts_are_numbered_too(self) -> None:
        """Firstly by stream row."""
        names = [b.name(f"urn:{n}") for n in range(1, 8)]
        data = b.stream(
            [
                b.options(physical_type=GRAPHS), *names, b.start(b.iri()),
                b.spo(b.iri(), b.iri(), "o"), b.end(), b.start(b.iri()), b.spo(b.iri()), b.end(),
            ]
        )  # fmt: skip
        n = [iri(f"urn:{i}") for i in range(8)]
        assert statements(data) == [(n[2], n[3], O, n[1]), (n[5], n[3], O, n[4])]


class TestNamespaceDeclarations:
    """Namespace declarations."""

    def test_they_come_with_their_frame(self) -> None:
        """You can freely intersperse namespace declarations with triples or quads."""
        use = b.iri(0, 1)
        data = b.stream(
            [b.options(version=2), b.name("urn:p"), b.namespace("a", use)],
            [triple(), b.namespace("b", use), b.spo(), b.namespace("a", use)],
            [],
        )
        assert [frame.namespaces for frame in read(data)] == [[("a", P)], [("b", P), ("a", P)], []]

    def test_batches_have_them_as_pa(self) -> None:
        """Issue: Op.PA, graph 0."""
        (batch,) = jr.read_batches(one(b.namespace("a", b.iri(0, 1)), triple()))
        assert list(batch) == [
            (jr.Op.PA, "a", URIRef("urn:p"), None),
            (jr.Op.A, BNode("s"), URIRef("urn:p"), BNode("o"), None),
        ]
        assert list(memoryview(batch.g)) == [0, 0]

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_writes_them_in_their_place(self, physical_type: int) -> None:
        """May appear in any stream type."""
        options = jr.StreamOptions(physical_type=physical_type, namespace_declarations=True)
        space = ("PA", "ex", iri("http://example.org/"), None)
        graph = None if physical_type == TRIPLES else G
        operations = [space, ("A", S, P, O, graph), space, ("A", S, P, O, graph)]
        (frame,) = read(write(operations, options))
        assert frame.operations == operations

    def test_the_writer_gives_every_namespace_a_value(self) -> None:
        """value: This field is REQUIRED."""
        options = jr.StreamOptions(namespace_declarations=True)
        with jr.StatementWriter(io.BytesIO(), options) as writer:
            for wrong in (None, BNode("b"), Literal("l"), 5):
                with pytest.raises((jr.EncodeError, TypeError)):
                    writer.add_namespace("ex", wrong)


class TestDelimiting:
    """Delimited variant of Jelly; Internet media type and file extension."""

    def test_a_delimited_frame_of_ten_bytes(self) -> None:
        """protocol.md: delimited when byte 1 is 0x0A and byte 2 is not."""
        row = b.options(max_prefix_table_size=0, max_datatype_table_size=0)
        data = b.delimited([b.frame(row)])
        assert data[:3] == b"\x0a\x0a\x08"
        assert read(data) == [Frame([], {})]

    def test_leading_empty_frames_mean_delimited(self) -> None:
        """protocol.md; Decided: each empty frame is a frame."""
        data = b"\x00\x00" + one(triple())
        assert [frame.statements for frame in read(data)] == [[], [], [(S, P, O)]]
        assert statements(data) == [(S, P, O)]

    def test_a_leading_frame_of_metadata_alone(self) -> None:
        """The options are the first row, not the first frame."""
        data = b.delimited([b.frame(metadata={"k": b"v"})]) + one(triple())
        first, second = read(data)
        assert (first, second.statements) == (Frame([], {"k": b"v"}), [(S, P, O)])


class TestApart:
    """What Jelly-RDF is told from (Issue)."""

    PATCH = b"".join(
        [
            wire.field(1, wire.field(1, wire.field(1, 1) + wire.field(2, 2) + wire.field(9, 16)
                                     + wire.field(15, 1))),
            wire.field(1, wire.field(6, b"")), wire.field(1, wire.field(7, b"")),
        ]
    )  # fmt: skip
    """A frame of Jelly-Patch: options, a transaction."""

    def test_statements_of_a_patch_are_refused_by_name(self) -> None:
        for data in (self.PATCH, b.delimited([self.PATCH])):
            for call in (jr.read_statements, jr.read_frames, jr.read_graphs):
                with pytest.raises(jr.DecodeError, match="Jelly-Patch"):
                    list(call(data))
        with pytest.raises(jr.DecodeError, match="Jelly-Patch"):
            jr.StatementDecoder().decode_frame(self.PATCH)

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("stream_name", ["", "name"])
    def test_operations_of_statements_are_refused_by_name(
        self, physical_type: int, stream_name: str
    ) -> None:
        options = {"physical_type": physical_type, "stream_name": stream_name}
        frame = b.frame(b.options(**options), b.name("urn:p"), *some(physical_type))
        for data in (frame, b.delimited([frame])):
            assert "Jelly-RDF" in str(refuse_patch(data))
            with pytest.raises(jr.DecodeError, match="Jelly-RDF"):
                list(jr.read_patches(data))
        with pytest.raises(jr.DecodeError, match="Jelly-RDF"):
            jr.PatchDecoder().decode_frame(frame)

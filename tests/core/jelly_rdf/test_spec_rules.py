"""One test for each rule of the Jelly-RDF specification; each is named after its rule.

A class for each section, in the specification's order. "Rulings" are the later ones of the format's
authors; "Decided" is what this project made of what the specification leaves open.

For a consumer, streams are built of protobuf's messages. For a producer, what the package writes is
parsed with protobuf's classes.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from tests.core.jelly_rdf.support import (
    messages,
    plain_statement,
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
from tests.oracle.rdf_build import DATASETS, FLAT_QUADS, FLAT_TRIPLES, GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import SUPPORT, Frame
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node
from tests.support import refuse as refuse_patch

PHYSICAL_TYPES = [TRIPLES, QUADS, GRAPHS]

S, P, O, G = ("bnode", "s"), ("iri", "urn:p"), ("bnode", "o"), ("bnode", "g")  # noqa: E741


def iri(text: str) -> Plain:
    return ("iri", text)


def lit(lex: str, language: str | None = None, datatype: str | None = None) -> Plain:
    return ("literal", lex, language, datatype)


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


def in_row(number: int, content: bytes) -> bytes:
    """A row of a frame, by the number of its kind."""
    return wire.field(1, wire.field(number, content))


def kinds(data: bytes) -> list[str]:
    return [row.WhichOneof("row") for row in rows(data)]


class TestVersioning:
    """Versioning; Stream options, version."""

    @pytest.mark.parametrize("version", [3, 4, 10_000, 10_001, 2**32 - 1])
    def test_a_version_above_the_implementations_is_refused(self, version: int) -> None:
        """SHOULD throw an error if the version tag is greater."""
        refuse(one(version=version), row=True)

    def test_version_zero_is_refused(self) -> None:
        """SHOULD throw an error if the version tag is zero."""
        refuse(one(version=0), row=True)

    @pytest.mark.parametrize("version", [1, 2])
    def test_lower_versions_are_read(self, version: int) -> None:
        """Backward compatibility: MUST be able to read all of the same MAJOR version."""
        assert statements(one(triple(), version=version)) == [(S, P, O)]

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


class TestProtobuf:
    """Format specification: a compliant Protocol Buffers implementation."""

    EXTRA = (
        wire.tag(100, wire.VARINT) + b"\x01" + wire.tag(101, wire.I64) + bytes(8)
        + wire.field(102, b"abc") + wire.tag(103, wire.I32) + bytes(4)
        + wire.tag(104, wire.GROUP_START) + wire.field(1, b"x") + wire.tag(104, wire.GROUP_END)
    )  # fmt: skip

    def test_unknown_fields_are_skipped_in_every_message(self) -> None:
        """Forward compatibility: older implementations simply ignore the new field."""
        extra = self.EXTRA

        def message(content: Any) -> bytes:
            return extra + bytes(content.SerializeToString()) + extra

        def row(number: int, content: bytes) -> bytes:
            return wire.field(1, extra + wire.field(number, content) + extra)

        an_iri = message(pb.RdfIri(name_id=1))
        quoted = extra + wire.field(1, an_iri) + wire.field(5, an_iri) + wire.field(9, an_iri)
        literal = message(b.literal("l", datatype=1))
        statement = (
            extra + wire.field(4, quoted) + extra + wire.field(5, an_iri) + extra
            + wire.field(11, literal)
        )  # fmt: skip
        entries = (
            row(9, message(pb.RdfNameEntry(value="urn:p")))
            + row(10, message(pb.RdfPrefixEntry(value="")))
            + row(11, message(pb.RdfDatatypeEntry(value="urn:d")))
        )
        namespace = row(6, extra + wire.field(1, b"ex") + wire.field(2, an_iri))
        by_type = {
            TRIPLES: row(2, statement),
            QUADS: row(3, statement + wire.field(15, extra)),
            GRAPHS: row(4, extra + wire.field(3, extra)) + row(2, statement) + row(5, extra),
        }
        p = iri("urn:p")
        term = (("triple", p, p, p), p, lit("l", None, "urn:d"))
        for physical_type, content in by_type.items():
            options = b.options(physical_type=physical_type, rdf_star=True).options
            frame = row(1, message(options)) + extra + entries + extra + namespace + content + extra
            (got,) = read(b.delimited([frame]))
            assert got.statements == [term if physical_type == TRIPLES else (*term, DEFAULT_GRAPH)]
            assert got.namespaces == [("ex", p)]

    def test_unknown_fields_are_skipped_in_metadata(self) -> None:
        """Forward compatibility."""
        entry = self.EXTRA + wire.field(1, b"k") + self.EXTRA + wire.field(2, b"v") + self.EXTRA
        data = b.delimited([b.frame(b.options()) + wire.field(15, entry)])
        assert read(data) == [Frame([], {"k": b"v"})]

    @pytest.mark.parametrize("number", [7, 8, 12, 15, 2**29 - 1])
    def test_a_field_yet_unknown_may_stand_in_a_row_beside_a_known_one(self, number: int) -> None:
        """Forward compatibility."""
        known = triple().SerializeToString()
        inner = wire.field(number, b"future") + known + wire.field(number, 7)
        data = b.delimited([b.frame(b.options(), b.name("urn:p")) + wire.field(1, inner)])
        assert statements(data) == [(S, P, O)]

    @pytest.mark.parametrize("number", [2, 14, 16, 2**29 - 1])
    def test_a_field_yet_unknown_may_stand_in_a_frame(self, number: int) -> None:
        """Forward compatibility: as metadata did before version 1.1.1."""
        frame = b.frame(b.options(), b.name("urn:p"))
        more = b.frame(triple())
        data = b.delimited([frame + wire.field(number, b"future") + more + wire.field(number, 1)])
        assert statements(data) == [(S, P, O)]

    def test_the_last_of_a_oneof_wins(self) -> None:
        """Protocol Buffers: oneof; a message that is overwritten moves no ids."""
        content = (
            wire.field(2, b"lost") + wire.field(1, b"\x10\x63") + wire.field(2, b"s")
            + wire.field(5, b"\x10\x01") + wire.field(9, b"\x10\x05") + wire.field(10, b"o")
        )  # fmt: skip
        head = b.frame(b.options(), b.name("urn:p"), b.name("urn:q"))
        data = b.delimited([head + in_row(2, content) + b.frame(b.spo("s", b.iri()))])
        assert statements(data) == [(S, P, O), (S, iri("urn:q"), O)]

    def test_the_last_kind_of_a_row_wins(self) -> None:
        """Protocol Buffers: oneof; an entry that is overwritten defines nothing."""
        both = wire.field(9, b"\x08\x05\x12\x01x") + wire.field(10, b"\x12\x01a")
        graph = wire.field(5, b"") + wire.field(2, triple().triple.SerializeToString())
        head = b.frame(b.options(), b.name("urn:p")) + wire.field(1, both) + wire.field(1, graph)
        tail = b.frame(b.name("q"), b.spo("s", b.iri(1, 2), "o"))
        assert statements(b.delimited([head + tail])) == [(S, P, O), (S, iri("aq"), O)]

    def test_the_same_message_field_twice_merges(self) -> None:
        """Protocol Buffers: messages merge, the last of a scalar wins."""
        content = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(5, b"\x10\x02")
            + wire.field(11, b"\x0a\x01x\x12\x02en") + wire.field(11, b"\x12\x02de")
        )  # fmt: skip
        head = b.frame(b.options(), b.prefix("urn:"), b.name("x"), b.name("p"))
        assert statements(b.delimited([head + in_row(2, content)])) == [(S, P, lit("x", "de"))]

    def test_a_row_in_two_halves_merges(self) -> None:
        """Protocol Buffers: the same message field twice merges, in rows too."""
        for physical_type, number in ((TRIPLES, 2), (QUADS, 3)):
            inner = wire.field(number, wire.field(2, b"s") + wire.field(5, b"\x10\x01"))
            inner += wire.field(number, wire.field(10, b"o") + wire.field(14, b"g"))
            head = b.frame(b.options(physical_type=physical_type), b.name("urn:p"))
            data = b.delimited([head + wire.field(1, inner)])
            assert statements(data) == [expected(physical_type)]

    def test_options_in_two_halves_merge(self) -> None:
        """Protocol Buffers: the same message field twice merges."""
        whole = b.options(stream_name="x", logical_type=FLAT_TRIPLES).options
        first, second = pb.RdfStreamOptions(), pb.RdfStreamOptions()
        for n, (field, value) in enumerate(whole.ListFields()):
            setattr((first, second)[n % 2], field.name, value)
        inner = wire.field(1, first.SerializeToString()) + wire.field(1, second.SerializeToString())
        data = b.delimited([wire.field(1, inner) + b.frame(b.name("urn:p"), triple())])
        assert statements(data) == [(S, P, O)]

    def test_graph_starts_and_namespaces_in_two_halves_merge(self) -> None:
        """Protocol Buffers: the same message field twice merges."""
        head = b.frame(
            b.options(physical_type=GRAPHS), b.prefix("a:"), b.name("x"), b.name("urn:p", 5)
        )
        start = wire.field(4, wire.field(1, b"\x08\x01")) + wire.field(
            4, wire.field(1, b"\x10\x01")
        )
        space = wire.field(6, wire.field(1, b"ex") + wire.field(2, b"\x08\x01"))
        space += wire.field(6, wire.field(2, b"\x10\x01"))
        tail = b.frame(b.spo("s", b.iri(0, 1), "o"), b.end())
        data = b.delimited([head + wire.field(1, start) + wire.field(1, space) + tail])
        (frame,) = read(data)
        assert frame.statements == [(S, iri("a:x"), O, iri("a:x"))]
        assert frame.namespaces == [("ex", iri("a:x"))]

    def test_a_oneof_set_again_after_another_member_starts_afresh(self) -> None:
        """Protocol Buffers: oneof: setting a member clears the others, so nothing merges."""
        content = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(6, b"b")
            + wire.field(5, b"\x10\x02") + wire.field(10, b"o")
        )  # fmt: skip
        head = b.frame(b.options(), b.prefix("urn:"), b.name("x"), b.name("p"))
        assert statements(b.delimited([head + in_row(2, content)])) == [(S, iri("p"), O)]

    def test_fields_may_come_in_any_order(self) -> None:
        """Protocol Buffers: field order. IRIs are numbered by their terms' order all the same."""
        n = [iri(letter) for letter in "spog"]
        names = [b.name(letter) for letter in "spog"]
        content = wire.field(13, b"") + wire.field(9, b"") + wire.field(5, b"") + wire.field(1, b"")
        data = b.delimited([b.frame(b.options(physical_type=QUADS), *names) + in_row(3, content)])
        assert statements(data) == [tuple(n)]

    def test_metadata_may_come_before_rows_and_between_them(self) -> None:
        """Protocol Buffers: field order."""
        entry = wire.field(15, b"\x0a\x01k\x12\x01v")
        more = wire.field(15, b"\x0a\x01l")
        head = b.frame(b.options(), b.name("urn:p"))
        data = b.delimited([entry + head + more + b.frame(triple())])
        (frame,) = read(data)
        assert frame.metadata == {"k": b"v", "l": b""}
        assert frame.statements == [(S, P, O)]


class TestStreamFrames:
    """Stream frames; Ordering."""

    def test_frames_are_decoded_in_order_and_share_state(self) -> None:
        """MUST be processed strictly in order."""
        data = b.stream(
            [b.options(), b.name("urn:p")], [triple()], [b.spo(None, None, "x")], [], [b.spo()]
        )
        x = (S, P, ("bnode", "x"))
        assert [frame.statements for frame in read(data)] == [[], [(S, P, O)], [x], [], [x]]
        assert statements(data) == [(S, P, O), x, x]

    def test_a_frame_may_contain_any_number_of_rows(self) -> None:
        """A stream frame may contain any number of rows."""
        many = [b.spo(str(n)) for n in range(3000)]
        data = b.stream([b.options()], [], [b.name("urn:p"), triple(), *many], [])
        assert [len(frame.statements) for frame in read(data)] == [0, 0, 3001, 0]

    @pytest.mark.parametrize("physical_type", ["TRIPLES", "QUADS", "GRAPHS"])
    def test_the_writer_keeps_frames_small(self, physical_type: str) -> None:
        """RECOMMENDED: below 1 MB."""
        options = jr.StreamOptions(physical_type=physical_type)
        data = write([("A", S, P, lit(f"{n}" + "x" * 10_000), None) for n in range(300)], options)
        sizes = list(map(len, wire.split(data)))
        assert max(sizes) < 1_048_576
        assert len(sizes) > 1


class TestMetadata:
    """Stream frame metadata."""

    def test_it_does_not_influence_the_data(self) -> None:
        """Does not influence the processing of RDF data in any manner."""
        data = b.delimited(
            [
                b.frame(b.options(), b.name("urn:p"), triple(), metadata={"a": b"1"}),
                b.frame(metadata={"b": b"2"}),
                b.frame(b.spo()),
            ]
        )
        frames = read(data)
        assert [frame.metadata for frame in frames] == [{"a": b"1"}, {"b": b"2"}, {}]
        assert [len(frame.statements) for frame in frames] == [1, 0, 1]
        assert statements(data) == [(S, P, O)] * 2

    @pytest.mark.parametrize("value", [b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"x" * 100_000])
    def test_values_are_any_bytes(self, value: bytes) -> None:
        """MUST NOT assume that values are character strings or that they are valid UTF-8."""
        data = b.delimited([b.frame(b.options(), metadata={"k": value})])
        assert read(data) == [Frame([], {"k": value})]

    @pytest.mark.parametrize("key", ["", "k", "é", "\U0001f600", "\x00", "x" * 1000])
    def test_keys_are_any_text(self, key: str) -> None:
        """The keys are arbitrary; consumers SHOULD ignore unknown ones."""
        data = b.delimited([b.frame(b.options(), metadata={key: b"v"})])
        assert read(data) == [Frame([], {key: b"v"})]

    @pytest.mark.parametrize("key", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"a\x80"])
    def test_keys_must_be_utf8(self, key: bytes) -> None:
        """Protocol Buffers: map<string, bytes>."""
        entry = wire.field(15, wire.field(1, key) + wire.field(2, b"v"))
        refuse(b.delimited([b.frame(b.options()) + entry]))

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

    def test_batches_have_it(self) -> None:
        """Issue: batch.metadata."""
        data = b.delimited([b.frame(b.options(), metadata={"k": b"\xff"}), b.frame()])
        assert [batch.metadata for batch in jr.read_batches(data)] == [{"k": b"\xff"}, {}]

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

    def test_a_row_must_have_a_kind(self) -> None:
        """It has one of the fields set."""
        refuse(b.stream([b.options(), pb.RdfStreamRow()]), row=True)

    @pytest.mark.parametrize("number", [7, 8, 12, 16])
    def test_a_row_of_an_unknown_kind_alone_is_refused(self, number: int) -> None:
        """It has one of the fields set."""
        refuse(b.delimited([b.frame(b.options()) + in_row(number, b"")]), row=True)

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

    @pytest.mark.parametrize("physical_type", [0, 4, 99, -1, 2**31 - 1])
    def test_an_unspecified_or_undefined_type_is_refused(self, physical_type: int) -> None:
        """MUST be explicitly specified; UNSPECIFIED SHOULD be treated as an error."""
        refuse(one(physical_type=physical_type), row=True)

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_each_type_is_read(self, physical_type: int) -> None:
        """The following types are defined."""
        data = one(*some(physical_type), physical_type=physical_type)
        assert statements(data) == [expected(physical_type)]
        reader = jr.read_statements(data)
        next(reader)
        assert reader.options.physical_type is jr.PhysicalStreamType(physical_type)

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_sets_the_type(self, physical_type: int) -> None:
        """MUST be explicitly specified."""
        data = write([], jr.StreamOptions(physical_type=physical_type))
        assert rows(data)[0].options.physical_type == physical_type

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

    @pytest.mark.parametrize(("physical_type", "logical_type"), CONSISTENT)
    def test_the_writer_sets_the_type(self, physical_type: int, logical_type: int) -> None:
        """Stream options, logical_type."""
        options = jr.StreamOptions(physical_type=physical_type, logical_type=logical_type)
        got = rows(write([], options))[0].options
        assert (got.physical_type, got.logical_type) == (physical_type, logical_type)

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

    def test_in_framed_streams_each_frame_is_an_element(self) -> None:
        """Framed: each stream frame SHOULD be interpreted as a stream element."""
        data = b.stream(
            [b.options(logical_type=3), b.name("urn:p"), triple()], [], [b.spo("x"), b.spo("y")]
        )
        assert [len(graph) for graph in jr.read_graphs(data)] == [1, 0, 2]

    @pytest.mark.parametrize("logical_type", [3, 13])
    def test_the_writer_never_cuts_an_element(self, logical_type: int) -> None:
        """Framed: each stream frame SHOULD be interpreted as a stream element."""
        options = jr.StreamOptions(
            physical_type=TRIPLES, logical_type=logical_type, frame_rows=2, frame_bytes=20
        )
        element = [("A", ("bnode", str(n)), P, O, None) for n in range(50)]
        data = write_frames([Frame(element, {})] * 3, options)
        assert [len(frame.statements) for frame in read(data)] == [50, 50, 50]


class TestStreamOptions:
    """Stream options."""

    def test_options_must_come_first(self) -> None:
        """MUST be the first row in the stream."""
        refuse(b.stream([b.name("urn:p"), b.options()]), row=True, after=[])
        refuse(b.stream([b.name("urn:p"), triple()]), row=True, after=[])
        refuse(b.stream([b.start("g")]), row=True, after=[])

    def test_an_input_without_rows_is_refused(self) -> None:
        """MUST be the first row in the stream."""
        refuse(b"", row=False)
        refuse(b"\x00")
        refuse(b"\x00\x00\x00")

    def test_options_may_be_repeated(self) -> None:
        """SHOULD NOT throw if the header is present more than once; also after other rows."""
        again = b.options()
        data = b.stream(
            [again, again, b.name("urn:p"), again, triple(), again], [again], [b.spo(), again]
        )
        assert [len(frame.statements) for frame in read(data)] == [1, 0, 1]

    def test_options_may_be_repeated_inside_a_graph(self) -> None:
        """Also after other rows."""
        again = b.options(physical_type=GRAPHS)
        data = b.stream([again, b.name("urn:p"), b.start("g"), again, triple(), again, b.spo()])
        assert statements(data) == [(S, P, O, G)] * 2

    def test_repeated_options_leave_the_lookups_as_they_are(self) -> None:
        """It MUST be identical, so it says nothing new."""
        data = one(b.options(), b.name("urn:q"), b.spo("s", b.iri(0, 1), b.iri()))
        assert statements(data) == [(S, P, iri("urn:q"))]

    @pytest.mark.parametrize(
        "change",
        [
            {"stream_name": "x"},
            {"physical_type": QUADS},
            {"physical_type": 0},
            {"generalized_statements": True},
            {"rdf_star": True},
            {"max_name_table_size": 17},
            {"max_prefix_table_size": 15},
            {"max_datatype_table_size": 0},
            {"logical_type": 1},
            {"logical_type": 3},
            {"logical_type": 13},
            {"version": 2},
            {"version": 0},
        ],
        ids=str,
    )
    def test_options_that_change_are_refused(self, change: dict[str, Any]) -> None:
        """MUST be identical to all previous occurrences. Rulings: it is an error."""
        error = refuse(b.stream([b.options(), b.options()], [b.options(**change)]), row=True)
        assert (error.frame, error.row) == (1, 0)

    def test_options_spelled_in_another_way_are_the_same(self) -> None:
        """Protocol Buffers: order of fields, defaults on the wire."""
        fields = [(15, 1), (14, 0), (11, 16), (10, 16), (9, 16), (4, 0), (3, 0), (2, 1), (1, b"")]
        odd = b"".join(wire.field(number, value) for number, value in fields)
        more = odd + wire.field(77, b"new")
        data = b.delimited([b.frame(b.options()) + in_row(1, odd) + in_row(1, more)])
        assert len(read(data)) == 1

    @pytest.mark.parametrize("name", ["", "x", "é \U0001f600", "\x00", "x" * 1000])
    def test_the_stream_name_is_any_text(self, name: str) -> None:
        """stream_name: OPTIONAL."""
        data = one(triple(), stream_name=name)
        reader = jr.read_statements(data)
        next(reader)
        assert reader.options.stream_name == name
        options = jr.StreamOptions(stream_name=name)
        assert rows(write([], options))[0].options.stream_name == name

    @pytest.mark.parametrize("size", range(8))
    def test_a_name_lookup_below_eight_is_refused(self, size: int) -> None:
        """max_name_table_size: MUST be greater than or equal to 8."""
        refuse(b.stream([b.options(max_name_table_size=size)]), row=True)
        with pytest.raises(ValueError, match="max_name_table_size"):
            jr.StreamOptions(max_name_table_size=size)

    def test_sizes_within_the_limits_are_read(self) -> None:
        """The sizes are the producer's choice."""
        for names, prefixes, datatypes in [(8, 0, 0), (8, 1, 1), (4096, 1024, 256)]:
            data = one(
                triple(),
                max_name_table_size=names,
                max_prefix_table_size=prefixes,
                max_datatype_table_size=datatypes,
            )
            assert statements(data) == [(S, P, O)]

    @pytest.mark.parametrize(
        ("field", "size"),
        [
            ("max_name_table_size", 4097),
            ("max_prefix_table_size", 1025),
            ("max_datatype_table_size", 257),
            ("max_name_table_size", 2**32 - 1),
            ("max_prefix_table_size", 2**32 - 1),
            ("max_datatype_table_size", 2**32 - 1),
        ],
    )
    def test_lookups_over_the_limit_are_refused(self, field: str, size: int) -> None:
        """Security considerations, overly large lookup tables."""
        refuse(b.stream([b.options(**{field: size})]), jr.LimitError, row=True)

    def test_limits_on_lookups_can_be_set(self) -> None:
        """Security considerations, overly large lookup tables: a configurable limit."""
        data = one(triple())
        for field in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            refuse(data, jr.LimitError, limits=jr.Limits(**{field: 15}))
            assert statements(data, limits=jr.Limits(**{field: 16})) == [(S, P, O)]

    @pytest.mark.parametrize("place", ["s", "p", "p_literal", "p_triple", "g", "inner", "start"])
    def test_generalized_terms_need_the_option(self, place: str) -> None:
        """generalized_statements: MUST be true if the stream contains generalized statements."""
        word, p = b.literal("l"), b.iri(0, 1)
        physical_type, row = {
            "s": (TRIPLES, b.spo(word, p, "o")),
            "p": (TRIPLES, b.spo("s", "p", "o")),
            "p_literal": (TRIPLES, b.spo("s", word, "o")),
            "p_triple": (TRIPLES, b.spo("s", b.triple("s", p, "o"), "o")),
            "g": (QUADS, b.spog("s", p, "o", word)),
            "inner": (QUADS, b.spog(b.triple(word, p, "o"), p, "o", "g")),
            "start": (GRAPHS, b.start(word)),
        }[place]
        options = {"physical_type": physical_type, "rdf_star": True}
        refuse(one(row, **options), row=True)
        assert len(read(one(row, generalized_statements=True, **options))) == 1

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("position", "so")
    def test_quoted_triples_need_the_option(self, physical_type: int, position: str) -> None:
        """rdf_star: MUST be true if the stream uses RDF-star."""
        content = some(physical_type, **{position: b.triple("s", b.iri(0, 1), "o")})
        for generalized in (False, True):
            data = one(*content, physical_type=physical_type, generalized_statements=generalized)
            refuse(data, row=True)
        data = one(*content, physical_type=physical_type, rdf_star=True)
        assert statements(data)[0]["spo".index(position)] == ("triple", S, P, O)

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_writes_the_options_first(self, physical_type: int) -> None:
        """MUST be the first row in the stream; of a stream of nothing too."""
        options = jr.StreamOptions(physical_type=physical_type)
        assert kinds(write([("A", S, P, O, None)], options))[0] == "options"
        assert kinds(write([], options)) == ["options"]

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

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize(
        "terms",
        [
            (lit("l"), P, O),
            (S, S, O),
            (S, lit("l"), O),
            (("triple", lit("l"), P, O), P, O),
            (S, P, ("triple", S, S, O)),
            (S, ("triple", S, P, O), O),
        ],
    )
    def test_the_writer_refuses_generalized_terms_without_the_option(
        self, physical_type: int, terms: Any
    ) -> None:
        """generalized_statements: MUST be true if the stream contains generalized statements."""
        with pytest.raises(jr.EncodeError):
            write(
                [("A", *terms, None)], jr.StreamOptions(physical_type=physical_type, rdf_star=True)
            )
        both = jr.StreamOptions(
            physical_type=physical_type, rdf_star=True, generalized_statements=True
        )
        (got,) = statements(write([("A", *terms, None)], both))
        assert got[:3] == terms

    @pytest.mark.parametrize("physical_type", [QUADS, GRAPHS])
    def test_the_writer_refuses_a_literal_graph_without_the_option(
        self, physical_type: int
    ) -> None:
        """generalized_statements: MUST be true if the stream contains generalized graphs."""
        statement = ("A", S, P, O, lit("g"))
        with pytest.raises(jr.EncodeError):
            write([statement], jr.StreamOptions(physical_type=physical_type))
        options = jr.StreamOptions(physical_type=physical_type, generalized_statements=True)
        assert statements(write([statement], options)) == [statement[1:]]

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("position", [0, 2])
    def test_the_writer_refuses_quoted_triples_without_the_option(
        self, physical_type: int, position: int
    ) -> None:
        """rdf_star: MUST be true if the stream uses RDF-star."""
        terms = [S, P, O]
        terms[position] = ("triple", S, P, O)
        options = jr.StreamOptions(physical_type=physical_type, generalized_statements=True)
        with pytest.raises(jr.EncodeError):
            write([("A", *terms, None)], options)
        star = jr.StreamOptions(physical_type=physical_type, rdf_star=True)
        (got,) = statements(write([("A", *terms, None)], star))
        assert got[:3] == tuple(terms)


LOOKUPS = {
    "name": (b.name, "max_name_table_size", lambda n: b.spo("s", b.iri(0, n), "o")),
    "prefix": (b.prefix, "max_prefix_table_size", lambda n: b.spo("s", b.iri(n, 1), "o")),
    "datatype": (
        b.datatype,
        "max_datatype_table_size",
        lambda n: b.spo("s", b.iri(0, 1), b.literal("l", datatype=n)),
    ),
}


@pytest.fixture(params=LOOKUPS)
def lookup(request: pytest.FixtureRequest) -> Any:
    """Its entry row, the field of its size, and a row that uses an entry."""
    return LOOKUPS[request.param]


def used(data: bytes) -> list[str]:
    """The texts of the entries that rows of `LOOKUPS` use, with a name that is empty."""
    return [o[3] if o[0] == "literal" else p[1] for _, p, o in statements(data)]


class TestLookupEntries:
    """Prefix, name, and datatype lookup entries."""

    def head(self, lookup: Any, **options: Any) -> list[Any]:
        """Options, and an empty name 1 for the lookups of prefixes and datatypes."""
        return [b.options(**options), *([] if lookup[0] is b.name else [b.name("")])]

    def test_id_zero_in_the_first_entry_is_one(self, lookup: Any) -> None:
        """MUST be interpreted as the value 1."""
        make, _, use = lookup
        assert used(b.stream([*self.head(lookup), make("a"), use(1)])) == ["a"]

    def test_id_zero_in_a_later_entry_is_the_previous_plus_one(self, lookup: Any) -> None:
        """MUST be interpreted as previous_index + 1."""
        make, _, use = lookup
        entries = [make("a", 5), make("b"), make("c"), make("d", 3), make("e")]
        data = b.stream([*self.head(lookup), *entries, *map(use, (5, 6, 7, 3, 4))])
        # e has overwritten nothing: d is 3, e is 4
        assert used(data) == ["a", "b", "c", "d", "e"]

    def test_ids_count_on_across_frames(self, lookup: Any) -> None:
        """Ordering: state is the stream's."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 2)], [make("b"), use(3)], [use(2)])
        assert used(data) == ["b", "a"]

    def test_an_entry_may_be_set_anew(self, lookup: Any) -> None:
        """The modification MUST be applied to all subsequent rows."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 4), use(4), make("b", 4), use(4)])
        assert used(data) == ["a", "b"]

    def test_an_entry_set_anew_leaves_repeated_terms_alone(self, lookup: Any) -> None:
        """Repeated terms: the same term, whatever has become of its entries."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 4), use(4), make("b", 4)], [b.spo()])
        assert used(data) == ["a", "a"]

    def test_an_entry_that_was_never_set_is_refused(self, lookup: Any) -> None:
        """SHOULD throw an error if an element is not defined."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), use(1 if lookup[0] is not b.name else 2)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a", 3), use(2)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a", 3), use(4)]), row=True)

    def test_an_entry_must_be_set_before_it_is_used(self, lookup: Any) -> None:
        """The first use MUST be after it is defined."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), use(2), make("a", 2)]), row=True)

    @pytest.mark.parametrize("number", [17, 18, 4096, 2**31, 2**32 - 1])
    def test_ids_beyond_the_size_are_refused(self, lookup: Any, number: int) -> None:
        """Security considerations, invalid lookup entry IDs and references."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), make("a", number)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a"), use(number)]), row=True)

    def test_the_size_itself_is_the_last_id(self, lookup: Any) -> None:
        """The size of the lookup MUST NOT exceed the value of the field."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 15), make("b"), use(16)])
        assert used(data) == ["b"]
        refuse(b.stream([*self.head(lookup), make("a", 16), make("b")]), row=True)

    @pytest.mark.parametrize("kind", ["prefix", "datatype"])
    def test_a_lookup_of_size_zero_must_not_be_used(self, kind: str) -> None:
        """Stream options: if it is 0, the lookup MUST NOT be used."""
        make, field, use = LOOKUPS[kind]
        head = [b.options(**{field: 0}), b.name("a")]
        refuse(b.stream([*head, make("a")]), row=True)
        refuse(b.stream([*head, make("a", 1)]), row=True)
        refuse(b.stream([*head, use(1)]), row=True)

    def test_an_entry_may_be_the_empty_string(self, lookup: Any) -> None:
        """A map to a valid UTF-8 string."""
        make, _, use = lookup
        assert used(b.stream([*self.head(lookup), make(""), use(1)])) == [""]

    @pytest.mark.parametrize("number", [9, 10, 11])
    @pytest.mark.parametrize("text", [b"\xff", b"\xc3", b"\xed\xa0\x80"])
    def test_an_entry_must_be_utf8(self, number: int, text: bytes) -> None:
        """A map to a valid UTF-8 string."""
        refuse(b.delimited([b.frame(b.options()) + in_row(number, wire.field(2, text))]), row=True)

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("sizes", [(8, 0, 0), (8, 1, 1), (9, 3, 2), (128, 16, 16)])
    def test_the_writer_keeps_within_the_sizes(
        self, physical_type: int, sizes: tuple[int, int, int]
    ) -> None:
        """The producer of the stream MUST NOT exceed the maximum size of the lookup."""
        size = dict(zip(("name", "prefix", "datatype"), sizes, strict=True))
        options = jr.StreamOptions(
            physical_type=physical_type,
            **{f"max_{kind}_table_size": number for kind, number in size.items()},
        )
        operations = [
            (
                "A",
                iri(f"urn:{n % 7}/{n % 31}"),
                P,
                lit("l", None, f"urn:d{n % 5}" if size["datatype"] else None),
                None if physical_type == TRIPLES else iri(f"urn:{n % 7}/g"),
            )
            for n in range(300)
        ]
        data = write(operations, options)
        last = dict.fromkeys(size, 0)
        for row in rows(data):
            kind = row.WhichOneof("row")
            if kind in last:
                last[kind] = getattr(row, kind).id or last[kind] + 1
                assert last[kind] <= size[kind]
        assert statements(data) == Frame(operations, {}).statements

    def test_the_writer_refuses_datatypes_without_a_lookup(self) -> None:
        """max_datatype_table_size 0 effectively prohibits the use of datatype literals."""
        with pytest.raises(jr.EncodeError):
            write(
                [("A", S, P, lit("1", None, "urn:d"), G)],
                jr.StreamOptions(max_datatype_table_size=0),
            )


def graphs(*content: Any) -> bytes:
    """A stream of GRAPHS in one frame."""
    return one(*content, physical_type=GRAPHS)


class TestStatementsAndGraphs:
    """RDF statements and graphs."""

    def test_triples(self) -> None:
        """PHYSICAL_STREAM_TYPE_TRIPLES: RdfTriple messages."""
        assert statements(one(triple(), b.spo("x"))) == [(S, P, O), (("bnode", "x"), P, O)]

    def test_quads(self) -> None:
        """PHYSICAL_STREAM_TYPE_QUADS: RdfQuad messages."""
        data = one(quad(), b.spog("x"), b.spog(g="y"), physical_type=QUADS)
        x, y = ("bnode", "x"), ("bnode", "y")
        assert statements(data) == [(S, P, O, G), (x, P, O, G), (x, P, O, y)]

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

    def test_the_writer_sets_every_graph_start(self) -> None:
        """Exactly one field in the RdfGraphStart message MUST be set."""
        operations = [("A", S, P, O, g) for g in (G, P, G, None, P, G)]
        data = write(operations, jr.StreamOptions(physical_type=GRAPHS))
        starts = [row.graph_start for row in rows(data) if row.HasField("graph_start")]
        assert len(starts) == 6
        assert all(start.WhichOneof("graph") for start in starts)

    def test_the_writer_keeps_graphs_in_the_frames_of_grouped_streams(self) -> None:
        """Note: if it is a stream of datasets, graphs are contained within a frame."""
        options = jr.StreamOptions(physical_type=GRAPHS, logical_type=DATASETS)
        data = write_frames([Frame([("A", S, P, O, G)], {})] * 3, options)
        for message in messages(data):
            got = [row.WhichOneof("row") for row in message.rows]
            assert [kind for kind in got if kind in ALLOWED[GRAPHS]] == [
                "graph_start", "triple", "graph_end",
            ]  # fmt: skip

    def test_the_writer_refuses_a_graph_in_triples(self) -> None:
        """RdfTriple has no graph."""
        options = jr.StreamOptions(physical_type=TRIPLES)
        for graph in (G, P, DEFAULT_GRAPH):
            with pytest.raises(jr.EncodeError):
                write([("A", S, P, O, graph)], options)

    @pytest.mark.parametrize("physical_type", [QUADS, GRAPHS])
    def test_the_writer_takes_no_graph_for_the_default_graph(self, physical_type: int) -> None:
        """Issue: g None is the default graph."""
        options = jr.StreamOptions(physical_type=physical_type)
        assert statements(write([("A", S, P, O, None)], options)) == [(S, P, O, DEFAULT_GRAPH)]


class TestRepeatedTerms:
    """Repeated terms."""

    @pytest.mark.parametrize("missing", "spog")
    def test_no_term_of_the_first_quad_may_repeat(self, missing: str) -> None:
        """MUST NOT occur in the first statement row of the stream."""
        terms = {"s": "s", "p": b.iri(0, 1), "o": "o", "g": "g"}
        del terms[missing]
        refuse(one(b.spog(**terms), physical_type=QUADS), row=True)

    @pytest.mark.parametrize("missing", "spo")
    @pytest.mark.parametrize("physical_type", [TRIPLES, GRAPHS])
    def test_no_term_of_the_first_triple_may_repeat(self, physical_type: int, missing: str) -> None:
        """MUST NOT occur in the first statement row of the stream."""
        terms = {"s": "s", "p": b.iri(0, 1), "o": "o"}
        del terms[missing]
        head = [b.start("g")] if physical_type == GRAPHS else []
        refuse(one(*head, b.spo(**terms), physical_type=physical_type), row=True)

    def test_a_position_repeats_from_whatever_row_set_it_last(self) -> None:
        """The consumer MUST interpret all consecutive appearances as the same term."""
        data = one(triple(), b.spo("x"), b.spo(), b.spo(o="y"), b.spo("s"), b.spo())
        assert [(s[1], o[1]) for s, _, o in statements(data)] == [
            ("s", "o"), ("x", "o"), ("x", "o"), ("x", "y"), ("s", "y"), ("s", "y"),
        ]  # fmt: skip

    def test_the_example(self) -> None:
        """Repeated terms: example."""
        data = b.stream(
            [
                b.options(), b.prefix("a:"), b.prefix("b:"),
                b.name("1"), b.name("2"), b.name("3"),
                b.spo(b.iri(1, 1), b.iri(1, 2), "b1"), b.spo(o="b2"), b.spo(p=b.iri(2, 3)),
            ]
        )  # fmt: skip
        s, p = iri("a:1"), iri("a:2")
        b1, b2 = ("bnode", "b1"), ("bnode", "b2")
        assert statements(data) == [(s, p, b1), (s, p, b2), (s, iri("b:3"), b2)]

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_terms_repeat_across_frames(self, physical_type: int) -> None:
        """MUST be interpreted as repeated from the previous stream frame."""
        row = b.spog() if physical_type == QUADS else b.spo()
        content = some(physical_type)[: 2 if physical_type == GRAPHS else 1]
        head = [b.options(physical_type=physical_type), b.name("urn:p"), *content]
        data = b.stream(head, [], [row])
        assert statements(data) == [expected(physical_type)] * 2

    def test_terms_repeat_across_graphs(self) -> None:
        """From the previous triple, whatever graph it was in."""
        data = graphs(b.start("g"), triple(), b.end(), b.start("x"), b.spo(), b.end())
        assert statements(data) == [(S, P, O, G), (S, P, O, ("bnode", "x"))]

    def test_a_namespace_does_not_change_the_last_terms(self) -> None:
        """The same position in the previous triple or quad."""
        data = one(triple(), b.namespace("ex", b.iri(0, 1)), b.spo())
        assert statements(data) == [(S, P, O)] * 2
        refuse(one(b.namespace("ex", b.iri(0, 1)), b.spo(None, b.iri(0, 1), "o")), row=True)

    def test_a_quoted_triple_does_not_change_the_last_terms(self) -> None:
        """The same position in the previous triple or quad, not inside one."""
        quoted = b.triple("x", b.iri(0, 1), "y")
        data = one(triple("s", quoted), b.spo(o="o"), rdf_star=True)
        assert statements(data)[1] == (S, P, O)

    @pytest.mark.parametrize("missing", "spo")
    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("levels", [1, 2])
    def test_no_term_of_a_quoted_triple_may_repeat(
        self, physical_type: int, missing: str, levels: int
    ) -> None:
        """MUST NOT occur in quoted triples. Rulings: an error (MUST)."""
        terms: dict[str, Any] = {"s": "s", "p": b.iri(0, 1), "o": "o"}
        del terms[missing]
        quoted = b.triple(**terms)
        if levels == 2:
            quoted = b.triple("s", b.iri(0, 1), quoted)
        content = [*some(physical_type), *some(physical_type, o=quoted)]
        error = refuse(one(*content, physical_type=physical_type, rdf_star=True), row=True)
        assert error.row == (6 if physical_type == GRAPHS else 3)

    def test_a_quoted_triple_repeats_as_a_whole(self) -> None:
        """A term in a given position."""
        quoted = b.triple("s", b.iri(0, 1), "o")
        data = one(triple(quoted), b.spo(o="x"), rdf_star=True)
        assert statements(data)[1] == (("triple", S, P, O), P, ("bnode", "x"))

    def test_the_default_graph_repeats(self) -> None:
        """Graph node in quads."""
        data = one(quad(g=b.default_graph()), b.spog("x"), physical_type=QUADS)
        assert [g for *_, g in statements(data)] == [DEFAULT_GRAPH] * 2

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_repeats_no_term_in_a_quoted_triple(self, physical_type: int) -> None:
        """MUST NOT occur in quoted triples."""
        quoted = ("triple", S, P, O)
        operations = [("A", S, P, O, None), ("A", quoted, P, quoted, None)]
        options = jr.StreamOptions(physical_type=physical_type, rdf_star=True)
        data = write(operations, options)
        triples = [
            value
            for row in rows(data)
            for message in [row.triple, row.quad]
            for field, value in message.ListFields()
            if field.name.endswith("triple_term")
        ]
        assert len(triples) == 2
        for message in triples:
            assert all(message.WhichOneof(part) for part in ("subject", "predicate", "object"))


class TestIris:
    """IRIs."""

    def test_the_example_with_the_prefix_table(self) -> None:
        """Example with the prefix table."""
        base = "http://example.com/"
        data = b.stream(
            [
                b.options(), b.prefix(base), b.name("example"), b.name(""), b.name("test"),
                b.spo(b.iri(1, 0), b.iri(), b.iri()),
            ]
        )  # fmt: skip
        assert statements(data) == [(iri(base + "example"), iri(base), iri(base + "test"))]

    def test_the_example_without_the_prefix_table(self) -> None:
        """Example without the prefix table."""
        base = "http://example.com/"
        data = b.stream(
            [
                b.options(max_prefix_table_size=0), b.name(base + "example"), b.name(base + "test"),
                b.spo(b.iri(), b.iri(), "o"),
            ]
        )  # fmt: skip
        assert statements(data) == [(iri(base + "example"), iri(base + "test"), O)]

    def test_prefix_id_zero_repeats_the_last_one(self) -> None:
        """The same value as in the last explicitly specified prefix identifier."""
        data = b.stream(
            [
                b.options(), b.prefix("a:"), b.prefix("b:"), b.name("x"),
                b.spo(b.iri(2, 1), b.iri(0, 1), b.iri(1, 1)),
            ],
            [b.namespace("ex", b.iri(0, 1)), b.namespace("ex", b.iri(2, 1))],
            [b.spo(b.iri(0, 1))],
        )  # fmt: skip
        first, second, third = read(data)
        assert [term[1] for term in first.statements[0]] == ["b:x", "b:x", "a:x"]
        assert [value[1] for _, value in second.namespaces] == ["a:x", "b:x"]
        assert third.statements[0][0] == iri("b:x")

    def test_prefix_id_zero_before_any_other_is_the_empty_prefix(self) -> None:
        """If 0 appears in the first IRI (and in any subsequent IRI): an empty prefix."""
        data = b.stream(
            [b.options(), b.prefix("a:"), b.name("x"), b.spo(b.iri(), b.iri(0, 1), b.iri(1, 1))]
        )
        assert [term[1] for term in statements(data)[0]] == ["x", "x", "a:x"]

    def test_prefix_id_zero_follows_an_entry_that_was_set_anew(self) -> None:
        """The same value of the identifier, not the same text."""
        data = b.stream(
            [
                b.options(), b.prefix("a:"), b.name("x"), b.spo(b.iri(1, 1), b.iri(0, 1), "o"),
                b.prefix("b:", 1), b.spo(b.iri(0, 1)),
            ]
        )  # fmt: skip
        assert [s[1] for s, _, _ in statements(data)] == ["a:x", "b:x"]

    def test_name_id_zero_is_the_previous_plus_one(self) -> None:
        """previous_name_id + 1, several in a row too."""
        names = [b.name(f"urn:{n}") for n in range(1, 9)]
        data = b.stream(
            [
                b.options(physical_type=QUADS), *names,
                b.spog(b.iri(0, 3), b.iri(), b.iri(), b.iri()), b.namespace("ex", b.iri()),
            ],
            [b.spog(b.iri(), b.iri(0, 1), b.iri())],
        )  # fmt: skip
        first, second = read(data)
        assert [term[1] for term in first.statements[0]] == [f"urn:{n}" for n in (3, 4, 5, 6)]
        assert first.namespaces == [("ex", iri("urn:7"))]
        assert [term[1] for term in second.statements[0]] == [f"urn:{n}" for n in (8, 1, 2, 6)]

    def test_name_id_zero_in_the_first_iri_is_one(self) -> None:
        """If 0 appears in the first IRI of the stream it MUST be interpreted as 1."""
        data = b.stream([b.options(), b.name("b", 2), b.name("a", 1), b.spo("s", b.iri(), "o")])
        assert statements(data) == [(S, iri("a"), O)]

    def test_name_id_zero_beyond_the_table_is_refused(self) -> None:
        """Security considerations, invalid lookup entry IDs and references."""
        full = [b.name(str(n)) for n in range(8)]
        head = [b.options(max_name_table_size=8), *full, b.spo("s", b.iri(0, 8), "o")]
        refuse(b.stream([*head, b.spo("s", b.iri())]), row=True)

    def test_entries_do_not_move_the_ids_of_iris(self) -> None:
        """The name_id of the previous IRI, not of the previous entry."""
        data = b.stream(
            [
                b.options(), b.name("1"), b.spo("s", b.iri(), "o"), b.name("7", 7), b.name("2", 2),
                b.spo("s", b.iri()),
            ]
        )  # fmt: skip
        assert [p[1] for _, p, _ in statements(data)] == ["1", "2"]

    def test_repeated_terms_do_not_move_the_ids(self) -> None:
        """A term that is not written has no ids."""
        names = [b.name(f"urn:{n}") for n in range(1, 6)]
        data = b.stream(
            [b.options(), *names, b.spo(b.iri(), b.iri(), b.iri()), b.spo(None, b.iri())]
        )
        assert statements(data)[1][1] == iri("urn:4")

    def test_iris_are_numbered_in_the_order_of_terms_through_quoted_triples(self) -> None:
        """Firstly by stream row, then by term; recursively in quoted triples."""
        names = [b.name(f"urn:{n}") for n in range(1, 12)]
        inner = b.triple(b.iri(), b.iri(), b.triple(b.iri(), b.iri(), b.iri()))
        row = b.spog(inner, b.iri(), b.triple(b.iri(), b.iri(), b.iri()), b.iri())
        data = b.stream([b.options(physical_type=QUADS, rdf_star=True), *names, row])
        n = [iri(f"urn:{i}") for i in range(12)]
        assert statements(data) == [
            (
                ("triple", n[1], n[2], ("triple", n[3], n[4], n[5])),
                n[6],
                ("triple", n[7], n[8], n[9]),
                n[10],
            )
        ]

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

    @pytest.mark.parametrize("text", ["", "a", "not an iri", "http://é/\U0001f600", "<>\x00"])
    def test_an_iri_is_kept_as_it_is(self, text: str) -> None:
        """SHOULD be a valid IRI; a consumer changes nothing."""
        data = b.stream([b.options(), b.name(text), b.spo("s", b.iri(), "o")])
        assert statements(data) == [(S, iri(text), O)]

    def test_the_writer_uses_the_prefix_lookup(self) -> None:
        """Stream options, max_prefix_table_size: SHOULD be used if positive."""
        operations = [("A", iri("http://a/x"), iri("http://b#y"), O, None)]
        texts = [row.prefix.value for row in rows(write(operations)) if row.HasField("prefix")]
        assert texts == ["http://a/", "http://b#"]
        without = write(operations, jr.StreamOptions(max_prefix_table_size=0))
        assert "prefix" not in kinds(without)
        assert statements(without) == statements(write(operations))


class TestBlankNodes:
    """Blank nodes."""

    @pytest.mark.parametrize("label", ["", "b", "é", "\U0001f600", " ", "_:b", "\x00", "a\nb"])
    def test_a_label_is_any_utf8_string(self, label: str) -> None:
        """MUST be a valid UTF-8 string."""
        assert statements(one(triple(label)))[0][0] == ("bnode", label)
        assert statements(write([("A", ("bnode", label), P, O, None)]))[0][0] == ("bnode", label)

    @pytest.mark.parametrize(
        "label", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x80", b"\xe2\x82"]
    )
    def test_a_label_that_is_not_utf8_is_refused(self, label: bytes) -> None:
        """MUST be a valid UTF-8 string."""
        head = b.frame(b.options(), b.name("urn:p"))
        content = wire.field(2, label) + wire.field(5, b"") + wire.field(10, b"o")
        refuse(b.delimited([head + in_row(2, content)]), row=True)

    def test_labels_are_the_streams_own(self) -> None:
        """The consumer MAY treat them as unique across the stream; so this one does."""
        data = b.stream([b.options(), b.name("urn:p"), triple("b")], [b.spo("b")])
        first, second = jr.read_statements(data)
        assert first[0] == second[0] == BNode("b")


class TestLiterals:
    """Literals."""

    def of(self, *content: Any) -> list[Plain]:
        """The objects of statements."""
        return [o for _, _, o in statements(one(*content))]

    def test_without_a_kind_it_is_a_simple_literal(self) -> None:
        """MUST be interpreted as a simple literal."""
        ((_, _, value),) = jr.read_statements(one(triple(o=b.literal("x"))))
        assert value == Literal("x")
        assert (value.datatype, value.language) == (None, None)

    def test_with_a_language_it_is_a_language_tagged_string(self) -> None:
        """langtag; its case is kept."""
        assert self.of(triple(o=b.literal("x", "EN-gb"))) == [lit("x", "EN-gb")]

    def test_with_a_datatype_it_is_typed(self) -> None:
        """datatype: an entry of the datatype lookup."""
        content = [b.datatype("urn:a"), b.datatype("urn:b"), triple(o=b.literal("x", None, 2))]
        assert self.of(*content) == [lit("x", None, "urn:b")]

    def test_the_lexical_form_defaults_to_the_empty_string(self) -> None:
        """lex: OPTIONAL, defaults to an empty string."""
        values = [b.literal(), b.literal("", "en"), b.literal("", None, 1)]
        got = self.of(b.datatype("urn:a"), *(triple(o=value) for value in values))
        assert got == [lit(""), lit("", "en"), lit("", None, "urn:a")]

    def test_datatype_zero_is_refused(self) -> None:
        """datatype: MUST be greater than 0."""
        refuse(one(b.datatype("urn:a"), triple(o=b.literal("x", None, 0))), row=True)

    @pytest.mark.parametrize("language", ["", " ", "1", "en_GB", "é", "en-", "-en"])
    def test_what_is_no_language_tag_is_refused(self, language: str) -> None:
        """langtag: SHOULD be a valid BCP 47 language tag; rdflib can hold nothing else."""
        refuse(one(triple(o=b.literal("x", language))), row=True)

    def test_the_last_of_language_and_datatype_wins(self) -> None:
        """literalKind is a oneof."""
        head = b.frame(b.options(), b.name("urn:p"), b.datatype("urn:d"))
        for kinds_, value in [
            (b"\x12\x02en\x18\x01", lit("x", None, "urn:d")),
            (b"\x18\x01\x12\x02en", lit("x", "en")),
            (b"\x18\x63\x12\x02en", lit("x", "en")),
        ]:
            content = b"\x12\x01s\x2a\x02\x10\x01" + wire.field(11, b"\x0a\x01x" + kinds_)
            assert statements(b.delimited([head + in_row(2, content)])) == [(S, P, value)]

    def test_the_writer_writes_a_simple_literal_without_a_kind(self) -> None:
        """If no field in the oneof is set, it is a simple literal."""
        data = write([("A", S, P, lit("x"), G), ("A", S, P, lit("y", "de-AT"), G)])
        got = [row.quad.o_literal for row in rows(data) if row.HasField("quad")]
        assert [literal.WhichOneof("literalKind") for literal in got] == [None, "langtag"]
        assert "datatype" not in kinds(data)

    def test_the_writer_never_writes_datatype_zero(self) -> None:
        """datatype: MUST be greater than 0."""
        data = write([("A", S, P, lit("x", None, f"urn:{n % 40}"), G) for n in range(100)])
        for row in rows(data):
            literal = row.quad.o_literal
            if literal.WhichOneof("literalKind") == "datatype":
                assert literal.datatype > 0


class TestQuotedTriples:
    """Quoted triples (RDF-star); Security considerations, infinite recursion."""

    def nested(self, levels: int, physical_type: int = TRIPLES) -> bytes:
        """A stream with one statement whose object has so many levels of quoted triples."""
        start = wire.field(2, b"s") + wire.field(5, b"\x10\x01")
        content = start + wire.field(10, b"o")
        for _ in range(levels):
            content = start + wire.field(12, content)
        head = [b.options(rdf_star=True, physical_type=physical_type), b.name("urn:p")]
        if physical_type == GRAPHS:
            head.append(b.start("g"))
        if physical_type == QUADS:
            content += wire.field(14, b"g")
        return b.delimited([b.frame(*head) + in_row(3 if physical_type == QUADS else 2, content)])

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("levels", [1, 2, 10, 100])
    def test_they_may_be_nested(self, levels: int, physical_type: int) -> None:
        """Quoted triples may be nested up to arbitrary depth."""
        term = statements(self.nested(levels, physical_type))[0][2]
        for _ in range(levels):
            assert term[:3] == ("triple", S, P)
            term = term[3]
        assert term == O

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    @pytest.mark.parametrize("levels", [101, 1000, 20_000])
    def test_nesting_beyond_the_limit_is_refused(self, levels: int, physical_type: int) -> None:
        """SHOULD throw an error if the depth of the nesting exceeds the capabilities."""
        refuse(self.nested(levels, physical_type), jr.LimitError, row=True)

    def test_the_limit_on_nesting_can_be_set(self) -> None:
        """Security considerations: set to a reasonable value."""
        for limit in (1, 2, 5):
            limits = jr.Limits(max_nesting_depth=limit)
            assert len(statements(self.nested(limit), limits=limits)) == 1
            refuse(self.nested(limit + 1), jr.LimitError, limits=limits)
        refuse(self.nested(1), jr.LimitError, limits=jr.Limits(max_nesting_depth=0))

    def test_they_may_stand_wherever_a_term_may(self) -> None:
        """RDF terms and graph nodes: *_triple_term; there is none of a graph."""
        quoted = b.triple("s", b.iri(0, 1), b.literal("l"))
        options = {"rdf_star": True, "generalized_statements": True}
        term = ("triple", S, P, lit("l"))
        data = one(b.spo(quoted, quoted, quoted), **options)
        assert statements(data) == [(term, term, term)]
        with pytest.raises(jr.EncodeError):
            write([("A", S, P, O, term)], jr.StreamOptions(**options))


class TestGraphNodes:
    """Graph nodes."""

    @pytest.mark.parametrize(
        ("graph", "term"),
        [
            ("g", G),
            (b.iri(0, 1), P),
            (b.default_graph(), DEFAULT_GRAPH),
            (b.literal("g", lang="en"), lit("g", "en")),
        ],
    )
    @pytest.mark.parametrize("physical_type", [QUADS, GRAPHS])
    def test_every_graph_node_is_read(self, physical_type: int, graph: Any, term: Plain) -> None:
        """Encoded in the same manner as subject, predicate, and object."""
        data = one(
            *some(physical_type, g=graph), physical_type=physical_type, generalized_statements=True
        )
        assert statements(data) == [(S, P, O, term)]

    @pytest.mark.parametrize("physical_type", [QUADS, GRAPHS])
    def test_the_default_graph_is_rdflibs(self, physical_type: int) -> None:
        """RdfDefaultGraph; Issue: rdflib's DATASET_DEFAULT_GRAPH_ID."""
        data = one(*some(physical_type, g=b.default_graph()), physical_type=physical_type)
        ((*_, graph),) = jr.read_statements(data)
        assert graph == DATASET_DEFAULT_GRAPH_ID
        assert type(graph) is URIRef

    @pytest.mark.parametrize("graph", [None, DEFAULT_GRAPH])
    def test_the_writer_names_the_default_graph_as_such(self, graph: Plain | None) -> None:
        """Represented using the RdfDefaultGraph message."""
        for physical_type in (QUADS, GRAPHS):
            options = jr.StreamOptions(physical_type=physical_type)
            fields = [
                message.WhichOneof("graph")
                for row in rows(write([("A", S, P, O, graph)], options))
                for kind in ("quad", "graph_start")
                if row.HasField(kind)
                for message in [getattr(row, kind)]
            ]
            assert fields == ["g_default_graph"]


class TestNamespaceDeclarations:
    """Namespace declarations."""

    @pytest.mark.parametrize(
        "name", ["", "ex", "a.b-c", "é", "\U0001f600", "not a prefix:", "\x00"]
    )
    def test_any_name_is_read(self, name: str) -> None:
        """name: SHOULD conform to PN_PREFIX; an empty string is allowed."""
        (frame,) = read(one(b.namespace(name, b.iri(0, 1)), version=2))
        assert frame.namespaces == [(name, P)]

    def test_the_value_is_required(self) -> None:
        """value: This field is REQUIRED."""
        refuse(one(b.namespace("ex"), version=2), row=True)
        refuse(one(b.namespace("")), row=True)

    def test_an_empty_value_is_a_value(self) -> None:
        """The default value of 0 has the exact same meaning."""
        (frame,) = read(one(b.namespace("ex", b.iri()), version=2))
        assert frame.namespaces == [("ex", P)]

    def test_they_have_no_effect_on_the_statements(self) -> None:
        """MUST NOT be used to shorten IRIs in the stream."""
        data = one(b.namespace("urn", b.iri(0, 1)), triple(), version=2)
        assert statements(data) == [(S, P, O)]

    def test_their_iris_are_numbered_with_the_terms(self) -> None:
        """RdfIri messages in namespace declarations are treated exactly as terms."""
        data = b.stream(
            [
                b.options(version=2), b.prefix("a:"), b.prefix("b:"),
                b.name("1"), b.name("2"), b.name("3"), b.name("4"),
                b.namespace("ex", b.iri(2)), b.spo("s", b.iri(), b.iri(1)),
                b.namespace("ex", b.iri()),
            ]
        )  # fmt: skip
        (frame,) = read(data)
        assert frame.namespaces == [("ex", iri("b:1")), ("ex", iri("a:4"))]
        assert frame.statements == [(S, iri("b:2"), iri("a:3"))]

    @pytest.mark.parametrize("prefixes", [0, 16])
    def test_the_examples(self, prefixes: int) -> None:
        """Example: @prefix ex: <http://example.com/>, with the prefix lookup and without."""
        base = "http://example.com/"
        entries = [b.prefix(base), b.name("")] if prefixes else [b.name(base)]
        row = b.namespace("ex", b.iri(1 if prefixes else 0, 0))
        data = b.stream([b.options(version=2, max_prefix_table_size=prefixes), *entries, row])
        (frame,) = read(data)
        assert frame.namespaces == [("ex", iri(base))]

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

    def test_each_frame_has_its_length_before_it(self) -> None:
        """MUST consist of a series of delimited RdfStreamFrame messages."""
        data = b.stream([b.options(), b.name("urn:p")], [triple()], [b.spo()])
        assert statements(data) == [(S, P, O)] * 2

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_a_bare_frame_is_told_by_its_first_bytes(self, physical_type: int) -> None:
        """protocol.md: a bare frame starts 0x0A, the row's length, 0x0A."""
        options = b.options(physical_type=physical_type)
        data = b.frame(options, b.name("urn:p"), *some(physical_type), metadata={"k": b"v"})
        assert data[0] == 0x0A
        (frame,) = read(data)
        assert frame.statements == statements(data) == [expected(physical_type)]
        assert frame.metadata == {"k": b"v"}

    def test_a_bare_frame_whose_first_row_has_ten_bytes(self) -> None:
        """protocol.md: bare when byte 0 is 0x0A and byte 2 is 0x0A."""
        row = b.options(max_prefix_table_size=0, max_datatype_table_size=0, rdf_star=True)
        data = b.frame(row)
        assert data[:3] == b"\x0a\x0a\x0a"
        assert read(data) == [Frame([], {})]
        assert read(b.delimited([data])) == [Frame([], {})]

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

    def test_a_length_may_take_more_bytes_than_it_needs(self) -> None:
        """Protocol Buffers: varints."""
        frame = b.frame(b.options(), b.name("urn:p"), triple())
        assert statements(wire.varint(len(frame), 5) + frame) == [(S, P, O)]

    def test_the_writer_delimits_its_frames(self) -> None:
        """The files SHOULD be saved in the delimited variant."""
        data = write([("A", S, P, O, G)] * 3, jr.StreamOptions(frame_rows=1))
        assert not wire.looks_bare(data)
        assert len(wire.split(data)) >= 3

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_the_writer_can_write_a_bare_frame(self, physical_type: int) -> None:
        """StreamOptions.delimited."""
        options = jr.StreamOptions(physical_type=physical_type, delimited=False, frame_rows=1)
        data = write([("A", S, P, O, None), ("A", O, P, S, None)], options)
        assert wire.looks_bare(data)
        assert len(statements(data)) == 2
        pb.RdfStreamFrame.FromString(data)


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

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_batches_are_read_of_both(self, physical_type: int) -> None:
        data = one(*some(physical_type), physical_type=physical_type)
        (batch,) = jr.read_batches(data)
        ((op, *terms),) = batch
        terms = tuple(term for term in terms if term is not None)
        assert (op, plain_statement(terms)) == (jr.Op.A, expected(physical_type))
        batch = next(jr.read_batches(b.delimited([self.PATCH])))
        assert [op for (op,) in batch][:2] == [jr.Op.TX, jr.Op.TC]
        assert batch.metadata == {}

    def test_statements_are_rdflibs_terms(self) -> None:
        """Issue: tuples of rdflib's terms."""
        ((s, p, o),) = jr.read_statements(one(triple(o=b.literal("x", "en"))))
        assert (s, p, o) == tuple(map(node, (S, P, lit("x", "en"))))
        assert (type(s), type(p), type(o)) == (BNode, URIRef, Literal)

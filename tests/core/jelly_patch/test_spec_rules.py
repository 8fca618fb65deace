"""One test for each rule of the specification; each is named after its rule and cites its section.

Rules of the format are read from Jelly-Patch ("Patch: …"), its base Jelly-RDF ("RDF: …"), and the
later rulings on both ("Rulings").

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
from jelly_rdflib import Op
from tests.oracle import build as b
from tests.oracle import schema as pb
from tests.oracle import wire
from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.support import read, refuse, write

STREAM_TYPES = [FRAME, FLAT, PUNCTUATED]
STATEMENT_TYPES = [TRIPLES, QUADS]

END: Plain = ("END",)
S, P, O, G = ("bnode", "s"), ("iri", "urn:p"), ("bnode", "o"), ("bnode", "g")  # noqa: E741


def iri(text: str) -> Plain:
    return ("iri", text)


def lit(lex: str, language: str | None = None, datatype: str | None = None) -> Plain:
    return ("literal", lex, language, datatype)


def rows(*content: Any, **options: Any) -> bytes:
    """A stream of one frame: options, a name entry "urn:p" (id 1), then the content."""
    return b.stream([b.options(**options), b.name("urn:p"), *content])


def statement(s: Any = "s", o: Any = "o", g: Any = None) -> Any:
    """An add whose predicate is name 1."""
    return b.add(s, b.iri(0, 1), o, g)


def parse(data: bytes) -> list[Any]:
    """Return the frames (messages) of a delimited stream."""
    return [pb.RdfPatchFrame.FromString(part) for part in wire.split(data)]


def parse_rows(data: bytes) -> list[Any]:
    return [row for frame in parse(data) for row in frame.rows]


def kinds(data: bytes) -> list[str]:
    return [row.WhichOneof("row") for row in parse_rows(data)]


class TestVersioning:
    """Patch: Versioning, Patch stream options."""

    @pytest.mark.parametrize("version", [2, 3, 10_000, 10_001, 2**32 - 1])
    def test_a_version_above_the_implementations_is_refused(self, version: int) -> None:
        """Patch: Patch stream options, version: SHOULD throw if greater."""
        refuse(rows(version=version), row=True)

    def test_version_zero_is_refused(self) -> None:
        """Patch: Patch stream options, version: SHOULD throw if zero."""
        refuse(rows(version=0), row=True)

    def test_version_one_is_read(self) -> None:
        """Patch: Versioning, backward compatibility."""
        assert read(rows(version=1)) == [END]

    def test_the_writer_sets_the_version(self) -> None:
        """Patch: Patch stream options, version: the producer MUST set it, as low as possible."""
        assert parse_rows(write([END]))[0].options.version == 1


class TestProtobuf:
    """Patch: Format specification: a compliant Protocol Buffers implementation."""

    def test_unknown_fields_are_skipped_in_every_message(self) -> None:
        """RDF: Forward compatibility, and Protocol Buffers' own rules."""
        extra = (
            wire.tag(100, wire.VARINT) + b"\x01" + wire.tag(101, wire.I64) + bytes(8)
            + wire.field(102, b"abc") + wire.tag(103, wire.I32) + bytes(4)
            + wire.tag(104, wire.GROUP_START) + wire.field(1, b"x") + wire.tag(104, wire.GROUP_END)
        )  # fmt: skip

        def message(content: Any) -> bytes:
            return extra + bytes(content.SerializeToString()) + extra

        def row(number: int, content: bytes) -> bytes:
            return wire.field(1, extra + wire.field(number, content) + extra)

        an_iri = message(pb.RdfIri(name_id=1))
        a_literal = message(b.literal("l", datatype=1))
        quoted = extra + wire.field(1, an_iri) + wire.field(5, an_iri) + wire.field(9, an_iri)
        quad = (
            extra + wire.field(4, quoted) + extra + wire.field(5, an_iri) + extra
            + wire.field(11, a_literal) + wire.field(15, extra)
        )  # fmt: skip
        namespace = extra + wire.field(1, b"ex") + wire.field(2, an_iri)
        options = b.options(stream_type=PUNCTUATED, statement_type=QUADS, rdf_star=True)
        frame = (
            row(1, message(options.options))
            + extra
            + row(11, message(pb.RdfNameEntry(value="urn:p")))
            + row(12, message(pb.RdfPrefixEntry(value="")))
            + row(13, message(pb.RdfDatatypeEntry(value="urn:d")))
            + row(6, extra)
            + row(2, quad)
            + row(7, extra)
            + row(4, namespace)
            + row(14, extra + wire.field(1, b"id") + wire.field(2, an_iri))
            + row(15, extra)
        )  # fmt: skip
        p = iri("urn:p")
        assert read(b.delimited([frame])) == [
            ("TX",),
            ("A", ("triple", p, p, p), p, lit("l", None, "urn:d"), DEFAULT_GRAPH),
            ("TC",),
            ("PA", "ex", p, DEFAULT_GRAPH),
            ("H", "id", p),
            END,
        ]

    @pytest.mark.parametrize("number", [9, 10, 16, 2**29 - 1])
    def test_a_field_yet_unknown_may_stand_in_a_row_beside_a_known_one(self, number: int) -> None:
        """Patch: Patch rows: fields 9 and 10 are reserved for future use."""
        inner = wire.field(number, b"future") + wire.field(6, b"") + wire.field(number, 7)
        options = b.frame(b.options())
        data = b.delimited([options + wire.field(1, inner) + wire.field(1, wire.field(7, b""))])
        assert read(data) == [("TX",), ("TC",), END]

    def test_the_last_of_a_oneof_wins(self) -> None:
        """Protocol Buffers: oneof."""
        quad = (
            wire.field(2, b"lost") + wire.field(1, b"\x10\x63") + wire.field(2, b"s")
            + wire.field(5, b"\x10\x01") + wire.field(9, b"\x10\x63") + wire.field(10, b"o")
        )  # fmt: skip
        data = b.delimited([b.frame(b.options(), b.name("urn:p")) + _row(2, quad)])
        assert read(data) == [("A", S, P, O, None), END]

    def test_a_overwritten_iri_does_not_move_the_default_ids(self) -> None:
        """Protocol Buffers: oneof; RDF: IRIs."""
        quad = (
            wire.field(1, b"\x10\x02") + wire.field(2, b"s")
            + wire.field(5, b"") + wire.field(9, b"\x10\x05") + wire.field(10, b"o")
        )  # fmt: skip
        head = b.frame(b.options(), b.name("urn:p"), b.name("urn:q"))
        data = b.delimited([head + _row(2, quad) + b.frame(b.add("s", b.iri(), "o"))])
        assert read(data) == [("A", S, P, O, None), ("A", S, iri("urn:q"), O, None), END]

    def test_the_last_kind_of_a_row_wins(self) -> None:
        """Protocol Buffers: oneof; Patch: Patch rows."""
        both = wire.field(11, wire.field(2, b"urn:lost")) + wire.field(6, b"")
        data = b.delimited([b.frame(b.options()) + wire.field(1, both) + b.frame(b.commit())])
        assert read(data) == [("TX",), ("TC",), END]

    def test_an_entry_that_was_overwritten_defines_nothing(self) -> None:
        """Protocol Buffers: oneof; RDF: lookup entries."""
        both = wire.field(11, b"\x08\x05\x12\x01x") + wire.field(11 + 1, b"\x12\x01p")
        head = b.frame(b.options(), b.name("urn:p")) + wire.field(1, both)
        tail = b.frame(b.name("q"), b.add("s", b.iri(1, 2), "o"))
        assert read(b.delimited([head + tail])) == [("A", S, iri("pq"), O, None), END]

    def test_the_same_message_field_twice_merges(self) -> None:
        """Protocol Buffers: last one wins for scalars, messages merge."""
        quad = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(5, b"\x10\x02")
            + wire.field(11, b"\x0a\x01x\x12\x02en") + wire.field(11, b"\x12\x02de")
        )  # fmt: skip
        head = b.frame(b.options(), b.prefix("urn:"), b.name("x"), b.name("p"))
        assert read(b.delimited([head + _row(2, quad)])) == [("A", S, P, lit("x", "de"), None), END]

    def test_a_row_in_two_halves_merges(self) -> None:
        """Protocol Buffers: the same message field twice merges, in rows too."""
        inner = wire.field(2, wire.field(2, b"s") + wire.field(5, b"\x10\x01"))
        inner += wire.field(2, wire.field(10, b"o"))
        data = b.delimited([b.frame(b.options(), b.name("urn:p")) + wire.field(1, inner)])
        assert read(data) == [("A", S, P, O, None), END]

    def test_a_oneof_set_again_after_another_member_starts_afresh(self) -> None:
        """Protocol Buffers: oneof: setting a member clears the others, so nothing merges."""
        quad = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(6, b"b")
            + wire.field(5, b"\x10\x02") + wire.field(10, b"o")
        )  # fmt: skip
        head = b.frame(b.options(), b.prefix("urn:"), b.name("x"), b.name("p"))
        assert read(b.delimited([head + _row(2, quad)])) == [("A", S, iri("p"), O, None), END]

    def test_the_last_of_a_scalar_wins(self) -> None:
        """Protocol Buffers: last one wins."""
        entry = b"\x08\x07\x12\x01x\x08\x00\x12\x05urn:p"
        data = b.delimited([b.frame(b.options()) + _row(11, entry) + b.frame(statement())])
        assert read(data) == [("A", S, P, O, None), END]

    def test_fields_may_come_in_any_order(self) -> None:
        """Protocol Buffers: field order. IRIs are numbered by their terms' order all the same."""
        quad = wire.field(9, b"") + wire.field(5, b"") + wire.field(1, b"")
        head = b.frame(b.options(), b.name("s"), b.name("p"), b.name("o"))
        data = b.delimited([head + _row(2, quad)])
        assert read(data) == [("A", iri("s"), iri("p"), iri("o"), None), END]

    def test_an_iri_message_may_be_empty(self) -> None:
        """Protocol Buffers: defaults are not written; RDF: IRIs."""
        assert read(rows(b.add("s", b.iri(), "o"))) == [("A", S, P, O, None), END]


def _row(number: int, content: bytes) -> bytes:
    """A row of a frame, by the number of its kind."""
    return wire.field(1, wire.field(number, content))


class TestPatchFrames:
    """Patch: Patch frames, Ordering."""

    def test_frames_are_decoded_in_order_and_share_state(self) -> None:
        """Patch: Ordering: MUST be processed strictly in order."""
        data = b.stream(
            [b.options(), b.name("urn:p")],
            [statement("s", "o")],
            [b.add(None, None, "x")],
            [],
            [b.delete()],
        )
        x = ("bnode", "x")
        assert read(data) == [("A", S, P, O, None), ("A", S, P, x, None), ("D", S, P, x, None), END]

    def test_a_frame_may_have_no_rows(self) -> None:
        """Patch: Patch frames: any number of rows."""
        assert read(b.stream([b.options()], [], [])) == [END]

    @pytest.mark.parametrize("stream_type", ["FLAT", "PUNCTUATED"])
    def test_the_writer_keeps_frames_small(self, stream_type: str) -> None:
        """Patch: Patch frames: RECOMMENDED below 1 MB."""
        big = lit("x" * 10_000)
        options = jr.PatchOptions(stream_type=stream_type, statement_type="TRIPLES")
        data = write([("A", ("bnode", str(n)), P, big, None) for n in range(300)], options)
        frames = wire.split(data)
        assert len(frames) == 1  # the object repeats, and takes no room
        different = [("A", S, P, lit(f"{n}" + "x" * 10_000), None) for n in range(300)]
        frames = wire.split(write(different, options))
        assert max(map(len, frames)) < 1_048_576
        assert len(frames) > 1


class TestPatchRows:
    """Patch: Patch rows."""

    def test_a_row_must_have_a_kind(self) -> None:
        """Patch: Patch rows: exactly one of the fields MUST be set."""
        refuse(b.stream([b.options(), pb.RdfPatchRow()]), row=True)

    @pytest.mark.parametrize("number", [9, 10, 16])
    def test_a_row_of_an_unknown_kind_alone_is_refused(self, number: int) -> None:
        """Patch: Patch rows."""
        refuse(b.delimited([b.frame(b.options()) + _row(number, b"")]), row=True)

    @pytest.mark.parametrize(
        ("row", "operation"),
        [
            (b.add("s", b.iri(0, 1), "o", "g"), ("A", S, P, O, G)),
            (b.delete("s", b.iri(0, 1), "o", "g"), ("D", S, P, O, G)),
            (b.prefix_add("ex", b.iri(0, 1), "g"), ("PA", "ex", P, G)),
            (b.prefix_delete("ex", b.iri(0, 1), "g"), ("PD", "ex", P, G)),
            (b.header("id", "s"), ("H", "id", S)),
        ],
    )
    def test_rows_are_the_operations_of_rdf_patch(self, row: Any, operation: Plain) -> None:
        """Patch: Patch rows: MUST be interpreted as the listed row types."""
        assert read(rows(row, statement_type=QUADS)) == [operation, END]

    def test_transaction_rows_are_the_operations_of_rdf_patch(self) -> None:
        """Patch: Patch rows: MUST be interpreted as the listed row types."""
        data = rows(b.begin(), b.commit(), b.begin(), b.abort())
        assert read(data) == [("TX",), ("TC",), ("TX",), ("TA",), END]

    def test_options_and_entries_are_no_operations(self) -> None:
        """Patch: Patch rows: these do not correspond to any row type in RDF Patch."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.name("x"), b.prefix("x"), b.datatype("x")]
        )
        assert read(data) == []


class TestPatchStreamTypes:
    """Patch: Patch stream types."""

    @pytest.mark.parametrize("stream_type", [0, 4, 99, -1, 2**31 - 1])
    def test_an_unspecified_or_undefined_stream_type_is_refused(self, stream_type: int) -> None:
        """Patch: Patch stream types: UNSPECIFIED MUST NOT be used; options: REQUIRED."""
        refuse(rows(stream_type=stream_type), row=True)

    def test_in_frame_each_frame_is_a_patch(self) -> None:
        """Patch: Patch stream types, FRAME."""
        data = b.stream(
            [b.options(stream_type=FRAME), b.name("urn:p"), statement()],
            [],
            [b.delete(), b.add()],
        )
        assert read(data) == [
            ("A", S, P, O, None), END, END, ("D", S, P, O, None), ("A", S, P, O, None), END,
        ]  # fmt: skip

    def test_in_frame_a_frame_of_options_alone_is_an_empty_patch(self) -> None:
        """Patch: Patch stream types, FRAME: every frame is a complete patch."""
        assert read(b.stream([b.options(stream_type=FRAME)])) == [END]

    def test_in_frame_a_transaction_must_not_span_frames(self) -> None:
        """Patch: Patch stream types, FRAME; Transactions."""
        data = b.stream([b.options(stream_type=FRAME), b.begin()], [b.commit()])
        error = refuse(data)
        assert error.frame == 0

    @pytest.mark.parametrize("stream_type", [FRAME, FLAT])
    def test_punctuation_is_refused_elsewhere_than_in_punctuated(self, stream_type: int) -> None:
        """Patch: Patch stream types, FRAME and FLAT: MUST NOT contain punctuation."""
        error = refuse(b.stream([b.options(stream_type=stream_type), b.punctuation()]), row=True)
        assert (error.frame, error.row) == (0, 1)

    def test_in_flat_all_frames_are_one_patch(self) -> None:
        """Patch: Patch stream types, FLAT."""
        data = b.stream([b.options(), b.name("urn:p"), statement()], [], [b.delete()])
        assert read(data) == [("A", S, P, O, None), ("D", S, P, O, None), END]

    def test_in_flat_an_empty_stream_is_an_empty_patch(self) -> None:
        """Patch: Patch stream types, FLAT: the entire stream is a single patch."""
        assert read(b.stream([b.options()])) == [END]

    def test_in_flat_a_transaction_may_span_frames(self) -> None:
        """Patch: Patch stream types, FLAT: MUST be interpreted as a single transaction."""
        data = b.stream([b.options(), b.begin()], [b.name("urn:p"), statement()], [b.commit()])
        assert read(data) == [("TX",), ("A", S, P, O, None), ("TC",), END]

    def test_in_punctuated_a_mark_ends_a_patch_whatever_frames_do(self) -> None:
        """Patch: Patch stream types, PUNCTUATED."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.name("urn:p"), statement()],
            [b.delete()],
            [b.punctuation()],
            [b.add()],
            [b.punctuation()],
        )
        added, deleted = ("A", S, P, O, None), ("D", S, P, O, None)
        assert read(data) == [added, deleted, END, added, END]

    def test_a_mark_may_stand_anywhere_in_a_frame(self) -> None:
        """Rulings: start, middle or end."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.name("urn:p"), statement()],
            [b.punctuation(), b.add(), b.punctuation(), b.add(), b.add(), b.punctuation()],
        )
        added = ("A", S, P, O, None)
        assert read(data) == [added, END, added, END, added, added, END]

    def test_marks_next_to_each_other_are_empty_patches(self) -> None:
        """Patch: Punctuated streams: a mark at the start is an empty patch."""
        mark = b.punctuation
        data = b.stream([b.options(stream_type=PUNCTUATED), mark(), mark()], [mark()])
        assert read(data) == [END, END, END]

    def test_operations_after_the_last_mark_are_the_last_patch(self) -> None:
        """Issue: Jelly-JVM's writer leaves it unmarked."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.punctuation(), b.header("id", "s")],
        )
        assert read(data) == [END, ("H", "id", S), END]

    def test_entries_after_the_last_mark_are_no_patch(self) -> None:
        """Patch: Patch rows: entries and options are no operations."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.header("id", "s"), b.punctuation()],
            [b.name("x"), b.prefix("x"), b.datatype("x"), b.options(stream_type=PUNCTUATED)],
        )
        assert read(data) == [("H", "id", S), END]

    def test_a_mark_inside_a_transaction_is_refused(self) -> None:
        """Rulings: it must not stand inside a transaction."""
        data = b.stream([b.options(stream_type=PUNCTUATED), b.begin(), b.punctuation(), b.commit()])
        assert refuse(data, row=True).row == 2

    def test_in_punctuated_a_transaction_may_span_frames(self) -> None:
        """Rulings: it may span frames but not punctuation."""
        data = b.stream(
            [b.options(stream_type=PUNCTUATED), b.begin()], [], [b.commit()], [b.punctuation()]
        )
        assert read(data) == [("TX",), ("TC",), END]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_no_terms_or_entries_are_forgotten_between_patches(self, stream_type: int) -> None:
        """Patch: Ordering; RDF: Repeated terms: state is the stream's."""
        mark = [b.punctuation()] if stream_type == PUNCTUATED else []
        data = b.stream(
            [b.options(stream_type=stream_type), b.name("urn:p"), statement(), *mark],
            [b.add(None, b.iri(0, 1)), *mark],
        )
        operations = read(data)
        assert [op for op in operations if op != END] == [("A", S, P, O, None)] * 2

    def test_the_writer_marks_each_patch_of_a_punctuated_stream(self) -> None:
        """Patch: Patch stream types, PUNCTUATED: the mark at the end of a patch."""
        data = write([("H", "id", S), END, END, ("H", "id", S), END])
        got = [kind for kind in kinds(data) if kind not in ("options", "name", "prefix")]
        assert got == ["header", "punctuation", "punctuation", "header", "punctuation"]

    def test_the_writer_puts_no_mark_inside_a_transaction(self) -> None:
        """Rulings: it must not stand inside a transaction."""
        with jr.PatchWriter(io.BytesIO()) as writer:
            writer.begin()
            with pytest.raises(jr.EncodeError):
                writer.end_patch()
            writer.commit()

    @pytest.mark.parametrize("stream_type", ["FRAME", "FLAT"])
    def test_the_writer_puts_no_mark_elsewhere_than_in_punctuated(self, stream_type: str) -> None:
        """Patch: Patch stream types, FRAME and FLAT: MUST NOT contain punctuation."""
        data = write([("H", "id", S), END], jr.PatchOptions(stream_type=stream_type))
        assert "punctuation" not in kinds(data)

    def test_the_writer_makes_one_frame_of_each_patch_in_frame(self) -> None:
        """Patch: Patch stream types, FRAME: every frame is a complete patch."""
        patch = [("A", ("bnode", str(n)), P, O, DEFAULT_GRAPH) for n in range(50)]
        options = jr.PatchOptions(stream_type="FRAME", frame_rows=10, frame_bytes=100)
        frames = parse(write([*patch, END, END, *patch, END], options))
        counts = [
            sum(row.WhichOneof("row") == "statement_add" for row in frame.rows) for frame in frames
        ]
        assert counts == [50, 0, 50]


class TestStatementTypes:
    """Patch: Statement types, RDF statements."""

    @pytest.mark.parametrize("statement_type", [0, 3, 99, -1])
    def test_an_unspecified_or_undefined_statement_type_is_refused(
        self, statement_type: int
    ) -> None:
        """Patch: Statement types: UNSPECIFIED MUST NOT be used; options: REQUIRED."""
        refuse(rows(statement_type=statement_type), row=True)

    def test_in_triples_the_graph_is_unspecified(self) -> None:
        """Patch: Statement types, TRIPLES."""
        data = rows(statement(), b.prefix_add("ex", b.iri(0, 1)))
        assert read(data) == [("A", S, P, O, None), ("PA", "ex", P, None), END]

    @pytest.mark.parametrize(
        "graph", ["g", b.iri(0, 2), b.literal("g"), pb.RdfDefaultGraph()], ids=repr
    )
    def test_in_triples_a_graph_is_ignored(self, graph: Any) -> None:
        """Patch: RDF statements, TRIPLES: the consumer SHOULD ignore the graph term."""
        head = [b.name("urn:x"), b.name("urn:y"), b.name("urn:z")]
        data = rows(
            *head,
            statement(g=graph),
            b.add("s", b.iri(), "o", graph),
            b.prefix_add("ex", b.iri(), graph),
            b.prefix_delete("ex", None, graph),
            b.add("s", b.iri(0, 4)),
        )
        assert read(data) == [
            ("A", S, P, O, None),
            ("A", S, iri("urn:x"), O, None),
            ("PA", "ex", iri("urn:y"), None),
            ("PD", "ex", None, None),
            ("A", S, iri("urn:z"), O, None),
            END,
        ]

    def test_in_triples_the_ids_of_a_prefixs_graph_count(self) -> None:
        """Patch: RDF terms and graph nodes: processed in the order of the rows."""
        data = rows(
            b.prefix("urn:"),
            b.name("x"),
            b.name("y"),
            b.prefix_add("ex", b.iri(0, 2), b.iri(1, 0)),
            b.prefix_delete("ex", None, b.iri(0, 1)),
            b.add("s", b.iri(), "o"),
        )
        assert read(data) == [
            ("PA", "ex", iri("x"), None),
            ("PD", "ex", None, None),
            ("A", S, iri("urn:x"), O, None),
            END,
        ]
        refuse(rows(b.prefix_add("ex", b.iri(0, 1), b.iri())), row=True)

    def test_in_quads_the_graph_is_part_of_the_statement(self) -> None:
        """Patch: Statement types, QUADS."""
        data = rows(
            statement(g="g"),
            b.add(g=b.iri(0, 1)),
            b.add(g=pb.RdfDefaultGraph()),
            b.add(),
            statement_type=QUADS,
        )
        assert [op[4] for op in read(data)[:-1]] == [G, P, DEFAULT_GRAPH, DEFAULT_GRAPH]

    def test_the_default_graph_is_rdflibs(self) -> None:
        """Issue: the default graph in QUADS is DATASET_DEFAULT_GRAPH_ID."""
        data = rows(statement(g=pb.RdfDefaultGraph()), statement_type=QUADS)
        (operation, _) = jr.read_operations(data)
        assert operation[4] == DATASET_DEFAULT_GRAPH_ID
        assert type(operation[4]) is URIRef

    def test_in_quads_an_unset_graph_repeats(self) -> None:
        """Patch: Statement types, QUADS: MUST be interpreted as a repeated graph term."""
        data = rows(statement(g="g"), b.delete(), statement_type=QUADS)
        assert read(data) == [("A", S, P, O, G), ("D", S, P, O, G), END]

    def test_in_quads_the_first_graph_must_be_set(self) -> None:
        """Patch: RDF statements, QUADS; RDF: Repeated terms: not in the first statement."""
        refuse(rows(statement(), statement_type=QUADS), row=True)

    def test_the_writer_sets_no_graph_in_triples(self) -> None:
        """Patch: Statement types, TRIPLES: MUST NOT contain messages with the graph set."""
        options = jr.PatchOptions(statement_type="TRIPLES")
        data = write(
            [("A", S, P, O, None), ("PA", "ex", P, None), ("PD", "ex", None, None)], options
        )
        for row in parse_rows(data):
            kind = row.WhichOneof("row")
            if kind in ("statement_add", "namespace_add", "namespace_delete"):
                assert getattr(row, kind).WhichOneof("graph") is None

    @pytest.mark.parametrize(
        "operation", [("A", S, P, O, G), ("PA", "ex", P, G), ("PD", "ex", P, DEFAULT_GRAPH)]
    )
    def test_the_writer_refuses_a_graph_in_triples(self, operation: Plain) -> None:
        """Patch: Statement types, TRIPLES: MUST NOT contain messages with the graph set."""
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(statement_type="TRIPLES"))

    def test_the_writer_takes_no_graph_for_the_default_graph_in_quads(self) -> None:
        """Patch: RDF statements, QUADS: the graph MUST be set, unless it repeats."""
        data = write([("A", S, P, O, None), ("PA", "ex", P, None), ("D", S, P, O, None)])
        assert read(data) == [
            ("A", S, P, O, DEFAULT_GRAPH),
            ("PA", "ex", P, DEFAULT_GRAPH),
            ("D", S, P, O, DEFAULT_GRAPH),
            END,
        ]

    def test_the_writer_names_the_default_graph_as_such(self) -> None:
        """Patch: Namespaces, note: g_default_graph; RDF: Graph nodes."""
        data = write([("A", S, P, O, DEFAULT_GRAPH)])
        quad = next(row.statement_add for row in parse_rows(data) if row.HasField("statement_add"))
        assert quad.WhichOneof("graph") == "g_default_graph"


class TestPatchStreamOptions:
    """Patch: Patch stream options."""

    def test_options_must_come_first(self) -> None:
        """Patch: Patch stream options: MUST be the first row."""
        refuse(b.stream([b.name("urn:p"), b.options()]), row=True, after=[])
        refuse(b.stream([b.begin(), b.commit()]), row=True, after=[])

    def test_an_input_without_rows_is_refused(self) -> None:
        """Patch: Patch stream options: MUST be the first row."""
        refuse(b"", row=False)
        refuse(b"\x00")
        refuse(b"\x00\x00\x00")

    def test_options_may_be_repeated(self) -> None:
        """Patch: Patch stream options: SHOULD NOT throw if present more than once."""
        again = b.options()
        data = b.stream(
            [again, again, b.name("urn:p"), again, statement(), again, b.begin()],
            [again],
            [b.add(), b.commit(), again],
        )
        added = ("A", S, P, O, None)
        assert read(data) == [added, ("TX",), added, ("TC",), END]

    def test_repeated_options_leave_the_lookups_as_they_are(self) -> None:
        """Patch: Patch stream options; RDF: lookup entries."""
        data = rows(b.options(), b.name("urn:q"), b.add("s", b.iri(0, 1), b.iri()))
        assert read(data) == [("A", S, P, iri("urn:q"), None), END]

    @pytest.mark.parametrize(
        "change",
        [
            {"stream_type": FRAME},
            {"stream_type": 0},
            {"statement_type": QUADS},
            {"generalized_statements": True},
            {"rdf_star": True},
            {"max_name_table_size": 17},
            {"max_prefix_table_size": 15},
            {"max_datatype_table_size": 0},
            {"version": 2},
            {"version": 0},
        ],
        ids=str,
    )
    def test_options_that_change_are_refused(self, change: dict[str, Any]) -> None:
        """Rulings: a later options row that differs from the first is an error."""
        error = refuse(b.stream([b.options(), b.options()], [b.options(**change)]), row=True)
        assert (error.frame, error.row) == (1, 0)

    def test_options_spelled_in_another_way_are_the_same(self) -> None:
        """Protocol Buffers: order of fields, defaults on the wire; Patch: options identical."""
        plain = b.options()
        fields = [(15, 1), (11, 16), (10, 16), (9, 16), (4, 0), (3, 0), (2, FLAT), (1, TRIPLES)]
        odd = b"".join(wire.field(number, value) for number, value in fields)
        data = b.delimited([b.frame(plain) + _row(1, odd) + _row(1, odd + wire.field(77, b"new"))])
        assert read(data) == [END]

    @pytest.mark.parametrize("size", range(8))
    def test_a_name_lookup_below_eight_is_refused(self, size: int) -> None:
        """Patch: Patch stream options, max_name_table_size: MUST be at least 8."""
        refuse(b.stream([b.options(max_name_table_size=size)]), row=True)

    def test_sizes_within_the_limits_are_read(self) -> None:
        """Patch: Patch stream options: the sizes are the producer's choice."""
        for sizes in [(8, 0, 0), (8, 1, 1), (4096, 1024, 256)]:
            names, prefixes, datatypes = sizes
            data = b.stream(
                [
                    b.options(
                        max_name_table_size=names,
                        max_prefix_table_size=prefixes,
                        max_datatype_table_size=datatypes,
                    )
                ]
            )
            assert read(data) == [END]

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
        """RDF: Security considerations, overly large lookup tables."""
        refuse(b.stream([b.options(**{field: size})]), jr.LimitError, row=True)

    def test_limits_on_lookups_can_be_set(self) -> None:
        """RDF: Security considerations: a configurable limit."""
        data = b.stream([b.options()])
        for field in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            refuse(data, jr.LimitError, limits=jr.Limits(**{field: 15}))
            assert read(data, limits=jr.Limits(**{field: 16})) == [END]
        big = b.stream([b.options(max_name_table_size=100_000)])
        assert read(big, limits=jr.Limits(max_name_table_size=100_000)) == [END]

    @pytest.mark.parametrize("place", ["subject", "predicate", "graph", "inner", "pa", "pd"])
    def test_generalized_terms_need_the_option(self, place: str) -> None:
        """Patch: Patch stream options, generalized_statements: MUST be true if they are used."""
        word = b.literal("l")
        p = b.iri(0, 1)
        make_row = {
            "subject": b.add(word, p, "o", "g"),
            "predicate": b.add("s", "p", "o", "g"),
            "graph": b.add("s", p, "o", word),
            "inner": b.add(b.triple(word, p, "o"), p, "o", "g"),
            "pa": b.prefix_add("ex", p, word),
            "pd": b.prefix_delete("ex", p, word),
        }
        row = make_row[place]
        refuse(rows(row, statement_type=QUADS, rdf_star=True), row=True)
        assert (
            len(read(rows(row, statement_type=QUADS, rdf_star=True, generalized_statements=True)))
            == 2
        )

    @pytest.mark.parametrize("predicate", ["b", b.literal("l"), b.triple("s", b.iri(0, 1), "o")])
    def test_a_generalized_predicate_needs_the_option(self, predicate: Any) -> None:
        """Patch: Patch stream options, generalized_statements."""
        row = b.add("s", predicate, "o")
        refuse(rows(row, rdf_star=True), row=True)
        ((_, _, p, _, _), _) = read(rows(row, rdf_star=True, generalized_statements=True))
        assert p in [("bnode", "b"), lit("l"), ("triple", S, P, O)]

    @pytest.mark.parametrize(
        "make_row",
        [
            lambda t: b.add(t, b.iri(0, 1), "o"),
            lambda t: b.add("s", b.iri(0, 1), t),
            lambda t: b.delete("s", b.iri(0, 1), t),
            lambda t: b.header("id", t),
        ],
    )
    def test_quoted_triples_need_the_option(self, make_row: Any) -> None:
        """Patch: Patch stream options, rdf_star: MUST be true if it is used."""
        row = make_row(b.triple("s", b.iri(0, 1), "o"))
        refuse(rows(row), row=True)
        refuse(rows(row, generalized_statements=True), row=True)
        assert ("triple", S, P, O) in read(rows(row, rdf_star=True))[0]

    def test_the_writer_writes_the_options_first(self) -> None:
        """Patch: Patch stream options: MUST be the first row in the stream."""
        for stream_type in ("FRAME", "FLAT", "PUNCTUATED"):
            data = write([("H", "id", P), END], jr.PatchOptions(stream_type=stream_type))
            assert kinds(data)[0] == "options"

    def test_the_writer_writes_the_options_of_a_stream_without_operations(self) -> None:
        """Patch: Patch stream options: MUST be the first row in the stream."""
        for stream_type in ("FRAME", "FLAT", "PUNCTUATED"):
            assert kinds(write([], jr.PatchOptions(stream_type=stream_type))) == ["options"]

    def test_the_writer_writes_the_options_it_was_given(self) -> None:
        """Patch: Patch stream options: every field."""
        fields: dict[str, Any] = {
            "statement_type": TRIPLES,
            "stream_type": FRAME,
            "generalized_statements": True,
            "rdf_star": True,
            "max_name_table_size": 11,
            "max_prefix_table_size": 7,
            "max_datatype_table_size": 5,
            "version": 1,
        }
        got = parse_rows(write([], jr.PatchOptions(**fields)))[0].options
        assert {name: getattr(got, name) for name in fields} == fields
        got = parse_rows(write([]))[0].options
        assert (got.statement_type, got.stream_type) == (QUADS, PUNCTUATED)
        assert not got.generalized_statements
        assert not got.rdf_star
        sizes = (got.max_name_table_size, got.max_prefix_table_size, got.max_datatype_table_size)
        assert sizes == (4000, 150, 32)
        got = parse_rows(write([], jr.PatchOptions.small()))[0].options
        sizes = (got.max_name_table_size, got.max_prefix_table_size, got.max_datatype_table_size)
        assert sizes == (128, 16, 16)

    @pytest.mark.parametrize("size", [0, 7])
    def test_the_writer_refuses_a_name_lookup_below_eight(self, size: int) -> None:
        """Patch: Patch stream options, max_name_table_size: MUST be at least 8."""
        with pytest.raises(ValueError, match="max_name_table_size"):
            jr.PatchOptions(max_name_table_size=size)

    @pytest.mark.parametrize(
        "operation",
        [
            ("A", lit("l"), P, O, G),
            ("A", S, S, O, G),
            ("A", S, lit("l"), O, G),
            ("A", S, P, O, lit("l")),
            ("D", lit("l"), P, O, G),
            ("PA", "ex", P, lit("l")),
            ("PD", "ex", P, lit("l")),
        ],
    )
    def test_the_writer_refuses_generalized_terms_without_the_option(
        self, operation: Plain
    ) -> None:
        """Patch: Patch stream options, generalized_statements: MUST be true if they are used."""
        with pytest.raises(jr.EncodeError):
            write([operation])
        data = write([operation], jr.PatchOptions(generalized_statements=True))
        assert read(data) == [operation, END]

    @pytest.mark.parametrize(
        "operation",
        [
            ("A", ("triple", S, P, O), P, O, G),
            ("D", S, P, ("triple", S, P, O), G),
            ("H", "id", ("triple", S, P, O)),
        ],
    )
    def test_the_writer_refuses_quoted_triples_without_the_option(self, operation: Plain) -> None:
        """Patch: Patch stream options, rdf_star: MUST be true if it is used."""
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(generalized_statements=True))
        assert read(write([operation], jr.PatchOptions(rdf_star=True))) == [operation, END]

    def test_the_writer_refuses_generalized_terms_in_quoted_triples(self) -> None:
        """Patch: Patch stream options, generalized_statements."""
        for inner in [("triple", lit("l"), P, O), ("triple", S, S, O)]:
            for operation in [("A", S, P, inner, G), ("H", "id", inner)]:
                with pytest.raises(jr.EncodeError):
                    write([operation], jr.PatchOptions(rdf_star=True))
                both = jr.PatchOptions(rdf_star=True, generalized_statements=True)
                assert read(write([operation], both)) == [operation, END]

    def test_the_writer_refuses_a_predicate_that_is_a_quoted_triple(self) -> None:
        """Patch: Patch stream options, generalized_statements."""
        operation = ("A", S, ("triple", S, P, O), O, G)
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(rdf_star=True))
        both = jr.PatchOptions(rdf_star=True, generalized_statements=True)
        assert read(write([operation], both)) == [operation, END]


LOOKUPS = {
    "name": (b.name, "max_name_table_size", lambda n: b.add("s", b.iri(0, n), "o")),
    "prefix": (b.prefix, "max_prefix_table_size", lambda n: b.add("s", b.iri(n, 1), "o")),
    "datatype": (
        b.datatype,
        "max_datatype_table_size",
        lambda n: b.add("s", b.iri(0, 1), b.literal("l", datatype=n)),
    ),
}


@pytest.fixture(params=LOOKUPS)
def lookup(request: pytest.FixtureRequest) -> Any:
    """Its entry row, the field of its size, and a row that uses an entry."""
    return LOOKUPS[request.param]


def used(operation: Plain) -> str:
    """The text of the entry that a row of `LOOKUPS` uses, with a name that is empty."""
    o = operation[3]
    return str(o[3] if o[0] == "literal" else operation[2][1])


class TestLookupEntries:
    """RDF: Prefix, name, and datatype lookup entries."""

    def head(self, lookup: Any, **options: Any) -> list[Any]:
        """Options, and an empty name 1 for the lookups of prefixes and datatypes."""
        return [b.options(**options), *([] if lookup[0] is b.name else [b.name("")])]

    def test_id_zero_in_the_first_entry_is_one(self, lookup: Any) -> None:
        """RDF: lookup entries: MUST be interpreted as 1."""
        make, _, use = lookup
        assert used(read(b.stream([*self.head(lookup), make("a"), use(1)]))[0]) == "a"

    def test_id_zero_in_a_later_entry_is_the_previous_plus_one(self, lookup: Any) -> None:
        """RDF: lookup entries: previous_index + 1."""
        make, _, use = lookup
        entries = [make("a", 5), make("b"), make("c"), make("d", 3), make("e")]
        data = b.stream([*self.head(lookup), *entries, use(5), use(6), use(7), use(3), use(4)])
        # e has overwritten nothing: d is 3, e is 4
        assert list(map(used, read(data)[:-1])) == ["a", "b", "c", "d", "e"]

    def test_ids_count_on_across_frames(self, lookup: Any) -> None:
        """RDF: lookup entries; Patch: Ordering."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 2)], [make("b"), use(3)], [use(2)])
        assert list(map(used, read(data)[:-1])) == ["b", "a"]

    def test_an_entry_may_be_set_anew(self, lookup: Any) -> None:
        """RDF: lookup entries: the modification MUST apply to all subsequent rows."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 4), use(4), make("b", 4), use(4)])
        assert list(map(used, read(data)[:-1])) == ["a", "b"]

    def test_an_entry_set_anew_leaves_repeated_terms_alone(self, lookup: Any) -> None:
        """RDF: Repeated terms: the same term, whatever has become of its entries."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 4), use(4), make("b", 4)], [b.add()])
        assert list(map(used, read(data)[:-1])) == ["a", "a"]

    def test_an_entry_that_was_never_set_is_refused(self, lookup: Any) -> None:
        """RDF: lookup entries: SHOULD throw if an element is not defined."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), use(1 if lookup[0] is not b.name else 2)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a", 3), use(2)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a", 3), use(4)]), row=True)

    def test_an_entry_must_be_set_before_it_is_used(self, lookup: Any) -> None:
        """RDF: lookup entries: the first use MUST be after it is defined."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), use(2), make("a", 2)]), row=True)

    @pytest.mark.parametrize("number", [17, 18, 4096, 2**31, 2**32 - 1])
    def test_ids_beyond_the_size_are_refused(self, lookup: Any, number: int) -> None:
        """RDF: Security considerations, invalid lookup entry IDs and references."""
        make, _, use = lookup
        refuse(b.stream([*self.head(lookup), make("a", number)]), row=True)
        refuse(b.stream([*self.head(lookup), make("a"), use(number)]), row=True)

    def test_the_size_itself_is_the_last_id(self, lookup: Any) -> None:
        """Patch: Patch stream options: the size MUST NOT be exceeded."""
        make, _, use = lookup
        data = b.stream([*self.head(lookup), make("a", 15), make("b"), use(16)])
        assert used(read(data)[0]) == "b"
        refuse(b.stream([*self.head(lookup), make("a", 16), make("b")]), row=True)

    @pytest.mark.parametrize("kind", ["prefix", "datatype"])
    def test_a_lookup_of_size_zero_must_not_be_used(self, kind: str) -> None:
        """Patch: Patch stream options: if it is 0, the lookup MUST NOT be used."""
        make, field, use = LOOKUPS[kind]
        head = [b.options(**{field: 0}), b.name("a")]
        refuse(b.stream([*head, make("a")]), row=True)
        refuse(b.stream([*head, make("a", 1)]), row=True)
        refuse(b.stream([*head, use(1)]), row=True)

    def test_an_entry_may_be_the_empty_string(self, lookup: Any) -> None:
        """RDF: lookup entries: any valid UTF-8 string."""
        make, _, use = lookup
        assert used(read(b.stream([*self.head(lookup), make(""), use(1)]))[0]) == ""

    @pytest.mark.parametrize("sizes", [(8, 0, 0), (8, 1, 1), (9, 3, 2), (128, 16, 16)])
    def test_the_writer_keeps_within_the_sizes(self, sizes: tuple[int, int, int]) -> None:
        """Patch: Patch stream options: the sizes MUST NOT be exceeded."""
        names, prefixes, datatypes = sizes
        options = jr.PatchOptions(
            max_name_table_size=names,
            max_prefix_table_size=prefixes,
            max_datatype_table_size=datatypes,
        )
        operations = [
            (
                "A",
                iri(f"urn:{n % 7}/{n % 31}"),
                P,
                lit("l", None, f"urn:d{n % 5}" if datatypes else None),
                iri(f"urn:{n % 7}/g"),
            )
            for n in range(300)
        ]
        data = write(operations, options)
        last = {"name": 0, "prefix": 0, "datatype": 0}
        for row in parse_rows(data):
            kind = row.WhichOneof("row")
            if kind in last:
                last[kind] = getattr(row, kind).id or last[kind] + 1
                assert last[kind] <= dict(zip(last, sizes, strict=True))[kind]
        assert read(data) == [*operations, END]

    def test_the_writer_refuses_datatypes_without_a_lookup(self) -> None:
        """Patch: Patch stream options, max_datatype_table_size 0: no datatype literals."""
        operation = ("A", S, P, lit("1", None, "urn:d"), G)
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(max_datatype_table_size=0))


class TestRepeatedTerms:
    """Patch and RDF: Repeated terms."""

    @pytest.mark.parametrize("missing", "spog")
    def test_no_term_of_the_first_statement_may_repeat(self, missing: str) -> None:
        """RDF: Repeated terms: MUST NOT occur in the first statement row of the stream."""
        terms = {"s": "s", "p": b.iri(0, 1), "o": "o", "g": "g"}
        del terms[missing]
        refuse(rows(b.add(**terms), statement_type=QUADS), row=True)

    def test_a_position_repeats_from_whatever_row_set_it_last(self) -> None:
        """RDF: Repeated terms: consecutive appearances are the same term."""
        data = rows(
            statement("s", "o"),
            b.add("x"),
            b.add(),
            b.add(o="y"),
            b.delete("s"),
            b.add(),
        )
        x, y = ("bnode", "x"), ("bnode", "y")
        assert [(op[1], op[3]) for op in read(data)[:-1]] == [
            (S, O), (x, O), (x, O), (x, y), (S, y), (S, y),
        ]  # fmt: skip

    def test_terms_repeat_across_frames(self) -> None:
        """RDF: Repeated terms: from the previous stream frame."""
        data = b.stream([b.options(), b.name("urn:p"), statement()], [b.add()])
        assert read(data) == [("A", S, P, O, None)] * 2 + [END]

    def test_adds_and_deletes_share_the_last_terms(self) -> None:
        """Patch: Repeated terms: regardless of the type of the operation."""
        data = rows(statement("s"), b.delete("x"), b.add(), b.delete("s"), b.add())
        s = [op[1][1] for op in read(data)[:-1]]
        assert s == ["s", "x", "x", "s", "s"]

    def test_a_graph_repeats_from_a_namespace(self) -> None:
        """Patch: Repeated terms, Namespaces: as if it appeared in an RdfQuad message."""
        data = rows(
            b.prefix_add("ex", b.iri(0, 1), "g"),
            statement(),
            b.prefix_delete("ex", None, "x"),
            b.delete(),
            statement_type=QUADS,
        )
        assert [op[-1][1] for op in read(data)[:-1]] == ["g", "g", "x", "x"]

    def test_a_namespaces_graph_repeats_from_a_statement(self) -> None:
        """Patch: Namespaces: a repeated graph term from the last RdfQuad or namespace."""
        data = rows(
            statement(g="g"),
            b.prefix_add("ex", b.iri(0, 1)),
            b.prefix_delete("ex"),
            b.prefix_add("ex", b.iri(0, 1), "x"),
            b.prefix_delete("ex"),
            statement_type=QUADS,
        )
        assert [op[-1][1] for op in read(data)[:-1]] == ["g", "g", "g", "x", "x"]

    def test_a_namespace_of_quads_before_any_graph_may_have_none(self) -> None:
        """Patch: Namespaces: MUST be set, unless repeated; Jelly-JVM sets none, which we read."""
        namespaces = [b.prefix_add("ex", b.iri(0, 1)), b.prefix_delete("ex")]
        data = rows(*namespaces, statement("s", g="g"), *namespaces, statement_type=QUADS)
        graphs = [op[-1] for op in read(data)[:-1]]
        assert graphs == [None, None, G, G, G]

    def test_a_namespace_without_a_graph_is_no_graph_to_repeat(self) -> None:
        """Patch: Namespaces: what was not set is not repeated by a statement."""
        refuse(
            rows(b.prefix_add("ex", b.iri(0, 1)), statement("s"), statement_type=QUADS), row=True
        )

    def test_a_namespaces_value_is_no_term_to_repeat(self) -> None:
        """Patch: Namespaces: only the graph is shared with quads."""
        data = rows(b.prefix_add("ex", b.iri(0, 1)), b.add(None, b.iri(0, 1), "o"))
        refuse(data, row=True)

    def test_a_header_does_not_change_the_last_terms(self) -> None:
        """Patch: Headers: repeated term encoding is not used for the value."""
        data = rows(statement(), b.header("id", "x"), b.add())
        assert read(data)[2] == ("A", S, P, O, None)

    def test_a_quoted_triple_does_not_change_the_last_terms(self) -> None:
        """RDF: Quoted triples: repeated terms are of statements alone."""
        quoted = b.triple("x", b.iri(0, 1), "y")
        data = rows(statement("s", quoted), b.add(o="o"), rdf_star=True)
        assert read(data)[1] == ("A", S, P, O, None)

    @pytest.mark.parametrize("missing", "spo")
    @pytest.mark.parametrize("where", ["statement", "header", "nested"])
    def test_no_term_of_a_quoted_triple_may_repeat(self, missing: str, where: str) -> None:
        """Rulings: a repeated term inside a quoted triple is an error (MUST)."""
        terms: dict[str, Any] = {"s": "s", "p": b.iri(0, 1), "o": "o"}
        del terms[missing]
        quoted = b.triple(**terms)
        row = {
            "statement": statement(quoted),
            "header": b.header("id", quoted),
            "nested": statement(b.triple("s", b.iri(0, 1), quoted)),
        }[where]
        refuse(rows(statement(), row, rdf_star=True), row=True)

    def test_a_quoted_triple_repeats_as_a_whole(self) -> None:
        """RDF: Repeated terms: any term."""
        quoted = b.triple("s", b.iri(0, 1), "o")
        data = rows(statement(quoted), b.add(o="x"), rdf_star=True)
        assert read(data)[1] == ("A", ("triple", S, P, O), P, ("bnode", "x"), None)

    def test_a_graph_repeats_across_marks_and_transactions(self) -> None:
        """RDF: Repeated terms: the last one in the stream."""
        data = rows(
            b.begin(),
            statement(g="g"),
            b.abort(),
            b.punctuation(),
            b.add(),
            statement_type=QUADS,
            stream_type=PUNCTUATED,
        )
        assert read(data)[-2] == ("A", S, P, O, G)

    def test_the_writer_repeats_no_term_in_a_header(self) -> None:
        """Patch: Headers: repeated term encoding MUST NOT be used."""
        data = write([("H", "id", S), ("H", "id", S), ("A", S, P, O, G), ("H", "prev", S)])
        headers = [row.header for row in parse_rows(data) if row.HasField("header")]
        assert [header.WhichOneof("value") for header in headers] == ["h_bnode"] * 3

    def test_the_writer_repeats_no_term_in_a_quoted_triple(self) -> None:
        """RDF: Repeated terms: MUST NOT occur in quoted triples."""
        quoted = ("triple", S, P, O)
        operations = [("A", S, P, O, G), ("A", quoted, P, quoted, G), ("H", "id", quoted)]
        data = write(operations, jr.PatchOptions(rdf_star=True))
        triples = [
            value
            for row in parse_rows(data)
            for message in [row.statement_add, row.header]
            for field, value in message.ListFields()
            if field.name.endswith("triple_term")
        ]
        assert len(triples) == 3
        for triple in triples:
            assert all(triple.WhichOneof(part) for part in ("subject", "predicate", "object"))
        assert read(data) == [*operations, END]


class TestNamespaces:
    """Patch: Namespaces."""

    @pytest.mark.parametrize(
        "name", ["", "ex", "a.b-c", "é", "\U0001f600", "not a prefix:", "\x00"]
    )
    def test_any_name_is_read(self, name: str) -> None:
        """Patch: Namespaces, name: SHOULD conform to PN_PREFIX; the empty string is allowed."""
        assert read(rows(b.prefix_add(name, b.iri(0, 1)))) == [("PA", name, P, None), END]

    def test_an_add_must_have_a_value(self) -> None:
        """Patch: Namespaces, value: REQUIRED for PA."""
        refuse(rows(b.prefix_add("ex")), row=True)

    def test_a_delete_may_have_a_value(self) -> None:
        """Patch: Namespaces, value: OPTIONAL for PD."""
        data = rows(b.prefix_delete("ex"), b.prefix_delete("ex", b.iri(0, 1)))
        assert read(data) == [("PD", "ex", None, None), ("PD", "ex", P, None), END]

    @pytest.mark.parametrize(
        ("graph", "term"),
        [
            ("g", G),
            (b.iri(0, 1), P),
            (pb.RdfDefaultGraph(), DEFAULT_GRAPH),
            (b.literal("g", lang="en"), lit("g", "en")),
        ],
    )
    def test_every_graph_node_is_read(self, graph: Any, term: Plain) -> None:
        """Patch: Namespaces, graph: fields 3 to 6."""
        row = b.prefix_add("ex", b.iri(0, 1), graph)
        data = rows(row, statement_type=QUADS, generalized_statements=True)
        assert read(data) == [("PA", "ex", P, term), END]

    def test_the_value_comes_before_the_graph(self) -> None:
        """Patch: RDF terms and graph nodes: value MUST be processed before graph."""
        data = b.stream(
            [
                b.options(statement_type=QUADS),
                b.name("urn:1"),
                b.name("urn:2"),
                b.name("urn:3"),
                b.name("urn:4"),
                b.prefix_add("ex", b.iri(), b.iri()),
                b.prefix_delete("ex", b.iri(), b.iri()),
            ]
        )
        assert read(data) == [
            ("PA", "ex", iri("urn:1"), iri("urn:2")),
            ("PD", "ex", iri("urn:3"), iri("urn:4")),
            END,
        ]

    def test_the_writer_gives_every_added_namespace_a_value(self) -> None:
        """Patch: Namespaces, value: REQUIRED for PA."""
        with pytest.raises((jr.EncodeError, TypeError)), jr.PatchWriter(io.BytesIO()) as writer:
            writer.write((Op.PA, "ex", None, None))


class TestTransactions:
    """Patch: Transactions."""

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    @pytest.mark.parametrize("end", [b.commit, b.abort])
    def test_an_end_without_a_start_is_refused(self, stream_type: int, end: Any) -> None:
        """Patch: Transactions: MUST have a previous transaction_start; MAY throw."""
        refuse(b.stream([b.options(stream_type=stream_type), end()]), row=True)

    @pytest.mark.parametrize("first", [b.commit, b.abort])
    @pytest.mark.parametrize("second", [b.commit, b.abort])
    def test_a_second_end_is_refused(self, first: Any, second: Any) -> None:
        """Patch: Transactions: no double-aborting and no double-committing."""
        error = refuse(b.stream([b.options(), b.begin(), first()], [second()]), row=True)
        assert (error.frame, error.row) == (1, 0)

    def test_a_start_inside_a_transaction_is_refused(self) -> None:
        """Patch: Transactions: no nesting."""
        refuse(b.stream([b.options(), b.begin(), b.begin()]), row=True)
        refuse(b.stream([b.options(), b.begin()], [b.begin()]), row=True)

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_frame_may_contain_several_transactions(self, stream_type: int) -> None:
        """Patch: Transactions: regardless of the used stream type."""
        data = b.stream(
            [b.options(stream_type=stream_type), b.begin(), b.commit(), b.begin(), b.abort()]
        )
        assert read(data) == [("TX",), ("TC",), ("TX",), ("TA",), END]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_transaction_must_end_with_the_input(self, stream_type: int) -> None:
        """Rulings: a transaction starts and ends within one RDF Patch."""
        refuse(b.stream([b.options(stream_type=stream_type), b.begin()]))

    def test_headers_and_namespaces_may_stand_anywhere(self) -> None:
        """Patch: Transactions: within or outside of transactions."""
        data = rows(
            b.prefix_add("ex", b.iri(0, 1)),
            b.begin(),
            b.header("id", "s"),
            b.prefix_delete("ex"),
            b.commit(),
            b.header("id", "s"),
        )
        assert [op[0] for op in read(data)] == ["PA", "TX", "H", "PD", "TC", "H", "END"]

    @pytest.mark.parametrize("stream_type", ["FRAME", "FLAT", "PUNCTUATED"])
    def test_the_writer_writes_only_whole_transactions(self, stream_type: str) -> None:
        """Patch: Transactions: only TX … TC and TX … TA."""
        file = io.BytesIO()
        with jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer:
            for wrong in (writer.commit, writer.abort):
                with pytest.raises(jr.EncodeError):
                    wrong()
            writer.begin()
            with pytest.raises(jr.EncodeError):
                writer.begin()
            writer.commit()
            for wrong in (writer.commit, writer.abort):
                with pytest.raises(jr.EncodeError):
                    wrong()
            writer.begin()
            writer.abort()
        assert read(file.getvalue()) == [("TX",), ("TC",), ("TX",), ("TA",), END]

    @pytest.mark.parametrize("stream_type", ["FRAME", "FLAT", "PUNCTUATED"])
    def test_the_writer_ends_no_patch_inside_a_transaction(self, stream_type: str) -> None:
        """Rulings: a transaction starts and ends within one RDF Patch."""
        with jr.PatchWriter(io.BytesIO(), jr.PatchOptions(stream_type=stream_type)) as writer:
            writer.begin()
            with pytest.raises(jr.EncodeError):
                writer.end_patch()
            with pytest.raises(jr.EncodeError):
                writer.write((Op.END,))
            writer.commit()


class TestHeaders:
    """Patch: Headers."""

    @pytest.mark.parametrize("key", ["", "id", "prev", "é", "\U0001f600", "a b", "\x00"])
    def test_any_key_is_read(self, key: str) -> None:
        """Patch: Headers, key: an empty string is allowed."""
        assert read(rows(b.header(key, "s"))) == [("H", key, S), END]

    @pytest.mark.parametrize(
        ("value", "term"),
        [
            (b.iri(0, 1), P),
            ("s", S),
            (b.literal("l"), lit("l")),
            (b.triple("s", b.iri(0, 1), "o"), ("triple", S, P, O)),
        ],
    )
    def test_every_value_is_read(self, value: Any, term: Plain) -> None:
        """Patch: Headers, value: fields 2 to 5; a literal is no generalized statement."""
        assert read(rows(b.header("id", value), rdf_star=True)) == [("H", "id", term), END]

    def test_a_header_must_have_a_value(self) -> None:
        """Patch: Headers, value: MUST always be set."""
        refuse(rows(b.header("id", "s"), b.header("id")), row=True)

    def test_keys_may_occur_again(self) -> None:
        """Patch: Headers: operations like others."""
        data = rows(b.header("id", "s"), b.header("id", "o"), b.header("id", "s"))
        assert read(data) == [("H", "id", S), ("H", "id", O), ("H", "id", S), END]


class TestIris:
    """RDF: IRIs."""

    def test_the_example_with_the_prefix_table(self) -> None:
        """RDF: IRIs, example with the prefix table."""
        data = b.stream(
            [
                b.options(),
                b.prefix("http://example.com/"),
                b.name("example"),
                b.name(""),
                b.name("test"),
                b.add(b.iri(1, 0), b.iri(), b.iri()),
            ]
        )
        base = "http://example.com/"
        assert read(data)[0][1:4] == (iri(base + "example"), iri(base), iri(base + "test"))

    def test_the_example_without_the_prefix_table(self) -> None:
        """RDF: IRIs, example without the prefix table."""
        data = b.stream(
            [
                b.options(max_prefix_table_size=0),
                b.name("http://example.com/example"),
                b.name("http://example.com/test"),
                b.add(b.iri(), b.iri(), "o"),
            ]
        )
        base = "http://example.com/"
        assert read(data)[0][1:3] == (iri(base + "example"), iri(base + "test"))

    def test_prefix_id_zero_repeats_the_last_one(self) -> None:
        """RDF: IRIs, prefix_id: the last explicitly specified prefix identifier."""
        data = b.stream(
            [
                b.options(),
                b.prefix("a:"),
                b.prefix("b:"),
                b.name("x"),
                b.add(b.iri(2, 1), b.iri(0, 1), b.iri(1, 1)),
                b.header("id", b.iri(0, 1)),
                b.prefix_add("ex", b.iri(2, 1)),
            ],
            [b.add(b.iri(0, 1))],
        )
        operations = read(data)
        assert [t[1] for t in operations[0][1:4]] == ["b:x", "b:x", "a:x"]
        assert operations[1][2] == iri("a:x")
        assert operations[2][2] == iri("b:x")
        assert operations[3][1] == iri("b:x")

    def test_prefix_id_zero_before_any_other_is_the_empty_prefix(self) -> None:
        """RDF: IRIs, prefix_id: if 0 appears in the first IRI (and in any subsequent IRI)."""
        data = b.stream(
            [b.options(), b.prefix("a:"), b.name("x"), b.add(b.iri(), b.iri(0, 1), b.iri(1, 1))]
        )
        assert [t[1] for t in read(data)[0][1:4]] == ["x", "x", "a:x"]

    def test_prefix_id_zero_follows_an_entry_that_was_set_anew(self) -> None:
        """RDF: IRIs, prefix_id: the same value of the identifier, not the same text."""
        data = b.stream(
            [
                b.options(),
                b.prefix("a:"),
                b.name("x"),
                b.add(b.iri(1, 1), b.iri(0, 1), "o"),
                b.prefix("b:", 1),
                b.add(b.iri(0, 1)),
            ]
        )
        assert [op[1][1] for op in read(data)[:-1]] == ["a:x", "b:x"]

    def test_name_id_zero_is_the_previous_plus_one(self) -> None:
        """RDF: IRIs, name_id: previous_name_id + 1, several in a row too."""
        names = [b.name(f"urn:{n}") for n in range(1, 9)]
        data = b.stream(
            [
                b.options(),
                *names,
                b.add(b.iri(0, 3), b.iri(), b.iri()),
                b.header("id", b.iri()),
                b.prefix_add("ex", b.iri()),
            ],
            [b.add(b.iri(), b.iri(0, 1), b.iri())],
        )
        operations = read(data)
        numbers = [
            *(t[1] for t in operations[0][1:4]),
            operations[1][2][1],
            operations[2][2][1],
            *(t[1] for t in operations[3][1:4]),
        ]
        assert numbers == [f"urn:{n}" for n in (3, 4, 5, 6, 7, 8, 1, 2)]

    def test_name_id_zero_in_the_first_iri_is_one(self) -> None:
        """RDF: IRIs, name_id: MUST be interpreted as 1."""
        data = b.stream([b.options(), b.name("b", 2), b.name("a", 1), b.header("id", b.iri())])
        assert read(data)[0] == ("H", "id", iri("a"))

    def test_name_id_zero_beyond_the_table_is_refused(self) -> None:
        """RDF: Security considerations, invalid lookup entry IDs and references."""
        full = [b.name(str(n)) for n in range(8)]
        head = [b.options(max_name_table_size=8), *full, b.header("id", b.iri(0, 8))]
        refuse(b.stream([*head, b.header("id", b.iri())]), row=True)

    def test_entries_do_not_move_the_ids_of_iris(self) -> None:
        """RDF: IRIs: the name_id of the previous IRI, not of the previous entry."""
        data = b.stream(
            [
                b.options(),
                b.name("1"),
                b.header("id", b.iri()),
                b.name("7", 7),
                b.name("2", 2),
                b.header("id", b.iri()),
            ]
        )
        assert [op[2][1] for op in read(data)[:-1]] == ["1", "2"]

    def test_repeated_terms_do_not_move_the_ids(self) -> None:
        """RDF: IRIs, Repeated terms: a term that is not written has no ids."""
        names = [b.name(f"urn:{n}") for n in range(1, 6)]
        data = b.stream(
            [b.options(), *names, b.add(b.iri(), b.iri(), b.iri()), b.add(None, b.iri())]
        )
        assert read(data)[1][2] == iri("urn:4")

    def test_iris_are_numbered_in_the_order_of_terms_through_quoted_triples(self) -> None:
        """RDF: IRIs: subject, predicate, object, graph; recursively in quoted triples."""
        names = [b.name(f"urn:{n}") for n in range(1, 12)]
        inner = b.triple(b.iri(), b.iri(), b.triple(b.iri(), b.iri(), b.iri()))
        row = b.add(inner, b.iri(), b.triple(b.iri(), b.iri(), b.iri()), b.iri())
        data = b.stream([b.options(statement_type=QUADS, rdf_star=True), *names, row])
        n = [iri(f"urn:{i}") for i in range(12)]
        assert read(data)[0] == (
            "A",
            ("triple", n[1], n[2], ("triple", n[3], n[4], n[5])),
            n[6],
            ("triple", n[7], n[8], n[9]),
            n[10],
        )

    def test_the_example_of_jelly_patch(self) -> None:
        """Patch: RDF terms and graph nodes, example of RDF term encoding."""
        data = b.stream(
            [
                b.options(statement_type=QUADS),
                b.prefix("http://example.org/"),
                b.name("iri"),
                b.header("id", b.iri(1, 0)),
                b.name(""),
                b.name("graph"),
                b.prefix_add("ex", b.iri(), b.iri()),
                b.add("b1", b.iri(0, 1), "b2"),
            ]
        )
        base = "http://example.org/"
        assert read(data) == [
            ("H", "id", iri(base + "iri")),
            ("PA", "ex", iri(base), iri(base + "graph")),
            ("A", ("bnode", "b1"), iri(base + "iri"), ("bnode", "b2"), iri(base + "graph")),
            END,
        ]

    @pytest.mark.parametrize("text", ["", "a", "not an iri", "http://é/\U0001f600", "<>\x00"])
    def test_an_iri_is_kept_as_it_is(self, text: str) -> None:
        """RDF: IRIs: SHOULD be a valid IRI; a consumer changes nothing."""
        data = b.stream([b.options(), b.name(text), b.header("id", b.iri())])
        assert read(data)[0] == ("H", "id", iri(text))
        ((_, _, value), _) = jr.read_operations(data)
        assert value == URIRef(text)


class TestBlankNodes:
    """RDF: Blank nodes."""

    @pytest.mark.parametrize("label", ["", "b", "é", "\U0001f600", " ", "_:b", "\x00", "a\nb"])
    def test_a_label_is_any_utf8_string(self, label: str) -> None:
        """RDF: Blank nodes: a valid UTF-8 string."""
        assert read(rows(b.header("id", label)))[0] == ("H", "id", ("bnode", label))

    def test_labels_are_the_datasets_own(self) -> None:
        """Issue: blank node labels are the dataset's own, across frames and patches."""
        data = b.stream([b.options(stream_type=FRAME), b.header("a", "b1")], [b.header("b", "b1")])
        first, _, second, _ = jr.read_operations(data)
        assert first[2] == second[2] == BNode("b1")

    @pytest.mark.parametrize(
        "label", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x80", b"\xe2\x82"]
    )
    def test_a_label_that_is_not_utf8_is_refused(self, label: bytes) -> None:
        """RDF: Blank nodes: MUST be a valid UTF-8 string."""
        header = wire.field(1, b"id") + wire.field(3, label)
        refuse(b.delimited([b.frame(b.options()) + _row(14, header)]), row=True)


class TestLiterals:
    """RDF: Literals."""

    def test_without_a_kind_it_is_a_simple_literal(self) -> None:
        """RDF: Literals: MUST be interpreted as a simple literal."""
        ((_, _, value), _) = jr.read_operations(rows(b.header("id", b.literal("x"))))
        assert value == Literal("x")
        assert (value.datatype, value.language) == (None, None)

    def test_with_a_language_it_is_a_language_tagged_string(self) -> None:
        """RDF: Literals, langtag; its case is kept."""
        ((_, _, value), _) = jr.read_operations(rows(b.header("id", b.literal("x", "EN-gb"))))
        assert value == Literal("x", lang="EN-gb")
        assert value.language == "EN-gb"

    def test_with_a_datatype_it_is_typed(self) -> None:
        """RDF: Literals, datatype: an entry of the datatype lookup."""
        data = rows(
            b.datatype("urn:a"), b.datatype("urn:b"), b.header("id", b.literal("x", None, 2))
        )
        assert read(data)[0] == ("H", "id", lit("x", None, "urn:b"))

    def test_the_lexical_form_defaults_to_the_empty_string(self) -> None:
        """RDF: Literals, lex: OPTIONAL, defaults to an empty string."""
        data = rows(
            b.datatype("urn:a"),
            *(
                b.header("id", v)
                for v in (b.literal(), b.literal("", "en"), b.literal("", None, 1))
            ),
        )
        got = [op[2] for op in read(data)[:-1]]
        assert got == [lit(""), lit("", "en"), lit("", None, "urn:a")]

    def test_datatype_zero_is_refused(self) -> None:
        """RDF: Literals, datatype: MUST be greater than 0."""
        refuse(rows(b.datatype("urn:a"), b.header("id", b.literal("x", None, 0))), row=True)

    def test_an_empty_language_is_refused(self) -> None:
        """RDF: Literals, langtag: a language tag is not empty (RDF 1.1 Concepts)."""
        refuse(rows(b.header("id", b.literal("x", ""))), row=True)

    def test_the_last_of_language_and_datatype_wins(self) -> None:
        """Protocol Buffers: oneof; RDF: literalKind."""
        head = b.frame(b.options(), b.datatype("urn:d"))
        for kinds_, expected in [
            (b"\x12\x02en\x18\x01", lit("x", None, "urn:d")),
            (b"\x18\x01\x12\x02en", lit("x", "en")),
            (b"\x18\x63\x12\x02en", lit("x", "en")),
        ]:
            value = wire.field(1, b"id") + wire.field(4, b"\x0a\x01x" + kinds_)
            assert read(b.delimited([head + _row(14, value)]))[0] == ("H", "id", expected)

    def test_the_datatype_is_resolved_when_its_row_comes(self) -> None:
        """RDF: lookup entries: the modification applies to subsequent rows."""
        use = b.literal("x", None, 1)
        data = rows(
            b.datatype("urn:a"), b.header("", use), b.datatype("urn:b", 1), b.header("", use)
        )
        assert [op[2][3] for op in read(data)[:-1]] == ["urn:a", "urn:b"]

    def test_the_writer_writes_a_simple_literal_without_a_kind(self) -> None:
        """RDF: Literals: if no field in the oneof is set."""
        data = write([("A", S, P, lit("x"), G)])
        quad = next(row.statement_add for row in parse_rows(data) if row.HasField("statement_add"))
        assert quad.o_literal.WhichOneof("literalKind") is None
        assert "datatype" not in kinds(data)

    def test_the_writer_writes_no_datatype_for_a_language_tagged_string(self) -> None:
        """RDF: Literals, langtag."""
        data = write([("A", S, P, lit("x", "de-AT"), G)])
        quad = next(row.statement_add for row in parse_rows(data) if row.HasField("statement_add"))
        assert quad.o_literal.langtag == "de-AT"
        assert "datatype" not in kinds(data)

    def test_the_writer_never_writes_datatype_zero(self) -> None:
        """RDF: Literals, datatype: MUST be greater than 0."""
        data = write([("A", S, P, lit("x", None, f"urn:{n % 40}"), G) for n in range(100)])
        for row in parse_rows(data):
            literal = row.statement_add.o_literal
            if literal.WhichOneof("literalKind") == "datatype":
                assert literal.datatype > 0


class TestQuotedTriples:
    """RDF: Quoted triples (RDF-star)."""

    def nested(self, levels: int) -> bytes:
        """A stream with one statement whose object has so many levels of quoted triples."""
        triple = wire.field(2, b"s") + wire.field(5, b"\x10\x01") + wire.field(10, b"o")
        for _ in range(levels - 1):
            triple = wire.field(2, b"s") + wire.field(5, b"\x10\x01") + wire.field(12, triple)
        quad = wire.field(2, b"s") + wire.field(5, b"\x10\x01") + wire.field(12, triple)
        return b.delimited([b.frame(b.options(rdf_star=True), b.name("urn:p")) + _row(2, quad)])

    @pytest.mark.parametrize("levels", [1, 2, 10, 100])
    def test_they_may_be_nested(self, levels: int) -> None:
        """RDF: Quoted triples: up to arbitrary depth."""
        term = read(self.nested(levels))[0][3]
        for _ in range(levels):
            assert term[:3] == ("triple", S, P)
            term = term[3]
        assert term == O

    @pytest.mark.parametrize("levels", [101, 1000, 20_000])
    def test_nesting_beyond_the_limit_is_refused(self, levels: int) -> None:
        """RDF: Quoted triples: SHOULD throw if the depth exceeds; Security considerations."""
        refuse(self.nested(levels), jr.LimitError, row=True)

    def test_the_limit_on_nesting_can_be_set(self) -> None:
        """RDF: Security considerations, infinite recursion."""
        for limit in (1, 2, 5):
            limits = jr.Limits(max_nesting_depth=limit)
            assert len(read(self.nested(limit), limits=limits)) == 2
            refuse(self.nested(limit + 1), jr.LimitError, limits=limits)
        refuse(self.nested(1), jr.LimitError, limits=jr.Limits(max_nesting_depth=0))
        deepest = jr.Limits(max_nesting_depth=1000)
        operation, _ = jr.read_operations(self.nested(1000), limits=deepest)
        term, levels = operation[3], 0
        while isinstance(term, jr.TripleTerm):
            term, levels = term.o, levels + 1
        assert levels == 1000

    def test_they_may_stand_wherever_a_term_may(self) -> None:
        """RDF: RDF terms and graph nodes: s, p and o; Patch: header values."""
        quoted = b.triple("s", b.iri(0, 1), b.literal("l"))
        data = rows(
            b.header("id", quoted),
            b.add(quoted, quoted, quoted),
            rdf_star=True,
            generalized_statements=True,
        )
        term = ("triple", S, P, lit("l"))
        assert read(data) == [("H", "id", term), ("A", term, term, term, None), END]


class TestDelimiting:
    """Patch: Delimited variant; protocol.md: delimited or bare."""

    def test_each_frame_has_its_length_before_it(self) -> None:
        """Patch: Delimited variant."""
        assert read(b.stream([b.options()], [b.begin()], [b.commit()])) == [("TX",), ("TC",), END]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_bare_frame_is_told_by_its_first_bytes(self, stream_type: int) -> None:
        """protocol.md: a bare frame starts 0x0A, the row's length, 0x0A."""
        data = b.frame(b.options(stream_type=stream_type), b.header("id", "s"))
        assert data[0] == 0x0A
        assert read(data) == [("H", "id", S), END]

    def test_a_bare_frame_whose_first_row_has_ten_bytes(self) -> None:
        """protocol.md: bare when byte 0 is 0x0A and byte 2 is 0x0A."""
        row = b.options(max_prefix_table_size=0, max_datatype_table_size=0)
        data = b.frame(row)
        assert data[:3] == b"\x0a\x0a\x0a"
        assert read(data) == [END]
        assert read(b.delimited([data])) == [END]

    def test_a_delimited_frame_of_ten_bytes(self) -> None:
        """protocol.md: delimited when byte 1 is 0x0A and byte 2 is not."""
        options = wire.field(1, TRIPLES) + wire.field(2, FLAT) + wire.field(9, 8)
        data = b.delimited([wire.field(1, wire.field(1, options))])
        assert data[:2] == b"\x0a\x0a"
        # it is read as delimited, and lacks a version
        assert "version" in refuse(data, row=True).message

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_leading_empty_frames_mean_delimited(self, stream_type: int) -> None:
        """protocol.md: leading empty frames (0x00) mean delimited; options are the first row."""
        data = b"\x00\x00" + b.stream([b.options(stream_type=stream_type), b.header("id", "s")])
        operations = read(data)
        if stream_type == FRAME:
            # whether frames before the options are patches, nobody says
            operations = operations[-2:]
        assert operations == [("H", "id", S), END]

    def test_a_length_may_take_more_bytes_than_it_needs(self) -> None:
        """Protocol Buffers: varints."""
        frame = b.frame(b.options(), b.header("id", "s"))
        assert read(wire.varint(len(frame), 5) + frame) == [("H", "id", S), END]

    def test_the_writer_delimits_its_frames(self) -> None:
        """Patch: Delimited variant: files SHOULD be saved in it."""
        data = write([("H", "id", S), END], jr.PatchOptions(frame_rows=1))
        assert not wire.looks_bare(data)
        assert len(wire.split(data)) >= 2

    def test_the_writer_can_write_a_bare_frame(self) -> None:
        """PatchOptions.delimited."""
        options = jr.PatchOptions(delimited=False, stream_type="FLAT", frame_rows=1)
        data = write([("H", "id", S), ("H", "prev", S), END], options)
        assert wire.looks_bare(data)
        assert len(pb.RdfPatchFrame.FromString(data).rows) == 3
        assert read(data) == [("H", "id", S), ("H", "prev", S), END]

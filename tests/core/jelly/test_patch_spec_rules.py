"""One test for each rule of Jelly-Patch alone; each is named after its rule and cites its section.

Rules of the format are read from Jelly-Patch ("Patch: …"), its base Jelly-RDF ("RDF: …"), and the
later rulings on both ("Rulings"). The rules that both formats share are in `tests.core.jelly`.

For a consumer, streams are built of protobuf's messages. For a producer, what the package writes is
parsed with protobuf's classes.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from rdflib import BNode

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly.formats import PATCH, UNKNOWN_FIELDS, G, O, P, S, iri, lit
from tests.oracle import build as b
from tests.oracle import schema as pb
from tests.oracle import wire
from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.terms import Plain
from tests.support import read, refuse, write

STREAM_TYPES = [FRAME, FLAT, PUNCTUATED]

END: Plain = ("END",)


def rows(*content: Any, **options: Any) -> bytes:
    """A stream of one frame: options, a name entry "urn:p" (id 1), then the content."""
    return b.stream([b.options(**options), b.name("urn:p"), *content])


def statement(s: Any = "s", o: Any = "o", g: Any = None) -> Any:
    """An add whose predicate is name 1."""
    return b.add(s, b.iri(0, 1), o, g)


class TestVersioning:
    """Patch: Versioning, Patch stream options."""

    def test_the_writer_sets_the_version(self) -> None:
        """Patch: Patch stream options, version: the producer MUST set it, as low as possible."""
        assert PATCH.rows(write([END]))[0].options.version == 1


class TestProtobuf:
    """Patch: Format specification: a compliant Protocol Buffers implementation."""

    def test_unknown_fields_are_skipped_in_every_message(self) -> None:
        """RDF: Forward compatibility, and Protocol Buffers' own rules."""
        extra = UNKNOWN_FIELDS

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
            ("A", ("triple", p, p, p), p, lit("l", None, "urn:d"), None),
            ("TC",),
            ("PA", "ex", p, None),
            ("H", "id", p),
            END,
        ]


class TestPatchRows:
    """Patch: Patch rows."""

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
        got = [kind for kind in PATCH.kinds(data) if kind not in ("options", "name", "prefix")]
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
        assert "punctuation" not in PATCH.kinds(data)

    def test_the_writer_makes_one_frame_of_each_patch_in_frame(self) -> None:
        """Patch: Patch stream types, FRAME: every frame is a complete patch."""
        patch = [("A", ("bnode", str(n)), P, O, None) for n in range(50)]
        options = jr.PatchOptions(stream_type="FRAME", frame_rows=10, frame_bytes=100)
        frames = PATCH.messages(write([*patch, END, END, *patch, END], options))
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
        assert [op[4] for op in read(data)[:-1]] == [G, P, None, None]

    def test_in_quads_an_unset_graph_repeats(self) -> None:
        """Patch: Statement types, QUADS: MUST be interpreted as a repeated graph term."""
        data = rows(statement(g="g"), b.delete(), statement_type=QUADS)
        assert read(data) == [("A", S, P, O, G), ("D", S, P, O, G), END]

    def test_the_writer_sets_no_graph_in_triples(self) -> None:
        """Patch: Statement types, TRIPLES: MUST NOT contain messages with the graph set."""
        options = jr.PatchOptions(statement_type="TRIPLES")
        data = write(
            [("A", S, P, O, None), ("PA", "ex", P, None), ("PD", "ex", None, None)], options
        )
        for row in PATCH.rows(data):
            kind = row.WhichOneof("row")
            if kind in ("statement_add", "namespace_add", "namespace_delete"):
                assert getattr(row, kind).WhichOneof("graph") is None

    @pytest.mark.parametrize("operation", [("PA", "ex", P, G), ("PD", "ex", P, P)])
    def test_the_writer_refuses_a_graph_in_triples(self, operation: Plain) -> None:
        """Patch: Statement types, TRIPLES: MUST NOT contain messages with the graph set."""
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(statement_type="TRIPLES"))

    def test_the_writer_takes_no_graph_for_the_default_graph_in_quads(self) -> None:
        """Patch: RDF statements, QUADS: the graph MUST be set, unless it repeats."""
        patch = [("A", S, P, O, None), ("PA", "ex", P, None), ("D", S, P, O, None), END]
        assert read(write(patch)) == patch


class TestPatchStreamOptions:
    """Patch: Patch stream options."""

    def test_options_must_come_first(self) -> None:
        """Patch: Patch stream options: MUST be the first row."""
        refuse(b.stream([b.begin(), b.commit()]), row=True, after=[])

    def test_options_may_be_repeated_inside_a_transaction(self) -> None:
        """Patch: Patch stream options: SHOULD NOT throw if present more than once."""
        again = b.options()
        data = b.stream([again, b.begin(), again], [again], [b.commit(), again])
        assert read(data) == [("TX",), ("TC",), END]

    @pytest.mark.parametrize(
        "row",
        [
            b.prefix_add("ex", b.iri(0, 1), b.literal("l")),
            b.prefix_delete("ex", b.iri(0, 1), b.literal("l")),
            b.delete(b.literal("l"), b.iri(0, 1), "o", "g"),
        ],
    )
    def test_generalized_terms_need_the_option(self, row: Any) -> None:
        """Patch: Patch stream options, generalized_statements: MUST be true if they are used."""
        refuse(rows(row, statement_type=QUADS), row=True)
        assert len(read(rows(row, statement_type=QUADS, generalized_statements=True))) == 2

    @pytest.mark.parametrize(
        "make_row", [lambda t: b.delete("s", b.iri(0, 1), t), lambda t: b.header("id", t)]
    )
    def test_quoted_triples_need_the_option(self, make_row: Any) -> None:
        """Patch: Patch stream options, rdf_star: MUST be true if it is used."""
        row = make_row(b.triple("s", b.iri(0, 1), "o"))
        refuse(rows(row), row=True)
        refuse(rows(row, generalized_statements=True), row=True)
        assert ("triple", S, P, O) in read(rows(row, rdf_star=True))[0]

    @pytest.mark.parametrize("stream_type", ["FRAME", "FLAT", "PUNCTUATED"])
    def test_the_writer_writes_the_options_first(self, stream_type: str) -> None:
        """Patch: Patch stream options: MUST be the first row; of a stream of nothing too."""
        options = jr.PatchOptions(stream_type=stream_type)
        assert PATCH.kinds(write([("H", "id", P), END], options))[0] == "options"
        assert PATCH.kinds(write([], options)) == ["options"]

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
        got = PATCH.rows(write([], jr.PatchOptions(**fields)))[0].options
        assert {name: getattr(got, name) for name in fields} == fields
        got = PATCH.rows(write([]))[0].options
        assert (got.statement_type, got.stream_type) == (QUADS, PUNCTUATED)
        assert not got.generalized_statements
        assert not got.rdf_star
        sizes = (got.max_name_table_size, got.max_prefix_table_size, got.max_datatype_table_size)
        assert sizes == (4000, 150, 32)
        got = PATCH.rows(write([], jr.PatchOptions.small()))[0].options
        sizes = (got.max_name_table_size, got.max_prefix_table_size, got.max_datatype_table_size)
        assert sizes == (128, 16, 16)

    @pytest.mark.parametrize(
        "operation",
        [
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
            ("D", S, P, ("triple", S, P, O), G),
            ("H", "id", ("triple", S, P, O)),
        ],
    )
    def test_the_writer_refuses_quoted_triples_without_the_option(self, operation: Plain) -> None:
        """Patch: Patch stream options, rdf_star: MUST be true if it is used."""
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(generalized_statements=True))
        assert read(write([operation], jr.PatchOptions(rdf_star=True))) == [operation, END]

    @pytest.mark.parametrize("inner", [("triple", lit("l"), P, O), ("triple", S, S, O)])
    def test_the_writer_refuses_generalized_terms_in_quoted_triples(self, inner: Plain) -> None:
        """Patch: Patch stream options, generalized_statements."""
        operation = ("H", "id", inner)
        with pytest.raises(jr.EncodeError):
            write([operation], jr.PatchOptions(rdf_star=True))
        both = jr.PatchOptions(rdf_star=True, generalized_statements=True)
        assert read(write([operation], both)) == [operation, END]


class TestRepeatedTerms:
    """Patch and RDF: Repeated terms."""

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

    @pytest.mark.parametrize("missing", "spo")
    def test_no_term_of_a_headers_quoted_triple_may_repeat(self, missing: str) -> None:
        """Rulings: a repeated term inside a quoted triple is an error (MUST)."""
        terms: dict[str, Any] = {"s": "s", "p": b.iri(0, 1), "o": "o"}
        del terms[missing]
        refuse(rows(statement(), b.header("id", b.triple(**terms)), rdf_star=True), row=True)

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
        headers = [row.header for row in PATCH.rows(data) if row.HasField("header")]
        assert [header.WhichOneof("value") for header in headers] == ["h_bnode"] * 3

    def test_the_writer_repeats_no_term_in_a_headers_quoted_triple(self) -> None:
        """RDF: Repeated terms: MUST NOT occur in quoted triples."""
        operations = [("A", S, P, O, G), ("H", "id", ("triple", S, P, O))]
        data = write(operations, jr.PatchOptions(rdf_star=True))
        triple = PATCH.rows(data)[-2].header.h_triple_term
        assert all(triple.WhichOneof(part) for part in ("subject", "predicate", "object"))
        assert read(data) == [*operations, END]


class TestNamespaces:
    """Patch: Namespaces."""

    def test_a_delete_may_have_a_value(self) -> None:
        """Patch: Namespaces, value: OPTIONAL for PD."""
        data = rows(b.prefix_delete("ex"), b.prefix_delete("ex", b.iri(0, 1)))
        assert read(data) == [("PD", "ex", None, None), ("PD", "ex", P, None), END]

    @pytest.mark.parametrize(
        ("graph", "term"),
        [
            ("g", G),
            (b.iri(0, 1), P),
            (pb.RdfDefaultGraph(), None),
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

    def test_the_ids_of_a_header_count(self) -> None:
        """RDF: IRIs: the ids of the previous IRI, whatever row it was in."""
        data = b.stream(
            [b.options(), b.prefix("a:"), *map(b.name, "123456"), b.add(b.iri(1), b.iri(), "o")],
            [b.header("id", b.iri()), b.prefix_add("ex", b.iri()), b.delete("s", b.iri(), b.iri())],
        )
        n = [iri(f"a:{number}") for number in range(7)]
        added, header, prefix, deleted, _ = read(data)
        assert (added[1:3], header[2], prefix[2], deleted[2:4]) == (
            (n[1], n[2]), n[3], n[4], (n[5], n[6]),
        )  # fmt: skip

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


class TestBlankNodes:
    """RDF: Blank nodes."""

    def test_labels_are_the_datasets_own(self) -> None:
        """Issue: blank node labels are the dataset's own, across frames and patches."""
        data = b.stream([b.options(stream_type=FRAME), b.header("a", "b1")], [b.header("b", "b1")])
        first, _, second, _ = jr.read_operations(data)
        assert first[2] == second[2] == BNode("b1")


class TestDelimiting:
    """Patch: Delimited variant; protocol.md: delimited or bare."""

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_bare_frame_is_told_by_its_first_bytes(self, stream_type: int) -> None:
        """protocol.md: a bare frame starts 0x0A, the row's length, 0x0A."""
        data = b.frame(b.options(stream_type=stream_type), b.header("id", "s"))
        assert data[0] == 0x0A
        assert read(data) == [("H", "id", S), END]

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

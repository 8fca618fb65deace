"""Rules of Jelly-Patch alone; each test is named after its rule and cites its section.

What a consumer reads and refuses is in the conformance suite's cases, which
`tests/conformance/patch` tries. Here is what they can't show: what a producer writes, as protobuf's
classes parse it, and what the package makes of what a rule leaves open. Rules are read from
Jelly-Patch ("Patch: …") and its base Jelly-RDF; "Rulings" are the later ones on both. The rules
that both formats share are in `test_spec_rules`.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly.formats import PATCH, G, O, P, S, iri
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


class TestPatchStreamTypes:
    """Patch: Patch stream types."""

    def test_the_writer_marks_each_patch_of_a_punctuated_stream(self) -> None:
        """Patch: Patch stream types, PUNCTUATED: the mark at the end of a patch."""
        data = write([("H", "id", S), END, END, ("H", "id", S), END])
        got = [kind for kind in PATCH.kinds(data) if kind not in ("options", "name", "prefix")]
        assert got == ["header", "punctuation", "punctuation", "header", "punctuation"]

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


class TestPatchStreamOptions:
    """Patch: Patch stream options."""

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


class TestRepeatedTerms:
    """Patch and RDF: Repeated terms."""

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

    def test_the_writer_repeats_no_term_in_a_header(self) -> None:
        """Patch: Headers: repeated term encoding MUST NOT be used."""
        data = write([("H", "id", S), ("H", "id", S), ("A", S, P, O, G), ("H", "prev", S)])
        headers = [row.header for row in PATCH.rows(data) if row.HasField("header")]
        assert [header.WhichOneof("value") for header in headers] == ["h_bnode"] * 3


class TestTransactions:
    """Patch: Transactions."""

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


class TestDelimiting:
    """Patch: Delimited variant; protocol.md: delimited or bare."""

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

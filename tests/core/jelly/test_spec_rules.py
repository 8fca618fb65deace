"""Rules that both formats share; each test is named after its rule.

A class for each section of the specification of Jelly-RDF, in its order. What a consumer reads and
refuses is in the conformance suite's cases: `test_shared_rules` tries them of Jelly-RDF, and
`tests/conformance/patch` of Jelly-Patch. Here is what they can't show: what a producer writes, as
protobuf's classes parse it; limits; what the package makes of what a rule leaves open. The rules of
one format alone are in `test_patch_spec_rules` and `test_statement_spec_rules`.
"""

from __future__ import annotations

from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from tests.core.jelly.formats import (
    ALL_TYPES,
    Format,
    G,
    O,
    P,
    Rdf,
    S,
    all_types,
    formats,
    in_row,
    iri,
    lit,
    with_graphs,
)
from tests.oracle import rdf_build as b
from tests.oracle import wire
from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.terms import DEFAULT_GRAPH, Plain

SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
QUOTED = ("triple", S, P, O)


@formats
class TestVersioning:
    """Versioning; Stream options, version."""

    def test_a_version_above_the_implementations_is_refused(self, f: Format) -> None:
        """SHOULD throw an error if the version tag is greater."""
        for version in (f.version + 1, f.version + 2, 10_000, 10_001, 2**32 - 1):
            assert "version" in f.refuse(f.one(version=version), row=True).message

    def test_lower_versions_are_read(self, f: Format) -> None:
        """Backward compatibility: MUST be able to read all of the same MAJOR version."""
        for version in range(1, f.version + 1):
            assert f.statements(f.one(f.triple(), version=version)) == [(S, P, O)]


@formats
class TestProtobuf:
    """Format specification: a compliant Protocol Buffers implementation."""

    def test_a_field_yet_unknown_may_stand_in_a_row_beside_a_known_one(self, f: Format) -> None:
        """Forward compatibility: older implementations simply ignore the new field."""
        known = f.triple().SerializeToString()
        for number in (*f.unknown_rows, 2**29 - 1):
            inner = wire.field(number, b"future") + known + wire.field(number, 7)
            data = b.delimited([f.frame(f.options(), f.name("urn:p")) + wire.field(1, inner)])
            assert f.statements(data) == [(S, P, O)]

    def test_the_last_of_a_oneof_wins(self, f: Format) -> None:
        """Protocol Buffers: oneof."""
        content = (
            wire.field(2, b"lost") + wire.field(1, b"\x10\x63") + wire.field(2, b"s")
            + wire.field(5, b"\x10\x01") + wire.field(9, b"\x10\x63") + wire.field(10, b"o")
        )  # fmt: skip
        data = b.delimited([f.frame(f.options(), f.name("urn:p")) + in_row(2, content)])
        assert f.statements(data) == [(S, P, O)]

    def test_an_overwritten_iri_does_not_move_the_default_ids(self, f: Format) -> None:
        """Protocol Buffers: oneof; IRIs."""
        content = (
            wire.field(1, b"\x10\x02") + wire.field(2, b"s")
            + wire.field(5, b"") + wire.field(9, b"\x10\x05") + wire.field(10, b"o")
        )  # fmt: skip
        head = f.frame(f.options(), f.name("urn:p"), f.name("urn:q"))
        data = b.delimited([head + in_row(2, content) + f.frame(f.spo("s", b.iri(), "o"))])
        assert f.statements(data) == [(S, P, O), (S, iri("urn:q"), O)]

    def test_the_last_kind_of_a_row_wins(self, f: Format) -> None:
        """Protocol Buffers: oneof."""
        lost = wire.field(f.name_row, wire.field(2, b"urn:lost"))
        both = lost + f.triple().SerializeToString()
        data = b.delimited([f.frame(f.options(), f.name("urn:p")) + wire.field(1, both)])
        assert f.statements(data) == [(S, P, O)]

    def test_an_entry_that_was_overwritten_defines_nothing(self, f: Format) -> None:
        """Protocol Buffers: oneof; lookup entries."""
        both = wire.field(f.name_row, b"\x08\x05\x12\x01x")
        both += wire.field(f.name_row + 1, b"\x12\x01a")
        head = f.frame(f.options(), f.name("urn:p")) + wire.field(1, both)
        tail = f.frame(f.name("q"), f.spo("s", b.iri(1, 2), "o"))
        assert f.statements(b.delimited([head + tail])) == [(S, iri("aq"), O)]


class TestFrames:
    """Stream frames; Ordering."""

    @all_types
    def test_the_writer_keeps_frames_small(self, f: Format) -> None:
        """RECOMMENDED: below 1 MB."""
        data = f.write([("A", S, P, lit(f"{n}" + "x" * 10_000), None) for n in range(300)])
        sizes = list(map(len, wire.split(data)))
        assert max(sizes) < 1_048_576
        assert len(sizes) > 1
        # An object that repeats takes no room.
        big = lit("x" * 10_000)
        repeated = f.write([("A", ("bnode", str(n)), P, big, None) for n in range(200)])
        assert len(wire.split(repeated)) == 1


CHANGES = (
    {"generalized_statements": True},
    {"rdf_star": True},
    {"max_name_table_size": 17},
    {"max_prefix_table_size": 15},
    {"max_datatype_table_size": 0},
    {"version": 2},
    {"version": 0},
)


class TestOptions:
    """Stream options."""

    @pytest.mark.parametrize(
        ("f", "change"),
        [
            (f, change)
            for f in ALL_TYPES
            for other in [TRIPLES if f.type == QUADS else QUADS]
            for change in (*CHANGES, *f.changes, {f.type_field: 0}, {f.type_field: other})
        ],
        ids=str,
    )
    def test_options_that_change_are_refused(self, f: Format, change: dict[str, Any]) -> None:
        """MUST be identical to all previous occurrences. Rulings: it is an error."""
        error = f.refuse(f.stream([f.options(), f.options()], [f.options(**change)]), row=True)
        assert (error.frame, error.row) == (1, 0)

    @formats
    def test_options_spelled_in_another_way_are_the_same(self, f: Format) -> None:
        """Protocol Buffers: order of fields, defaults on the wire."""
        options = f.options().options
        odd = b""
        for field in reversed(options.DESCRIPTOR.fields):
            value = getattr(options, field.name)
            odd += wire.field(field.number, b"" if value == "" else int(value))
        more = odd + wire.field(77, b"new")
        data = b.delimited([f.frame(f.options()) + in_row(1, odd) + in_row(1, more)])
        assert f.statements(data) == []

    @formats
    @pytest.mark.parametrize(
        ("field", "size"),
        [*zip(SIZES, (4097, 1025, 257), strict=True), *((field, 2**32 - 1) for field in SIZES)],
    )
    def test_lookups_over_the_limit_are_refused(self, f: Format, field: str, size: int) -> None:
        """Security considerations, overly large lookup tables."""
        f.refuse(f.stream([f.options(**{field: size})]), jr.LimitError, row=True)

    @formats
    def test_limits_on_lookups_can_be_set(self, f: Format) -> None:
        """Security considerations, overly large lookup tables: a configurable limit."""
        data = f.one(f.triple())
        for field in SIZES:
            f.refuse(data, jr.LimitError, limits=jr.Limits(**{field: 15}))
            assert f.statements(data, limits=jr.Limits(**{field: 16})) == [(S, P, O)]
        big = f.one(f.triple(), max_name_table_size=100_000)
        assert f.statements(big, limits=jr.Limits(max_name_table_size=100_000)) == [(S, P, O)]

    @all_types
    def test_the_writer_writes_the_options_first(self, f: Format) -> None:
        """MUST be the first row in the stream; of a stream of nothing too."""
        assert f.kinds(f.write([("A", S, P, O, None)]))[0] == "options"
        assert f.kinds(f.write([])) == ["options"]

    @all_types
    @pytest.mark.parametrize(
        "terms",
        [
            (lit("l"), P, O),
            (S, S, O),
            (S, lit("l"), O),
            (("triple", lit("l"), P, O), P, O),
            (S, P, ("triple", lit("l"), P, O)),
            (S, P, ("triple", S, S, O)),
            (S, QUOTED, O),
        ],
    )
    def test_the_writer_refuses_generalized_terms_without_the_option(
        self, f: Format, terms: Any
    ) -> None:
        """generalized_statements: MUST be true if the stream contains generalized statements."""
        operation = ("A", *terms, None)
        with pytest.raises(jr.EncodeError):
            f.write([operation], rdf_star=True)
        (got,) = f.statements(f.write([operation], rdf_star=True, generalized_statements=True))
        assert got[:3] == terms

    @with_graphs
    def test_the_writer_refuses_a_literal_graph_without_the_option(self, f: Format) -> None:
        """generalized_statements: MUST be true if the stream contains generalized graphs."""
        operation = ("A", S, P, O, lit("g"))
        with pytest.raises(jr.EncodeError):
            f.write([operation])
        got = f.statements(f.write([operation], generalized_statements=True))
        assert got == [operation[1:]]

    @all_types
    @pytest.mark.parametrize("position", [0, 2])
    def test_the_writer_refuses_quoted_triples_without_the_option(
        self, f: Format, position: int
    ) -> None:
        """rdf_star: MUST be true if the stream uses RDF-star."""
        terms = [S, P, O]
        terms[position] = QUOTED
        with pytest.raises(jr.EncodeError):
            f.write([("A", *terms, None)], generalized_statements=True)
        (got,) = f.statements(f.write([("A", *terms, None)], rdf_star=True))
        assert got[:3] == tuple(terms)


class TestWritersLookups:
    """Prefix, name, and datatype lookup entries; Stream options."""

    @all_types
    @pytest.mark.parametrize("sizes", [(8, 0, 0), (8, 1, 1), (9, 3, 2), (128, 16, 16)])
    def test_the_writer_keeps_within_the_sizes(
        self, f: Format, sizes: tuple[int, int, int]
    ) -> None:
        """The producer of the stream MUST NOT exceed the maximum size of the lookup."""
        size = dict(zip(("name", "prefix", "datatype"), sizes, strict=True))
        operations = [
            (
                "A",
                iri(f"urn:{n % 7}/{n % 31}"),
                P,
                lit("l", None, f"urn:d{n % 5}" if size["datatype"] else None),
                None if f.type == TRIPLES else iri(f"urn:{n % 7}/g"),
            )
            for n in range(300)
        ]
        data = f.write(operations, **dict(zip(SIZES, sizes, strict=True)))
        last = dict.fromkeys(size, 0)
        for row in f.rows(data):
            kind = row.WhichOneof("row")
            if kind in last:
                last[kind] = getattr(row, kind).id or last[kind] + 1
                assert last[kind] <= size[kind]
        assert f.operations(data) == operations

    @formats
    def test_the_writer_refuses_datatypes_without_a_lookup(self, f: Format) -> None:
        """max_datatype_table_size 0 effectively prohibits the use of datatype literals."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, lit("1", None, "urn:d"), None)], max_datatype_table_size=0)


class TestStatements:
    """RDF statements and graphs."""

    @formats
    @pytest.mark.parametrize("graph", [G, P])
    def test_the_writer_refuses_a_graph_in_triples(self, f: Format, graph: Plain) -> None:
        """A triple has no graph."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, O, graph)])

    @formats
    def test_the_writer_takes_the_default_graph_in_triples(self, f: Format) -> None:
        """Issue: None is the default graph, and rdflib's name for it is taken too."""
        assert f.statements(f.write([("A", S, P, O, DEFAULT_GRAPH)])) == [(S, P, O)]


class TestRepeatedTerms:
    """Repeated terms."""

    @all_types
    def test_the_writer_repeats_no_term_in_a_quoted_triple(self, f: Format) -> None:
        """MUST NOT occur in quoted triples."""
        operations = [("A", S, P, O, f.graph), ("A", QUOTED, P, QUOTED, f.graph)]
        data = f.write(operations, rdf_star=True)
        triples = [
            value
            for message in f.written(data)
            for field, value in message.ListFields()
            if field.name.endswith("triple_term")
        ]
        assert len(triples) == 2
        for message in triples:
            assert all(message.WhichOneof(part) for part in ("subject", "predicate", "object"))
        assert f.operations(data) == operations


@formats
class TestIris:
    """IRIs."""

    @pytest.mark.parametrize("text", ["", "a", "not an iri", "http://é/\U0001f600", "<>\x00"])
    def test_an_iri_is_kept_as_it_is(self, f: Format, text: str) -> None:
        """SHOULD be a valid IRI; a consumer changes nothing."""
        data = f.stream([f.options(), f.name(text), f.spo("s", b.iri(), "o")])
        assert f.statements(data) == [(S, iri(text), O)]
        assert f.nodes(data) == [(BNode("s"), URIRef(text), BNode("o"))]

    def test_the_writer_uses_the_prefix_lookup(self, f: Format) -> None:
        """Stream options, max_prefix_table_size: SHOULD be used if positive."""
        operations = [("A", iri("http://a/x"), iri("http://b#y"), O, None)]
        data = f.write(operations)
        texts = [row.prefix.value for row in f.rows(data) if row.HasField("prefix")]
        assert texts == ["http://a/", "http://b#"]
        without = f.write(operations, max_prefix_table_size=0)
        assert "prefix" not in f.kinds(without)
        assert f.statements(without) == f.statements(data)


@formats
class TestBlankNodes:
    """Blank nodes."""

    @pytest.mark.parametrize("label", ["", "b", "é", "\U0001f600", " ", "_:b", "\x00", "a\nb"])
    def test_a_label_is_any_utf8_string(self, f: Format, label: str) -> None:
        """MUST be a valid UTF-8 string."""
        expected = [(("bnode", label), P, O)]
        assert f.statements(f.one(f.triple(label))) == expected
        assert f.statements(f.write([("A", *expected[0], None)])) == expected


@formats
class TestLiterals:
    """Literals."""

    def test_without_a_kind_it_is_a_simple_literal(self, f: Format) -> None:
        """MUST be interpreted as a simple literal."""
        ((_, _, value),) = f.nodes(f.one(f.triple(o=b.literal("x"))))
        assert value == Literal("x")
        assert (value.datatype, value.language) == (None, None)

    def test_with_a_language_it_is_a_language_tagged_string(self, f: Format) -> None:
        """langtag; its case is kept."""
        ((_, _, value),) = f.nodes(f.one(f.triple(o=b.literal("x", "EN-gb"))))
        assert value == Literal("x", lang="EN-gb")
        assert value.language == "EN-gb"

    @pytest.mark.parametrize("language", ["", " ", "1", "en_GB", "é", "en-", "-en"])
    def test_what_is_no_language_tag_is_refused(self, f: Format, language: str) -> None:
        """langtag: SHOULD be a valid BCP 47 language tag; rdflib can hold nothing else."""
        f.refuse(f.one(f.triple(o=b.literal("x", language))), row=True)

    @pytest.mark.parametrize(
        ("kinds", "value"),
        [
            (b"\x12\x02en\x18\x01", lit("x", None, "urn:d")),
            (b"\x18\x01\x12\x02en", lit("x", "en")),
            (b"\x18\x63\x12\x02en", lit("x", "en")),
        ],
    )
    def test_the_last_of_language_and_datatype_wins(
        self, f: Format, kinds: bytes, value: Plain
    ) -> None:
        """literalKind is a oneof."""
        head = f.frame(f.options(), f.name("urn:p"), f.datatype("urn:d"))
        content = b"\x12\x01s\x2a\x02\x10\x01" + wire.field(11, b"\x0a\x01x" + kinds)
        assert f.statements(b.delimited([head + in_row(2, content)])) == [(S, P, value)]

    def test_the_writer_writes_a_simple_literal_without_a_kind(self, f: Format) -> None:
        """If no field in the oneof is set, it is a simple literal; langtag has no datatype."""
        data = f.write([("A", S, P, lit("x"), None), ("A", S, P, lit("y", "de-AT"), None)])
        got = [message.o_literal for message in f.written(data)]
        assert [literal.WhichOneof("literalKind") for literal in got] == [None, "langtag"]
        assert got[1].langtag == "de-AT"
        assert "datatype" not in f.kinds(data)

    def test_the_writer_never_writes_datatype_zero(self, f: Format) -> None:
        """datatype: MUST be greater than 0."""
        data = f.write([("A", S, P, lit("x", None, f"urn:{n % 40}"), None) for n in range(100)])
        for message in f.written(data):
            if message.o_literal.WhichOneof("literalKind") == "datatype":
                assert message.o_literal.datatype > 0


class TestQuotedTriples:
    """Quoted triples (RDF-star); Security considerations, infinite recursion."""

    def nested(self, f: Format, levels: int) -> bytes:
        """A stream with one statement whose object has so many levels of quoted triples."""
        start = wire.field(2, b"s") + wire.field(5, b"\x10\x01")
        content = start + wire.field(10, b"o")
        for _ in range(levels):
            content = start + wire.field(12, content)
        if f.type == QUADS:
            content += wire.field(14, b"g")
        head = f.frame(f.options(rdf_star=True), f.name("urn:p"), *f.start)
        return b.delimited([head + in_row(f.statement_row, content)])

    @all_types
    @pytest.mark.parametrize("levels", [1, 2, 10, 100])
    def test_they_may_be_nested(self, f: Format, levels: int) -> None:
        """Quoted triples may be nested up to arbitrary depth."""
        term = f.statements(self.nested(f, levels))[0][2]
        for _ in range(levels):
            assert term[:3] == ("triple", S, P)
            term = term[3]
        assert term == O

    @all_types
    @pytest.mark.parametrize("levels", [101, 1000, 20_000])
    def test_nesting_beyond_the_limit_is_refused(self, f: Format, levels: int) -> None:
        """SHOULD throw an error if the depth of the nesting exceeds the capabilities."""
        f.refuse(self.nested(f, levels), jr.LimitError, row=True)

    @formats
    def test_the_limit_on_nesting_can_be_set(self, f: Format) -> None:
        """Security considerations: set to a reasonable value."""
        for limit in (1, 2, 5):
            limits = jr.Limits(max_nesting_depth=limit)
            assert len(f.statements(self.nested(f, limit), limits=limits)) == 1
            f.refuse(self.nested(f, limit + 1), jr.LimitError, limits=limits)
        f.refuse(self.nested(f, 1), jr.LimitError, limits=jr.Limits(max_nesting_depth=0))
        deepest = jr.Limits(max_nesting_depth=1000)
        ((_, _, term),) = f.nodes(self.nested(f, 1000), limits=deepest)
        levels = 0
        while isinstance(term, jr.TripleTerm):
            term, levels = term.o, levels + 1
        assert levels == 1000

    @with_graphs
    def test_a_graph_is_no_quoted_triple(self, f: Format) -> None:
        """RDF terms and graph nodes: *_triple_term; there is none of a graph."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, O, QUOTED)], rdf_star=True, generalized_statements=True)


@with_graphs
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
    def test_every_graph_node_is_read(self, f: Format, graph: Any, term: Plain) -> None:
        """Encoded in the same manner as subject, predicate, and object."""
        data = f.one(*f.some(g=graph), generalized_statements=True)
        assert f.statements(data) == [(S, P, O, term)]

    def test_the_default_graph(self, f: Format) -> None:
        """RdfDefaultGraph; Issue: in operations None, in statements rdflib's name for it."""
        data = f.one(*f.some(g=b.default_graph()))
        ((*_, graph),) = f.nodes(data)
        assert graph == (DATASET_DEFAULT_GRAPH_ID if isinstance(f, Rdf) else None)
        rows = [operation for batch in jr.read_batches(data) for operation in batch]
        assert [operation[4] for operation in rows if operation[0] == jr.Op.A] == [None]

    @pytest.mark.parametrize("graph", [None, DEFAULT_GRAPH])
    def test_the_writer_names_the_default_graph_as_such(
        self, f: Format, graph: Plain | None
    ) -> None:
        """Represented using the RdfDefaultGraph message."""
        data = f.write([("A", S, P, O, graph)])
        starts = [row.graph_start for row in f.rows(data) if f.type == GRAPHS]
        kinds = [message.WhichOneof("graph") for message in starts or f.written(data)]
        assert [kind for kind in kinds if kind] == ["g_default_graph"]


class TestDelimiting:
    """Delimited variant of Jelly; Internet media type and file extension."""

    @all_types
    def test_a_bare_frame_is_told_by_its_first_bytes(self, f: Format) -> None:
        """protocol.md: a bare frame starts 0x0A, the row's length, 0x0A."""
        data = f.frame(f.options(), f.name("urn:p"), *f.some())
        assert data[0] == 0x0A
        assert f.statements(data) == [f.expected]

    @all_types
    def test_the_writer_can_write_a_bare_frame(self, f: Format) -> None:
        """The option `delimited`."""
        operations = [("A", S, P, O, f.graph), ("A", O, P, S, f.graph)]
        data = f.write(operations, delimited=False, frame_rows=1)
        assert wire.looks_bare(data)
        assert f.operations(data) == operations
        f.Frame.FromString(data)

"""Tests rules that both formats share; each test is named after its rule.

There is a class for each section of the Jelly-RDF specification, in its order. The cases of the
conformance suite show what a consumer reads and refuses: `test_shared_rules` runs them on
Jelly-RDF, and `tests/conformance/patch` on Jelly-Patch. These tests check the rest: what a producer
writes, parsed with protobuf's classes; limits; and how the package decides what a rule leaves open.
The rules of one format alone are in `test_patch_spec_rules` and `test_statement_spec_rules`.
"""

from typing import Any

import pytest
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from tests.core.jelly.formats import (
    ALL_TYPES,
    PATCH,
    RDF,
    Format,
    G,
    O,
    P,
    Rdf,
    S,
    all_types,
    formats,
    in_row,
    lit,
    with_graphs,
)
from tests.oracle import rdf_build as b
from tests.oracle import wire
from tests.oracle.build import FRAME, PUNCTUATED
from tests.oracle.rdf_build import FLAT_QUADS, GRAPHS, QUADS, TRIPLES
from tests.oracle.terms import DEFAULT_GRAPH, Plain

SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
QUOTED = ("triple", S, P, O)


@formats
class TestVersioning:
    """The sections "Versioning" and "Stream options, version"."""

    def test_a_version_above_the_implementations_is_refused(self, f: Format) -> None:
        """A reader SHOULD throw an error if the version tag is greater than its own."""
        # Version 3 of Jelly-RDF is a draft, which the package reads: see tests/core/columns.
        for version in {f.version + 1, f.version + 2, 10_000, 10_001, 2**32 - 1} - {3}:
            assert "version" in f.refuse(f.one(version=version), row=True).message


class TestFrames:
    """The sections "Stream frames" and "Ordering"."""

    @all_types
    def test_the_writer_keeps_frames_small(self, f: Format) -> None:
        """Frames below 1 MB are RECOMMENDED."""
        data = f.write([("A", S, P, lit(f"{n}" + "x" * 10_000), None) for n in range(300)])
        sizes = list(map(len, wire.split(data)))
        assert max(sizes) < 1_048_576
        assert len(sizes) > 1
        # A repeated object takes up no space.
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
        """Options MUST be identical to all previous occurrences. Rulings: a change is an error."""
        error = f.refuse(f.stream([f.options(), f.options()], [f.options(**change)]), row=True)
        assert (error.frame, error.row) == (2, 1)

    @formats
    @pytest.mark.parametrize(
        ("field", "size"),
        [*zip(SIZES, (4097, 1025, 257), strict=True), *((field, 2**32 - 1) for field in SIZES)],
    )
    def test_lookups_over_the_limit_are_refused(self, f: Format, field: str, size: int) -> None:
        """Security considerations: overly large lookup tables are refused."""
        f.refuse(f.stream([f.options(**{field: size})]), jr.LimitError, row=True)

    @formats
    def test_limits_on_lookups_can_be_set(self, f: Format) -> None:
        """Security considerations: the limit on lookup tables is configurable."""
        data = f.one(f.triple())
        for field in SIZES:
            f.refuse(data, jr.LimitError, limits=jr.Limits(**{field: 15}))
            assert f.statements(data, limits=jr.Limits(**{field: 16})) == [(S, P, O)]
        big = f.one(f.triple(), max_name_table_size=100_000)
        assert f.statements(big, limits=jr.Limits(max_name_table_size=100_000)) == [(S, P, O)]

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

    @pytest.mark.parametrize(
        ("f", "given", "defaults"),
        [
            (
                PATCH,
                {"statement_type": TRIPLES, "stream_type": FRAME, "version": 1},
                {"statement_type": QUADS, "stream_type": PUNCTUATED, "version": 1},
            ),
            (
                RDF,
                {"stream_name": "é", "physical_type": GRAPHS, "logical_type": 114, "version": 2},
                {"physical_type": QUADS, "logical_type": FLAT_QUADS, "version": 1},
            ),
        ],
        ids=["patch", "rdf"],
    )
    def test_the_writer_writes_the_options_it_was_given(
        self, f: Format, given: dict[str, Any], defaults: dict[str, Any]
    ) -> None:
        """The section "Stream options": the writer writes every field."""
        every = {**given, "generalized_statements": True, "rdf_star": True}
        every |= zip(SIZES, (11, 7, 5), strict=True)
        for options, fields, sizes in (
            (f.Options(**every), every, (11, 7, 5)),
            *((each, defaults, (4000, 150, 32)) for each in (None, f.Options.big())),
            (f.Options.small(), defaults, (128, 16, 16)),
        ):
            written = f.rows(f.support.write([], options))[0].options
            assert written == type(written)(**fields | dict(zip(SIZES, sizes, strict=True)))


class TestWritersLookups:
    """The sections "Prefix, name, and datatype lookup entries" and "Stream options"."""

    @formats
    def test_the_writer_refuses_datatypes_without_a_lookup(self, f: Format) -> None:
        """The value 0 of max_datatype_table_size prohibits the use of datatype literals."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, lit("1", None, "urn:d"), None)], max_datatype_table_size=0)


class TestStatements:
    """The section "RDF statements and graphs"."""

    @formats
    @pytest.mark.parametrize("graph", [G, P])
    def test_the_writer_refuses_a_graph_in_triples(self, f: Format, graph: Plain) -> None:
        """A triple can't have a graph."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, O, graph)])

    @formats
    def test_the_writer_takes_the_default_graph_in_triples(self, f: Format) -> None:
        """Decided: None is the default graph, and rdflib's name for it is accepted as well."""
        assert f.statements(f.write([("A", S, P, O, DEFAULT_GRAPH)])) == [(S, P, O)]


@formats
@pytest.mark.parametrize("language", ["", " ", "1", "en_GB", "é", "en-", "-en"])
def test_what_is_no_language_tag_is_refused(f: Format, language: str) -> None:
    """Literals, langtag: SHOULD be a valid BCP 47 language tag; rdflib accepts no other."""
    f.refuse(f.one(f.triple(o=b.literal("x", language))), row=True)


class TestQuotedTriples:
    """The sections "Quoted triples (RDF-star)" and "Security considerations"."""

    def nested(self, f: Format, levels: int) -> bytes:
        """Return a stream with a statement whose object has `levels` levels of quoted triples."""
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
        """A reader SHOULD throw an error if the depth of the nesting exceeds its capabilities."""
        f.refuse(self.nested(f, levels), jr.LimitError, row=True)

    @formats
    def test_the_limit_on_nesting_can_be_set(self, f: Format) -> None:
        """Security considerations: the limit on nesting should be set to a reasonable value."""
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
        """RDF terms and graph nodes: *_triple_term; there is no such field for a graph."""
        with pytest.raises(jr.EncodeError):
            f.write([("A", S, P, O, QUOTED)], rdf_star=True, generalized_statements=True)


@with_graphs
class TestGraphNodes:
    def test_the_default_graph(self, f: Format) -> None:
        """RdfDefaultGraph. Decided: it is None in operations, and rdflib's IRI in statements."""
        data = f.one(*f.some(g=b.default_graph()))
        ((*_, graph),) = f.nodes(data)
        assert graph == (DATASET_DEFAULT_GRAPH_ID if isinstance(f, Rdf) else None)
        rows = [operation for batch in jr.read_batches(data) for operation in batch]
        assert [operation[4] for operation in rows if operation[0] == jr.Op.A] == [None]

    @pytest.mark.parametrize("graph", [None, DEFAULT_GRAPH])
    def test_the_writer_names_the_default_graph_as_such(
        self, f: Format, graph: Plain | None
    ) -> None:
        """The default graph is represented by the RdfDefaultGraph message."""
        data = f.write([("A", S, P, O, graph)])
        starts = [row.graph_start for row in f.rows(data) if f.type == GRAPHS]
        kinds = [message.WhichOneof("graph") for message in starts or f.written(data)]
        assert [kind for kind in kinds if kind] == ["g_default_graph"]


class TestDelimiting:
    """The sections "Delimited variant" and "Internet media type and file extension"."""

    @all_types
    def test_the_writer_can_write_a_bare_frame(self, f: Format) -> None:
        """The option `delimited` turns off frame length prefixes."""
        operations = [("A", S, P, O, f.graph), ("A", O, P, S, f.graph)]
        data = f.write(operations, delimited=False, frame_rows=1)
        assert wire.looks_bare(data)
        assert f.operations(data) == operations
        f.Frame.FromString(data)

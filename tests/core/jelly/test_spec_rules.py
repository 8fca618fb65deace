"""One test for each rule that both formats share; each is named after its rule.

A class for each section of the specification of Jelly-RDF, in its order. "Rulings" are the later
ones of the formats' authors. The rules of one format alone are in
`test_patch_spec_rules` and `test_statement_spec_rules`.

For a consumer, streams are built of protobuf's messages. For a producer, what the package writes is
parsed with protobuf's classes.
"""

from __future__ import annotations

from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from tests.core.jelly.formats import (
    ALL_TYPES,
    FORMATS,
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
    with_quads,
)
from tests.oracle import rdf_build as b
from tests.oracle import wire
from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.terms import DEFAULT_GRAPH, Plain

SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
X, Y = ("bnode", "x"), ("bnode", "y")
QUOTED = ("triple", S, P, O)


@formats
class TestVersioning:
    """Versioning; Stream options, version."""

    def test_a_version_above_the_implementations_is_refused(self, f: Format) -> None:
        """SHOULD throw an error if the version tag is greater."""
        for version in (f.version + 1, f.version + 2, 10_000, 10_001, 2**32 - 1):
            assert "version" in f.refuse(f.one(version=version), row=True).message

    def test_version_zero_is_refused(self, f: Format) -> None:
        """SHOULD throw an error if the version tag is zero."""
        assert "version" in f.refuse(f.one(version=0), row=True).message

    def test_lower_versions_are_read(self, f: Format) -> None:
        """Backward compatibility: MUST be able to read all of the same MAJOR version."""
        for version in range(1, f.version + 1):
            assert f.statements(f.one(f.triple(), version=version)) == [(S, P, O)]


@formats
class TestProtobuf:
    """Format specification: a compliant Protocol Buffers implementation."""

    def after_prefix(self, f: Format, content: bytes) -> list[Plain]:
        """What is read of a statement that has a prefix "urn:" (id 1), and names "x" and "p"."""
        head = f.frame(f.options(), f.prefix("urn:"), f.name("x"), f.name("p"))
        return f.statements(b.delimited([head + in_row(2, content)]))

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

    def test_the_same_message_field_twice_merges(self, f: Format) -> None:
        """Protocol Buffers: messages merge, the last of a scalar wins."""
        content = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(5, b"\x10\x02")
            + wire.field(11, b"\x0a\x01x\x12\x02en") + wire.field(11, b"\x12\x02de")
        )  # fmt: skip
        assert self.after_prefix(f, content) == [(S, P, lit("x", "de"))]

    def test_a_oneof_set_again_after_another_member_starts_afresh(self, f: Format) -> None:
        """Protocol Buffers: oneof: setting a member clears the others, so nothing merges."""
        content = (
            wire.field(2, b"s") + wire.field(5, b"\x08\x01") + wire.field(6, b"b")
            + wire.field(5, b"\x10\x02") + wire.field(10, b"o")
        )  # fmt: skip
        assert self.after_prefix(f, content) == [(S, iri("p"), O)]

    def test_options_in_two_halves_merge(self, f: Format) -> None:
        """Protocol Buffers: the same message field twice merges."""
        whole = f.options(**f.changes[0]).options
        halves = type(whole)(), type(whole)()
        for n, (field, value) in enumerate(whole.ListFields()):
            setattr(halves[n % 2], field.name, value)
        inner = b"".join(wire.field(1, half.SerializeToString()) for half in halves)
        data = b.delimited([wire.field(1, inner) + f.frame(f.name("urn:p"), f.triple())])
        assert f.statements(data) == [(S, P, O)]

    def test_the_last_of_a_scalar_wins(self, f: Format) -> None:
        """Protocol Buffers: last one wins."""
        entry = in_row(f.name_row, b"\x08\x07\x12\x01x\x08\x00\x12\x05urn:p")
        data = b.delimited([f.frame(f.options()) + entry + f.frame(f.triple())])
        assert f.statements(data) == [(S, P, O)]

    def test_an_iri_message_may_be_empty(self, f: Format) -> None:
        """Protocol Buffers: defaults are not written; IRIs."""
        assert f.statements(f.one(f.spo("s", b.iri(), "o"))) == [(S, P, O)]


@with_quads
class TestProtobufInQuads:
    """Format specification: a compliant Protocol Buffers implementation."""

    def test_fields_may_come_in_any_order(self, f: Format) -> None:
        """Protocol Buffers: field order. IRIs are numbered by their terms' order all the same."""
        content = wire.field(13, b"") + wire.field(9, b"") + wire.field(5, b"") + wire.field(1, b"")
        head = f.frame(f.options(), *map(f.name, "spog"))
        data = b.delimited([head + in_row(f.statement_row, content)])
        assert f.statements(data) == [tuple(map(iri, "spog"))]


@all_types
class TestRowsInHalves:
    """Format specification: a compliant Protocol Buffers implementation."""

    def test_a_row_in_two_halves_merges(self, f: Format) -> None:
        """Protocol Buffers: the same message field twice merges, in rows too."""
        number = f.statement_row
        inner = wire.field(number, wire.field(2, b"s") + wire.field(5, b"\x10\x01"))
        graph = wire.field(14, b"g") if f.type == QUADS else b""
        inner += wire.field(number, wire.field(10, b"o") + graph)
        head = f.frame(f.options(), f.name("urn:p"), *f.start)
        assert f.statements(b.delimited([head + wire.field(1, inner)])) == [f.expected]


class TestFrames:
    """Stream frames; Ordering."""

    @formats
    def test_frames_are_decoded_in_order_and_share_state(self, f: Format) -> None:
        """MUST be processed strictly in order."""
        data = f.stream([f.options(), f.name("urn:p")], [f.triple()], [f.spo(o="x")], [], [f.spo()])
        assert f.statements(data) == [(S, P, O), (S, P, X), (S, P, X)]

    @formats
    def test_a_frame_may_contain_any_number_of_rows(self, f: Format) -> None:
        """A stream frame may contain any number of rows."""
        many = [f.spo(str(n)) for n in range(3000)]
        data = f.stream([f.options()], [], [f.name("urn:p"), f.triple(), *many], [])
        assert len(f.statements(data)) == 3001

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


@formats
class TestRows:
    """Stream rows."""

    def test_a_row_must_have_a_kind(self, f: Format) -> None:
        """It has one of the fields set."""
        f.refuse(f.stream([f.options(), type(f.options())()]), row=True)

    def test_a_row_of_an_unknown_kind_alone_is_refused(self, f: Format) -> None:
        """It has one of the fields set."""
        for number in f.unknown_rows:
            f.refuse(b.delimited([f.frame(f.options()) + in_row(number, b"")]), row=True)


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

    @all_types
    def test_options_must_come_first(self, f: Format) -> None:
        """MUST be the first row in the stream."""
        for rows in ([f.name("urn:p"), f.options()], [f.name("urn:p"), *f.some()], f.some()):
            f.refuse(f.stream(rows), row=True, after=[])

    @formats
    def test_an_input_without_rows_is_refused(self, f: Format) -> None:
        """MUST be the first row in the stream."""
        f.refuse(b"", row=False)
        f.refuse(b"\x00")
        f.refuse(b"\x00\x00\x00")

    @all_types
    def test_options_may_be_repeated(self, f: Format) -> None:
        """SHOULD NOT throw if the header is present more than once; also after other rows."""
        again = f.options()
        head = [again, again, f.name("urn:p"), again, *f.start, again]
        rows = f.some()[1:2] if f.type == GRAPHS else f.some()
        data = f.stream([*head, *rows, again], [again], [f.row(), again])
        assert f.statements(data) == [f.expected] * 2

    @formats
    def test_repeated_options_leave_the_lookups_as_they_are(self, f: Format) -> None:
        """It MUST be identical, so it says nothing new."""
        data = f.one(f.options(), f.name("urn:q"), f.spo("s", b.iri(0, 1), b.iri()))
        assert f.statements(data) == [(S, P, iri("urn:q"))]

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
    @pytest.mark.parametrize("size", range(8))
    def test_a_name_lookup_below_eight_is_refused(self, f: Format, size: int) -> None:
        """max_name_table_size: MUST be greater than or equal to 8."""
        f.refuse(f.stream([f.options(max_name_table_size=size)]), row=True)
        with pytest.raises(ValueError, match="max_name_table_size"):
            f.writer_options(max_name_table_size=size)

    @formats
    @pytest.mark.parametrize("sizes", [(8, 0, 0), (8, 1, 1), (4096, 1024, 256)])
    def test_sizes_within_the_limits_are_read(self, f: Format, sizes: tuple[int, ...]) -> None:
        """The sizes are the producer's choice."""
        data = f.one(f.triple(), **dict(zip(SIZES, sizes, strict=True)))
        assert f.statements(data) == [(S, P, O)]

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
    @pytest.mark.parametrize(
        ("place", "term"),
        [
            ("s", b.literal("l")),
            ("p", "p"),
            ("p", b.literal("l")),
            ("p", b.triple("s", b.iri(0, 1), "o")),
            ("s", b.triple(b.literal("l"), b.iri(0, 1), "o")),
            ("o", b.triple("s", "p", "o")),
        ],
    )
    def test_generalized_terms_need_the_option(self, f: Format, place: str, term: Any) -> None:
        """generalized_statements: MUST be true if the stream contains generalized statements."""
        rows = f.some(**{place: term})
        f.refuse(f.one(*rows, rdf_star=True), row=True)
        assert len(f.statements(f.one(*rows, rdf_star=True, generalized_statements=True))) == 1

    @with_graphs
    def test_a_literal_graph_needs_the_option(self, f: Format) -> None:
        """generalized_statements: MUST be true if the stream contains generalized graphs."""
        rows = f.some(g=b.literal("l"))
        f.refuse(f.one(*rows), row=True)
        assert f.statements(f.one(*rows, generalized_statements=True)) == [(S, P, O, lit("l"))]

    @all_types
    @pytest.mark.parametrize("position", "so")
    def test_quoted_triples_need_the_option(self, f: Format, position: str) -> None:
        """rdf_star: MUST be true if the stream uses RDF-star."""
        rows = f.some(**{position: b.triple("s", b.iri(0, 1), "o")})
        f.refuse(f.one(*rows), row=True)
        f.refuse(f.one(*rows, generalized_statements=True), row=True)
        assert f.statements(f.one(*rows, rdf_star=True))[0]["spo".index(position)] == QUOTED

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


LOOKUPS = {
    "name": (Format.name, SIZES[0], lambda f, n: f.spo("s", b.iri(0, n), "o")),
    "prefix": (Format.prefix, SIZES[1], lambda f, n: f.spo("s", b.iri(n, 1), "o")),
    "datatype": (
        Format.datatype, SIZES[2], lambda f, n: f.spo("s", b.iri(0, 1), b.literal("l", None, n)),
    ),
}  # fmt: skip


class Lookup:
    """A lookup of a format: its entries, and streams that use them."""

    def __init__(self, f: Format, kind: str) -> None:
        self.f, self.kind = f, kind
        self._make, self.field, self._use = LOOKUPS[kind]

    def entry(self, value: str, id: int = 0) -> Any:
        return self._make(self.f, value, id)

    def use(self, id: int) -> Any:
        """A row that uses an entry; in lookups of prefixes and datatypes, with name 1."""
        return self._use(self.f, id)

    def stream(self, rows: list[Any], *frames: list[Any]) -> bytes:
        """A stream with options, and an empty name 1 for lookups of prefixes and datatypes."""
        names = [] if self.kind == "name" else [self.f.name("")]
        return self.f.stream([self.f.options(), *names, *rows], *frames)

    def used(self, rows: list[Any], *frames: list[Any]) -> list[str]:
        """The texts of the entries that rows use."""
        found = self.f.statements(self.stream(rows, *frames))
        return [o[3] if o[0] == "literal" else p[1] for _, p, o in found]

    def refuse(self, *rows: Any) -> None:
        self.f.refuse(self.stream(list(rows)), row=True)


class TestLookupEntries:
    """Prefix, name, and datatype lookup entries."""

    @pytest.fixture(params=FORMATS, ids=repr)
    def f(self, request: pytest.FixtureRequest) -> Format:
        return request.param

    @pytest.fixture(params=LOOKUPS)
    def lookup(self, request: pytest.FixtureRequest, f: Format) -> Lookup:
        return Lookup(f, request.param)

    def test_id_zero_in_the_first_entry_is_one(self, lookup: Lookup) -> None:
        """MUST be interpreted as the value 1."""
        assert lookup.used([lookup.entry("a"), lookup.use(1)]) == ["a"]

    def test_id_zero_in_a_later_entry_is_the_previous_plus_one(self, lookup: Lookup) -> None:
        """MUST be interpreted as previous_index + 1."""
        pairs = [("a", 5), ("b", 0), ("c", 0), ("d", 3), ("e", 0)]
        entries = [lookup.entry(*pair) for pair in pairs]
        # e has overwritten nothing: d is 3, e is 4
        assert lookup.used([*entries, *map(lookup.use, (5, 6, 7, 3, 4))]) == list("abcde")

    def test_ids_count_on_across_frames(self, lookup: Lookup) -> None:
        """Ordering: state is the stream's."""
        entry, use = lookup.entry, lookup.use
        assert lookup.used([entry("a", 2)], [entry("b"), use(3)], [use(2)]) == ["b", "a"]

    def test_an_entry_may_be_set_anew(self, lookup: Lookup) -> None:
        """The modification MUST be applied to all subsequent rows."""
        entry, use = lookup.entry, lookup.use
        assert lookup.used([entry("a", 4), use(4), entry("b", 4), use(4)]) == ["a", "b"]

    def test_an_entry_set_anew_leaves_repeated_terms_alone(self, lookup: Lookup) -> None:
        """Repeated terms: the same term, whatever has become of its entries."""
        entry, use = lookup.entry, lookup.use
        rows = [entry("a", 4), use(4), entry("b", 4)]
        assert lookup.used(rows, [lookup.f.spo()]) == ["a", "a"]

    def test_an_entry_that_was_never_set_is_refused(self, lookup: Lookup) -> None:
        """SHOULD throw an error if an element is not defined."""
        lookup.refuse(lookup.use(2 if lookup.kind == "name" else 1))
        lookup.refuse(lookup.entry("a", 3), lookup.use(2))
        lookup.refuse(lookup.entry("a", 3), lookup.use(4))

    def test_an_entry_must_be_set_before_it_is_used(self, lookup: Lookup) -> None:
        """The first use MUST be after it is defined."""
        lookup.refuse(lookup.use(2), lookup.entry("a", 2))

    @pytest.mark.parametrize("number", [17, 18, 4096, 2**31, 2**32 - 1])
    def test_ids_beyond_the_size_are_refused(self, lookup: Lookup, number: int) -> None:
        """Security considerations, invalid lookup entry IDs and references."""
        lookup.refuse(lookup.entry("a", number))
        lookup.refuse(lookup.entry("a"), lookup.use(number))

    def test_the_size_itself_is_the_last_id(self, lookup: Lookup) -> None:
        """The size of the lookup MUST NOT exceed the value of the field."""
        entry = lookup.entry
        assert lookup.used([entry("a", 15), entry("b"), lookup.use(16)]) == ["b"]
        lookup.refuse(entry("a", 16), entry("b"))

    @pytest.mark.parametrize("kind", ["prefix", "datatype"])
    def test_a_lookup_of_size_zero_must_not_be_used(self, f: Format, kind: str) -> None:
        """Stream options: if it is 0, the lookup MUST NOT be used."""
        lookup = Lookup(f, kind)
        for row in (lookup.entry("a"), lookup.entry("a", 1), lookup.use(1)):
            f.refuse(f.stream([f.options(**{lookup.field: 0}), f.name("a"), row]), row=True)

    def test_an_entry_may_be_the_empty_string(self, lookup: Lookup) -> None:
        """A map to a valid UTF-8 string."""
        assert lookup.used([lookup.entry(""), lookup.use(1)]) == [""]

    @pytest.mark.parametrize("kind", [0, 1, 2])
    @pytest.mark.parametrize("text", [b"\xff", b"\xc3", b"\xed\xa0\x80"])
    def test_an_entry_must_be_utf8(self, f: Format, kind: int, text: bytes) -> None:
        """A map to a valid UTF-8 string."""
        entry = in_row(f.name_row + kind, wire.field(2, text))
        f.refuse(b.delimited([f.frame(f.options()) + entry]), row=True)


class TestWritersLookups:
    """Prefix, name, and datatype lookup entries; Stream options."""

    @all_types
    @pytest.mark.parametrize("sizes", [(8, 0, 0), (8, 1, 1), (9, 3, 2), (128, 16, 16)])
    def test_the_writer_keeps_within_the_sizes(
        self, f: Format, sizes: tuple[int, int, int]
    ) -> None:
        """The producer of the stream MUST NOT exceed the maximum size of the lookup."""
        size = dict(zip(LOOKUPS, sizes, strict=True))
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

    @with_graphs
    def test_the_writer_takes_no_graph_for_the_default_graph(self, f: Format) -> None:
        """Issue: g None is the default graph."""
        assert f.statements(f.write([("A", S, P, O, None)])) == [(S, P, O, DEFAULT_GRAPH)]


class TestRepeatedTerms:
    """Repeated terms."""

    @all_types
    @pytest.mark.parametrize("missing", "spo")
    def test_no_term_of_the_first_statement_may_repeat(self, f: Format, missing: str) -> None:
        """MUST NOT occur in the first statement row of the stream."""
        f.refuse(f.one(*f.some(**{missing: None})), row=True)

    @with_graphs
    def test_the_first_graph_must_be_set(self, f: Format) -> None:
        """MUST NOT occur in the first statement row of the stream."""
        f.refuse(f.one(*f.some(g=None)), row=True)

    @formats
    def test_a_position_repeats_from_whatever_row_set_it_last(self, f: Format) -> None:
        """The consumer MUST interpret all consecutive appearances as the same term."""
        data = f.one(f.triple(), f.spo("x"), f.spo(), f.spo(o="y"), f.spo("s"), f.spo())
        pairs = [(S, O), (X, O), (X, O), (X, Y), (S, Y), (S, Y)]
        assert f.statements(data) == [(s, P, o) for s, o in pairs]

    @all_types
    def test_terms_repeat_across_frames(self, f: Format) -> None:
        """MUST be interpreted as repeated from the previous stream frame."""
        first = f.some()[1:2] if f.type == GRAPHS else f.some()
        data = f.stream([f.options(), f.name("urn:p"), *f.start, *first], [], [f.row()])
        assert f.statements(data) == [f.expected] * 2

    @formats
    def test_the_example(self, f: Format) -> None:
        """Repeated terms: example."""
        data = f.stream(
            [
                f.options(), f.prefix("a:"), f.prefix("b:"),
                f.name("1"), f.name("2"), f.name("3"),
                f.spo(b.iri(1, 1), b.iri(1, 2), "x"), f.spo(o="y"), f.spo(p=b.iri(2, 3)),
            ]
        )  # fmt: skip
        s, p = iri("a:1"), iri("a:2")
        assert f.statements(data) == [(s, p, X), (s, p, Y), (s, iri("b:3"), Y)]

    @formats
    def test_a_namespace_does_not_change_the_last_terms(self, f: Format) -> None:
        """The same position in the previous triple or quad."""
        namespace = f.namespace("ex", b.iri(0, 1))
        assert f.statements(f.one(f.triple(), namespace, f.spo())) == [(S, P, O)] * 2
        f.refuse(f.one(namespace, f.spo(None, b.iri(0, 1), "o")), row=True)

    @formats
    def test_a_quoted_triple_does_not_change_the_last_terms(self, f: Format) -> None:
        """The same position in the previous triple or quad, not inside one."""
        quoted = b.triple("x", b.iri(0, 1), "y")
        data = f.one(f.triple("s", quoted), f.spo(o="o"), rdf_star=True)
        assert f.statements(data)[1] == (S, P, O)

    @all_types
    @pytest.mark.parametrize("missing", "spo")
    @pytest.mark.parametrize("levels", [1, 2])
    def test_no_term_of_a_quoted_triple_may_repeat(
        self, f: Format, missing: str, levels: int
    ) -> None:
        """MUST NOT occur in quoted triples. Rulings: an error (MUST)."""
        terms: dict[str, Any] = {"s": "s", "p": b.iri(0, 1), "o": "o"}
        del terms[missing]
        quoted = b.triple(**terms)
        if levels == 2:
            quoted = b.triple("s", b.iri(0, 1), quoted)
        error = f.refuse(f.one(*f.some(), *f.some(o=quoted), rdf_star=True), row=True)
        assert error.row == (6 if f.type == GRAPHS else 3)

    @formats
    def test_a_quoted_triple_repeats_as_a_whole(self, f: Format) -> None:
        """A term in a given position."""
        data = f.one(f.triple(b.triple("s", b.iri(0, 1), "o")), f.spo(o="x"), rdf_star=True)
        assert f.statements(data)[1] == (QUOTED, P, X)

    @with_quads
    def test_a_graph_repeats(self, f: Format) -> None:
        """Graph node in quads."""
        data = f.one(*f.some(), f.spog("x"), f.spog(g=b.default_graph()), f.spog("y"))
        assert [g for *_, g in f.statements(data)] == [G, G, DEFAULT_GRAPH, DEFAULT_GRAPH]

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

    BASE = "http://example.com/"

    def test_the_example_with_the_prefix_table(self, f: Format) -> None:
        """Example with the prefix table."""
        names = map(f.name, ("example", "", "test"))
        row = f.spo(b.iri(1, 0), b.iri(), b.iri())
        data = f.stream([f.options(), f.prefix(self.BASE), *names, row])
        texts = (self.BASE + "example", self.BASE, self.BASE + "test")
        assert f.statements(data) == [tuple(map(iri, texts))]

    def test_the_example_without_the_prefix_table(self, f: Format) -> None:
        """Example without the prefix table."""
        texts = (self.BASE + "example", self.BASE + "test")
        options = f.options(max_prefix_table_size=0)
        data = f.stream([options, *map(f.name, texts), f.spo(b.iri(), b.iri(), "o")])
        assert f.statements(data) == [(*map(iri, texts), O)]

    def test_prefix_id_zero_repeats_the_last_one(self, f: Format) -> None:
        """The same value as in the last explicitly specified prefix identifier."""
        data = f.stream(
            [
                f.options(), f.prefix("a:"), f.prefix("b:"), f.name("x"),
                f.spo(b.iri(2, 1), b.iri(0, 1), b.iri(1, 1)),
            ],
            [f.namespace("ex", b.iri(0, 1)), f.namespace("ex", b.iri(2, 1))],
            [f.spo(b.iri(0, 1))],
        )  # fmt: skip
        first, second = f.statements(data)
        assert [term[1] for term in first] == ["b:x", "b:x", "a:x"]
        assert [value[1] for _, value in f.namespaces(data)] == ["a:x", "b:x"]
        assert second[0] == iri("b:x")

    def test_prefix_id_zero_before_any_other_is_the_empty_prefix(self, f: Format) -> None:
        """If 0 appears in the first IRI (and in any subsequent IRI): an empty prefix."""
        row = f.spo(b.iri(), b.iri(0, 1), b.iri(1, 1))
        data = f.stream([f.options(), f.prefix("a:"), f.name("x"), row])
        assert [term[1] for term in f.statements(data)[0]] == ["x", "x", "a:x"]

    def test_prefix_id_zero_follows_an_entry_that_was_set_anew(self, f: Format) -> None:
        """The same value of the identifier, not the same text."""
        data = f.stream(
            [
                f.options(), f.prefix("a:"), f.name("x"), f.spo(b.iri(1, 1), b.iri(0, 1), "o"),
                f.prefix("b:", 1), f.spo(b.iri(0, 1)),
            ]
        )  # fmt: skip
        assert [s[1] for s, _, _ in f.statements(data)] == ["a:x", "b:x"]

    def test_name_id_zero_is_the_previous_plus_one(self, f: Format) -> None:
        """previous_name_id + 1, several in a row too."""
        names = [f.name(f"urn:{n}") for n in range(1, 9)]
        data = f.stream(
            [
                f.options(), *names, f.spo(b.iri(0, 3), b.iri(), b.iri()),
                f.namespace("ex", b.iri()),
            ],
            [f.spo(b.iri(), b.iri(0, 1), b.iri())],
        )  # fmt: skip
        first, second = f.statements(data)
        assert [term[1] for term in first] == ["urn:3", "urn:4", "urn:5"]
        assert f.namespaces(data) == [("ex", iri("urn:6"))]
        assert [term[1] for term in second] == ["urn:7", "urn:1", "urn:2"]

    def test_name_id_zero_in_the_first_iri_is_one(self, f: Format) -> None:
        """If 0 appears in the first IRI of the stream it MUST be interpreted as 1."""
        data = f.stream([f.options(), f.name("b", 2), f.name("a", 1), f.spo("s", b.iri(), "o")])
        assert f.statements(data) == [(S, iri("a"), O)]

    def test_name_id_zero_beyond_the_table_is_refused(self, f: Format) -> None:
        """Security considerations, invalid lookup entry IDs and references."""
        full = [f.name(str(n)) for n in range(8)]
        head = [f.options(max_name_table_size=8), *full, f.spo("s", b.iri(0, 8), "o")]
        f.refuse(f.stream([*head, f.spo("s", b.iri())]), row=True)

    def test_entries_do_not_move_the_ids_of_iris(self, f: Format) -> None:
        """The name_id of the previous IRI, not of the previous entry."""
        entries = [f.name("7", 7), f.name("2", 2)]
        rows = [f.name("1"), f.spo("s", b.iri(), "o"), *entries, f.spo("s", b.iri())]
        assert [p[1] for _, p, _ in f.statements(f.stream([f.options(), *rows]))] == ["1", "2"]

    def test_repeated_terms_do_not_move_the_ids(self, f: Format) -> None:
        """A term that is not written has no ids."""
        names = [f.name(f"urn:{n}") for n in range(1, 6)]
        rows = [f.spo(b.iri(), b.iri(), b.iri()), f.spo(None, b.iri())]
        assert f.statements(f.stream([f.options(), *names, *rows]))[1][1] == iri("urn:4")

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


@with_quads
class TestIrisInQuads:
    """IRIs."""

    def test_iris_are_numbered_in_the_order_of_terms_through_quoted_triples(
        self, f: Format
    ) -> None:
        """Firstly by stream row, then by term; recursively in quoted triples."""
        names = [f.name(f"urn:{n}") for n in range(1, 12)]
        inner = b.triple(b.iri(), b.iri(), b.triple(b.iri(), b.iri(), b.iri()))
        row = f.spog(inner, b.iri(), b.triple(b.iri(), b.iri(), b.iri()), b.iri())
        n = [iri(f"urn:{i}") for i in range(12)]
        triple = ("triple", n[1], n[2], ("triple", n[3], n[4], n[5]))
        assert f.statements(f.stream([f.options(rdf_star=True), *names, row])) == [
            (triple, n[6], ("triple", n[7], n[8], n[9]), n[10])
        ]


@formats
class TestBlankNodes:
    """Blank nodes."""

    @pytest.mark.parametrize("label", ["", "b", "é", "\U0001f600", " ", "_:b", "\x00", "a\nb"])
    def test_a_label_is_any_utf8_string(self, f: Format, label: str) -> None:
        """MUST be a valid UTF-8 string."""
        expected = [(("bnode", label), P, O)]
        assert f.statements(f.one(f.triple(label))) == expected
        assert f.statements(f.write([("A", *expected[0], None)])) == expected

    @pytest.mark.parametrize(
        "label", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x80", b"\xe2\x82"]
    )
    def test_a_label_that_is_not_utf8_is_refused(self, f: Format, label: bytes) -> None:
        """MUST be a valid UTF-8 string."""
        head = f.frame(f.options(), f.name("urn:p"))
        content = wire.field(2, label) + wire.field(5, b"") + wire.field(10, b"o")
        f.refuse(b.delimited([head + in_row(2, content)]), row=True)

    def test_labels_are_the_streams_own(self, f: Format) -> None:
        """The consumer MAY treat them as unique across the stream; so this one does."""
        data = f.stream([f.options(), f.name("urn:p"), f.triple("b")], [f.spo("b")])
        assert [s for s, _, _ in f.nodes(data)] == [BNode("b")] * 2


@formats
class TestLiterals:
    """Literals."""

    def objects(self, f: Format, *values: Any) -> list[Plain]:
        """What is read of objects; the datatypes are "urn:a" and "urn:b"."""
        rows = [f.datatype("urn:a"), f.datatype("urn:b"), *(f.triple(o=value) for value in values)]
        return [o for _, _, o in f.statements(f.one(*rows))]

    def test_without_a_kind_it_is_a_simple_literal(self, f: Format) -> None:
        """MUST be interpreted as a simple literal."""
        ((_, _, value),) = f.nodes(f.one(f.triple(o=b.literal("x"))))
        assert value == Literal("x")
        assert (value.datatype, value.language) == (None, None)

    def test_with_a_language_it_is_a_language_tagged_string(self, f: Format) -> None:
        """langtag; its case is kept."""
        assert self.objects(f, b.literal("x", "EN-gb")) == [lit("x", "EN-gb")]
        ((_, _, value),) = f.nodes(f.one(f.triple(o=b.literal("x", "EN-gb"))))
        assert value == Literal("x", lang="EN-gb")
        assert value.language == "EN-gb"

    def test_with_a_datatype_it_is_typed(self, f: Format) -> None:
        """datatype: an entry of the datatype lookup."""
        assert self.objects(f, b.literal("x", None, 2)) == [lit("x", None, "urn:b")]

    def test_the_lexical_form_defaults_to_the_empty_string(self, f: Format) -> None:
        """lex: OPTIONAL, defaults to an empty string."""
        got = self.objects(f, b.literal(), b.literal("", "en"), b.literal("", None, 1))
        assert got == [lit(""), lit("", "en"), lit("", None, "urn:a")]

    def test_datatype_zero_is_refused(self, f: Format) -> None:
        """datatype: MUST be greater than 0."""
        f.refuse(f.one(f.datatype("urn:a"), f.triple(o=b.literal("x", None, 0))), row=True)

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

    def test_the_datatype_is_resolved_when_its_row_comes(self, f: Format) -> None:
        """Lookup entries: the modification applies to subsequent rows."""
        use = f.triple(o=b.literal("x", None, 1))
        data = f.one(f.datatype("urn:a"), use, f.datatype("urn:b", 1), use)
        assert [o[3] for _, _, o in f.statements(data)] == ["urn:a", "urn:b"]

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

    @formats
    def test_they_may_stand_wherever_a_term_may(self, f: Format) -> None:
        """RDF terms and graph nodes: *_triple_term; there is none of a graph."""
        quoted = b.triple("s", b.iri(0, 1), b.literal("l"))
        term = ("triple", S, P, lit("l"))
        data = f.one(f.spo(quoted, quoted, quoted), rdf_star=True, generalized_statements=True)
        assert f.statements(data) == [(term, term, term)]

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


@formats
class TestNamespaces:
    """Namespace declarations."""

    @pytest.mark.parametrize(
        "name", ["", "ex", "a.b-c", "é", "\U0001f600", "not a prefix:", "\x00"]
    )
    def test_any_name_is_read(self, f: Format, name: str) -> None:
        """name: SHOULD conform to PN_PREFIX; an empty string is allowed."""
        assert f.namespaces(f.one(f.namespace(name, b.iri(0, 1)))) == [(name, P)]

    def test_the_value_is_required(self, f: Format) -> None:
        """value: This field is REQUIRED."""
        f.refuse(f.one(f.namespace("ex")), row=True)
        f.refuse(f.one(f.namespace("")), row=True)

    def test_an_empty_value_is_a_value(self, f: Format) -> None:
        """The default value of 0 has the exact same meaning."""
        assert f.namespaces(f.one(f.namespace("ex", b.iri()))) == [("ex", P)]


class TestDelimiting:
    """Delimited variant of Jelly; Internet media type and file extension."""

    @formats
    def test_each_frame_has_its_length_before_it(self, f: Format) -> None:
        """MUST consist of a series of delimited messages."""
        data = f.stream([f.options(), f.name("urn:p")], [f.triple()], [f.spo()])
        assert f.statements(data) == [(S, P, O)] * 2

    @all_types
    def test_a_bare_frame_is_told_by_its_first_bytes(self, f: Format) -> None:
        """protocol.md: a bare frame starts 0x0A, the row's length, 0x0A."""
        data = f.frame(f.options(), f.name("urn:p"), *f.some())
        assert data[0] == 0x0A
        assert f.statements(data) == [f.expected]

    @formats
    def test_a_bare_frame_whose_first_row_has_ten_bytes(self, f: Format) -> None:
        """protocol.md: bare when byte 0 is 0x0A and byte 2 is 0x0A."""
        sizes = {"max_prefix_table_size": 0, "max_datatype_table_size": 0}
        row = next(
            row
            for row in (f.options(**sizes), f.options(**sizes, rdf_star=True))
            if len(f.frame(row)) == 12
        )
        data = f.frame(row)
        assert data[:3] == b"\x0a\x0a\x0a"
        assert f.statements(data) == f.statements(b.delimited([data])) == []

    @formats
    def test_a_length_may_take_more_bytes_than_it_needs(self, f: Format) -> None:
        """Protocol Buffers: varints."""
        frame = f.frame(f.options(), f.name("urn:p"), f.triple())
        assert f.statements(wire.varint(len(frame), 5) + frame) == [(S, P, O)]

    @formats
    def test_the_writer_delimits_its_frames(self, f: Format) -> None:
        """The files SHOULD be saved in the delimited variant."""
        data = f.write([("A", S, P, O, None)] * 3, frame_rows=1)
        assert not wire.looks_bare(data)
        assert len(wire.split(data)) >= 3

    @all_types
    def test_the_writer_can_write_a_bare_frame(self, f: Format) -> None:
        """The option `delimited`."""
        operations = [("A", S, P, O, f.graph), ("A", O, P, S, f.graph)]
        data = f.write(operations, delimited=False, frame_rows=1)
        assert wire.looks_bare(data)
        assert f.operations(data) == operations
        f.Frame.FromString(data)

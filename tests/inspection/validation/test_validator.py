"""Tests each rule of `validate`, broken and followed, and how checking continues after a fault."""

import gzip
import io
import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import FrameReader
from jelly_rdflib.formats.protobuf import JELLY_PATCH_TEXT, JELLY_TEXT
from jelly_rdflib.inspection.validation.faults import RecentSet
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.statement_support import few, write_frames
from tests.core.jelly.streams import PATCH_REALISTIC as REALISTIC
from tests.core.jelly.streams import PATCH_SMALL as SMALL
from tests.oracle import build as b
from tests.oracle import producer, wire
from tests.oracle import rdf_build as rb
from tests.oracle import schema as pb
from tests.strategies import Stream
from tests.support import write

UUID = "4f5a8c3e-0000-4000-8000-000000000001"
OTHER = "4f5a8c3e-0000-4000-8000-000000000002"


def faults(source: Any, **arguments: Any) -> list[jr.Fault]:
    return list(jr.validate(source, **arguments))


def found(source: Any, **arguments: Any) -> list[tuple[str, int | None, int | None]]:
    """Return the rules that an input breaks, with the indexes of the frame and the row."""
    places = [(fault.rule, fault.frame, fault.row) for fault in faults(source, **arguments)]
    return [(rule, frame and frame - 1, row and row - 1) for rule, frame, row in places]


def _general(rule: str) -> str:
    return "format" if jr.Rule(rule).is_enforced and rule != "limit" else rule


def refusals(source: Any, **arguments: Any) -> list[tuple[str, int | None, int | None]]:
    """Return the result of `found`, with "format" in place of all rules that readers enforce."""
    return [(_general(rule), *place) for rule, *place in found(source, **arguments)]


def text_found(text: str) -> list[tuple[str, int | None, int | None]]:
    """Return the rules that a text breaks, with line and column."""
    return [(fault.rule, fault.line, fault.column) for fault in faults(text.encode())]


def options(**changes: Any) -> Any:
    """Return valid options of a patch stream."""
    return b.options(max_prefix_table_size=0, **changes)


def rdf_options(**changes: Any) -> Any:
    return rb.options(max_prefix_table_size=0, **changes)


P = b.name("urn:p")
GOOD = b.add("s", b.iri(0, 1), "o")


class TestGoodFiles:
    def test_text(self) -> None:
        text = f"""\
# A patch.
H id <urn:uuid:{UUID}> .
TX .
PA "ex" <http://example.org/> .
A <http://example.org/s> <http://example.org/p> "o"@en-GB , <_:g> .
TC .
Z .
H id <uuid:{OTHER}> .
H prev <urn:uuid:{UUID}> .
TX . TA .
""".replace(" ,", "")
        for source in (text.encode(), io.BytesIO(text.encode()), gzip.compress(text.encode())):
            assert found(source) == []

    @few
    @given(strategies.streams(), strategies.dice)
    def test_no_errors_where_there_are_none(self, stream: Stream, rng: random.Random) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        rules = {fault.rule for fault in faults(data) if fault.severity == "error"}
        # The oracle's producer also writes meaningless graphs, and oneofs that are set twice.
        assert rules <= {"graph-in-triples", "row-kinds", "second-field"}

    @few
    @given(strategies.streams())
    def test_the_packages_own_patches(self, stream: Stream) -> None:
        found = faults(write(stream.operations, jr.PatchOptions(**stream.options)))
        odd = {"unknown-field", "repeated-field", "frame-size", "delimited"}
        assert not any(fault.severity == "error" or fault.rule in odd for fault in found)

    @few
    @given(rdf_strategies.streams())
    def test_the_packages_own_statements(self, stream: rdf_strategies.Stream) -> None:
        fields = {**stream.options, "version": 2 if stream.has_namespaces else 1}
        found = faults(write_frames(stream.frames, jr.StreamOptions(**fields)))
        odd = {"unknown-field", "repeated-field", "version", "delimited", "open-graph"}
        assert not any(fault.severity == "error" or fault.rule in odd for fault in found)


class TestFaults:
    def test_as_text_and_as_json(self) -> None:
        (fault,) = faults(b.stream([options(), b.name("x"), b.header("k", b.iri())]))
        assert str(fault) == (
            "warning: IRI <x> is relative: it has no scheme (byte 22, frame 1, row 3) [iri]"
        )
        assert fault.as_dict() == {
            "severity": "warning",
            "rule": "iri",
            "message": "IRI <x> is relative: it has no scheme",
            "offset": 22,
            "frame": 1,
            "row": 3,
            "line": None,
            "column": None,
        }
        (fault,) = faults(b"TC .")
        assert str(fault) == (
            "error: transaction ends, but none was started (line 1, column 1, byte 0)"
            " [transaction-end]"
        )

    def test_the_offset_is_that_of_the_row(self) -> None:
        rows = [options(), b.name("x"), GOOD, b.prefix_delete("ex"), b.add("bad label")]
        data = b.stream(rows[:3], rows[3:])
        offsets = [data.index(wire.field(1, row.SerializeToString())) for row in (rows[2], rows[4])]
        places = [(fault.rule, fault.offset) for fault in faults(data)]
        assert places == [("iri", offsets[0]), ("blank-node-label", offsets[1])]


def as_read(data: bytes) -> tuple[jr.DecodeError | None, dict[str, int]]:
    """Return the readers' error, and the number of operations of each kind before it."""
    codes: list[int] = []
    refusal = None
    try:
        for batch in jr.read_batches(data, strict=False):
            codes += batch.ops
    except jr.DecodeError as error:
        refusal = error
    return refusal, {op.name: codes.count(op) for op in jr.Op}


class TestFormat:
    """Tests faults that readers refuse, and the rows after them."""

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ([b.commit()], [2]),
            ([b.begin(), b.begin(), b.begin(), b.commit()], [3, 4]),
            ([b.begin(), b.commit(), b.commit(), b.abort()], [4, 5]),
            ([b.punctuation()], [2]),
            ([b.options(version=1, max_prefix_table_size=1), GOOD, b.commit()], [2, 4]),
            ([pb.RdfPatchRow(), GOOD, pb.RdfPatchRow()], [2, 4]),
            ([b.header("k"), GOOD, b.commit()], [2, 4]),
            ([b.add(b.literal("x"), "p", "o"), GOOD], [2, 2]),
            ([b.add(b.triple("s", b.iri(0, 1), "o"), b.iri(0, 1), "o"), b.commit()], [2, 3]),
            ([b.add("s", b.iri(0, 1), b.literal("x", "e n")), GOOD, b.commit()], [2, 4]),
            # Nothing after this fault can be checked.
            ([b.add("s", b.iri(0, 9), "o"), b.commit()], [2]),
            ([b.commit(), b.name("x", 17), b.commit()], [2, 3]),
        ],
    )
    def test_of_patches(self, rows: list[Any], expected: list[int]) -> None:
        faults = refusals(b.stream([options(), P, *rows]))
        errors = [fault for fault in faults if fault[0] != "repeated-options"]
        assert errors == [("format", 0, row) for row in expected]

    @pytest.mark.parametrize(
        ("physical", "rows", "expected"),
        [
            (rb.TRIPLES, [rb.spog("s", rb.iri(0, 1), "o", "g"), rb.spo("s")], [2]),
            (rb.TRIPLES, [rb.start("g"), rb.spo("s", rb.iri(0, 1), "o"), rb.end()], [2, 4]),
            (rb.QUADS, [rb.spo("s", rb.iri(0, 1), "o"), rb.spog(g="g"), rb.spo()], [2, 4]),
            (rb.GRAPHS, [rb.spo("s", rb.iri(0, 1), "o"), rb.start("g"), rb.spo(), rb.end()], [2]),
            (rb.GRAPHS, [rb.start("g"), rb.start("h"), rb.end(), rb.end()], [3, 5]),
            (rb.GRAPHS, [rb.start("g"), rb.start(), rb.end(), rb.end()], [3, 3]),
        ],
    )
    def test_of_statements(self, physical: int, rows: list[Any], expected: list[int]) -> None:
        data = rb.stream([rdf_options(physical_type=physical), rb.name("urn:p"), *rows])
        assert refusals(data) == [("format", 0, row) for row in expected]

    def test_state_is_as_if_the_rule_had_been_kept(self) -> None:
        """After a fault, ids of 0 and repeated terms continue as if there were no fault."""
        rows = [
            b.add(b.literal("x"), b.iri(0, 1), b.iri()),
            b.add(b.triple("s", b.iri(), "o"), b.iri(), "o"),
            b.add(),
            b.add("s", b.iri(), "o"),
        ]
        names = [b.name(f"urn:{n}") for n in range(5)]
        assert refusals(b.stream([options(), *names, *rows])) == [
            ("format", 0, 6),
            ("format", 0, 7),
        ]
        assert refusals(b.stream([options(), *names[:4], *rows])) == [
            ("format", 0, 5),
            ("format", 0, 6),
            ("format", 0, 8),
        ]

    def test_findings_behind_rows_without_an_operation_are_located(self) -> None:
        odd = [b.add(f"bad label {number}", b.iri(0, 1), "o") for number in range(3)]
        rows = [b.header("k"), odd[0], pb.RdfPatchRow(), odd[1], b.punctuation(), odd[2]]
        assert refusals(b.stream([options(), P, *rows])) == [
            (("format", "blank-node-label")[row % 2], 0, row) for row in range(2, 8)
        ]

    def test_an_unfinished_transaction(self) -> None:
        assert text_found("TX .\n") == [("transaction-open", 2, 1)]

    def test_damage_ends_it(self) -> None:
        assert refusals(SMALL[:-1])[-1] == ("format", 2, None)
        assert refusals(b"") == [("format", 0, None)]
        assert [f.message for f in faults(gzip.compress(REALISTIC)[:-9])][-1].startswith("bad gzip")

    def test_there_is_an_end_to_it(self) -> None:
        data = b.stream([options(), *[b.commit()] * 5000])
        rows = [row for rule, _, row in found(data)]
        assert rows == list(range(1, 1002))

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.filterwarnings("ignore:the logical type:UserWarning")
    def test_errors_are_found_exactly_where_readers_refuse(self, seed: int) -> None:
        rng = random.Random(seed)
        refused = 0
        for _ in range(150):
            mutated = bytearray(rng.choice([SMALL, REALISTIC]))
            for _ in range(rng.randint(1, 3)):
                mutated[rng.randrange(len(mutated))] = rng.choice(
                    [0, 1, 10, 128, 255, rng.randrange(256)]
                )
            data = bytes(mutated)
            # If a row has two kinds, readers use the last, so this fault is left out.
            errors = [
                fault
                for fault in faults(data)
                if fault.rule.is_enforced and "more than one kind" not in fault.message
            ]
            refusal, operations = as_read(data)
            report = jr.inspect(data)
            assert str(report.error) == str(refusal)
            assert report.operations == operations
            assert (refusal is None) == (not errors)
            if refusal is not None:
                refused += 1
                for attribute in ("message", "offset", "frame", "row"):
                    assert getattr(errors[0], attribute) == getattr(refusal, attribute)
        assert refused > 50

    def test_limits(self) -> None:
        assert found(SMALL, limits=jr.Limits(max_prefix_table_size=1)) == [("limit", 0, 0)]
        text = b"A <urn:s> <urn:p> <urn:o> .\nA <urn:ssss> <urn:p> <urn:o> .\nTC .\n"
        rules = [(f.rule, f.line) for f in faults(text, limits=jr.Limits(max_string_size=6))]
        assert rules == [("limit", 2), ("transaction-end", 3)]

    def test_a_file_is_what_its_name_says(self, tmp_path: Path) -> None:
        data = rb.stream([rdf_options(), rb.name("urn:p"), rb.spo("s", rb.iri(), "o")])
        for name, expected in [("a.jellyp", [("format", 0, 0)]), ("a", []), ("a.bin", [])]:
            path = tmp_path / name
            path.write_bytes(data)
            assert refusals(path) == expected
        assert refusals(data, format="jelly-rdf") == []
        assert refusals(data, format="jelly-patch") == [("format", 0, 0)]
        assert refusals(SMALL, format="jelly-rdf")[0][0] == "format"

    def test_wrong_calls(self, tmp_path: Path) -> None:
        """The call itself raises the error, not the iterator."""
        with pytest.raises(TypeError, match="text file"):
            jr.validate(io.StringIO("TX ."))
        with pytest.raises(LookupError, match="no format 'docx'"):
            jr.validate(SMALL, format="docx")
        with pytest.raises(FileNotFoundError):
            jr.validate(tmp_path / "nothing.jellyp")


class TestOptions:
    def test_types_go_together(self) -> None:
        for logical, physical, expected in [
            (rb.FLAT_QUADS, rb.TRIPLES, "types"),
            (rb.FLAT_TRIPLES, rb.TRIPLES, None),
            (13, rb.QUADS, "types"),
            (14, rb.GRAPHS, None),
            (15, rb.TRIPLES, "types"),
            (23, rb.TRIPLES, "logical-type"),
            (0, rb.TRIPLES, None),
        ]:
            data = rb.stream([rdf_options(logical_type=logical, physical_type=physical)])
            assert found(data) == ([] if expected is None else [(expected, 0, 0)]), logical

    def test_reading_goes_on_behind_types_that_do_not_go_together(self) -> None:
        data = rb.stream([rdf_options(logical_type=2), rb.end()])
        assert refusals(data) == [("types", 0, 0), ("format", 0, 1)]

    def test_types_are_told_once(self) -> None:
        options = rdf_options(logical_type=2)
        faults = found(rb.stream([options], [options, rb.name("urn:p")]))
        assert faults == [("types", 0, 0), ("repeated-options", 1, None)]

    def test_options_that_come_again_are_told_once(self) -> None:
        once = [options(), P]
        assert found(b.stream(once)) == []
        assert found(b.stream(once, once, once)) == [("repeated-options", 1, None)]
        assert found(b.stream([options(), options(), P])) == [("repeated-options", 0, None)]

    def test_version_1_has_no_namespaces(self) -> None:
        rows = [rb.name("urn:p"), rb.namespace("ex", rb.iri()), rb.namespace("ey", rb.iri(0, 1))]
        assert found(rb.stream([rdf_options(version=1)], rows)) == [("namespace-version", 1, 1)]
        assert found(rb.stream([rdf_options(version=2)], rows)) == []

    def test_version_2_is_for_namespaces_or_metadata(self) -> None:
        options = rdf_options(version=2)
        assert found(rb.stream([options])) == [("version", 0, 0)]
        frame = rb.frame(options, metadata={"k": b"v"})
        assert found(rb.delimited([frame])) == []

    def test_features_are_used(self) -> None:
        triple = b.triple("s", b.iri(0, 1), "o")
        for option, row in [
            ({"rdf_star": True}, b.add(triple, b.iri(0, 1), "o")),
            ({"rdf_star": True}, b.header("k", triple)),
            ({"generalized_statements": True}, b.add(b.literal("x"), b.iri(0, 1), "o")),
            ({"generalized_statements": True}, b.add("s", "p", "o")),
        ]:
            assert found(b.stream([options(**option), P, row])) == []
            assert found(b.stream([options(**option), P, GOOD])) == [("unused-feature", 0, 0)]
        both = options(rdf_star=True, generalized_statements=True)
        inside = b.add("s", b.iri(0, 1), b.triple(b.literal("x"), b.iri(0, 1), "o"))
        assert found(b.stream([both, P, inside])) == []
        quads = options(statement_type=b.QUADS, generalized_statements=True)
        assert found(b.stream([quads, P, b.add("s", b.iri(), "o", b.literal("g"))])) == []
        assert found(b.stream([quads, P, b.add("s", b.iri(), "o", "g")])) == [
            ("unused-feature", 0, 0)
        ]

    def test_a_prefix_lookup_is_used(self) -> None:
        assert found(b.stream([b.options(), P, GOOD])) == [("unused-lookup", 0, 0)]
        assert (
            found(b.stream([b.options(), b.prefix("urn:"), b.name("p"), b.header("k", b.iri(1))]))
            == []
        )
        smallest = b.options(max_prefix_table_size=1)
        assert found(b.stream([smallest, P, GOOD])) == [("unused-lookup", 0, 0)]
        # This stream has no terms that could use the lookup.
        assert found(b.stream([b.options(), b.begin(), b.commit()])) == []


class TestFrames:
    def test_files_are_delimited(self) -> None:
        rows = [options(), P, GOOD]
        (fault,) = faults(b.frame(*rows))
        assert (fault.rule, fault.offset) == ("delimited", 0)
        assert found(b.stream(rows)) == []

    def test_frames_are_small(self) -> None:
        small = b.add("s", b.iri(0, 1), b.literal("x" * 999_000))
        large = b.add("s", b.iri(0, 1), b.literal("x" * 1_000_000))
        assert found(b.stream([options(), P, small])) == []
        assert found(b.stream([options(), P], [GOOD], [large], [large])) == [
            ("frame-size", 2, None)
        ]

    def test_graphs_end(self) -> None:
        head = [rdf_options(physical_type=rb.GRAPHS), rb.start("g")]
        assert found(rb.stream([*head])) == [("open-graph", 0, None)]
        assert found(rb.stream([*head], [rb.end()])) == []

    def test_a_graph_that_a_wrong_row_leaves_behind_is_no_number(self) -> None:
        """A row may repeat the graph of an earlier frame; without such a graph, it is refused."""
        triple, quad = rb.spo("s", rb.iri(0, 1), "o"), rb.spog("s", rb.iri(0, 1), "o")
        name = rb.name("urn:p")
        head = [rdf_options(physical_type=rb.QUADS), name]
        # The fast path reads only rows that are followed by other bytes.
        more = [rb.name("x" * 60, 2)] * 2
        graph = rb.spog("s", rb.iri(0, 1), "o", "g")
        data = rb.stream([*head, graph], [triple, quad, quad, *more])
        assert refusals(data) == [("format", 1, 0)]
        unset = faults(rb.stream([*head, triple, quad, quad, *more]))
        assert [(fault.rule, fault.row) for fault in unset] == [
            ("row-type", 3),
            ("repeated-term-first", 4),
        ]
        assert "no term before it in position 4" in unset[1].message
        head = [rdf_options(), name, rb.start("g"), triple]
        assert refusals(rb.stream(head, [triple, triple, triple, *more])) == [("format", 0, 2)]


def patch(*rows: bytes) -> bytes:
    """Return a stream of a patch, with additional rows given as bytes."""
    head = b.frame(options(), P)
    return b.delimited([head + b"".join(wire.field(1, row) for row in rows)])


def _in_halves(frame: Any, rng: random.Random) -> bytes:
    """Return a frame in which each row splits its message into two, with some fields in each."""
    rows = b""
    for row in frame.rows:
        ((known, content),) = row.ListFields()
        halves = [type(content)(), type(content)()]
        for field, value in content.ListFields():
            half = rng.choice(halves)
            if field.message_type is None:
                setattr(half, field.name, value)
            else:
                getattr(half, field.name).CopyFrom(value)
        parts = [wire.field(known.number, half.SerializeToString()) for half in halves]
        rows += wire.field(1, b"".join(parts))
    return rows


class TestFields:
    def test_unknown_fields(self) -> None:
        add = GOOD.SerializeToString()
        quad = GOOD.statement_add.SerializeToString()
        for row in [
            add + wire.field(99, 1),
            add + wire.field(9, b""),
            wire.field(2, quad + wire.field(17, b"x")),
            wire.field(2, wire.field(1, wire.field(3, 1) + wire.field(2, 1)) + quad[3:]),
            wire.field(11, wire.field(3, b"")),
        ]:
            assert found(patch(add, row, row)) == [("unknown-field", 0, 3)], row
        data = b.delimited([b.frame(options(), P), wire.field(2, b"x") + b.frame(GOOD)])
        assert found(data) == [("unknown-field", 1, 0)]

    def test_fields_that_stand_twice(self) -> None:
        iri = wire.field(2, 1)
        s, p, o = wire.field(2, b"s"), wire.field(5, iri), wire.field(10, b"o")
        for quad in [
            s + s + p + o,
            s + wire.field(5, iri + iri) + o,
            s + p + wire.field(11, wire.field(1, b"x") * 2),
            s + p + wire.field(11, wire.field(2, b"en") * 2),
        ]:
            row = wire.field(2, quad)
            assert found(patch(row, row)) == [("repeated-field", 0, 2)], quad

    def test_oneofs_with_two_members(self) -> None:
        iri = wire.field(2, 1)
        s, p, o = wire.field(2, b"s"), wire.field(5, iri), wire.field(10, b"o")
        other = wire.field(1, iri)
        for quad, rules in [
            (s + other + p + o, ["second-field"]),
            (s + p + wire.field(11, wire.field(3, 1) + wire.field(2, b"en")), ["second-field"]),
            # Readers use the last member. The other two are reported as two faults.
            (s + other + s + p + o, ["second-field"] * 2),
            (s + s + other + s + p + o, ["repeated-field"] + ["second-field"] * 2),
            # The first fault is in a message that is overwritten.
            (wire.field(3, wire.field(2, b"en") + wire.field(3, 1)) + s + p + o,
             ["second-field"] * 2),
        ]:  # fmt: skip
            row = wire.field(2, quad)
            assert found(patch(row, row)) == [(rule, 0, 2) for rule in rules], quad

    def test_no_kind_of_second_field_hides_another(self) -> None:
        begin, commit = b.begin().SerializeToString(), b.commit().SerializeToString()
        assert found(patch(begin + begin, commit, begin, commit + begin + commit)) == [
            ("repeated-field", 0, 2),
            ("row-kinds", 0, 5),
            ("row-kinds", 0, 5),
        ]

    def test_a_row_of_no_kind_is_told_where_it_starts(self) -> None:
        row = wire.field(99, 1)
        data = patch(row)
        assert {fault.offset for fault in faults(data)} == {len(data) - len(row)}

    @few
    @given(strategies.streams(), strategies.dice)
    def test_messages_in_two_halves(self, stream: Stream, rng: random.Random) -> None:
        """Protobuf merges both parts, so the faults equal those of the whole message."""
        messages = producer.frames(stream.operations, stream.options, rng)
        whole = b.delimited(message.SerializeToString() for message in messages)
        split = b.delimited(_in_halves(message, rng) for message in messages)
        assert list(jr.read_operations(split)) == list(jr.read_operations(whole))
        told = {fault.rule for fault in faults(split)} - {"repeated-field", "frame-size"}
        assert told == {fault.rule for fault in faults(whole)} - {"frame-size"}

    def test_graphs_in_a_stream_of_triples(self) -> None:
        add = b.add("s", b.iri(0, 1), "o", "g")
        namespace = b.prefix_add("ex", b.iri(0, 1), pb.RdfDefaultGraph())
        for row in (add, namespace):
            assert found(b.stream([options(), P, row, row])) == [("graph-in-triples", 0, 2)]
            assert found(b.stream([options(statement_type=b.QUADS), P, row, row])) == []

    def test_prefixes_of_quads_have_graphs(self) -> None:
        namespace, add = b.prefix_add("ex", b.iri(0, 1)), b.add("s", b.iri(0, 1), "o", "g")
        quads = options(statement_type=b.QUADS)
        assert found(b.stream([quads, P], [namespace, namespace])) == [("namespace-graph", 1, 0)]
        assert found(b.stream([quads, P, b.header("a", "x"), b.prefix_delete("ex"), add])) == [
            ("namespace-graph", 0, 3)
        ]
        assert found(b.stream([quads, P, add, namespace], [namespace])) == []
        assert found(b.stream([options(), P, namespace])) == []

    def test_the_offset_is_that_of_the_field(self) -> None:
        add = GOOD.SerializeToString()
        data = patch(add, add + wire.field(9, 1))
        (fault,) = faults(data)
        assert fault.offset == len(data) - len(wire.field(9, 1))


class TestPatches:
    """Tests, on text, the rules for patches in all formats."""

    def test_headers_come_first(self) -> None:
        change = "A <urn:s> <urn:p> 1 .\n"
        assert text_found(f"{change}H a 1 .\nH b 1 .\n") == [("header-place", 2, 1)]
        assert text_found("TX .\nH a 1 .\nTC .") == [("header-place", 2, 1)]
        assert text_found("H a 1 .\nTX .\nTC .\nZ .\nH a 1 .\nH b 1 .") == []
        assert text_found(f"TX . TC . Z . PD a .  H a 1 .\n Z . {change}H a 1 .") == [
            ("header-place", 1, 23),
            ("header-place", 3, 1),
        ]

    def test_ids_come_once(self) -> None:
        assert text_found("H id <urn:a> .\nH id <urn:b> .") == [("header-twice", 2, 1)]
        assert text_found("H prev <urn:a> .\nH prev <urn:a> .") == [("header-twice", 2, 1)]
        assert text_found("H id <urn:a> .\nH prev <urn:b> .\nH a 1 .\nH a 1 .") == []

    def test_keys_are_compared_as_jena_does(self) -> None:
        for one, other in (("id", "ID"), ("prev", "PREV"), ("prev", "Previous"), ("by", "BY")):
            text = f"H {one} <urn:a> .\nH {other} <urn:b> ."
            assert text_found(text) == [("header-twice", 2, 1)]
        assert text_found("H ID <urn:a> .\nZ .\nH PREVIOUS <urn:b> .") == [("patch-chain", 3, 1)]
        assert text_found("H ID 1 .") == [("patch-id", 1, 1)]

    def test_no_patch_follows_itself(self) -> None:
        assert text_found("H ID <urn:a> .\nH prev <urn:a> .") == [("patch-chain", 2, 1)]
        assert text_found("H prev <urn:a> .\nH id <urn:a> .") == [("patch-chain", 2, 1)]
        # Here prev has the correct value.
        assert text_found("H id <urn:a> .\nZ .\nH prev <urn:a> .") == []

    def test_ids_are_iris(self) -> None:
        for value in ("1", "'x'", "_:b", "<< <urn:a> <urn:b> <urn:c> >>"):
            for key in ("id", "prev"):
                assert text_found(f"H {key} {value} .") == [("patch-id", 1, 1)]
        assert text_found("H key 'x' .") == []

    def test_uuids(self) -> None:
        for scheme in ("uuid:", "urn:uuid:", "URN:UUID:"):
            assert text_found(f"H id <{scheme}{UUID}> .") == []
            assert text_found(f"H id <{scheme}{UUID.upper()}> .") == []
            for uuid in ("", "1", UUID[:-1], UUID + "0", UUID.replace("-", ""), UUID[:-1] + "g"):
                assert text_found(f"H id <{scheme}{uuid}> .") == [("patch-id", 1, 1)], uuid

    def test_uuids_are_compared_in_one_form(self) -> None:
        """UUIDs are compared as a patch log compares them."""
        forms = [f"{scheme}{UUID}" for scheme in ("uuid:", "urn:uuid:", "URN:UUID:")]
        for one, other in itertools.product([*forms, *map(str.upper, forms)], repeat=2):
            one_id, other_id, prev = f"H id <{one}> .", f"H id <{other}> .", f"H prev <{other}> ."
            assert text_found(f"{one_id}\n{prev}") == [("patch-chain", 2, 1)]
            assert text_found(f"{prev}\n{one_id}") == [("patch-chain", 2, 1)]
            assert text_found(f"{one_id}\nZ .\n{prev}") == []
            assert text_found(f"{one_id}\nZ .\n{other_id}") == [("patch-id", 3, 1)]
        text = f"H id <uuid:{UUID}> .\nZ .\nH prev <uuid:{OTHER}> ."
        assert text_found(text) == [("patch-chain", 3, 1)]

    def test_no_id_comes_twice(self) -> None:
        assert text_found("H id <urn:a> .\nZ .\nH id <urn:b> .\nZ .\nH id <urn:a> .") == [
            ("patch-id", 5, 1)
        ]

    def test_the_chain(self) -> None:
        text = "H id <urn:a> .\nZ .\nH id <urn:b> .\nH prev <{}> .\nZ .\n"
        assert text_found(text.format("urn:a")) == []
        assert text_found(text.format("urn:x")) == [("patch-chain", 4, 1)]
        # The id before the first patch is unknown, as is that of a patch without an id.
        assert text_found("H id <urn:a> .\nH prev <urn:x> .") == []
        assert text_found("H id <urn:a> .\nZ .\nZ .\nH prev <urn:x> .") == []

    def test_all_changes_are_in_transactions_or_none(self) -> None:
        change = "A <urn:s> <urn:p> 1 .\n"
        assert text_found(change * 2) == []
        assert text_found(f"TX .\n{change}TC .\n{change}{change}") == [("change-place", 4, 1)]
        assert text_found(f"{change}TX .\n{change}TC .\n{change}") == [("change-place", 2, 1)]
        assert text_found(f"TX .\n{change}TC .\nZ .\n{change}Z .\nTX .\nTC .\n") == []

    def test_in_frames_too(self) -> None:
        opts = options(stream_type=b.PUNCTUATED)
        one, other = b.name("urn:a"), b.name("urn:b")
        data = b.stream(
            [opts, one, other, b.header("id", b.iri(0, 1)), b.begin()],
            [b.header("k", "b"), b.commit(), b.punctuation(), b.header("prev", b.iri(0, 2))],
            [b.header("id", b.iri(0, 1)), b.header("id", "b")],
        )
        assert found(data) == [
            ("header-place", 1, 0),
            ("patch-chain", 1, 3),
            ("patch-id", 2, 0),
            ("header-twice", 2, 1),
            ("patch-id", 2, 1),
        ]

    def test_statements_are_no_patches(self) -> None:
        rows = [rb.name("urn:p"), rb.spo("s", rb.iri(), "o"), rb.namespace("ex", rb.iri(0, 1))]
        assert found(rb.stream([rdf_options(version=2), *rows])) == []

    def test_generalized_statements(self) -> None:
        """Text has no option that allows generalized statements, so they are reported once."""
        for statement in (
            "1 <urn:p> <urn:o>",
            "<urn:s> _:p <urn:o>",
            "<urn:s> <urn:p> <urn:o> 'g'",
            "<urn:s> <urn:p> << <urn:s> <urn:p> << 1 <urn:p> <urn:o> >> >>",
        ):
            text = f"A <urn:s> <urn:p> 1 .\nD {statement} .\nA {statement} .\n"
            assert text_found(text) == [("generalized", 2, 1)], statement
        assert text_found("H a << 1 <urn:p> <urn:o> >> .") == [("generalized", 1, 1)]
        assert text_found("PA ex <urn:x> 'g' .") == [("generalized", 1, 1)]
        assert text_found("A _:s <urn:p> 1 _:g .\nH a 1 .\nPA ex <urn:x> .") == [
            ("header-place", 2, 1)
        ]

    def test_literals_of_lang_string(self) -> None:
        rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        assert text_found(f"A <urn:s> <urn:p> 'x'^^<{rdf}langString> .") == [
            ("language-string", 1, 1)
        ]
        assert text_found(f"A <urn:s> <urn:p> 'x'^^<{rdf}HTML> .") == []


def test_memory_of_what_was_told_has_an_end() -> None:
    novelty = RecentSet(3)
    assert [novelty.is_new(n) for n in (1, 2, 3, 1, 4, 1, 2, 4)] == [
        *(True, True, True, False),
        *(True, True, True, False),
    ]


@pytest.mark.parametrize("name", [None, "x.txt"])
def test_jelly_as_text_has_the_faults_of_its_frames(name: str | None, tmp_path: Path) -> None:
    pytest.importorskip("google.protobuf")
    from jelly_rdflib.formats.protobuf.jelly_text import FrameTexts

    patch = b.stream(
        [options(rdf_star=True), P, b.name("rel"), b.add(b.iri(0, 2), b.iri(0, 1), "o")],
        [options(rdf_star=True), b.commit()],
    )
    statements = rb.stream([rdf_options(logical_type=rb.FLAT_QUADS, physical_type=rb.TRIPLES)])
    for data, format in ((patch, JELLY_PATCH_TEXT), (statements, JELLY_TEXT)):
        text = bytearray()
        put = FrameTexts(format, text.extend)
        for frame in FrameReader(memoryview(data), jr.Limits()):
            put(frame)
        source: Any = bytes(text)
        if name is not None:
            source = tmp_path / name.replace("txt", format.extensions[0])
            source.write_bytes(text)
        expected = [replace(fault, offset=None) for fault in faults(data)]
        assert len(expected) > 0
        assert faults(source) == expected
        # A fault of the text has a line and a column.
        (*_, last) = faults(bytes(text) + b"# Frame 9\nrows {\n  nothing\n}\n")
        assert (last.rule, last.line) == ("format", text.count(b"\n") + 3)

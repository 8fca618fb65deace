"""Bad input: always a `DecodeError` or `LimitError` that says where, in bounded time and memory.

Where input is damaged at random, the reference decoder tells whether it must be refused: some
damage only makes another legal stream.
"""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import warnings
from typing import Any

import pytest
import zstandard
from google.protobuf.message import DecodeError as ProtobufError
from hypothesis import example, given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.core.jelly_patch.test_bad_input import damage
from tests.core.jelly_rdf import strategies
from tests.core.jelly_rdf.strategies import PHYSICAL_TYPES, Stream
from tests.core.jelly_rdf.support import (
    assert_same_outcome,
    few,
    plain_frame,
    plain_statement,
    read,
    refuse,
    statements,
)
from tests.oracle import rdf_build as b
from tests.oracle import rdf_decoder, rdf_producer, wire
from tests.oracle import schema as pb
from tests.oracle.rdf_build import DATASETS, FLAT_QUADS, GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.strategies import XSD, dice
from tests.support import assert_position, run


def in_row(number: int, content: bytes) -> bytes:
    """A row of a frame, by the number of its kind."""
    return wire.field(1, wire.field(number, content))


def head(physical_type: int = TRIPLES, **options: Any) -> bytes:
    """A bare frame with one entry in each lookup, to which more rows can be appended."""
    return b.frame(
        b.options(physical_type=physical_type, rdf_star=True, **options),
        b.name("urn:p"),
        b.prefix(""),
        b.datatype("urn:d"),
    )


HEAD = head()
GRAPHS_HEAD = head(GRAPHS)


def small_stream(physical_type: int) -> bytes:
    """A stream with every kind of row that its type has, in few bytes."""
    options = b.options(
        physical_type=physical_type, rdf_star=True, version=2, stream_name="n", logical_type=0
    )
    p = b.iri(0, 1)
    start, end, make = [], [], b.spo
    if physical_type == QUADS:

        def make(*terms: Any, **more: Any) -> Any:
            return b.spog(*terms, g="g", **more)
    elif physical_type == GRAPHS:
        start, end = [b.start("g")], [b.end()]
    rows = [
        options, b.prefix("u:"), b.name("p"), b.name("é"), b.datatype("u:d"),
        b.namespace("e", b.iri(1, 0)), *start,
        make(b.triple("s", p, b.literal("l", "en")), b.iri(), b.literal("x")),
        options, make(o=b.literal("7", None, 1)), *end,
    ]  # fmt: skip
    if physical_type == GRAPHS:
        rows += [b.start(b.default_graph()), b.end(), b.start(b.iri(0, 1))]
    return b.delimited(
        [b.frame(*rows, metadata={"k": b"v\xff"}), b"", b.frame(make("s")), b.frame(*end)]
    )


def realistic_stream(physical_type: int) -> bytes:
    """A stream as a producer writes it, in several frames."""
    rng = random.Random(54)
    options: dict[str, Any] = {
        "physical_type": physical_type,
        "logical_type": 1 if physical_type == TRIPLES else FLAT_QUADS,
        "generalized_statements": False,
        "rdf_star": True,
        "max_name_table_size": 16,
        "max_prefix_table_size": 8,
        "max_datatype_table_size": 8,
        "version": 2,
    }
    s = [("iri", f"http://example.org/{n}") for n in range(8)] + [("bnode", "b")]
    p = [("iri", f"http://example.org/ns#p{n}") for n in range(4)]
    o: list[Any] = [("literal", "é" * n, None, None) for n in range(3)]
    o += [("literal", str(n), None, XSD + "integer") for n in range(3)]
    o += [("literal", "x", "en-GB", None), ("triple", s[0], p[0], o[1])]
    g = [None] if physical_type == TRIPLES else [("iri", "http://example.org/g"), ("bnode", "g")]
    frames = [
        Frame(
            [("PA", "ex", s[0], None)]
            + [("A", *map(rng.choice, (s, p, s + o, g))) for _ in range(8)],  # type: ignore[arg-type]
            {"id": bytes([n])} if n % 2 else {},
        )
        for n in range(4)
    ]
    messages = rdf_producer.messages(frames, options, rng)
    return b.delimited(message.SerializeToString() for message in messages)


SMALL = {physical_type: small_stream(physical_type) for physical_type in PHYSICAL_TYPES}
REALISTIC = {physical_type: realistic_stream(physical_type) for physical_type in PHYSICAL_TYPES}

physical_types = pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)


def test_the_streams_are_legal() -> None:
    for data in (*SMALL.values(), *REALISTIC.values()):
        assert read(data) == rdf_decoder.read(data)
        assert len(statements(data)) >= 3


class TestTruncated:
    """Cut at every byte."""

    @physical_types
    @pytest.mark.parametrize("streams", [SMALL, REALISTIC], ids=["small", "realistic"])
    def test_at_every_byte(self, streams: dict[int, bytes], physical_type: int) -> None:
        data = streams[physical_type]
        whole = rdf_decoder.read(data)
        legal = 0
        for size in range(len(data)):
            if not assert_same_outcome(data[:size]):
                legal += 1
                # only at the end of a frame
                got = read(data[:size])
                assert got == whole[: len(got)]
        assert 2 <= legal <= len(whole)

    @physical_types
    def test_a_bare_frame(self, physical_type: int) -> None:
        frame = wire.split(SMALL[physical_type])[0]
        legal = sum(not assert_same_outcome(frame[:size]) for size in range(len(frame)))
        # after each of its rows
        assert 8 < legal < 20

    @physical_types
    def test_statements_before_the_cut_come_first(self, physical_type: int) -> None:
        data = REALISTIC[physical_type]
        got = []
        with pytest.raises(jr.DecodeError):  # noqa: PT012
            for statement in jr.read_statements(data[:-1], normalize=False):
                got.append(plain_statement(statement))  # noqa: PERF401
        frames = rdf_decoder.read(data)[:-1]
        assert got == [statement for frame in frames for statement in frame.statements]

    @physical_types
    def test_positions(self, physical_type: int) -> None:
        """The error of a cut names the frame that is cut, and no row if the frame is not there."""
        data = REALISTIC[physical_type]
        at = 0
        for number, part in enumerate(wire.split(data)):
            size = len(wire.varint(len(part)))
            if part:
                error = refuse(data[: at + size + len(part) // 2], row=False)
                assert error.frame == number
                assert at <= error.offset <= at + size + len(part)
            at += size + len(part)


class TestFlipped:
    """Bytes and bits turned over."""

    @physical_types
    def test_every_bit_of_a_small_stream(self, physical_type: int) -> None:
        small = SMALL[physical_type]
        refused = 0
        for at in range(len(small)):
            for bit in range(8):
                data = bytearray(small)
                data[at] ^= 1 << bit
                refused += assert_same_outcome(bytes(data))
        assert refused > len(small) * 4

    @physical_types
    @pytest.mark.parametrize("value", [0x00, 0x0B, 0xFF])
    def test_every_byte_of_a_realistic_stream(self, physical_type: int, value: int) -> None:
        realistic = REALISTIC[physical_type]
        for at in range(value % 7, len(realistic), 7):
            data = bytearray(realistic)
            data[at] = value
            assert_same_outcome(bytes(data))

    @physical_types
    def test_every_byte_of_a_bare_frame(self, physical_type: int) -> None:
        frame = wire.split(SMALL[physical_type])[0]
        for at in range(len(frame)):
            for value in range(at % 29, 256, 29):
                data = bytearray(frame)
                data[at] = value
                assert_same_outcome(bytes(data))

    @physical_types
    def test_every_byte_left_out_or_doubled(self, physical_type: int) -> None:
        small = SMALL[physical_type]
        for at in range(len(small)):
            assert_same_outcome(small[:at] + small[at + 1 :])
            assert_same_outcome(small[: at + 1] + small[at:])

    @given(strategies.streams(), dice, st.booleans())
    def test_any_stream(self, stream: Stream, rng: random.Random, strict: bool) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        whole = rdf_producer.spelled(messages, rng)
        for _ in range(8):
            data = bytearray(whole)
            for _ in range(rng.choice([1, 1, 2, 5])):
                damage(data, rng)
            assert_same_outcome(bytes(data), strict=strict)

    @given(st.binary(max_size=300))
    @example(b"\n")
    @example(b"\n\n")
    @example(b"\n\x00")
    @example(b"\n\x00\n")
    @example(b"\x80")
    @example(b"\xff" * 20)
    def test_any_bytes(self, data: bytes) -> None:
        assert_same_outcome(data)

    @given(st.sampled_from(PHYSICAL_TYPES), st.binary(max_size=200))
    def test_any_bytes_after_the_options(self, physical_type: int, data: bytes) -> None:
        start = head(physical_type)
        assert_same_outcome(start + data)
        assert_same_outcome(b.delimited([start, data]))
        assert_same_outcome(start + wire.field(1, data))
        assert_same_outcome(start + wire.field(15, data))

    @given(
        st.sampled_from(PHYSICAL_TYPES),
        st.sampled_from([1, 2, 3, 4, 5, 6, 9, 10, 11]),
        st.binary(max_size=60),
    )
    def test_any_bytes_in_a_row(self, physical_type: int, kind: int, data: bytes) -> None:
        assert_same_outcome(b.delimited([head(physical_type) + in_row(kind, data)]))


class TestOptions:
    """Options that are not there, or that make no sense."""

    @physical_types
    def test_without_them(self, physical_type: int) -> None:
        first, *others = [pb.RdfStreamFrame.FromString(x) for x in wire.split(SMALL[physical_type])]
        rows = list(first.rows)
        for message in (rows[1:], rows[2:], rows[1:2] + rows[:1] + rows[2:]):
            data = b.delimited([b.frame(*message), *(x.SerializeToString() for x in others)])
            assert refuse(data, after=[]).frame == 0
        refuse(b.delimited(x.SerializeToString() for x in others), after=[])

    def test_every_field_left_out(self) -> None:
        fields = {
            "physical_type": TRIPLES, "max_name_table_size": 8, "max_prefix_table_size": 8,
            "max_datatype_table_size": 8, "version": 1,
        }  # fmt: skip
        for left_out in fields:
            options = pb.RdfStreamOptions(**{k: v for k, v in fields.items() if k != left_out})
            data = b.stream([pb.RdfStreamRow(options=options)])
            if left_out in ("max_prefix_table_size", "max_datatype_table_size"):
                assert len(read(data)) == 1
            else:
                refuse(data, row=True)

    @pytest.mark.parametrize("version", [0, 3, 100, 10_000, 2**32 - 1])
    def test_versions(self, version: int) -> None:
        error = refuse(b.stream([b.options(version=version)]), row=True)
        assert "version" in error.message

    @physical_types
    @pytest.mark.parametrize(
        "change",
        [{"version": 2}, {"stream_name": "y"}, {"max_name_table_size": 9}, {"logical_type": 0}],
        ids=str,
    )
    def test_that_change(self, physical_type: int, change: dict[str, Any]) -> None:
        fields = {
            "physical_type": physical_type, "stream_name": "x", "rdf_star": True,
            "logical_type": 1 if physical_type == TRIPLES else 2,
        }  # fmt: skip
        data = b.stream([b.options(**fields)], [], [b.options(**{**fields, **change})])
        error = refuse(data, row=True)
        assert (error.frame, error.row) == (2, 0)

    @pytest.mark.parametrize("value", [0, 4, 2**31 - 1, 2**31, 2**32 - 1, -1, 2**63])
    def test_physical_types(self, value: int) -> None:
        options = b.options().options.SerializeToString() + wire.field(2, value)
        refuse(b.delimited([in_row(1, options)]), row=True)

    @pytest.mark.parametrize("value", [5, 9, 10, 2**31, 2**32 - 1, -1, 2**63])
    def test_logical_types_of_no_known_base(self, value: int) -> None:
        """Read or refused; nothing else."""
        options = b.options().options.SerializeToString() + wire.field(14, value)
        for strict in (True, False):
            assert_same_outcome(b.delimited([in_row(1, options)]), strict=strict)

    @pytest.mark.parametrize("value", [2**32, 2**63, -1])
    @pytest.mark.parametrize("number", [9, 10, 11, 15])
    def test_numbers_beyond_32_bits(self, number: int, value: int) -> None:
        options = b.options().options.SerializeToString() + wire.field(number, value)
        refuse(b.delimited([in_row(1, options)]), row=True)


class TestGraphRules:
    """Graphs that are not opened and closed as they must."""

    P = b.iri(0, 1)

    @pytest.mark.parametrize(
        "rows",
        [
            [b.spo("s", P, "o")],
            [b.end()],
            [b.start("g"), b.start("g")],
            [b.start("g"), b.end(), b.end()],
            [b.start("g"), b.end(), b.spo("s", P, "o")],
            [b.start()],
            [b.start("g"), b.end(), b.start()],
            [b.start(b.literal("l"))],
            [b.start(b.iri(0, 2))],
            [b.start(b.iri(2, 1))],
            [b.spog("s", P, "o", "g")],
            [b.start("g"), b.spog("s", P, "o", "g")],
            [b.start("g"), b.spo("s", P)],
        ],
    )
    def test_in_one_frame_and_in_several(self, rows: list[Any]) -> None:
        assert assert_same_outcome(GRAPHS_HEAD + b.frame(*rows))
        error = refuse(b.delimited([GRAPHS_HEAD + b.frame(*rows)]), row=True)
        assert (error.frame, error.row) == (0, 3 + len(rows))
        error = refuse(b.delimited([GRAPHS_HEAD, *(b.frame(row) for row in rows)]), row=True)
        assert (error.frame, error.row) == (len(rows), 0)

    @pytest.mark.parametrize("physical_type", [TRIPLES, QUADS])
    @pytest.mark.parametrize("row", [b.start("g"), b.end(), b.start(b.default_graph())])
    def test_in_other_types(self, physical_type: int, row: Any) -> None:
        refuse(b.delimited([head(physical_type) + b.frame(row)]), row=True)


class TestVarints:
    """Over-long and too large numbers."""

    def number(self, encoded: bytes) -> bytes:
        """A stream in which a name entry has an id of these bytes, and a value."""
        return b.delimited([HEAD + in_row(9, b"\x08" + encoded + b"\x12\x01x")])

    @pytest.mark.parametrize("size", [1, 2, 5, 9, 10])
    def test_padding_up_to_ten_bytes_is_legal(self, size: int) -> None:
        assert len(read(self.number(wire.varint(7, size)))) == 1

    @pytest.mark.parametrize(
        "encoded",
        [wire.varint(7, 11), b"\x80" * 9 + b"\x02", b"\xff" * 10, b"\xff" * 30, b"\x80" * 60],
        ids=repr,
    )
    def test_more_than_ten_bytes_or_64_bits(self, encoded: bytes) -> None:
        refuse(self.number(encoded), row=True)
        # as a number nobody knows, as a tag, as lengths
        unknown = wire.tag(99, wire.VARINT) + encoded
        for bad in (in_row(9, unknown), encoded, wire.field(1, encoded), b"\x0a" + encoded):
            refuse(b.delimited([HEAD + bad]))
        for bad in (b"\x7a" + encoded, wire.field(15, unknown), wire.field(15, b"\x0a" + encoded)):
            refuse(b.delimited([HEAD + bad]))
        refuse(b.delimited([HEAD]) + encoded, row=False)
        refuse(encoded)


class TestLengths:
    """Lengths that reach beyond what is there, up to 2**64."""

    SIZES = (1, 2, 127, 128, 2**14, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -1, -2)

    @pytest.mark.parametrize("size", SIZES)
    def test_of_a_frame(self, size: int) -> None:
        kind = jr.LimitError if size < 0 or size > jr.Limits().max_frame_size else jr.DecodeError
        for more in (b"", b"\x0a"):
            if len(more) < size or size < 0:
                refuse(b.delimited([HEAD]) + wire.varint(size) + more, kind, row=False)

    @pytest.mark.parametrize("size", SIZES)
    def test_of_a_row_and_all_in_it(self, size: int) -> None:
        length = wire.varint(size)
        triple = b"\x12\x01s\x2a\x02\x10\x01"
        for start, bad in (
            (HEAD, b"\x0a" + length),
            (HEAD, b"\x7a" + length),
            (HEAD, wire.field(15, b"\x0a" + length)),
            (HEAD, wire.field(15, b"\x12" + length)),
            (HEAD, wire.field(15, wire.tag(99, wire.LEN) + length)),
            (HEAD, wire.field(1, b"\x12" + length)),
            (HEAD, in_row(2, b"\x12" + length)),
            (HEAD, in_row(2, b"\x0a" + length)),
            (HEAD, in_row(2, triple + b"\x5a" + length)),
            (HEAD, in_row(2, triple + wire.field(11, b"\x0a" + length))),
            (HEAD, in_row(2, triple + wire.field(12, b"\x12" + length))),
            (head(QUADS), in_row(3, triple + b"\x52\x01o\x72" + length)),
            (head(QUADS), in_row(3, triple + b"\x52\x01o\x7a" + length)),
            (GRAPHS_HEAD, in_row(4, b"\x12" + length)),
            (GRAPHS_HEAD, in_row(4, b"\x0a" + length)),
            (GRAPHS_HEAD, in_row(4, b"\x1a" + length)),
            (GRAPHS_HEAD, b.frame(b.start("g")) + in_row(5, wire.tag(99, wire.LEN) + length)),
            (HEAD, in_row(6, b"\x0a" + length)),
            (HEAD, in_row(6, b"\x12" + length)),
            (HEAD, in_row(9, b"\x12" + length)),
            (HEAD, wire.tag(99, wire.LEN) + length),
        ):
            refuse(b.delimited([start + bad]))

    @pytest.mark.parametrize("size", [2**24, 64 << 20, (64 << 20) + 1, 2**31, 2**64 - 1])
    def test_of_a_frame_of_which_little_comes(self, size: int) -> None:
        """A length alone allocates nothing of that size."""
        data = b.delimited([HEAD]) + wire.varint(size) + bytes(100)
        for source in (data, io.BytesIO(data)):
            tracemalloc.start()
            try:
                with pytest.raises(jr.DecodeError):
                    statements(source)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < 8 << 20

    def test_the_limit_on_frames_can_be_set(self) -> None:
        frame = b.frame(b.options())
        exact, less = (jr.Limits(max_frame_size=len(frame) - n) for n in (0, 1))
        for data in (frame, b.delimited([frame])):
            for make in (bytes, io.BytesIO):
                assert len(read(make(data), limits=exact)) == 1
                with pytest.raises(jr.LimitError):
                    read(make(data), limits=less)
        jr.StatementDecoder(exact).decode_frame(frame)
        with pytest.raises(jr.LimitError):
            jr.StatementDecoder(less).decode_frame(frame)


KNOWN_FIELDS = [
    (message, field)
    for message in (
        pb.RdfStreamFrame, pb.RdfStreamRow, pb.RdfStreamOptions, pb.RdfQuad, pb.RdfTriple,
        pb.RdfIri, pb.RdfLiteral, pb.RdfGraphStart, pb.RdfNameEntry, pb.RdfPrefixEntry,
        pb.RdfDatatypeEntry, pb.RdfNamespaceDeclaration,
    )
    for field in message.DESCRIPTOR.fields
]  # fmt: skip
ENTRY = pb.RdfStreamFrame.DESCRIPTOR.fields_by_name["metadata"].message_type
KNOWN_NAMES = sorted(
    {"MetadataEntry", "RdfDefaultGraph", "RdfGraphEnd", "Quoted"}
    | {message.DESCRIPTOR.name for message, _ in KNOWN_FIELDS}
)


def embed(name: str, content: bytes) -> bytes:
    """A stream with a message of a kind that has these bytes, after legal ones."""
    iri = b"\x10\x01"
    triple = wire.field(2, b"s") + wire.field(5, iri)
    whole = triple + wire.field(10, b"o")
    head_, bad = {
        "RdfStreamFrame": (HEAD, content),
        "MetadataEntry": (HEAD, wire.field(15, wire.field(1, b"k") + content)),
        "RdfStreamRow": (HEAD, wire.field(1, wire.field(2, whole) + content)),
        "RdfStreamOptions": (
            HEAD, in_row(1, b.options(rdf_star=True).options.SerializeToString() + content)
        ),
        "RdfQuad": (head(QUADS), in_row(3, whole + wire.field(14, b"g") + content)),
        "RdfTriple": (HEAD, in_row(2, whole + content)),
        "Quoted": (HEAD, in_row(2, triple + wire.field(12, whole + content))),
        "RdfIri": (HEAD, in_row(2, triple + wire.field(9, iri + content))),
        "RdfLiteral": (HEAD, in_row(2, triple + wire.field(11, content))),
        "RdfDefaultGraph": (head(QUADS), in_row(3, whole + wire.field(15, content))),
        "RdfGraphStart": (GRAPHS_HEAD, in_row(4, wire.field(2, b"g") + content)),
        "RdfGraphEnd": (GRAPHS_HEAD, b.frame(b.start("g")) + in_row(5, content)),
        "RdfNameEntry": (HEAD, in_row(9, content)),
        "RdfPrefixEntry": (HEAD, in_row(10, content)),
        "RdfDatatypeEntry": (HEAD, in_row(11, content)),
        "RdfNamespaceDeclaration": (HEAD, in_row(6, wire.field(2, iri) + content)),
    }[name]  # fmt: skip
    return b.delimited([head_ + bad])


class TestWireTypes:
    """Fields of the wrong kind."""

    @pytest.mark.parametrize("name", KNOWN_NAMES)
    def test_what_is_embedded_is_legal(self, name: str) -> None:
        assert not assert_same_outcome(embed(name, b""))

    @pytest.mark.parametrize(
        ("name", "field"),
        [
            *((message.DESCRIPTOR.name, field) for message, field in KNOWN_FIELDS),
            *(("MetadataEntry", field) for field in ENTRY.fields),
            *(("Quoted", field) for field in pb.RdfTriple.DESCRIPTOR.fields),
        ],
        ids=lambda part: part if isinstance(part, str) else part.name,
    )
    def test_a_known_field_with_another_wire_type(self, name: str, field: Any) -> None:
        number = field.number
        right = wire.VARINT if field.type in (8, 13, 14) else wire.LEN
        for wire_type, content in [
            (wire.VARINT, b"\x01"),
            (wire.I64, bytes(8)),
            (wire.LEN, b"\x00"),
            (wire.GROUP_START, wire.tag(number, wire.GROUP_END)),
            (wire.GROUP_END, b""),
            (wire.I32, bytes(4)),
            (6, b""),
            (7, b""),
        ]:
            if wire_type != right:
                assert refuse(embed(name, wire.tag(number, wire_type) + content)).frame == 0

    @pytest.mark.parametrize("name", KNOWN_NAMES)
    def test_what_no_message_may_have(self, name: str) -> None:
        for content in (
            *(wire.tag(20, wire_type) + more for wire_type in (6, 7) for more in (b"", bytes(9))),
            *(bytes([wire_type]) + bytes(9) for wire_type in range(8)),
            *(wire.tag(number, wire.VARINT) + b"\x01" for number in (2**29, 2**32, 2**60)),
            wire.tag(99, 3),
            wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(98, 4),
            wire.tag(99, 3) + wire.tag(98, 3) + wire.tag(99, 4) + wire.tag(98, 4),
            wire.tag(99, 3) + wire.tag(1, 2) + b"\x05abc" + wire.tag(99, 4),
            wire.tag(99, 3) * 50 + wire.tag(99, 4) * 49,
        ):
            refuse(embed(name, content))

    @pytest.mark.parametrize("name", KNOWN_NAMES)
    def test_groups_that_nest_too_deep(self, name: str) -> None:
        group = wire.tag(99, 3) * 100_000
        refuse(embed(name, group + wire.tag(99, 4) * 100_000))
        refuse(embed(name, group))


class TestUnused:
    """Values that mean nothing, as another member of their oneof comes after them."""

    TRIPLE = b"\x12\x01s\x2a\x02\x10\x01\x52\x01o"

    @pytest.mark.parametrize(
        ("physical_type", "kind", "content"),
        [
            (TRIPLES, 2, wire.field(1, b"\x10") + TRIPLE),
            (TRIPLES, 2, wire.field(2, b"\xff") + TRIPLE),
            (TRIPLES, 2, wire.field(3, b"\x0a\x05") + TRIPLE),
            (TRIPLES, 2, wire.field(4, b"\x07") + TRIPLE),
            (TRIPLES, 2, wire.field(4, wire.field(4, wire.field(2, b"\xff"))) + TRIPLE),
            (QUADS, 3, TRIPLE + wire.field(14, b"\xff") + wire.field(14, b"g")),
            (QUADS, 3, TRIPLE + wire.field(16, b"\x0a\x01\xff") + wire.field(14, b"g")),
            (QUADS, 3, TRIPLE + wire.field(15, b"\x80") + wire.field(14, b"g")),
            (GRAPHS, 4, wire.field(2, b"\xff") + wire.field(2, b"g")),
            (GRAPHS, 4, wire.field(4, b"\x0a\x01\xff") + wire.field(2, b"g")),
            (GRAPHS, 4, wire.field(3, b"\x07") + wire.field(2, b"g")),
            (
                TRIPLES,
                6,
                wire.field(1, b"\xff") + wire.field(1, b"ex") + wire.field(2, b"\x10\x01"),
            ),
            (TRIPLES, 9, wire.field(2, b"\xff") + wire.field(2, b"x")),
        ],
    )
    def test_they_are_checked_all_the_same(
        self, physical_type: int, kind: int, content: bytes
    ) -> None:
        frame = head(physical_type) + in_row(kind, content)
        with pytest.raises(ProtobufError):
            pb.RdfStreamFrame.FromString(frame)
        refuse(b.delimited([frame]), row=True)

    @pytest.mark.parametrize(
        ("kind", "content"),
        [
            (1, b"\x0a\x05"),
            (1, b"\x0a\x01\xff"),
            (1, b"\x12\x00"),
            (2, wire.field(2, b"\xff")),
            (2, wire.field(3, wire.field(1, b"\xff"))),
            (3, wire.field(12, wire.field(4, wire.field(2, b"\xff")))),
            (3, wire.field(12, b"\x00\x00")),
            (4, wire.field(2, b"\xff")),
            (4, wire.field(4, wire.field(2, b"\xff"))),
            (5, b"\x80"),
            (6, wire.field(1, b"\xff")),
            (6, wire.field(2, b"\x0a\x00")),
            (9, b"\x12\x01\xff"),
            (10, b"\x0a\x00"),
            (11, b"\x07"),
        ],
    )
    def test_rows_that_are_overwritten_too(self, kind: int, content: bytes) -> None:
        for last in (2, 9):
            good = wire.field(last, self.TRIPLE if last == 2 else b"\x12\x01x")
            if kind != last:
                refuse(b.delimited([HEAD + wire.field(1, wire.field(kind, content) + good)]))

    def test_rows_that_are_overwritten_and_sound(self) -> None:
        for kind in (1, 3, 4, 5, 6, 9, 10, 11):
            inner = wire.field(kind, wire.field(99, b"\xff")) + wire.field(2, self.TRIPLE)
            assert len(statements(b.delimited([HEAD + wire.field(1, inner)]))) == 1

    def test_metadata_that_is_overwritten(self) -> None:
        good = wire.field(15, wire.field(1, b"k"))
        for bad in (b"\x0a\x01\xff\x0a\x01k", b"\x0a\x01k\x12\x05", b"\x0a\x01k\x08\x01"):
            refuse(b.delimited([HEAD + wire.field(15, bad) + good]))


class TestStrings:
    """Text that is not UTF-8."""

    @pytest.mark.parametrize(
        "bad",
        [b"\x80", b"\xc0\x80", b"\xc2", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"],
        ids=bytes.hex,
    )
    def test_in_every_string(self, bad: bytes) -> None:
        triple = b"\x12\x01s\x2a\x02\x10\x01"
        options = b.options().options.SerializeToString()
        for text in (bad, b"a" + bad, bad + b"a", b"x" * 40 + bad + b"y" * 40):
            for start, content in (
                (b"", in_row(1, options + wire.field(1, text))),
                (HEAD, in_row(2, wire.field(2, text) + b"\x2a\x02\x10\x01\x52\x01o")),
                (HEAD, in_row(2, triple + wire.field(10, text))),
                (HEAD, in_row(2, triple + wire.field(11, wire.field(1, text)))),
                (HEAD, in_row(2, triple + wire.field(11, wire.field(2, text)))),
                (HEAD, in_row(2, triple + wire.field(12, triple + wire.field(10, text)))),
                (head(QUADS), in_row(3, triple + b"\x52\x01o" + wire.field(14, text))),
                (GRAPHS_HEAD, in_row(4, wire.field(2, text))),
                (HEAD, in_row(6, wire.field(1, text) + b"\x12\x02\x10\x01")),
                (HEAD, in_row(9, wire.field(2, text))),
                (HEAD, in_row(10, wire.field(2, text))),
                (HEAD, in_row(11, wire.field(2, text))),
            ):
                refuse(b.delimited([start + content]), row=True)
            refuse(b.delimited([HEAD + wire.field(15, wire.field(1, text))]))


class TestBombs:
    """Small input that stands for much."""

    @physical_types
    @pytest.mark.parametrize("levels", [101, 200, 3000])
    def test_quoted_triples(self, physical_type: int, levels: int) -> None:
        inner = b""
        for _ in range(levels):
            inner = wire.field(4, inner)
        start = head(physical_type)
        if physical_type == GRAPHS:
            start += b.frame(b.start("g"))
        number = 3 if physical_type == QUADS else 2
        refuse(b.delimited([start + in_row(number, inner)]), jr.LimitError, row=True)

    @pytest.mark.parametrize("levels", [101, 1_000_000])
    def test_quoted_triples_that_only_promise(self, levels: int) -> None:
        """Each level claims more than there is."""
        inner = b"\x22\xff\xff\xff\x07" * levels
        refuse(b.delimited([HEAD + in_row(2, inner)]), row=True)

    def test_texts_that_expand(self) -> None:
        """A huge prefix times many names: what a frame stands for is limited, not only its size."""
        prefix, names = 100_000, 15
        rows = [b.prefix("x" * prefix), *(b.name(str(n)) for n in range(names))]
        uses = [b.spo("s", b.iri(1 if n == 0 else 0, n + 1), "o") for n in range(names)]
        data = b.stream([b.options(), *rows, *uses])
        enough = jr.Limits(max_text_size=prefix * (names + 1) + 10_000)
        assert len(statements(data, limits=enough)) == names
        half = jr.Limits(max_text_size=prefix * names // 2)
        refuse(data, jr.LimitError, limits=half, row=True)

    def test_a_string_beyond_the_limit(self) -> None:
        p = b.iri(0, 1)
        for physical_type, content in (
            (TRIPLES, b.spo("x" * 11, p, "o")),
            (TRIPLES, b.spo("s", p, b.literal("x" * 11))),
            (TRIPLES, b.spo("s", p, b.literal("x", "a" * 11))),
            (TRIPLES, b.name("x" * 11)),
            (TRIPLES, b.prefix("x" * 11)),
            (TRIPLES, b.datatype("x" * 11)),
            (TRIPLES, b.namespace("x" * 11, p)),
            (QUADS, b.spog("s", p, "o", "x" * 11)),
            (GRAPHS, b.start("x" * 11)),
        ):
            data = b.stream([b.options(physical_type=physical_type), b.name("p"), content])
            refuse(data, jr.LimitError, limits=jr.Limits(max_string_size=10), row=True)
            assert len(read(data, limits=jr.Limits(max_string_size=11))) == 1

    def test_lookups_are_not_allocated_beyond_the_limits(self) -> None:
        for field in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            tracemalloc.start()
            try:
                refuse(b.stream([b.options(**{field: 2**32 - 1})]), jr.LimitError)
                assert tracemalloc.get_traced_memory()[1] < 1 << 20
            finally:
                tracemalloc.stop()

    def test_many_empty_frames_rows_and_graphs(self) -> None:
        """Nothing, many times, takes a moment and little memory."""
        assert statements(b.stream([b.options()]) + bytes(300_000)) == []
        assert statements(b.delimited([b.frame(b.options()) * 10_000])) == []
        graph = b.frame(b.start("g"), b.end())
        assert statements(b.delimited([GRAPHS_HEAD + graph * 50_000])) == []

    def test_fields_that_merge_over_and_over(self) -> None:
        """Merging takes memory in proportion to the input, not to its square."""
        out = run(
            """
import jelly_rdflib as jr
from tests.oracle import rdf_build as b
from tests.oracle import wire
from tests.core.jelly_rdf.test_bad_input import GRAPHS_HEAD, HEAD, head, in_row
literal = b"\\x0a\\x60" + b"x" * 96
unknown = wire.field(99, b"x" * 96)
cases = [
    (HEAD, 2, wire.field(3, literal)),
    (HEAD, 2, wire.field(12, unknown)),
    (head(3), 3, wire.field(16, literal)),
    (GRAPHS_HEAD, 4, wire.field(4, literal)),
    (HEAD, 6, wire.field(2, unknown)),
    (HEAD, 9, unknown),
    (HEAD, 1, unknown),
]
for start, outer, inner in cases:
    for content in (in_row(outer, inner * 20_000),
                    wire.field(1, wire.field(outer, inner) * 20_000)):
        data = b.delimited([start + content])
        before = peak()
        try:
            list(jr.read_statements(data))
        except jr.DecodeError:
            pass
        print(peak() - before)
"""
        )
        assert len(out.split()) == 14
        assert all(int(grown) < 32 << 20 for grown in out.split()), out

    def test_metadata_over_and_over(self) -> None:
        """The same key many times is one entry."""
        entry = wire.field(15, wire.field(1, b"k") + wire.field(2, b"x" * 100))
        (frame,) = jr.read_frames(b.delimited([HEAD + entry * 50_000]))
        assert frame.metadata == {"k": b"x" * 100}

    @pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
    def test_compressed_data_that_expands(self, compress: Any) -> None:
        data = compress(b.frame(b.options()) + bytes(32 << 20))
        assert len(data) < 1 << 20
        with pytest.raises(jr.LimitError) as caught:
            statements(data, limits=jr.Limits(max_frame_size=1 << 20))
        assert_position(caught.value, 64 << 20)


class TestErrors:
    """What an error says."""

    def test_positions_count_from_zero(self) -> None:
        frames = [[b.options(physical_type=GRAPHS)], [b.start("g")], [], [b.end(), b.end()]]
        data = b.stream(*frames)
        error = refuse(data, row=True)
        assert (error.frame, error.row) == (3, 1)
        assert len(b.stream(*frames[:3])) < error.offset <= len(data)
        assert f"byte {error.offset}, frame 3, row 1" in str(error)

    def test_offsets_are_of_the_uncompressed_input(self) -> None:
        data = b.stream([b.options(stream_name="x" * 10_000)], [b.spo()])
        error = refuse(data)
        for compressed in (gzip.compress(data), zstandard.compress(data)):
            assert len(compressed) < 500
            with pytest.raises(jr.DecodeError) as caught:
                statements(compressed)
            assert caught.value.offset == error.offset > 10_000
            assert (caught.value.frame, caught.value.row) == (1, 0)

    @pytest.mark.parametrize("normalize", [None, True, False])
    @pytest.mark.parametrize(
        "call", [jr.read_statements, jr.read_frames, jr.read_graphs, jr.read_batches]
    )
    def test_every_reader_refuses(self, call: Any, normalize: Any) -> None:
        data = b.stream([b.options()], [b.spo()])
        with pytest.raises(jr.DecodeError) as caught:
            list(call(data, normalize=normalize))
        assert_position(caught.value, len(data), row=True)
        assert (caught.value.frame, caught.value.row) == (1, 0)

    def test_an_inconsistent_logical_type_has_a_position(self) -> None:
        error = refuse(b"\x00" + b.stream([b.options(logical_type=DATASETS)]), row=True)
        assert (error.frame, error.row) == (1, 0)
        assert "logical type" in error.message
        assert "at all" not in error.message

    def test_an_inconsistent_logical_type_is_called_by_its_name(self) -> None:
        message = refuse(b.stream([b.options(logical_type=DATASETS)])).message
        assert "DATASETS" in message
        assert "TRIPLES" in message

    def test_a_flat_stream_is_refused_with_a_position(self) -> None:
        data = b.stream([b.options(logical_type=1)])
        with pytest.raises(jr.DecodeError, match="read_statements") as caught:
            list(jr.read_graphs(data))
        assert_position(caught.value, len(data))


class TestAnyReader:
    """Damage that reaches all readers, and the package's other format."""

    def outcome(self, call: Any, data: bytes) -> Any:
        try:
            with warnings.catch_warnings():
                # batches have no strict mode
                warnings.simplefilter("ignore", UserWarning)
                list(call(data, normalize=False))
        except jr.DecodeError as error:
            assert_position(error, len(data))
            return (error.message, error.offset, error.frame, error.row)
        return None

    @few
    @given(strategies.streams(), dice)
    def test_all_readers_agree(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = bytearray(rdf_producer.spelled(messages, rng))
        damage(data, rng)
        readers = (jr.read_frames, jr.read_statements, jr.read_batches)
        outcomes = [self.outcome(call, bytes(data)) for call in readers]
        assert outcomes[0] == outcomes[1]
        if outcomes[0] is not None and "logical" in outcomes[0][0]:
            return
        assert (outcomes[0] is None) == (outcomes[2] is None)

    @few
    @given(strategies.streams(), dice)
    def test_graphs_too(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = bytearray(rdf_producer.spelled(messages, rng))
        damage(data, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                list(jr.read_graphs(bytes(data), strict=False))
            except jr.DecodeError as error:
                assert_position(error, len(data))
            except jr.JellyError:
                # what rdflib can't hold
                assert b"\x18" in data or b"\x20" in data

    @few
    @given(strategies.streams(), dice)
    def test_readers_of_patches_refuse(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = rdf_producer.spelled(messages, rng)
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_operations(data))
        assert_position(caught.value, len(data))

    def test_a_decoder_gives_what_readers_give(self) -> None:
        for data in SMALL.values():
            package = jr.StatementDecoder(normalize=False)
            got = [plain_frame(package.decode_frame(part)) for part in wire.split(data)]
            package.finish()
            assert got == rdf_decoder.read(data)

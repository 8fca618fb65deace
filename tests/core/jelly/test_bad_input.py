"""Tests that bad input raises an error with its position, in bounded time and memory.

The error is a `DecodeError` or a `LimitError`. For randomly damaged input the reference decoder
decides whether it must be refused: some damage only produces another legal stream.
"""

import gzip
import io
import random
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

import jelly_rdflib as jr
from fuzz import differential
from tests.core.jelly.formats import (
    ALL_TYPES,
    FORMATS,
    PATCH,
    PATCH_QUADS,
    RDF,
    RDF_GRAPHS,
    RDF_QUADS,
    Format,
    P,
    formats,
    in_row,
)
from tests.core.jelly.statement_support import few
from tests.core.jelly.streams import PATCH_BARE, REALISTIC, SMALL, damage
from tests.oracle import build, wire
from tests.oracle import rdf_build as b
from tests.strategies import dice
from tests.support import assert_position, run

START = b"\x12\x01s\x2a\x02\x10\x01"
"""The subject and the predicate of a statement; an object may follow."""
TRIPLE = START + b"\x52\x01o"

STREAMS = [
    pytest.param(f, data, id=f"{name}-{f!r}")
    for name, streams in (("small", SMALL), ("realistic", REALISTIC))
    for f, data in streams.items()
]
# In a bare frame a cut after a row is legal. In a patch it is legal only outside a transaction.
BARE = [
    (PATCH, PATCH_BARE, range(3, 4)),
    *((f, wire.split(SMALL[f])[0], range(9, 20)) for f in (RDF, RDF_QUADS, RDF_GRAPHS)),
]

streams = pytest.mark.parametrize(("f", "data"), STREAMS)
small = pytest.mark.parametrize(("f", "data"), STREAMS[:4])
realistic = pytest.mark.parametrize(("f", "data"), STREAMS[4:])
bare = pytest.mark.parametrize(("f", "data", "legal"), BARE, ids=lambda value: repr(value)[:9])


class TestTruncated:
    @small
    def test_at_every_byte(self, f: Format, data: bytes) -> None:
        whole = f.decoder.read(data)
        legal = 0
        for size in range(len(data)):
            if not f.assert_same_outcome(data[:size]):
                legal += 1
                # A cut is legal only at the end of a frame, and in patches only outside a
                # transaction.
                got = f.support.read(data[:size])
                if got != whole[: len(got)]:
                    assert got.pop() == ("END",)
                assert got == whole[: len(got)]
        assert 2 <= legal <= len(whole)

    @bare
    def test_a_bare_frame(self, f: Format, data: bytes, legal: range) -> None:
        assert sum(not f.assert_same_outcome(data[:size]) for size in range(len(data))) in legal

    @realistic
    def test_what_is_before_the_cut_comes_first(self, f: Format, data: bytes) -> None:
        got = []
        with pytest.raises(jr.DecodeError):  # noqa: PT012
            for item in f.readers[0](data[:-1], normalize=False):
                got.append(f.plain(item))  # noqa: PERF401
        reference = f.decoder.Reference()
        frames = [reference.frame(f.decoder.parse(part)) for part in wire.split(data)[:-1]]
        assert got == [item for frame in frames for item in f.said(frame)]

    @realistic
    def test_positions(self, f: Format, data: bytes) -> None:
        """The error has the number of the truncated frame, but no row if the frame is missing."""
        at = 0
        for number, part in enumerate(wire.split(data)):
            size = len(wire.varint(len(part)))
            if part:
                error = f.refuse(data[: at + size + len(part) // 2], row=False)
                assert error.frame == number + 1
                assert at <= error.offset <= at + size + len(part)
            at += size + len(part)


class TestFlipped:
    @small
    def test_every_bit_of_a_small_stream(self, f: Format, data: bytes) -> None:
        refused = 0
        for at in range(len(data)):
            for bit in range(8):
                flipped = bytearray(data)
                flipped[at] ^= 1 << bit
                refused += f.assert_same_outcome(bytes(flipped))
        assert refused > len(data) * 4

    @small
    def test_every_byte_left_out_or_doubled(self, f: Format, data: bytes) -> None:
        for at in range(len(data)):
            f.assert_same_outcome(data[:at] + data[at + 1 :])
            f.assert_same_outcome(data[: at + 1] + data[at:])

    @formats
    @given(st.data(), dice)
    def test_any_stream(self, f: Format, data: st.DataObject, rng: random.Random) -> None:
        whole = f.spelled(data.draw(f.streams()), rng)
        for _ in range(10):
            damaged = bytearray(whole)
            for _ in range(rng.choice([1, 1, 2, 5])):
                damage(damaged, rng)
            f.assert_same_outcome(bytes(damaged), **rng.choice(f.outcomes))

    @formats
    @given(data=st.binary(max_size=300))
    @example(data=b"\n")
    @example(data=b"\n\n")
    @example(data=b"\n\x00")
    @example(data=b"\n\x00\n")
    @example(data=b"\x80")
    @example(data=b"\xff" * 20)
    def test_any_bytes(self, f: Format, data: bytes) -> None:
        f.assert_same_outcome(data)

    @pytest.mark.parametrize("types", [ALL_TYPES[:2], ALL_TYPES[2:]], ids=["patch", "rdf"])
    @given(st.data(), st.binary(max_size=200))
    def test_any_bytes_after_the_options_and_in_a_row(
        self, types: list[Format], draws: st.DataObject, data: bytes
    ) -> None:
        f = draws.draw(st.sampled_from(types))
        head = f.head()
        f.assert_same_outcome(head + data)
        f.assert_same_outcome(b.delimited([head, data]))
        f.assert_same_outcome(head + wire.field(1, data))
        f.assert_same_outcome(head + wire.field(15, data))

        kinds = [field.number for field in type(f.options()).DESCRIPTOR.fields]
        row = in_row(draws.draw(st.sampled_from(kinds)), data)
        f.assert_same_outcome(b.delimited([f.head() + row]))


@formats
class TestVarints:
    def number(self, f: Format, encoded: bytes) -> bytes:
        """Return a stream with a name entry whose id is the bytes `encoded`, and a value."""
        return b.delimited([f.head() + in_row(f.name_row, b"\x08" + encoded + b"\x12\x01x")])

    @pytest.mark.parametrize("size", [1, 2, 5, 9, 10])
    def test_padding_up_to_ten_bytes_is_legal(self, f: Format, size: int) -> None:
        assert f.statements(self.number(f, wire.varint(7, size))) == []

    @pytest.mark.parametrize("size", [5, 6, 10])
    def test_tags_and_lengths_have_five_bytes_at_the_most(self, f: Format, size: int) -> None:
        """Protobuf's own parsers refuse longer tags and lengths, too."""
        row = f.triple().SerializeToString()
        for more in (
            wire.tag(99, wire.VARINT, size) + b"\x07",
            wire.tag(99, wire.LEN) + wire.varint(1, size) + b"x",
            wire.tag(1, wire.LEN, size) + wire.varint(len(row)) + row,
            wire.tag(1, wire.LEN) + wire.varint(len(row), size) + row,
            wire.tag(99, wire.GROUP_START) + wire.tag(99, wire.GROUP_END, size),
        ):
            data = b.delimited([f.head() + more])
            if size <= 5:
                f.statements(data)
            else:
                assert "5 bytes" in f.refuse(data).message

    @pytest.mark.parametrize(
        "encoded",
        [
            wire.varint(7, 11),
            wire.varint(0, 11),
            b"\x80" * 10 + b"\x01",
            b"\x80" * 9 + b"\x02",
            b"\xff" * 10,
            b"\xff" * 9 + b"\x7f",
            b"\xff" * 30,
            b"\x80" * 60,
        ],
        ids=repr,
    )
    def test_more_than_ten_bytes_or_64_bits(self, f: Format, encoded: bytes) -> None:
        f.refuse(self.number(f, encoded), row=True)
        # The bad varint is the number of an unknown field, a tag, or a length.
        unknown = wire.tag(99, wire.VARINT) + encoded
        bad = [in_row(f.name_row, unknown), encoded, wire.field(1, encoded), b"\x0a" + encoded]
        if f is RDF:
            bad += [b"\x7a" + encoded, wire.field(15, unknown), wire.field(15, b"\x0a" + encoded)]
        for more in bad:
            f.refuse(b.delimited([f.head() + more]))
        f.refuse(b.delimited([f.head()]) + encoded, row=False)
        f.refuse(encoded)

    @pytest.mark.parametrize("value", [2**32, 2**32 + 1, 2**63, 2**64 - 1, -1, -(2**31)])
    def test_an_uint32_beyond_32_bits(self, f: Format, value: int) -> None:
        encoded = wire.varint(value)
        f.refuse(self.number(f, encoded), row=True)
        options = f.options().options.SerializeToString()
        for number in (9, 10, 11, 15):
            row = in_row(1, options + wire.tag(number, wire.VARINT) + encoded)
            f.refuse(b.delimited([row]), row=True)
        for number in (1, 2):
            predicate = wire.field(5, wire.tag(number, wire.VARINT) + encoded)
            row = in_row(2, b"\x12\x01s" + predicate + b"\x52\x01o")
            f.refuse(b.delimited([f.head() + row]), row=True)
        literal = wire.field(11, b"\x18" + encoded)
        f.refuse(b.delimited([f.head() + in_row(2, START + literal)]), row=True)

    def test_a_bool_may_be_any_number(self, f: Format) -> None:
        options = f.options().options.SerializeToString()
        options += wire.field(3, 2**64 - 1) + wire.field(4, 2)
        rows = f.frame(f.name("u"), f.spo(b.literal("s"), b.iri(), b.triple("s", b.iri(0, 1), "o")))
        assert len(f.statements(b.delimited([in_row(1, options) + rows]))) == 1

    def test_an_enum_beyond_its_values(self, f: Format) -> None:
        options = f.options().options.SerializeToString()
        for number, first in f.enums:
            for value in (0, first, 2**31 - 1, 2**31, 2**32 - 1, -1, 2**63):
                row = in_row(1, options + wire.field(number, value))
                f.refuse(b.delimited([row]), row=True)


SIZES = (1, 2, 127, 128, 2**14, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -1, -2)


@dataclass
class Place:
    """A message in the first frame of a small stream.

    `spell` returns the row that contains the message, or the frame. Its two arguments are bytes to
    insert before and after the content of the message. `start` contains the rows before that row,
    `end` the rows after it, and `frames` the other frames.
    """

    f: Format
    descriptor: Any
    spell: Callable[[bytes, bytes], bytes]
    start: bytes = b""
    end: bytes = b""
    frames: Sequence[bytes] = ()
    row: int | None = None

    def __repr__(self) -> str:
        return f"{self.f.format}.{self.descriptor.name}"

    def stream(self, before: bytes, after: bytes) -> bytes:
        return b.delimited([self.start + self.spell(before, after) + self.end, *self.frames])

    def refuse(self, before: bytes, after: bytes = b"") -> jr.DecodeError:
        return self.f.refuse(self.stream(before, after))


def places(f: Format) -> Iterator[Place]:
    first, *others = f.messages(SMALL[f])
    more = [other.SerializeToString() for other in others]
    for number, row in enumerate(first.rows):
        start, end = f.frame(*first.rows[:number]), f.frame(*first.rows[number + 1 :])
        for descriptor, spell in inside(row):
            in_frame = partial(lambda spell, *around: wire.field(1, spell(*around)), spell)
            yield Place(f, descriptor, in_frame, start, end, more, number)
    whole = f.frame(*first.rows)
    yield Place(f, first.DESCRIPTOR, lambda before, after: before + whole + after, frames=more)
    if f is not PATCH_QUADS:
        entry = first.DESCRIPTOR.fields_by_name["metadata"].message_type

        def spell_entry(before: bytes, after: bytes) -> bytes:
            return whole + wire.field(15, before + wire.field(1, b"k") + after)

        yield Place(f, entry, spell_entry, frames=more)


def inside(message: Any) -> Iterator[tuple[Any, Callable[[bytes, bytes], bytes]]]:
    """Yield the descriptor and the `spell` of each message inside `message`; see `Place`."""
    data = message.SerializeToString()
    yield message.DESCRIPTOR, lambda before, after: before + data + after
    for field, value in message.ListFields():
        if field.type == 11:
            rest = type(message)()
            rest.CopyFrom(message)
            rest.ClearField(field.name)
            start = rest.SerializeToString() + wire.tag(field.number, wire.LEN)
            for descriptor, spell in inside(value):
                yield descriptor, partial(_embed, start, spell)


def _embed(start: bytes, spell: Callable[[bytes, bytes], bytes], *around: bytes) -> bytes:
    content = spell(*around)
    return start + wire.varint(len(content)) + content


ALL_PLACES = [place for f in SMALL for place in places(f)]
PLACES = list({repr(place): place for place in ALL_PLACES}.values())
"""One message of each kind, in each format."""

messages = pytest.mark.parametrize("place", PLACES, ids=repr)


def blocks(place: Place, *types: int) -> list[int]:
    """Return the numbers of a message's fields that are strings (9) or messages (11)."""
    return [field.number for field in place.descriptor.fields if field.type in (types or (9, 11))]


class TestLengths:
    """A length that exceeds the end of the input is refused, up to 2**64."""

    @formats
    @pytest.mark.parametrize("size", SIZES)
    def test_of_a_frame(self, f: Format, size: int) -> None:
        kind = jr.LimitError if size < 0 or size > jr.Limits().max_frame_size else jr.DecodeError
        for more in (b"", b"\x0a"):
            if len(more) < size or size < 0:
                data = b.delimited([f.head()]) + wire.varint(size) + more
                f.refuse(data, kind, row=False)

    @pytest.mark.parametrize("size", SIZES)
    def test_of_a_row_and_all_in_it(self, size: int) -> None:
        length = wire.varint(size)
        for place in PLACES:
            for number in (*blocks(place), 99):
                place.refuse(b"", wire.tag(number, wire.LEN) + length)
        for f in FORMATS:
            f.refuse(b.delimited([f.head() + b"\x0a" + length]))
            f.refuse(b.delimited([f.head() + wire.field(1, b"\x12" + length)]))

    @formats
    @pytest.mark.parametrize(
        "size", [2**22, 2**24, 2**24 + 1, 64 << 20, (64 << 20) + 1, 2**31, 2**63, 2**64 - 1]
    )
    def test_of_a_frame_of_which_little_comes(self, f: Format, size: int) -> None:
        """A length alone does not allocate memory of that size."""
        data = b.delimited([f.head()]) + wire.varint(size) + bytes(100)
        for source in (data, io.BytesIO(data), io.BufferedReader(io.BytesIO(data))):  # type: ignore[arg-type]
            tracemalloc.start()
            try:
                with pytest.raises(jr.DecodeError):
                    list(f.readers[0](source))
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < 8 << 20

    @formats
    def test_the_limit_on_frames_can_be_set(self, f: Format) -> None:
        frame = f.frame(f.options())
        exact, less = (jr.Limits(max_frame_size=len(frame) - n) for n in (0, 1))
        for data in (frame, b.delimited([frame])):
            for make in (bytes, io.BytesIO):
                assert f.statements(make(data), limits=exact) == []
                with pytest.raises(jr.LimitError):
                    list(f.readers[0](make(data), limits=less))
        assert len(f.Decoder(exact).decode_frame(frame)) == 0
        with pytest.raises(jr.LimitError):
            f.Decoder(less).decode_frame(frame)


class TestWireTypes:
    @messages
    def test_what_is_embedded_is_legal(self, place: Place) -> None:
        for data in (place.stream(b"", b""), place.stream(wire.field(99, 1), wire.field(99, b""))):
            assert not place.f.assert_same_outcome(data)

    @pytest.mark.parametrize(
        ("place", "field"),
        [
            pytest.param(place, field, id=f"{place!r}.{field.name}")
            for place in PLACES
            for field in place.descriptor.fields
        ],
    )
    def test_a_known_field_with_another_wire_type(self, place: Place, field: Any) -> None:
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
                assert place.refuse(b"", wire.tag(number, wire_type) + content).frame == 1

    @messages
    def test_what_is_no_field(self, place: Place) -> None:
        for content in (
            *(wire.tag(99, wire_type) + bytes(9) for wire_type in (6, 7)),
            *(bytes([wire_type]) + bytes(9) for wire_type in range(8)),
            *(wire.tag(n, wire.VARINT) + b"\x01" for n in (2**29, 2**32, 2**60)),
            wire.tag(99, 3),
            wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(98, 4),
            wire.tag(99, 3) + wire.tag(99, 4) + wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(98, 3) + wire.tag(99, 4) + wire.tag(98, 4),
            wire.tag(99, 3) + wire.tag(98, 3) + wire.tag(98, 4),
            wire.tag(99, 3) + wire.tag(1, 2) + b"\x05abc" + wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(1, 0) + b"\x80",
            wire.tag(99, 3) + b"\x00" + wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(1, 6) + wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(1, 7) + wire.tag(99, 4),
            wire.tag(99, 3) + wire.tag(1, 1) + bytes(7) + wire.tag(99, 4),
            wire.tag(99, 3) * 50 + wire.tag(99, 4) * 49,
            wire.tag(99, 3) * 100_000 + wire.tag(99, 4) * 100_000,
        ):
            place.refuse(b"", content)

    @messages
    @pytest.mark.parametrize("levels", [1, 10, 60])
    def test_groups_may_nest(self, place: Place, levels: int) -> None:
        group = wire.tag(99, 3) * levels + wire.field(5, 3) + wire.tag(99, 4) * levels
        assert not place.f.assert_same_outcome(place.stream(b"", group))


class TestUnused:
    """A value that another member of its oneof overrides is still checked."""

    def test_they_are_checked_all_the_same(self) -> None:
        """A bad value is refused everywhere, although the value that replaces it is good."""
        for place in ALL_PLACES:
            for number in blocks(place):
                error = place.refuse(wire.field(number, b"\xff"))
                assert place.row is None or error.row == place.row + 1

    @messages
    def test_rows_that_are_overwritten_too(self, place: Place) -> None:
        """A row is read in full, as by protobuf, even if another row overwrites it."""
        if place.row is not None:
            entry = wire.field(place.f.name_row + 1, b"\x12\x01x")
            for more in (b"\x07", b"\x9a\x06\x05x", wire.field(99, b"x")):
                _, at = wire.read_varint(row := place.spell(b"", more), 1)
                data = b.delimited([place.start + wire.field(1, row[at:] + entry)])
                place.f.assert_same_outcome(data)


@pytest.mark.parametrize(("first", "second"), [(b"\xc0\x80", b"\x08\x01"), (b"\x0a", b"\x00")])
def test_halves_that_are_messages_only_together(first: bytes, second: bytes) -> None:
    halves = wire.field(6, first) + wire.field(6, second)
    for row, message in (
        (in_row(6, first + second), "inside a transaction"),
        (wire.field(1, halves), r"cut off|beyond"),
    ):
        with pytest.raises(jr.DecodeError, match=message):
            list(jr.read_operations(b.delimited([PATCH.head() + row])))


@pytest.mark.parametrize("field", [1, 2])
def test_a_negative_enum_before_a_good_one(field: int) -> None:
    negative = wire.tag(field, wire.VARINT) + wire.varint((1 << 64) - 1)
    options = negative + b"\x08\x01\x10\x03\x48\x08\x78\x01"
    data = b.delimited([in_row(1, options)])
    assert list(jr.read_operations(data)) == []
    differential.compare_patch(data)


class TestStrings:
    BAD = (
        b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc2\x00", b"\xe0\x80\x80",
        b"\xe0\x9f\xbf", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xfe",
        b"\xff", b"\xf8\x88\x80\x80\x80", b"\xed\xa0\xbd\xed\xb8\x80",
    )  # fmt: skip
    FRAMES = (
        b"%s",
        b"a%s",
        b"%sa",
        b"\xc3\xa9%s\xc3\xa9",
        b"x" * 7 + b"%s",
        b"x" * 40 + b"%s" + b"y" * 40,
    )

    @pytest.mark.parametrize("bad", BAD, ids=bytes.hex)
    def test_in_every_string(self, bad: bytes) -> None:
        for frame in self.FRAMES:
            text = frame % bad
            with pytest.raises(UnicodeDecodeError):
                text.decode()
            for place in PLACES:
                for number in blocks(place, 9):
                    place.refuse(b"", wire.field(number, text))

    @formats
    def test_characters_cut_between_prefix_and_name(self, f: Format) -> None:
        """Each part of the IRI must be valid UTF-8 by itself."""
        entries = in_row(f.name_row + 1, b"\x12\x01\xc3") + in_row(f.name_row, b"\x12\x01\xa9")
        f.refuse(b.delimited([f.head() + entries]), row=True)

    @formats
    @pytest.mark.parametrize(
        "text",
        [
            "\x00", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
            "\U00010000", "\U0010ffff",
        ],
    )  # fmt: skip
    def test_the_edges_of_utf8_are_read(self, f: Format, text: str) -> None:
        for padding in range(9):
            content = "x" * padding + text
            data = f.one(f.triple(content, b.literal(content)))
            literal = ("literal", content, None, None)
            assert f.statements(data) == [(("bnode", content), P, literal)]


class TestBombs:
    """Limits apply to small input that expands to a lot of data."""

    @formats
    @pytest.mark.parametrize("levels", [101, 1_000_000])
    def test_quoted_triples_that_only_promise(self, f: Format, levels: int) -> None:
        """Each level has a length that exceeds the end of the input."""
        inner = b"\x22\xff\xff\xff\x07" * levels
        f.refuse(b.delimited([f.head() + in_row(2, inner)]), row=True)
        claims = b"\x12" + wire.varint(len(inner) + 1) + inner
        f.refuse(b.delimited([f.head() + wire.field(1, claims)]), row=True)

    @pytest.mark.parametrize("is_one_frame", [True, False])
    def test_a_datatype_that_is_looked_up_again_and_again(self, is_one_frame: bool) -> None:
        """A few bytes can't make a reader process a megabyte a million times."""
        head = build.frame(build.options(), build.name("n"), build.datatype("d" * (1 << 20)))
        typed = build.add("s", b.iri(0, 1), b.literal("a", datatype=1))
        # In both cases the decoder forgets the term number of the datatype.
        once = (
            [build.prefix("", 1), typed]
            if is_one_frame
            else [typed, build.add("s", b.iri(0, 1), "o")]
        )
        frames = [build.frame(*once * 2000)] if is_one_frame else [build.frame(*once)] * 2000
        error = PATCH.refuse(b.delimited([head, *frames]), jr.LimitError, row=True)
        assert "max_expansion" in str(error)

    def test_a_large_term_that_each_frame_repeats(self) -> None:
        """Our own writer writes such streams, which are legal, so the limit is configurable."""
        head = build.frame(
            build.options(), build.name("n"), build.add("s", b.iri(0, 1), "x" * 500_000)
        )
        again = build.frame(build.add("t"))
        data = b.delimited([head, *[again] * 3000])
        assert len(again) < 10
        limits = jr.Limits(max_expansion=1 << 16)
        assert sum(map(len, jr.read_batches(data, limits=limits))) == 3002
        with pytest.raises(jr.LimitError, match="max_expansion"):
            sum(map(len, jr.read_batches(data)))

    def test_quoted_triples_that_share_parts(self) -> None:
        """If a tree has many leaves but few distinct terms, repeating it costs little."""
        out = run(
            """
import time
import jelly_rdflib as jr
from tests.oracle import build as b
from tests.oracle import wire
iri = b.iri(0, 1).SerializeToString()
leaf = wire.field(1, iri) + wire.field(5, iri) + wire.field(9, iri)
tree = leaf
for level in range(14):
    tree = wire.field(4, tree) + wire.field(5, iri) + wire.field(12, tree)
head = b.frame(b.options(rdf_star=True), b.name("n"))
first = wire.field(1, wire.field(2, wire.field(4, tree) + wire.field(5, iri) + wire.field(9, iri)))
again = wire.field(1, wire.field(2, b""))
data = b.delimited([head + first])
start = time.process_time()
assert sum(map(len, jr.read_batches(data))) == 2
once = time.process_time() - start
start = time.process_time()
assert sum(map(len, jr.read_batches(data + b.delimited([again]) * 500))) == 502
print(once, time.process_time() - start)
"""
        )
        once, often = map(float, out.split())
        assert often < 20 * once + 1

    @formats
    def test_a_string_beyond_the_limit(self, f: Format) -> None:
        p, long = b.iri(0, 1), "x" * 11
        graphs = [PATCH_QUADS] if f is PATCH else [RDF_QUADS, RDF_GRAPHS]
        headers = (
            []
            if f is RDF
            else [
                build.header("x" * 11, "s"),
                build.header("k", "x" * 11),
                build.header("k", b.literal("x" * 11)),
                build.header("k", b.literal("x", "a" * 11)),
            ]
        )
        for typed, content in (
            (f, f.spo(long, p, "o")),
            (f, f.spo("s", p, b.literal(long))),
            (f, f.spo("s", p, b.literal("x", "a" * 11))),
            (f, f.name(long)),
            (f, f.prefix(long)),
            (f, f.datatype(long)),
            (f, f.namespace(long, p)),
            *((typed, typed.some(g=long)[0]) for typed in graphs),
            *((f, row) for row in headers),
        ):
            data = typed.stream([typed.options(), f.name("p"), content])
            typed.refuse(data, jr.LimitError, limits=jr.Limits(max_string_size=10), row=True)
            typed.support.read(data, limits=jr.Limits(max_string_size=11))
        parts = [f.options(), f.prefix("x" * 6), f.name("y" * 5), f.spo("s", b.iri(1), "o")]
        data = f.stream(parts)
        f.refuse(data, jr.LimitError, limits=jr.Limits(max_string_size=10), row=True)
        assert f.statements(data, limits=jr.Limits(max_string_size=11))

    @formats
    def test_fields_that_merge_over_and_over(self, f: Format) -> None:
        """The memory for merging is linear in the size of the input, not quadratic."""
        out = run(
            """
import jelly_rdflib as jr
from tests.core.jelly.formats import *
from tests.oracle import wire
literal = b"\\x0a\\x60" + b"x" * 96
unknown = wire.field(99, b"x" * 96)
f = {repr(f): f for f in FORMATS}[sys.argv[1]]
cases = [
    (f, 2, wire.field(3, literal)),
    (f, 2, wire.field(12, unknown)),
    (f, f.namespace_row, wire.field(2, unknown)),
    (f, f.name_row, unknown),
    (f, 1, unknown),
]
if f is PATCH:
    cases += [(f, 14, wire.field(4, literal)), (f, 4, wire.field(6, literal))]
else:
    cases += [(RDF_QUADS, 3, wire.field(16, literal)), (RDF_GRAPHS, 4, wire.field(4, literal))]
for f, outer, inner in cases:
    for content in (in_row(outer, inner * 20_000),
                    wire.field(1, wire.field(outer, inner) * 20_000)):
        data = build.delimited([f.head() + content])
        before = peak()
        try:
            list(f.readers[0](data))
        except jr.DecodeError:
            pass
        print(peak() - before)
""",
            repr(f),
        )
        assert len(out.split()) == 14
        assert all(int(grown) < 32 << 20 for grown in out.split()), out


@formats
class TestErrors:
    def test_frames_and_rows_count_from_one(self, f: Format) -> None:
        frames = [[f.options()], [f.name("urn:p")], [], [f.triple(), f.spo(p=b.iri(0, 9))]]
        data = f.stream(*frames)
        error = f.refuse(data, row=True)
        assert (error.frame, error.row) == (4, 2)
        assert len(f.stream(*frames[:3])) < error.offset <= len(data)
        assert f"byte {error.offset}, frame 4, row 2" in str(error)

    def test_offsets_are_of_the_uncompressed_input(self, f: Format) -> None:
        data = f.stream([f.options()], [f.name("x" * 10_000)], [f.spo()])
        error = f.refuse(data)
        for compressed in (gzip.compress(data), zstandard.compress(data)):
            assert len(compressed) < 500
            with pytest.raises(jr.DecodeError) as caught:
                list(f.readers[0](compressed))
            assert caught.value.offset == error.offset > 10_000
            assert (caught.value.frame, caught.value.row) == (3, 1)

    def test_a_decoder_that_failed_stays_failed(self, f: Format) -> None:
        package = f.Decoder()
        package.decode_frame(f.frame(f.options(), f.name("urn:p")))
        with pytest.raises(jr.DecodeError) as caught:
            package.decode_frame(f.frame(f.spo()))
        assert (caught.value.frame, caught.value.row) == (2, 1)
        good = f.frame(f.triple())
        for call in (*[lambda: package.decode_frame(good)] * 2, package.finish):
            with pytest.raises(jr.DecodeError):
                call()


@pytest.mark.parametrize("value", [5, 9, 10, 2**31, 2**32 - 1, -1, 2**63])
def test_logical_types_of_no_known_base(value: int) -> None:
    """A logical type without a known base type is either read or refused."""
    options = RDF.options().options.SerializeToString() + wire.field(14, value)
    for strict in (True, False):
        RDF.assert_same_outcome(b.delimited([in_row(1, options)]), strict=strict)


@formats
@few
@given(data=st.data(), rng=dice)
def test_all_readers_agree(f: Format, data: st.DataObject, rng: random.Random) -> None:
    damaged = bytearray(f.spelled(data.draw(f.streams()), rng))
    damage(damaged, rng)
    outcomes = []
    for call in f.readers:
        if call is not jr.read_graphs:
            # Damaged data may look like the other format.
            arguments = {"format": f.format} if call is jr.read_batches else {}
            try:
                list(call(bytes(damaged), normalize=False, **arguments))
                outcomes.append(None)
            except jr.DecodeError as error:
                assert_position(error, len(damaged))
                message = error.message.partition("; is the input")[0]
                outcomes.append((message, error.offset, error.frame, error.row))
    assert outcomes.count(outcomes[0]) == len(outcomes)

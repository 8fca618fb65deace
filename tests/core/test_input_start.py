"""Tests that the first bytes of an input identify its format, in whatever pieces they arrive."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.core.input_start import (
    START_SIZE,
    has_control_characters,
    is_frame,
    look_at_start,
)
from jelly_rdflib.core.source import open_source
from jelly_rdflib.formats import guess_by_start
from tests import strategies
from tests.core.jelly.statement_support import few
from tests.oracle import producer, wire
from tests.pieces import Pieces

CONTROL_IN_A_STRING = b'PA ex <a> <g> .\nPD ex "' + 30 * b"\x12" + b'" .\n'

# Text and frames look most alike if they start with these bytes.
BYTES = st.lists(
    st.sampled_from([bytes([byte]) for byte in b"\n\r\t AZHPTDX.<>\"'#z?!{}[]@_:\x00\x05\x12\xef"])
    | st.sampled_from([b"\xef\xbb\xbf", b"PA ", b"TX .", b"<urn:s>", b"@prefix ", b"pre"])
    | st.binary(min_size=1, max_size=2),
    max_size=40,
).map(b"".join)


def take_for(source: object, holds_changes: bool | None) -> str:
    try:
        start, _ = look_at_start(open_source(source))
        return guess_by_start(start, holds_changes=holds_changes).name
    except jr.DecodeError as error:
        # The input is Turtle or similar, or looks compressed.
        return error.message


@given(
    data=BYTES,
    size=st.integers(1, START_SIZE),
    holds_changes=st.sampled_from([True, False, None]),
)
@example(data=CONTROL_IN_A_STRING, size=1, holds_changes=True)
@example(data=b"@prefix : <urn:> .", size=1, holds_changes=False)
@example(data=b"{ \n <urn:g> {} }", size=3, holds_changes=False)
@example(data=b" " * 70 + b"TX .", size=40, holds_changes=None)
@example(data=b"A\n?\n= as long as a name may be", size=1, holds_changes=True)
def test_it_does_not_hang_on_the_pieces(data: bytes, size: int, holds_changes: bool | None) -> None:
    whole = take_for(data, holds_changes)
    assert take_for(Pieces(data, size), holds_changes) == whole


@pytest.mark.parametrize(
    ("enough", "more"),
    [
        (b"Z.\n", b"TX ."),
        (b"\xef\xbb\xbfZ.\n", b"TX ."),
        # These inputs are frames. The first two have control characters; the others start with
        # bytes that a text could contain.
        (b"\x05\x12\x03", b"abc"),
        (b"#z\x04", b"\x0a\x01k\x12"),
        (b"A\n?\n=", b" as long as a name may be"),
        (b"\n?\n=\n", b" in a bare frame"),
        # An IRI and an XML element differ at their ends. Other XML differs in the second byte.
        (b"<urn:s>", b" <urn:p>"),
        (b"<rdf:RDF ", b"xmlns"),
        (b"<?xml", b" version"),
        (b"@pref", b"ix : <urn:> ."),
        # A list may be JSON or Turtle.
        (b'{ [ {"', b'@id"'),
        # A frame's length may look like a space.
        (b"  TX .\n", b""),
    ],
)
def test_of_a_live_source_no_more_is_waited_for_than_tells_enough(
    enough: bytes, more: bytes
) -> None:
    pieces = Pieces(enough + more, 1)
    start, _ = look_at_start(open_source(pieces))
    assert start == enough
    # The reader needs four bytes to detect whether the input is compressed.
    assert pieces.at == max(4, len(enough))
    assert look_at_start(memoryview(enough + more))[0] == enough


def test_a_string_of_a_text_may_hold_control_characters() -> None:
    expected = list(jr.read_operations(CONTROL_IN_A_STRING, format="rdf-patch"))
    assert len(expected) == 3
    for source in (CONTROL_IN_A_STRING, Pieces(CONTROL_IN_A_STRING, 1)):
        assert list(jr.read_operations(source)) == expected
    assert take_for(b"#\x12\x13 a comment\nTX .", True) == "rdf-patch"


def rdf_frame(size: int, start: bytes, metadata: bytes = b"") -> bytes:
    """Return a Jelly-RDF frame of `size` bytes: metadata, and options with a name."""
    name = start.ljust(size - len(metadata) - len(options_row(b"")), b"x")
    return metadata + options_row(name)


def options_row(name: bytes) -> bytes:
    return wire.field(1, wire.field(1, wire.field(1, name) + wire.field(2, 1)))


@pytest.mark.parametrize("is_delimited", [True, False])
@pytest.mark.parametrize("size", range(20, 127))
def test_a_frame_of_any_length_is_no_text(size: int, is_delimited: bool) -> None:
    """A length may be a letter, quote, hash or space, and a stream's name may be any text."""
    for start in (b"", b'"', b"#", b" a ", b"<urn:s> "):
        data = rdf_frame(size, start)
        assert len(data) == size
        data = wire.varint(size) + data if is_delimited else data
        for holds_changes in (True, False, None):
            assert take_for(data, holds_changes).startswith("jelly")


@pytest.mark.parametrize("size", [ord("#"), ord("<"), ord("{")])
@pytest.mark.parametrize("key_size", range(2, 12))
def test_a_frame_that_starts_with_metadata_is_no_text(size: int, key_size: int) -> None:
    for value_size in range(max(0, 9 - key_size), 14 - key_size):
        entry = wire.field(1, key_size * b"k") + wire.field(2, value_size * b"v")
        data = wire.varint(size) + rdf_frame(size, b"", wire.field(15, entry))
        for holds_changes in (True, False, None):
            assert take_for(data, holds_changes).startswith("jelly")


@pytest.mark.parametrize(
    ("start", "is_one"),
    [
        # A bare frame starts with the tag and length of a row, then those of the options.
        *((b"\nA\n?x", True), (b"#A\n?x", False), (b"\nA#?x", False), (b"\nA\n@x", False)),
        # A delimited frame has the same bytes after its length, which may cover several rows.
        *((b'$\n"\n ', True), (b'%\n"\n ', True), (b'#\n"\n ', False), (b'$z"\n ', False)),
        *((b'$\n"# ', False), (b'$\n"\n!', False), (b"\nA\n?", False)),
    ],
)
def test_a_frame_is_told_by_its_lengths_and_tags(start: bytes, is_one: bool) -> None:
    assert is_frame(start) == is_one


@few
@given(stream=strategies.streams(), rng=strategies.dice, size=st.integers(1, START_SIZE))
def test_no_stream_is_a_text(stream: strategies.Stream, rng: random.Random, size: int) -> None:
    data = producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)
    assert take_for(data, True) == take_for(Pieces(data, size), True) == "jelly-patch"


@pytest.mark.parametrize("tag", [b"\x8a\x00", b"\x8a\x80\x00", b"\xfa\x01", b"\xfa\x81\x00"])
def test_a_first_tag_that_is_spelled_longer_is_no_comment(tag: bytes) -> None:
    """Hypothesis found that a frame of length `#` was read as a comment."""
    assert has_control_characters(b"#" + tag + b"\x02\x0a\x00")


@pytest.mark.parametrize("row", [b"A", b"D", b"H", b"Z", b"#", b"<", b"{", b"["])
def test_a_text_whose_lines_are_a_byte_long_is_no_frame(row: bytes) -> None:
    for line in (b"", b".", b"#", b"<"):
        for rest in (b"<urn:s>", b'"a"', b"_:a", b"TX .", b"# a", b"."):
            assert not is_frame(row + b"\n" + line + b"\n" + rest)
            assert not is_frame(b"\n" + row + b"\n" + rest)

"""Tests that the first bytes distinguish Thrift from the other formats."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jelly_rdflib.formats import FORMATS, guess_by_start
from jelly_rdflib.formats.rdf_patch import RDF_PATCH_THRIFT
from jelly_rdflib.formats.rdf_thrift import RDF_THRIFT
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.statement_support import few
from tests.core.text import soup
from tests.core.thrift.oracle import rows_to_bytes
from tests.oracle import producer, rdf_producer, wire
from tests.strategies import Stream, dice, streams

ROW_SIZE = 3


def assert_it_is_thrift(data: bytes) -> None:
    for size in {ROW_SIZE, min(len(data), 10), min(len(data), 64)}:
        assert guess_by_start(data[:size]) is RDF_PATCH_THRIFT
        for format in FORMATS:
            assert format.starts_like(data[:size]) == (format is RDF_PATCH_THRIFT) or (
                # RDF Thrift starts with similar rows, but contains only statements.
                format.name.startswith("jelly") or format is RDF_THRIFT
            )


def assert_it_is_not(data: bytes) -> None:
    for size in (1, 2, 3, 10, 64):
        assert not RDF_PATCH_THRIFT.starts_like(data[:size])
        assert guess_by_start(data[:size]) is not RDF_PATCH_THRIFT


@few
@given(streams(), rdf_strategies.streams(), dice)
def test_other_formats_are_not(
    stream: Stream, rdf_stream: rdf_strategies.Stream, chance: random.Random
) -> None:
    """Jelly streams with any options are not Thrift, whichever producer writes them."""
    messages = producer.frames(stream.operations, stream.options, chance)
    messages += rdf_producer.messages(rdf_stream.frames, rdf_stream.options, chance)
    for message in messages:
        frame = message.SerializeToString()
        assert_it_is_not(frame)
        assert_it_is_not(wire.varint(len(frame)) + frame)
    assert_it_is_not(soup.rows(chance))
    assert_it_is_not(soup.tokens(chance))


@given(st.integers(0, 1 << 20))
def test_a_frame_of_any_length_is_not(size: int) -> None:
    # 0x0A is the tag of a row. 0x7A is the tag of metadata, which may come first in Jelly-RDF.
    for tag in (b"\x0a", b"\x7a"):
        for more in (b"\x0a\x0f", b"\x1c\x18", b"\x1c\x1c", b"\0\0"):
            assert_it_is_not(wire.varint(size) + tag + more)
            assert_it_is_not(tag + wire.varint(size) + more)


@few
@given(streams())
def test_rows_of_any_kind(stream: Stream) -> None:
    for operation in stream.operations:
        row = rows_to_bytes([operation])
        assert_it_is_thrift(row)


@pytest.mark.parametrize(
    "start",
    [
        b"", b"\x1c", b"TX .", b"<s>", b"<\n", b"L", b"L)", b"\\", b",", b"e", b"e\0",
        b"\x1c\x0a\x1a", b"\x2c\x0a\x2a\x0a", b"\x65\x0a\x63", b"\x0a\x1c\x18",
        b"<?xml version='1.0'?>", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x82\x21\x01",
    ],
)  # fmt: skip
def test_starts_of_other_things(start: bytes) -> None:
    assert_it_is_not(start)

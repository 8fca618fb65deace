"""The oracle itself: its producers, its wire format and its decoders must agree with each other."""

from __future__ import annotations

import random

import pytest
from google.protobuf.message import DecodeError as ProtobufError
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.core.jelly.formats import Format, formats
from tests.oracle import rdf_build as b
from tests.oracle import terms, wire
from tests.oracle.rdf_decoder import Frame
from tests.strategies import dice


@formats
@given(st.data(), dice)
def test_what_the_foreign_producer_writes_is_what_the_reference_decoder_reads(
    f: Format, data: st.DataObject, rng: random.Random
) -> None:
    stream = data.draw(f.streams())
    messages = f.spoken(stream, rng)
    got = f.decoder.decode(messages)
    assert got[: len(f.content(stream))] == f.content(stream)
    # a stream must have options, if only in a frame of their own
    assert all(rest == Frame([], {}) for rest in got[len(f.content(stream)) :])
    assert f.decoder.read(f.producer.spelled(messages, rng)) == got


@formats
@given(st.data(), dice)
def test_bare_frames_too(f: Format, data: st.DataObject, rng: random.Random) -> None:
    stream = data.draw(f.single_streams())
    assert f.decoder.read(f.spelled(stream, rng, single=True)) == f.content(stream)


@formats
@given(st.data(), dice)
def test_odd_spellings_mean_the_same_message(
    f: Format, data: st.DataObject, rng: random.Random
) -> None:
    for message in f.spoken(data.draw(f.streams()), rng):
        parsed = f.Frame.FromString(wire.spell(message, rng, 0.3))
        parsed.DiscardUnknownFields()
        assert parsed == message


@given(strategies.terms(depth=2, generalized=True))
def test_plain_terms_and_nodes_are_one_to_one(term: terms.Plain) -> None:
    node = terms.node(term)
    again = terms.plain(node)
    assert terms.plain(terms.node(again)) == again
    assert terms.same_term(node, terms.node(term))


@formats
def test_strict_check_refuses_what_protobuf_refuses(f: Format) -> None:
    stream = f.frame(f.options(), f.spo("a", "b", b.literal("é", lang="en")))
    rng = random.Random(7)
    refused = 0
    for _ in range(3000):
        data = bytearray(stream)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 10, 128, 255, rng.randrange(256)])
        try:
            f.Frame.FromString(bytes(data))
        except ProtobufError:
            refused += 1
            try:
                doubts = wire.check(f.Frame.DESCRIPTOR, bytes(data))
            except wire.WireError:
                continue
            assert doubts, bytes(data)
    assert refused > 500


@formats
@pytest.mark.parametrize(
    "data",
    [b"\x0f\x01", b"\x0a", b"\x0a\x05\x00", b"\x00\x00", b"\x0c", b"\x0b\x0b\x0c", b"\x08\x01"],
)
def test_strict_check_refuses(f: Format, data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.check(f.Frame.DESCRIPTOR, data)

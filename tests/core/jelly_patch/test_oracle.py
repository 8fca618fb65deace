"""The oracle itself: its producer, its wire format and its decoder must agree with each other."""

from __future__ import annotations

import random

import pytest
from google.protobuf.message import DecodeError as ProtobufError
from hypothesis import given

from tests import strategies
from tests.oracle import build, decoder, producer, terms, wire
from tests.oracle import schema as pb
from tests.strategies import Stream


@given(strategies.streams(), strategies.dice)
def test_what_the_foreign_producer_writes_is_what_the_reference_decoder_reads(
    stream: Stream, rng: random.Random
) -> None:
    messages = producer.frames(stream.operations, stream.options, rng)
    assert decoder.decode(messages) == stream.operations
    data = producer.spelled(messages, rng)
    assert decoder.read(data) == stream.operations


@given(strategies.streams(one_patch=True), strategies.dice)
def test_bare_frames_too(stream: Stream, rng: random.Random) -> None:
    messages = producer.frames(stream.operations, stream.options, rng, single=True)
    data = producer.spelled(messages, rng, single=True)
    assert decoder.read(data) == stream.operations


@given(strategies.streams(), strategies.dice)
def test_odd_spellings_mean_the_same_message(stream: Stream, rng: random.Random) -> None:
    for message in producer.frames(stream.operations, stream.options, rng):
        data = wire.spell(message, rng, 0.3)
        parsed = pb.RdfPatchFrame.FromString(data)
        parsed.DiscardUnknownFields()
        assert parsed == message


@given(strategies.terms(depth=2, generalized=True))
def test_plain_terms_and_nodes_are_one_to_one(term: terms.Plain) -> None:
    node = terms.node(term)
    again = terms.plain(node)
    assert terms.plain(terms.node(again)) == again
    assert terms.same_term(node, terms.node(term))


def test_strict_check_refuses_what_protobuf_refuses() -> None:
    stream = build.frame(build.options(), build.add("a", "b", build.literal("é", lang="en")))
    rng = random.Random(7)
    refused = 0
    for _ in range(3000):
        data = bytearray(stream)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 10, 128, 255, rng.randrange(256)])
        try:
            pb.RdfPatchFrame.FromString(bytes(data))
        except ProtobufError:
            refused += 1
            try:
                doubts = wire.check(pb.RdfPatchFrame.DESCRIPTOR, bytes(data))
            except wire.WireError:
                continue
            assert doubts, bytes(data)
    assert refused > 500


@pytest.mark.parametrize(
    "data",
    [b"\x0f\x01", b"\x0a", b"\x0a\x05\x00", b"\x00\x00", b"\x0c", b"\x0b\x0b\x0c", b"\x08\x01"],
)
def test_strict_check_refuses(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.check(pb.RdfPatchFrame.DESCRIPTOR, data)

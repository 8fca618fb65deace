"""The oracle itself: its producer, its wire format and its decoder must agree with each other."""

from __future__ import annotations

import random

from hypothesis import given

from tests.core.jelly_rdf import strategies
from tests.core.jelly_rdf.strategies import Stream
from tests.oracle import rdf_decoder, rdf_producer, wire
from tests.oracle import schema as pb
from tests.strategies import dice


@given(strategies.streams(), dice)
def test_what_the_foreign_producer_writes_is_what_the_reference_decoder_reads(
    stream: Stream, rng: random.Random
) -> None:
    messages = rdf_producer.messages(stream.frames, stream.options, rng)
    got = rdf_decoder.decode(messages)
    assert got[: len(stream.frames)] == stream.frames
    # a stream must have options, if only in a frame of their own
    assert all(not frame.operations for frame in got[len(stream.frames) :])
    assert rdf_decoder.read(rdf_producer.spelled(messages, rng)) == got


@given(strategies.streams(one_frame=True), dice)
def test_bare_frames_too(stream: Stream, rng: random.Random) -> None:
    messages = rdf_producer.messages(stream.frames, stream.options, rng)[-1:]
    data = rdf_producer.spelled(messages, rng, single=True)
    assert rdf_decoder.read(data) == stream.frames


@given(strategies.streams(), dice)
def test_odd_spellings_mean_the_same_message(stream: Stream, rng: random.Random) -> None:
    for message in rdf_producer.messages(stream.frames, stream.options, rng):
        parsed = pb.RdfStreamFrame.FromString(wire.spell(message, rng, 0.3))
        parsed.DiscardUnknownFields()
        assert parsed == message

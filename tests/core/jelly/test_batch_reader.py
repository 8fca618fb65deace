"""Batches that are decoded ahead: those of the frames that have been read together."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.core.batch import PlacedBatches
from jelly_rdflib.core.jelly_decoder import BatchReader, PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.nodes import make_node_factory
from tests import strategies
from tests.core.jelly.streams import PATCH_REALISTIC, REALISTIC, damage
from tests.oracle import build as b
from tests.oracle import rdf_build
from tests.pieces import Pieces

LIMITS = jr.Limits()


def reader(data: Any, **settings: Any) -> BatchReader:
    factory = make_node_factory(False)
    patches = PatchFrameDecoder(factory, LIMITS, **settings)
    return BatchReader(data, patches, LIMITS, StatementFrameDecoder(factory, LIMITS, **settings))


def ahead(batches: BatchReader, most: int) -> list[Any]:
    """Return what comes of reading ahead, with the error at the end."""
    seen: list[Any] = []
    try:
        while found := batches.read_ahead(most):
            assert len(found) <= max(most, 1)
            seen += [
                (list(batch), batch.metadata, options, offset, frame)
                for batch, options, offset, frame in found
            ]
    except jr.DecodeError as error:
        seen.append((str(error), error.offset, error.frame, error.row))
    return seen


def one_by_one(batches: BatchReader) -> list[Any]:
    seen: list[Any] = []
    try:
        for batch in batches:
            place = ApplyError("")
            batches.place_error(place)
            seen.append((list(batch), batch.metadata, batches.options, place.offset, place.frame))
    except jr.DecodeError as error:
        seen.append((str(error), error.offset, error.frame, error.row))
    return seen


class TestReadAhead:
    @pytest.mark.parametrize("data", REALISTIC.values())
    @pytest.mark.parametrize("meaning", ["continue", "restart", "error"])
    @given(rng=strategies.dice, most=st.integers(0, 70))
    def test_it_gives_what_one_by_one_does(
        self, data: bytes, meaning: str, rng: random.Random, most: int
    ) -> None:
        changed = bytearray(data * 2)
        for _ in range(rng.randrange(2)):
            damage(changed, rng)
        expected = one_by_one(reader(bytes(changed), on_repeated_options=meaning))
        assert ahead(reader(bytes(changed), on_repeated_options=meaning), most) == expected
        pieces = Pieces(bytes(changed), rng.choice([1, 700]))
        assert ahead(reader(pieces, on_repeated_options=meaning), most) == expected

    def test_frames_come_together(self) -> None:
        rows = [[b.options(stream_type=b.PUNCTUATED)], *[[b.punctuation()]] * 150]
        data = b.stream(*rows)
        batches = reader(data)
        # At once no more than 64; those that are in memory already.
        assert [len(batches.read_ahead()) for _ in range(4)] == [64, 64, 23, 0]
        batches = reader(data)
        assert [len(batches.read_ahead(n)) for n in (0, 1, 2, 1000)] == [1, 1, 2, 64]

    def test_metadata_stays_with_its_frame(self) -> None:
        frames = [
            rdf_build.frame(*([rdf_build.options()] if n == 0 else []), metadata={"n": b"%d" % n})
            if n % 3 == 0
            else rdf_build.frame()
            for n in range(9)
        ]
        batches = reader(b.delimited(frames))
        found = []
        while more := batches.read_ahead():
            found += more
        assert [batch.metadata.get("n") for batch, *_ in found] == [
            b"%d" % n if n % 3 == 0 else None for n in range(9)
        ]

    def test_batches_before_an_error_come_first(self) -> None:
        batches = reader(PATCH_REALISTIC + b"\x02\xff\xff")
        found = batches.read_ahead()
        assert len(found) > 5
        with pytest.raises(jr.DecodeError) as caught:
            batches.read_ahead()
        assert caught.value.offset == len(PATCH_REALISTIC) + 1
        assert batches.read_ahead() == []

    def test_going_on_one_by_one(self) -> None:
        expected = one_by_one(reader(PATCH_REALISTIC))
        batches = reader(PATCH_REALISTIC)
        found = batches.read_ahead(3)
        rest = one_by_one(batches)
        assert [list(batch) for batch, *_ in found] == [rows for rows, *_ in expected[:3]]
        assert rest == expected[3:]


class TestPlacedBatches:
    def test_options_and_places(self) -> None:
        (batch,) = jr.read_batches(b.frame(b.options(stream_type=b.FRAME)))
        batches = PlacedBatches(each for each in [(batch, "some", 7, 3), (batch, "other", 9, 4)])
        assert batches.options is None
        for options, offset, frame in [("some", 7, 3), ("other", 9, 4)]:
            assert next(batches) is batch
            error = ApplyError("")
            batches.place_error(error)
            assert (batches.options, error.offset, error.frame) == (options, offset, frame)
        assert next(batches, None) is None

    def test_the_generator_is_closed(self) -> None:
        closed = []

        def generate() -> Any:
            try:
                yield from [(batch, None, 0, 0)] * 2
            finally:
                closed.append(True)

        (batch,) = jr.read_batches(b.frame(b.options(stream_type=b.FRAME)))
        batches = PlacedBatches(generate())
        next(batches)
        batches.close()
        assert closed == [True]

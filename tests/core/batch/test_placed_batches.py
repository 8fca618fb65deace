"""Tests batches that a generator yields with their positions."""

from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.batch import PlacedBatches
from jelly_rdflib.errors import ApplyError
from tests.oracle import build as b


def test_options_and_places() -> None:
    (batch,) = jr.read_batches(b.frame(b.options(stream_type=b.FRAME)))
    batches = PlacedBatches(each for each in [(batch, "some", 7, 3), (batch, "other", 9, 4)])
    assert batches.options is None
    for options, offset, frame in [("some", 7, 3), ("other", 9, 4)]:
        assert next(batches) is batch
        error = ApplyError("")
        batches.place_error(error)
        assert (batches.options, error.offset, error.frame) == (options, offset, frame)
    assert next(batches, None) is None


def test_the_generator_is_closed() -> None:
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

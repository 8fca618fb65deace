"""The inputs of the conformance cases, damaged at every position."""

from __future__ import annotations

import time
import warnings
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.conformance.manifest import SUITE
from tests.core.jelly.statement_support import assert_same_outcome
from tests.oracle import decoder, rdf_decoder, wire
from tests.support import assert_position

INPUTS = sorted(SUITE.glob("rdf/from_jelly/**/in.jelly"))

PARTS = 4
"""The cases are dealt to so many tests, as one for each would say little."""


def outcome(data: bytes, call: Any = jr.read_statements) -> str:
    """Read all of an input; return "read" or "refused", or let any other exception through."""
    try:
        for _ in call(data, strict=False, normalize=False):
            pass
    except jr.DecodeError as error:
        assert_position(error, len(data))
        return "refused"
    return "read"


def ends(data: bytes) -> set[int]:
    """Return where input that is cut may be whole: behind each frame, or row of a bare frame."""
    found = set()
    at = 0
    is_bare = wire.looks_bare(data)
    while at < len(data) and (not is_bare or data[at : at + 1] == b"\n"):
        size, at = wire.read_varint(data, at + is_bare)
        at += size
        found.add(at)
    return found - {len(data)}


def is_read(data: bytes) -> bool:
    """Does the reference decoder read it?"""
    try:
        rdf_decoder.read(data)
    except (decoder.RuleError, decoder.Doubt):
        return False
    return True


@pytest.fixture(params=range(PARTS))
def inputs(request: pytest.FixtureRequest) -> list[bytes]:
    return [path.read_bytes() for path in INPUTS[request.param :: PARTS]]


def test_there_are_inputs() -> None:
    assert len(INPUTS) == 69


def test_as_they_are(inputs: list[bytes]) -> None:
    for data in inputs:
        assert_same_outcome(data)


@pytest.mark.slow
def test_cut_at_every_byte(inputs: list[bytes]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for data in inputs:
            whole = {size for size in range(len(data)) if outcome(data[:size]) == "read"}
            assert whole == {end for end in ends(data) if is_read(data[:end])}


@pytest.mark.slow
def test_every_byte_flipped(inputs: list[bytes]) -> None:
    slowest = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for data in inputs:
            damaged = bytearray(data)
            for at in range(len(data)):
                change = (0x01, 0x80, 0x08, 0xFF)[at % 4]
                damaged[at] ^= change
                start = time.perf_counter()
                outcome(bytes(damaged))
                slowest = max(slowest, time.perf_counter() - start)
                damaged[at] ^= change
    assert slowest < 5


def test_some_against_the_reference(inputs: list[bytes]) -> None:
    for data in inputs:
        damaged = bytearray(data)
        step = max(1, len(data) // 3)
        for at in range(step // 2, len(data), step):
            damaged[at] ^= 0x11
            assert_same_outcome(bytes(damaged), strict=False)
            assert_same_outcome(data[:at], strict=False)
            damaged[at] ^= 0x11

"""Fields that stand more than once: what protobuf's own parser takes is taken, and no more."""

from __future__ import annotations

import pytest

import jelly_rdflib as jr
from fuzz import differential
from tests.core.jelly.formats import PATCH, in_row
from tests.oracle import build as b
from tests.oracle import wire


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

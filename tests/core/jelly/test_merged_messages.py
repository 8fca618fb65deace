"""Fields that stand more than once: what protobuf's own parser takes is taken, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from fuzz import differential
from tests.oracle import build as b
from tests.oracle import wire

HEAD = [b.options(statement_type=1), b.name("urn:p")]
ADD = 2
IRI = wire.field(1, b"")


def patch(statement: bytes, field: int = ADD) -> bytes:
    """Return a stream with a row that has these bytes as a member of its oneof."""
    return b.delimited([b.frame(*HEAD) + wire.field(1, statement)])


# Each is a field of a triple twice, in two halves: a subject, a quoted triple.
HALVES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [b"", b"\x10\x01", b"\x08\x00", b"\xc0\x80", b"\x08\x01", b"\x0a\x00", b"\x80"]
    ),
)


@given(first=HALVES, second=HALVES, field=st.sampled_from([1, 3, 4, 5, 9, 11, 12]))
def test_halves_of_a_term(first: bytes, second: bytes, field: int) -> None:
    terms = wire.field(field, first) + wire.field(field, second)
    rest = b"".join(wire.field(n, b"\x10\x01") for n in (1, 5, 9) if not n <= field < n + 4)
    differential.compare_patch(patch(wire.field(ADD, terms + rest)))


@given(first=HALVES, second=HALVES, field=st.sampled_from([ADD, 3, 4, 6, 11, 14]))
def test_halves_of_a_row(first: bytes, second: bytes, field: int) -> None:
    differential.compare_patch(patch(wire.field(field, first) + wire.field(field, second)))


@pytest.mark.parametrize(("first", "second"), [(b"\xc0\x80", b"\x08\x01"), (b"\x0a", b"\x00")])
def test_halves_that_are_messages_only_together(first: bytes, second: bytes) -> None:
    whole = patch(wire.field(6, first + second))
    halves = patch(wire.field(6, first) + wire.field(6, second))
    with pytest.raises(jr.DecodeError, match="inside a transaction"):
        list(jr.read_operations(whole))
    with pytest.raises(jr.DecodeError, match=r"cut off|beyond"):
        list(jr.read_operations(halves))


@pytest.mark.parametrize("field", [1, 2])
def test_a_negative_enum_before_a_good_one(field: int) -> None:
    negative = wire.tag(field, wire.VARINT) + wire.varint((1 << 64) - 1)
    options = negative + b"\x08\x01\x10\x03\x48\x08\x78\x01"
    data = b.delimited([wire.field(1, wire.field(1, options))])
    assert list(jr.read_operations(data)) == []
    differential.compare_patch(data)

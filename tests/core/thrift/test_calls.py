"""Methods in any order, at any moment: an error at the most."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.core.batch import BatchBuilder
from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from tests.core.thrift.oracle import rows_to_bytes
from tests.core.thrift.support import batches, read
from tests.core.thrift.test_batch_reader import DATA, END, SAMPLE
from tests.oracle.terms import Plain, plain_operation

STATEMENT: Plain = ("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None)
CALLS = ("next", "close", "iter", "options", "place", "init")


class CallingSource:
    """A source whose reader is called, in some way, while it is read."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls
        self.at = 0
        self.reader: Any = None

    def read(self, size: int) -> bytes:
        piece = DATA[self.at : self.at + min(size, 50)]
        self.at += len(piece)
        if self.reader is not None and self.calls:
            call(self.reader, self.calls.pop())
        return piece


def call(reader: Any, name: str) -> list[Plain]:
    """Call a method; return the operations that it gives."""
    try:
        if name == "next":
            return list(map(plain_operation, next(reader)))
        if name == "close":
            reader.close()
        elif name == "iter":
            assert iter(reader) is reader
        elif name == "options":
            assert reader.options is None
        elif name == "place":
            reader.place_error(jr.DecodeError("x"))
        else:
            reader.__init__(DATA, make_node_factory(False), jr.Limits())
    except StopIteration:
        return []
    except ValueError as error:
        if "reading" not in str(error):
            raise
    return []


@given(st.lists(st.sampled_from(CALLS)), st.lists(st.sampled_from(CALLS)))
def test_a_reader_in_any_order(outside: list[str], inside: list[str]) -> None:
    source = CallingSource(inside)
    source.reader = reader = batches(source)
    found: list[Plain] = []
    for name in outside:
        found += call(reader, name)
    if "close" not in outside:
        while operations := call(reader, "next"):
            found += operations
    assert found == [*SAMPLE, END][: len(found)]
    assert "close" in outside or len(found) > len(SAMPLE)


def test_what_was_not_made_in_the_right_way() -> None:
    (batch,) = batches(rows_to_bytes([STATEMENT, END]))
    encoder = ThriftEncoder.__new__(ThriftEncoder)
    for attempt in (encoder.finish, lambda: encoder.write_batch(batch)):
        with pytest.raises(RuntimeError, match="not initialized"):
            attempt()
    assert not encoder.in_transaction
    with pytest.raises(TypeError):
        ThriftEncoder(None, bytes)  # type: ignore[arg-type]
    encoder.__init__(NODE_TYPES, pieces := list[bytes]().append)  # type: ignore[misc]
    with pytest.raises(RuntimeError, match="already"):
        encoder.__init__(NODE_TYPES, pieces)  # type: ignore[misc]
    for arguments in ((), (DATA,), (DATA, None, jr.Limits()), (DATA, make_node_factory(False), 1)):
        with pytest.raises((TypeError, AttributeError)):
            ThriftBatchReader(*arguments)
        with pytest.raises((TypeError, AttributeError)):
            ThriftBatchReader.__new__(ThriftBatchReader, *arguments)


def batch_of(*rows: tuple[Any, ...]) -> jr.Batch:
    """Return a batch with rows of codes and of names of terms."""
    builder = BatchBuilder(make_node_factory(False), jr.Limits())
    terms = {"none": 0, "bad": builder.literal("x", "en_GB")}
    terms["s"], terms["p"] = builder.iri("s"), builder.iri("p")
    terms["triple"] = builder.triple(terms["s"], terms["p"], terms["s"])
    for op, *names in rows:
        builder.add_row(op, *(terms[name] for name in names))
    return builder.take(has_graphs=True)


GOOD = (jr.Op.A, "s", "p", "s")
SAID: Plain = ("A", ("iri", "s"), ("iri", "p"), ("iri", "s"), None)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ((jr.Op.A, "s", "p", "bad"), "'en_GB' is no language tag"),
        ((jr.Op.A, "s", "p", "s", "triple"), "can't be a graph"),
        ((jr.Op.PA, "s", "none", "s", "triple"), "can't be a graph"),
        ((jr.Op.A, "s", "none", "s"), "lacks a term"),
        ((jr.Op.TC,), "no transaction to end"),
        ((jr.Op.TA,), "no transaction to end"),
    ],
)
def test_a_row_that_cant_be_said_is_as_if_it_had_not_been_tried(bad: Any, words: str) -> None:
    """Those before it are written; the encoder can be gone on with."""
    pieces: list[bytes] = []
    encoder = ThriftEncoder(NODE_TYPES, pieces.append)
    encoder.write_batch(batch_of(GOOD, (jr.Op.END,)))
    for _ in range(2):
        with pytest.raises(jr.EncodeError, match=words):
            encoder.write_batch(batch_of(bad, GOOD))
    with pytest.raises(jr.EncodeError, match=words):
        encoder.write_batch(batch_of(GOOD, bad, GOOD))
    encoder.write_batch(batch_of((jr.Op.TX,), GOOD))
    for out_of_place in (jr.Op.TX, jr.Op.END):
        with pytest.raises(jr.EncodeError, match="transaction"):
            encoder.write_batch(batch_of((out_of_place,)))
    assert encoder.in_transaction
    encoder.finish()
    assert read(b"".join(pieces)) == [SAID, END, SAID, ("TX",), SAID, ("TA",), END]

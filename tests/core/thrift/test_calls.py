"""Methods in any order, at any moment: an error at the most."""

from __future__ import annotations

from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.core.batch import BatchBuilder
from jelly_rdflib.core.thrift import ThriftEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from tests.core.thrift.support import read
from tests.core.thrift.test_batch_reader import END
from tests.oracle.terms import Plain


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

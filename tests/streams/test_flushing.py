"""Tests that encoders of changes return their pending data on request, and continue the stream."""

import io
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

S, P = URIRef("urn:s"), URIRef("urn:p")
FIRST: list[Any] = [(Op.TX,), (Op.A, S, P, Literal("1"), None)]
SECOND: list[Any] = [(Op.A, S, P, Literal("2"), None), (Op.TC,)]


@pytest.mark.parametrize("format", ["jelly-patch", "rdf-patch", "rdf-patch-thrift"])
def test_rows_so_far_are_handed_on(format: str) -> None:
    file, once = io.BytesIO(), io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        writer.write_all(FIRST)
        writer.encoder.flush()
        size = len(file.getvalue())
        assert size > 0
        writer.encoder.flush()
        assert len(file.getvalue()) == size
        writer.write_all(SECOND)
    with jr.PatchWriter(once, format=format) as writer:
        writer.write_all([*FIRST, *SECOND])
    assert list(jr.read_operations(file.getvalue())) == list(jr.read_operations(once.getvalue()))


@pytest.mark.parametrize("options", [{"stream_type": "FRAME"}, {"delimited": False}])
def test_what_must_stay_one_frame_waits(options: Any) -> None:
    file = io.BytesIO()
    with jr.PatchWriter(file, jr.PatchOptions(**options)) as writer:
        writer.write_all(FIRST)
        writer.encoder.flush()
        assert file.getvalue() == b""
        writer.write_all(SECOND)
    assert len(list(jr.read_operations(file.getvalue()))) == 5

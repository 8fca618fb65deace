"""Memory that is taken is given back, after errors too."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

from ..oracle import build as b
from ..support import assert_nothing_is_kept
from ..test_bad_input import BARE, HEAD, REALISTIC, SMALL, row

OPERATIONS = [
    (Op.H, "id", URIRef("urn:uuid:1")),
    (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("é", lang="fr"), None),
    (Op.A, BNode("b"), URIRef("urn:p"), Literal(1), URIRef("urn:g")),
    (Op.D, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 500), None),
]


def read_all() -> None:
    for data in (SMALL, REALISTIC, BARE):
        list(jr.read_operations(data))
        list(jr.read_patches(io.BytesIO(data)))


def read_parts() -> None:
    operations = jr.read_operations(REALISTIC)
    next(operations)
    batches = jr.read_batches(io.BytesIO(REALISTIC))
    batch = next(batches)
    view = memoryview(batch.ops)
    del batch, batches, operations, view


def read_bad() -> None:
    bad = [
        REALISTIC[: len(REALISTIC) // 2],
        SMALL[:-3],
        HEAD + b"\xff",
        b.delimited([HEAD + row(2, b"\x12\x01s\x12\x01s\x2a\x02\x10\x07")]),
        b.delimited([HEAD + row(2, b"\x1a\x03\x0a\x01x\x1a\x03\x0a\x01y" * 50)]),
        b.stream([b.options(rdf_star=True), b.header("k", b.triple("s", "p", "o"))]),
        b.stream([b.options(max_name_table_size=5000)]),
    ]
    for data in bad:
        for source in (data, io.BytesIO(data)):
            with pytest.raises(jr.DecodeError):
                list(jr.read_operations(source))


def read_columns() -> None:
    for batch in jr.read_batches(REALISTIC):
        for name in ("ops", "s", "p", "o", "g"):
            memoryview(getattr(batch, name)).tolist()
        list(batch.terms)
        repr(batch)


def write_all() -> None:
    with jr.PatchWriter(io.BytesIO(), jr.PatchOptions.small(frame_rows=2)) as writer:
        for operation in OPERATIONS:
            writer.write(operation)
    jr.PatchEncoder().encode_frame(OPERATIONS)


def write_bad() -> None:
    with jr.PatchWriter(io.BytesIO()) as writer:
        for wrong in (
            (Op.A, URIRef("urn:s"), URIRef("urn:p"), 5, None),
            (Op.A, Literal("x"), URIRef("urn:p"), BNode("b"), None),
            (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("\ud800"), None),
            (Op.H, "id", jr.TripleTerm(BNode("a"), URIRef("urn:p"), BNode("b"))),
            (Op.TC,),
        ):
            with pytest.raises(jr.EncodeError):
                writer.write(wrong)


@pytest.mark.parametrize(
    "work", [read_all, read_parts, read_bad, read_columns, write_all, write_bad]
)
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)

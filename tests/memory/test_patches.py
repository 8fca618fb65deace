"""Memory that is taken is given back, after errors too."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from rdflib import BNode, Dataset, Literal, URIRef
from rdflib.plugins.stores.memory import Memory

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly.formats import PATCH, in_row
from tests.core.jelly.streams import PATCH_BARE as BARE
from tests.core.jelly.streams import PATCH_REALISTIC as REALISTIC
from tests.core.jelly.streams import PATCH_SMALL as SMALL
from tests.oracle import build as b
from tests.support import assert_nothing_is_kept

HEAD = PATCH.head()

OPERATIONS = [
    (Op.H, "id", URIRef("urn:uuid:1")),
    (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("é", lang="fr"), None),
    (Op.A, BNode("b"), URIRef("urn:p"), Literal(1), URIRef("urn:g")),
    (Op.D, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 500), None),
]


def encoded(operations: list[Any]) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, jr.PatchOptions(frame_rows=50)) as writer:
        writer.write_all(operations)
    return file.getvalue()


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
        b.delimited([HEAD + in_row(2, b"\x12\x01s\x12\x01s\x2a\x02\x10\x07")]),
        b.delimited([HEAD + in_row(2, b"\x1a\x03\x0a\x01x\x1a\x03\x0a\x01y" * 50)]),
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


PATCH = [
    (Op.TX,),
    (Op.PA, "ex", URIRef("urn:ex#"), None),
    *OPERATIONS[1:],
    *((Op.A, URIRef(f"urn:s{n}"), URIRef("urn:p"), Literal(str(n)), None) for n in range(40)),
    (Op.D, URIRef("urn:s7"), URIRef("urn:p"), Literal("7"), None),
]
REFUSED = (Op.A, Literal("no subject"), URIRef("urn:p"), BNode("b"), None)


APPLIED = encoded([*PATCH, (Op.TC,)])


class GeneralMemory(Memory):
    """A store that goes the general way, by its methods."""


def apply_all() -> None:
    for end in (Op.TC, Op.TA):
        for target in (Dataset(), Dataset(GeneralMemory())):
            jr.apply([*PATCH, (end,)], target)
            jr.apply(APPLIED, target)


def apply_bad() -> None:
    for target in (Dataset(), Dataset(GeneralMemory())):
        for wrong in ([*PATCH, REFUSED, (Op.TC,)], [*PATCH, (Op.TX,)]):
            with pytest.raises(jr.ApplyError):
                jr.apply(wrong, target)
        with pytest.raises(jr.DecodeError):
            jr.apply(APPLIED[:-4], target)
        with pytest.raises(jr.LimitError):
            jr.apply(APPLIED, target, limits=jr.Limits(max_held_operations=9))


def record_all() -> None:
    target = Dataset()
    with jr.record(target) as recorder:
        jr.apply(APPLIED, target)
        target.remove((None, URIRef("urn:p"), None, None))
        with suppress(ZeroDivisionError), recorder.transaction():
            target.add((URIRef("urn:s"), URIRef("urn:p"), Literal(2)))
            raise ZeroDivisionError
    list(recorder.patch)


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        *(read_all, read_parts, read_bad, read_columns, write_all, write_bad),
        *(apply_all, apply_bad, record_all),
    ],
)
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)

"""Memory that is taken is given back, after errors too; and it is bounded by the largest frame."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from tests.core.jelly import streams
from tests.core.jelly.formats import RDF, in_row
from tests.core.jelly.statement_strategies import PHYSICAL_TYPES
from tests.oracle import rdf_build as b
from tests.support import assert_nothing_is_kept, run

HEAD = RDF.head()
SMALL = [streams.SMALL[f] for f in streams.RDF_TYPES]
REALISTIC = [streams.REALISTIC[f] for f in streams.RDF_TYPES]
P = URIRef("urn:p")
STATEMENTS = [
    (URIRef("urn:s"), P, Literal("é", lang="fr")),
    (BNode("b"), P, Literal(1)),
    (URIRef("urn:s"), P, Literal("x" * 500)),
]


def read_all() -> None:
    for data in SMALL + REALISTIC:
        list(jr.read_statements(data))
        for frame in jr.read_frames(io.BytesIO(data)):
            assert frame.namespaces is not frame.metadata


def read_parts() -> None:
    for data in REALISTIC:
        next(jr.read_statements(data))
        frame = next(jr.read_frames(io.BytesIO(data)))
        view = memoryview(frame.batch.ops)
        del frame, view


# Made once: protobuf keeps memory of its own.
BAD = [
    *(data[: len(data) // 2] for data in REALISTIC),
    *(data[:-1] for data in REALISTIC),
    HEAD + b"\xff",
    HEAD + b"\x7a\x05\x0a\x01k\x12\x05",
    b.delimited([HEAD + b"\x7a\x03\x0a\x01k" * 10 + in_row(2, b"")]),
    b.delimited([HEAD + in_row(2, b"\x1a\x03\x0a\x01x\x1a\x03\x0a\x01y" * 50)]),
    b.stream([b.options(stream_name="x" * 100), b.options(stream_name="y" * 100)]),
    b.stream([b.options(max_name_table_size=5000)]),
]


def read_bad() -> None:
    for data in BAD:
        for source in (data, io.BytesIO(data)):
            with pytest.raises(jr.DecodeError):
                list(jr.read_frames(source))


def write_all() -> None:
    for physical_type in PHYSICAL_TYPES:
        options = jr.StreamOptions.small(
            physical_type=physical_type, frame_rows=2, stream_name="x" * 100
        )
        with jr.StatementWriter(io.BytesIO(), options) as writer:
            writer.write_all(STATEMENTS)
            writer.end_frame({"k": b"v" * 100})
        jr.StatementEncoder(options).encode_frame(STATEMENTS, metadata={"k": b"v"})


def write_bad() -> None:
    options = jr.StreamOptions(physical_type="GRAPHS")
    with jr.StatementWriter(io.BytesIO(), options) as writer:
        for g in (None, URIRef("urn:g"), BNode("g")):
            writer.add(*STATEMENTS[0])
            for wrong in (5, Literal("\ud800"), jr.TripleTerm(BNode("a"), P, BNode("b"))):
                with pytest.raises(jr.EncodeError):
                    writer.add(URIRef("urn:s"), P, wrong, g)
            with pytest.raises(jr.EncodeError):
                writer.end_frame({"k" * 100: b"v" * 100, "l": "text"})  # type: ignore[dict-item]


@pytest.mark.slow
@pytest.mark.parametrize("work", [read_all, read_parts, read_bad, write_all, write_bad])
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)


@pytest.mark.parametrize("reader", ["read_statements", "read_frames", "read_batches"])
def test_a_long_stream(reader: str) -> None:
    """150 MB of frames of 1 MB each; one graph is open all the time."""
    out = run(
        """
import jelly_rdflib as jr
from tests.oracle import rdf_build as b
from tests.pieces import Chunks

head = [b.options(physical_type=3), b.name("urn:p"), b.start(b.iri())]
rows = [b.spo("s", b.iri(0, 1), b.literal(f"{n}" + "x" * 5000)) for n in range(200)]
frame = b.delimited([b.frame(*rows, metadata={"k": b"v" * 1000})])
assert len(frame) > 1_000_000

before = peak()
count = sum(1 for _ in getattr(jr, sys.argv[1])(Chunks([b.stream(head)] + [frame] * 150)))
print(count, peak() - before)
""",
        reader,
    )
    count, grown = map(int, out.split())
    assert count == (150 * 200 if reader == "read_statements" else 151)
    assert grown < 32 << 20

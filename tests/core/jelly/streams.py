"""Legal streams of both formats, for tests that cut and damage them."""

import random
from typing import Any

from tests.core.jelly.formats import ALL_TYPES, PATCH_QUADS, Format, Rdf
from tests.oracle import build as b
from tests.oracle import producer, rdf_producer
from tests.oracle import rdf_build as rb
from tests.oracle import schema as pb
from tests.oracle.rdf_decoder import Frame
from tests.strategies import XSD

RDF_TYPES = [f for f in ALL_TYPES if isinstance(f, Rdf)]


def _small_patch() -> bytes:
    """Return a stream of patches with every kind of row, in few bytes."""
    return b.stream(
        [
            b.options(stream_type=b.PUNCTUATED, statement_type=b.QUADS, rdf_star=True),
            b.prefix("u:"), b.name("p"), b.name("é"), b.datatype("u:d"),
            b.header("id", b.iri(1, 0)),
            b.begin(),
            b.prefix_add("e", b.iri(0, 1), pb.RdfDefaultGraph()),
            b.add(b.triple("s", b.iri(0, 1), b.literal("l", "en")), b.iri(), b.literal("x"), "g"),
            b.delete(o=b.literal("7", None, 1)),
            b.commit(),
            b.punctuation(),
        ],
        [b.begin(), b.prefix_delete("e"), b.abort()],
        [b.header("id", "b"), b.punctuation()],
    )  # fmt: skip


def _small_rdf(f: Format) -> bytes:
    """Return a stream of statements with every kind of row that its type allows, in few bytes."""
    options = f.options(rdf_star=True, version=2, stream_name="n", logical_type=0)
    graph = {"g": "g"} if f.type == rb.QUADS else {}
    end = [rb.end()] if f.start else []
    rows = [
        options, f.prefix("u:"), f.name("p"), f.name("é"), f.datatype("u:d"),
        f.namespace("e", b.iri(1, 0)), *f.start,
        f.row(s=b.triple("s", b.iri(0, 1), b.literal("l", "en")), p=b.iri(), o=b.literal("x"),
              **graph),
        options, f.row(o=b.literal("7", None, 1), **graph), *end,
    ]  # fmt: skip
    if f.start:
        rows += [rb.start(rb.default_graph()), rb.end(), rb.start(b.iri(0, 1))]
    frames = [rb.frame(*rows, metadata={"k": b"v\xff"}), b"", f.frame(f.row(s="s", **graph))]
    return b.delimited([*frames, f.frame(*end)])


def _realistic(f: Format) -> bytes:
    """Return a stream of several frames like a real producer's; transactions may span frames."""
    rng = random.Random(54)
    options: dict[str, Any] = {
        "generalized_statements": False,
        "rdf_star": True,
        "max_name_table_size": 16,
        "max_prefix_table_size": 8,
        "max_datatype_table_size": 8,
        "version": f.version,
        f.type_field: f.type,
    }
    s = [("iri", f"http://example.org/{n}") for n in range(8)] + [("bnode", "b")]
    p = [("iri", f"http://example.org/ns#p{n}") for n in range(4)]
    o: list[Any] = [("literal", "é" * n, None, None) for n in range(3)]
    o += [("literal", str(n), None, XSD + "integer") for n in range(3)]
    o += [("literal", "x", "en-GB", None), ("triple", s[0], p[0], o[1])]
    g = [None] if f.graph is None else [("iri", "http://example.org/g"), ("bnode", "g")]

    def terms() -> list[Any]:
        return [rng.choice(choices) for choices in (s, p, s + o, g)]

    if isinstance(f, Rdf):
        frames = [
            Frame(
                [("PA", "ex", s[0], None), *(("A", *terms()) for _ in range(8))],
                {"id": bytes([n])} if n % 2 else {},
            )
            for n in range(4)
        ]
        messages = rdf_producer.messages(frames, {**options, "logical_type": 1 + bool(g[0])}, rng)
    else:
        operations: list[Any] = []
        for n in range(3):
            operations += [("H", "id", ("iri", f"urn:uuid:{n}")), ("TX",), ("PA", "ex", s[0], g[0])]
            operations += [(rng.choice("AD"), *terms()) for _ in range(8)]
            operations += [("PD", "ex", None, g[0]), ("TC",), ("END",)]
        messages = producer.frames(operations, {**options, "stream_type": b.PUNCTUATED}, rng)
        assert len(messages) > 5
    return b.delimited(message.SerializeToString() for message in messages)


PATCH_SMALL, PATCH_REALISTIC = _small_patch(), _realistic(PATCH_QUADS)
PATCH_BARE = b.frame(
    b.options(generalized_statements=True),
    b.name("urn:p"),
    b.add(b.literal("s", "en"), b.iri(), b.literal("o")),
    b.begin(),
    b.delete(),
    b.commit(),
)
SMALL = {PATCH_QUADS: PATCH_SMALL, **{f: _small_rdf(f) for f in RDF_TYPES}}
REALISTIC = {PATCH_QUADS: PATCH_REALISTIC, **{f: _realistic(f) for f in RDF_TYPES}}


def damage(data: bytearray, rng: random.Random) -> None:
    """Replace, insert or delete some bytes of `data`."""
    at = rng.randrange(len(data) + 1)
    some = rng.choice([b"\x00", b"\x01", b"\x0a", b"\x7f", b"\x80", b"\xff", rng.randbytes(1)])
    kind = rng.randrange(4)
    if kind == 0:
        data[at : at + 1] = some
    elif kind == 1:
        data[at:at] = some * rng.choice([1, 2, 11])
    elif kind == 2:
        del data[at : at + rng.choice([1, 2, 10])]
    else:
        other = rng.randrange(len(data) + 1)
        data[at:at] = data[other : other + rng.randrange(20)]

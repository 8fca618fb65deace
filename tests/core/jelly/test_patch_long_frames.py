"""Long frames of the rows that most streams are made of, which the decoder has a fast path for."""

from __future__ import annotations

import os
import random

import pytest

import jelly_rdflib as jr
from tests.core.jelly.streams import damage
from tests.oracle import build as b
from tests.oracle import decoder, producer, wire
from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.terms import Plain
from tests.support import assert_same_outcome, read

SEEDS = range(int(os.environ.get("LONG_FRAME_SEEDS", "12")))


def statements(rng: random.Random, statement_type: int, count: int) -> list[Plain]:
    """Statements as in real data: subjects in runs, few predicates, many objects."""
    kinds = rng.choice([3, 40, 300])
    pad = rng.choice(["", "x" * 60, "é" * 70, "x" * 200])
    nodes: list[Plain] = [("iri", f"http://example.org/{n % 9}/{pad}{n}") for n in range(kinds)]
    nodes += [("bnode", f"b{n}{pad}") for n in range(5)]
    predicates: list[Plain] = [("iri", f"http://example.org/ns#{n}") for n in range(9)]
    literals: list[Plain] = [("literal", pad * (n % 3) + str(n), None, None) for n in range(kinds)]
    literals += [("literal", "", None, None), ("literal", "x" * 16_400, None, None)]
    literals += [("literal", str(n), None, f"urn:d{n % 3}") for n in range(9)]
    literals += [("literal", "x" * n, "en", None) for n in (0, 1, 130)]
    graphs: list[Plain | None] = [None, ("iri", "http://example.org/g"), nodes[-1]]
    if statement_type == TRIPLES:
        graphs = [None]
    objects = nodes + literals * 2
    operations: list[Plain] = []
    s, g = nodes[0], graphs[0]
    for _ in range(count):
        if rng.random() < 0.4:
            s = rng.choice(nodes)
        if rng.random() < 0.05:
            g = rng.choice(graphs)
        if rng.random() < 0.03:
            operations.append(("PA", "ex", rng.choice(predicates), g))
        if rng.random() < 0.03:
            operations.append(("H", "id", rng.choice(objects)))
        code = "D" if rng.random() < 0.2 else "A"
        operations.append((code, s, rng.choice(predicates), rng.choice(objects), g))
    return operations


def stream(seed: int) -> tuple[bytes, list[Plain]]:
    rng = random.Random(seed)
    options = {
        "stream_type": rng.choice([FRAME, FLAT, PUNCTUATED]),
        "statement_type": rng.choice([TRIPLES, QUADS, QUADS]),
        "generalized_statements": False,
        "rdf_star": False,
        "max_name_table_size": rng.choice([8, 64, 4000]),
        "max_prefix_table_size": rng.choice([0, 4, 16, 1000]),
        "max_datatype_table_size": 8,
        "version": 1,
    }
    operations = statements(rng, options["statement_type"], 150)
    if options["stream_type"] == PUNCTUATED:
        operations.insert(100, ("END",))
    operations.append(("END",))
    messages = producer.frames(operations, options, rng, single=rng.random() < 0.7)
    data = b.delimited(message.SerializeToString() for message in messages)
    return data, operations


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_read_as_the_reference_reads_them(seed: int) -> None:
    data, operations = stream(seed)
    assert decoder.read(data) == operations
    assert read(data) == operations


@pytest.mark.parametrize("seed", SEEDS)
def test_damage_is_seen(seed: int) -> None:
    data, _ = stream(seed)
    rng = random.Random(seed)
    for _ in range(12):
        damaged = bytearray(data)
        damage(damaged, rng)
        assert_same_outcome(bytes(damaged))
    for _ in range(4):
        # cut the frame, with a length that agrees: the end may fall anywhere in a row
        frames = wire.split(data)
        frames[-1] = frames[-1][: rng.randrange(len(frames[-1]) + 1)]
        assert_same_outcome(b.delimited(frames))


def test_ids_of_any_length() -> None:
    """Name and prefix ids of one to three bytes."""
    numbers = [1, 2, 127, 128, 129, 300, 16_383, 16_384, 20_000]
    head = [b.options(max_name_table_size=20_000, max_prefix_table_size=20_000)]
    for n in numbers:
        head += [b.name(f"n{n}", n), b.prefix(f"p{n}:", n)]
    uses = [b.add("s", b.iri(1, 1), "o")]
    uses += [b.add(b.iri(p, n), b.iri(0, 1), b.iri(p, n)) for p in numbers for n in numbers]
    uses.append(b.add("s" * 100, None, "o" * 100))
    data = b.stream([*head, *uses])
    limits = jr.Limits(max_name_table_size=20_000, max_prefix_table_size=20_000)
    assert read(data, limits=limits) == decoder.read(data)


def test_rows_after_the_last_mark_are_a_patch() -> None:
    head = [b.options(stream_type=PUNCTUATED), b.name("urn:p"), b.add("s", b.iri(0, 1), "o")]
    rows = [b.add(None, b.iri(0, 1), b.literal(str(n))) for n in range(60)]
    added = ("A", ("bnode", "s"), ("iri", "urn:p"))
    end = [(*added, ("literal", str(n), None, None), None) for n in range(60)]
    first = [(*added, ("bnode", "o"), None), ("END",)]
    assert read(b.stream([*head, b.punctuation(), *rows])) == [*first, *end, ("END",)]
    assert read(b.stream([*head, b.punctuation()], rows)) == [*first, *end, ("END",)]
    assert read(b.stream(head, rows, [b.punctuation()])) == [first[0], *end, ("END",)]

"""Long frames of Jelly-RDF, as those in `test_patch_long_frames`; and what both formats share."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.core.jelly import test_patch_long_frames as patches
from tests.core.jelly.formats import RDF, RDF_GRAPHS, RDF_QUADS, Format, all_types
from tests.core.jelly.statement_strategies import PHYSICAL_TYPES
from tests.core.jelly.statement_support import assert_same_outcome, read, refuse
from tests.core.jelly.streams import damage
from tests.oracle import rdf_build as b
from tests.oracle import rdf_decoder, rdf_producer, wire
from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import Plain, with_default_graph

SEEDS = range(max(1, len(patches.SEEDS) // 2))


def operations(rng: random.Random, physical_type: int, count: int) -> list[Plain]:
    """Return statements as those of patches, and namespaces."""
    result: list[Plain] = []
    for operation in patches.statements(rng, min(physical_type, QUADS), count):
        if operation[0] == "PA":
            result.append((*operation[:3], None))
        elif operation[0] != "H":
            added = ("A", *operation[1:])
            result.append(added if physical_type == TRIPLES else with_default_graph(added))
    return result


def stream(seed: int, physical_type: int) -> tuple[bytes, list[Frame]]:
    rng = random.Random(seed)
    options = {
        "physical_type": physical_type,
        "generalized_statements": False,
        "rdf_star": False,
        "max_name_table_size": rng.choice([8, 64, 4000]),
        "max_prefix_table_size": rng.choice([0, 4, 16, 1000]),
        "max_datatype_table_size": 8,
        "version": 2,
    }
    sizes = rng.choice([[150], [100, 0, 50], [5] * 30])
    frames = [Frame(operations(rng, physical_type, size), {}) for size in sizes]
    messages = rdf_producer.messages(frames, options, rng)
    return b.delimited(message.SerializeToString() for message in messages), frames


@pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_read_as_the_reference_reads_them(seed: int, physical_type: int) -> None:
    data, frames = stream(seed, physical_type)
    assert rdf_decoder.read(data) == frames
    assert read(data) == frames


@pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_damage_is_seen(seed: int, physical_type: int) -> None:
    data, _ = stream(seed, physical_type)
    rng = random.Random(seed)
    for _ in range(6):
        damaged = bytearray(data)
        damage(damaged, rng)
        assert_same_outcome(bytes(damaged))
    for _ in range(3):
        # cut the frame, with a length that agrees: the end may fall anywhere in a row
        frames = wire.split(data)
        frames[-1] = frames[-1][: rng.randrange(len(frames[-1]) + 1)]
        assert_same_outcome(b.delimited(frames))


SIZES = (*range(0, 24, 3), 24, 39)
"""Of a term near a frame's end."""


def start_of(f: Format) -> list[Any]:
    """Options, a name, and a first statement, whose graph stays open."""
    graph = {"g": "g"} if f.type == QUADS else {}
    first = f.row(s="s", p=b.iri(0, 1), o="o", **graph)
    return [f.options(), f.name("urn:p"), *f.start, first]


@all_types
@pytest.mark.parametrize("size", SIZES)
def test_frames_of_any_size_end_where_they_end(f: Format, size: int) -> None:
    """The last rows of a frame are near its end, where the fast path has to stop looking ahead."""
    head = start_of(f)
    rows = [f.row(p=b.iri(0, 1), o=b.literal("x" * n)) for n in (size, 0, size % 7)]
    last = [f.row(s="y" * size), f.row()]
    whole = f.frame(*head, *rows, *last)
    expected = f.decoder.read(b.delimited([whole]))
    assert f.support.read(b.delimited([whole])) == expected
    assert len(f.statements(b.delimited([whole]))) == 6
    parts = f.stream(head, rows, *([row] for row in last))
    assert f.support.read(parts) == f.decoder.read(parts)
    for cut in range(1, 30, 2):
        f.assert_same_outcome(b.delimited([whole[:-cut]]))


@all_types
def test_entries_set_anew_between_rows_that_use_them(f: Format) -> None:
    """The same ids mean another text from one row to the next."""
    head = [*start_of(f), f.prefix("a:"), f.name("x", 2), f.datatype("urn:d")]
    rows = []
    for n in range(100):
        use = f.row(s=b.iri(1, 2), p=b.iri(0, 1), o=b.literal(str(n % 3)))
        entry = (f.name(f"x{n % 5}", 2), f.prefix(f"a{n % 4}:", 1), f.datatype(f"urn:{n}", 1))
        rows += [use, entry[n % 3], use, f.row(p=b.iri(0, 1), o=b.literal("1", None, 1))]
    for data in (f.stream([*head, *rows]), f.stream(head, *([row] for row in rows))):
        assert f.support.read(data) == f.decoder.read(data)


def test_graphs_between_long_runs_of_triples() -> None:
    """Regular rows are regular inside a graph only."""
    graphs = [b.iri(0, 1), "g", b.default_graph(), b.literal("l")]
    head = [b.options(physical_type=GRAPHS, generalized_statements=True), b.name("urn:p")]
    rows = []
    for n in range(40):
        triples = [b.spo(f"s{m % 3}", b.iri(0, 1), b.literal(str(m))) for m in range(n)]
        rows += [b.start(graphs[n % 4]), *triples, b.end()]
    for data in (
        b.stream([*head, *rows]),
        b.stream(head, *([one] for one in rows)),
        b.stream(head, *(rows[at : at + 17] for at in range(0, len(rows), 17))),
    ):
        assert read(data) == rdf_decoder.read(data)
    stray = [b.spo(None, b.iri(0, 1), "o") for _ in range(30)]
    error = refuse(b.stream([*head, *rows], stray), row=True)
    assert (error.frame, error.row) == (1, 0)


@all_types
@pytest.mark.parametrize("bad", [0, 1, 30, 59])
def test_errors_name_the_row(f: Format, bad: int) -> None:
    head = start_of(f)
    rows = [f.row(p=b.iri(0, 1), o=b.literal("x" * 10)) for _ in range(60)]
    rows[bad] = f.row(p=b.iri(0, 9), o=b.literal("x" * 10))
    error = f.refuse(f.stream(head, [f.row(s="s"), *rows]), row=True)
    assert (error.frame, error.row) == (1, bad + 1)
    start = len(f.stream(head)) + len(f.frame(f.row(s="s"), *rows[:bad]))
    assert start <= error.offset <= start + 40


@pytest.mark.parametrize("f", [RDF, RDF_QUADS, RDF_GRAPHS], ids=repr)
def test_rows_of_another_type_among_regular_ones(f: Format) -> None:
    regular = [f.row(p=b.iri(0, 1), o=b.literal("x" * 9)) for _ in range(30)]
    other = b.spo(None, b.iri(0, 1)) if f is RDF_QUADS else b.spog("s", b.iri(0, 1), "o")
    error = f.refuse(f.stream([*start_of(f), *regular, other, *regular]), row=True)
    assert error.row == len(start_of(f)) + 30

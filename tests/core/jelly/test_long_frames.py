"""Tests long frames of the most common rows, for which the decoder has a fast path."""

import os
import random
from typing import Any

import pytest

import jelly_rdflib as jr
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.formats import RDF_QUADS, Format, Rdf, all_types, rdf_types
from tests.core.jelly.streams import damage
from tests.oracle import build, decoder, wire
from tests.oracle import rdf_build as b
from tests.oracle.build import FLAT, FRAME, PUNCTUATED
from tests.oracle.rdf_build import QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import Plain, with_default_graph
from tests.support import assert_same_outcome
from tests.support import read as read_patch

SEEDS = range(int(os.environ.get("LONG_FRAME_SEEDS", "6")))
seeds = pytest.mark.parametrize("seed", SEEDS)


def statements(rng: random.Random, statement_type: int, count: int) -> list[Plain]:
    """Return statements like real data: runs of one subject, few predicates, many objects."""
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


def of_rdf(operations: list[Plain], type: int) -> list[Plain]:
    """Return `operations` without headers, with all statements as additions."""
    result: list[Plain] = []
    for operation in operations:
        if operation[0] == "PA":
            result.append((*operation[:3], None))
        elif operation[0] != "H":
            added = ("A", *operation[1:])
            result.append(added if type == TRIPLES else with_default_graph(added))
    return result


def stream(f: Format, seed: int) -> tuple[bytes, list[Any]]:
    """Return a stream and its operations."""
    rng = random.Random(seed)
    options = {
        f.type_field: f.type,
        "generalized_statements": False,
        "rdf_star": False,
        "max_name_table_size": rng.choice([8, 64, 4000]),
        "max_prefix_table_size": rng.choice([0, 4, 16, 1000]),
        "max_datatype_table_size": 8,
        "version": f.version,
    }
    made: Any
    if isinstance(f, Rdf):
        sizes = rng.choice([[150], [100, 0, 50], [5] * 30])
        parts = [of_rdf(statements(rng, min(f.type, QUADS), size), f.type) for size in sizes]
        made = rdf_strategies.Stream(options, [Frame(part, {}) for part in parts])
        messages = f.spoken(made, rng)
    else:
        options["stream_type"] = rng.choice([FRAME, FLAT, PUNCTUATED])
        operations = statements(rng, f.type, 150)
        if options["stream_type"] == PUNCTUATED:
            operations.insert(100, ("END",))
        made = strategies.Stream(options, [*operations, ("END",)])
        messages = f.spoken(made, rng, single=rng.random() < 0.7)
    return b.delimited(message.SerializeToString() for message in messages), f.content(made)


@all_types
@seeds
def test_they_are_read_as_the_reference_reads_them(f: Format, seed: int) -> None:
    data, said = stream(f, seed)
    assert f.decoder.read(data) == said
    assert f.support.read(data) == said


@all_types
@seeds
def test_damage_is_seen(f: Format, seed: int) -> None:
    data, _ = stream(f, seed)
    rng = random.Random(seed)
    for _ in range(9):
        damaged = bytearray(data)
        damage(damaged, rng)
        f.assert_same_outcome(bytes(damaged))
    for _ in range(3):
        # Cut the frame and correct its length, so that the end may fall anywhere in a row.
        frames = wire.split(data)
        frames[-1] = frames[-1][: rng.randrange(len(frames[-1]) + 1)]
        f.assert_same_outcome(b.delimited(frames))


def test_ids_of_any_length() -> None:
    """Ids of names and prefixes have one to three bytes; the last id has bytes like a tag's."""
    numbers = [1, 2, 127, 128, 129, 300, 16_383, 16_384, 20_000, 0x12 << 14]
    head = [build.options(max_name_table_size=300_000, max_prefix_table_size=300_000)]
    for n in numbers:
        head += [build.name(f"n{n:016}", n), build.prefix(f"p{n:015}:", n)]
    # The fast path also reads entries that follow a statement.
    head[3:3] = [build.add("s", build.iri(1, 1), "o")]
    uses = [
        build.add(build.iri(p, n), build.iri(0, 1), build.iri(p, n))
        for p in numbers
        for n in numbers
    ]
    uses.append(build.add("s" * 100, None, "o" * 100))
    data = build.stream([*head, *uses])
    limits = jr.Limits(max_name_table_size=300_000, max_prefix_table_size=300_000)
    assert read_patch(data, limits=limits) == decoder.read(data)


def test_rows_after_the_last_mark_are_a_patch() -> None:
    head = [
        build.options(stream_type=PUNCTUATED),
        build.name("urn:p"),
        build.add("s", build.iri(0, 1), "o"),
    ]
    rows = [build.add(None, build.iri(0, 1), build.literal(str(n))) for n in range(60)]
    added = ("A", ("bnode", "s"), ("iri", "urn:p"))
    end = [(*added, ("literal", str(n), None, None), None) for n in range(60)]
    first = [(*added, ("bnode", "o"), None), ("END",)]
    assert read_patch(build.stream([*head, build.punctuation(), *rows])) == [*first, *end, ("END",)]
    assert read_patch(build.stream([*head, build.punctuation()], rows)) == [*first, *end, ("END",)]
    assert read_patch(build.stream(head, rows, [build.punctuation()])) == [first[0], *end, ("END",)]


@seeds
@pytest.mark.parametrize("stream_type", [FRAME, FLAT, PUNCTUATED])
def test_marks_between_statements_keep_the_rules(stream_type: int, seed: int) -> None:
    """A transaction or patch marker that breaks a rule is refused; so is an overlong frame."""
    rng = random.Random(seed)
    head = [build.options(stream_type=stream_type), build.name("urn:p")]
    head.append(build.add("s", build.iri(0, 1), "o"))
    marks = [build.begin, build.commit, build.abort, build.punctuation]
    is_open, rows = False, []
    for n in range(120):
        rows.append(build.add(None if n % 2 else f"s{n}", build.iri(0, 1), build.literal(str(n))))
        if rng.random() < 0.3:
            kept = marks[1:3] if is_open else marks[: 1 if stream_type != PUNCTUATED else 4 : 3]
            mark = rng.choice(kept)
            is_open = mark is build.begin
            rows.append(mark())
    rows += [build.commit()] * is_open
    padding = [build.add("x" * 20, None, "o")] * 3
    assert read_patch(build.stream([*head, *rows, *padding])) == decoder.read(
        build.stream([*head, *rows, *padding])
    )
    for _ in range(20):
        odd = list(rows)
        odd.insert(rng.randrange(len(rows)), rng.choice(marks)())
        assert_same_outcome(build.stream([*head, *odd, *padding]))
    most = rng.randrange(4, len(rows))
    with pytest.raises(jr.LimitError, match=f"more than {most} rows"):
        read_patch(build.stream([*head, *rows, *padding]), limits=jr.Limits(max_frame_rows=most))


SIZES = (*range(0, 24, 3), 24, 39)
"""Sizes of a term near the end of a frame."""


def start_of(f: Format) -> list[Any]:
    """Return options, a name, and a first statement whose graph stays open."""
    graph = {"g": "g"} if f.type == QUADS else {}
    first = f.row(s="s", p=b.iri(0, 1), o="o", **graph)
    return [f.options(), f.name("urn:p"), *f.start, first]


@all_types
@pytest.mark.parametrize("stream_type", [FLAT, PUNCTUATED])
def test_a_row_that_is_no_mark_is_read_as_it_is(f: Format, stream_type: int) -> None:
    """A row may be as short as a marker: an empty statement, an unknown field, or content."""
    head = start_of(f)
    if not isinstance(f, Rdf):
        head[0] = f.options(stream_type=stream_type)
    rows = [f.row(p=b.iri(0, 1), o=b.literal(str(n))) for n in range(60)]
    whole, first = f.frame(*head, *rows), f.frame(*head)
    assert whole.startswith(first)
    for tag in range(2, 120):
        for size in (0, 1):
            # The test inserts one row, then two rows that start and commit a transaction in
            # Jelly-Patch.
            row = bytes([0x0A, 2, tag, size])
            pair = row + bytes([0x0A, 2, tag + 8, size])
            for odd in (row, pair):
                data = first + odd + whole[len(first) :]
                f.assert_same_outcome(b.delimited([data]))


@all_types
@pytest.mark.parametrize("size", SIZES)
def test_frames_of_any_size_end_where_they_end(f: Format, size: int) -> None:
    """Near the end of a frame the fast path has to stop looking ahead."""
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
    """The same ids refer to different text from one row to the next."""
    head = [*start_of(f), f.prefix("a:"), f.name("x", 2), f.datatype("urn:d")]
    rows = []
    for n in range(100):
        use = f.row(s=b.iri(1, 2), p=b.iri(0, 1), o=b.literal(str(n % 3)))
        entry = (f.name(f"x{n % 5}", 2), f.prefix(f"a{n % 4}:", 1), f.datatype(f"urn:{n}", 1))
        rows += [use, entry[n % 3], use, f.row(p=b.iri(0, 1), o=b.literal("1", None, 1))]
    for data in (f.stream([*head, *rows]), f.stream(head, *([row] for row in rows))):
        assert f.support.read(data) == f.decoder.read(data)


@all_types
@pytest.mark.parametrize("bad", [0, 1, 30, 59])
def test_errors_name_the_row(f: Format, bad: int) -> None:
    head = start_of(f)
    rows = [f.row(p=b.iri(0, 1), o=b.literal("x" * 10)) for _ in range(60)]
    rows[bad] = f.row(p=b.iri(0, 9), o=b.literal("x" * 10))
    error = f.refuse(f.stream(head, [f.row(s="s"), *rows]), row=True)
    assert (error.frame, error.row) == (2, bad + 2)
    start = len(f.stream(head)) + len(f.frame(f.row(s="s"), *rows[:bad]))
    assert start <= error.offset <= start + 40


@rdf_types
def test_rows_of_another_type_among_regular_ones(f: Format) -> None:
    regular = [f.row(p=b.iri(0, 1), o=b.literal("x" * 9)) for _ in range(30)]
    other = b.spo(None, b.iri(0, 1)) if f is RDF_QUADS else b.spog("s", b.iri(0, 1), "o")
    error = f.refuse(f.stream([*start_of(f), *regular, other, *regular]), row=True)
    assert error.row == len(start_of(f)) + 31

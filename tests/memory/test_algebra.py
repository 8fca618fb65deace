"""Tests how much memory the algebra needs, and that it is released."""

from collections.abc import Callable
from typing import Any

import pytest
from rdflib import BNode, Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.algebra.strategies import write
from tests.support import assert_nothing_is_kept, run

OPERATIONS: list[Any] = [
    (Op.H, "id", URIRef("urn:uuid:1")),
    (Op.TX,),
    (Op.PA, "ex", URIRef("urn:ex#"), None),
    (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("é", lang="fr"), None),
    (Op.A, BNode("b"), URIRef("urn:p"), Literal(1), URIRef("urn:g")),
    (Op.TA,),
    (Op.TX,),
    *((Op.A, BNode("b"), URIRef("urn:p"), Literal("x" * n), None) for n in range(100)),
    (Op.D, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 500), None),
    (Op.TC,),
]
DATA = write(OPERATIONS, rdf_star=True)
DATASET = Dataset()


def use_all() -> None:
    for source in (DATA, OPERATIONS):
        for operations in (
            jr.invert(source),
            jr.compact(source),
            jr.compact(source, assume_effective=True),
            jr.concat(iter(OPERATIONS), source),
            jr.effective(source, DATASET),
        ):
            list(operations)


def use_parts() -> None:
    for source in (DATA, OPERATIONS):
        next(jr.invert(source))
        next(jr.compact(source))
        next(jr.concat(source))
        next(jr.effective(source, DATASET))


def use_bad() -> None:
    for bad in (DATA[:-5], [*OPERATIONS, (Op.TC,)]):
        for use in (jr.invert, jr.compact, jr.concat):
            with pytest.raises(jr.JellyError):
                list(use(bad))
        with pytest.raises(jr.JellyError):
            list(jr.effective(bad, DATASET))


@pytest.mark.slow
@pytest.mark.parametrize("work", [use_all, use_parts, use_bad])
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)


LONG_STREAM = """
import itertools
import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.pieces import Chunks
from rdflib import Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID as G

S, P = URIRef("urn:s"), URIRef("urn:p")

def frames(count, distinct):
    parts = []
    class Sink:
        def write(self, data):
            parts.append(data)
    with jr.PatchWriter(Sink(), jr.PatchOptions(stream_type="FLAT")) as writer:
        objects = itertools.cycle([Literal("x" * 50 + str(n)) for n in range(distinct)])
        for number, o in zip(range(count), objects):
            op = Op.D if number // distinct % 2 else Op.A
            writer.write((op, S, P, o if distinct > 1 else Literal("x" * 50 + str(number)), G))
            yield from parts
            parts.clear()
    yield from parts

def endless(count, distinct):
    # A file of so many operations, on so many statements, which can't seek.
    return Chunks(frames(count, distinct))

def grown(operations):
    before = peak()
    count = sum(1 for _ in operations)
    print(count, peak() - before)

# what all of them need at first
for use in (jr.invert, jr.compact, jr.concat, lambda source: jr.effective(source, Dataset())):
    sum(1 for _ in use(endless(2000, 100)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "most"),
    [
        # The documented bound: all but a few thousand operations are kept in a file.
        ("jr.invert(endless(400_000, 1))", 50 << 20),
        ("jr.concat(endless(200_000, 1), endless(200_000, 1))", 50 << 20),
        # Each distinct statement is kept once.
        ("jr.compact(endless(400_000, 1000))", 8 << 20),
        ("jr.effective(endless(400_000, 1000), Dataset())", 8 << 20),
    ],
)
def test_a_long_stream(use: str, most: int) -> None:
    count, grown = map(int, run(f"{LONG_STREAM}\ngrown({use})").split())
    assert count in (400_000, 400_001, 1002)
    assert grown < most


@pytest.mark.slow
def test_a_long_list_of_distinct_statements() -> None:
    """Each distinct statement needs some tens of bytes, in addition to its terms."""
    out = run(f"{LONG_STREAM}\ngrown(jr.compact(endless(300_000, 1)))")
    count, grown = map(int, out.split())
    assert count == 300_002
    # Each has its own object: a literal of 56 characters needs about 200 bytes in Python.
    assert grown < 300_000 * 500

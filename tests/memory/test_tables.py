"""Tests that tables of a stream of any length need memory for only a few record batches."""

from collections.abc import Callable

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.support import assert_nothing_is_kept, run

pa = pytest.importorskip("pyarrow")

LONG_STREAM = """
import pyarrow as pa
from tests.pieces import Chunks

def count(rows):
    with pa.RecordBatchReader.from_stream(rows) as batches:
        return sum(batch.num_rows for batch in batches)

def open_rows(size):
    # So many statements, each with an object of its own.
    def line(n):
        return f'A <urn:s> <urn:p> "{"x" * 50}{n}" .\\n'

    starts = range(0, size, 100)
    source = Chunks("".join(map(line, range(at, at + 100))).encode() for at in starts)
    return USE

count(open_rows(20_000))
before = peak()
print(count(open_rows(400_000)), peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "use",
    ["read_batches(source, format='rdf-patch')", "read_operations(source, format='rdf-patch')"],
)
def test_a_long_stream(use: str) -> None:
    count, grown = map(int, run(LONG_STREAM.replace("USE", use)).split())
    assert count == 400_001
    # The table has 30 MB of strings, and more of numbers.
    assert grown < 12 << 20


def use_tables() -> None:
    patch = jr.Patch(
        [
            (Op.H, "id", URIRef("urn:uuid:1")),
            *((Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(n), None) for n in range(200)),
        ]
    )
    data = patch.serialize()
    for rows in (patch, jr.read_batches(data), jr.read_operations(data), jr.read_patches(data)):
        table = pa.table(rows)
        assert table.num_rows >= len(patch)
    next(pa.RecordBatchReader.from_stream(jr.read_batches(data)))
    pa.record_batch(next(jr.read_batches(data)))
    assert jr.Patch.from_arrow(patch.to_arrow()) == patch


BAD = pa.table({"s": ["<a>", "b"], "p": ["<a>"] * 2, "o": ["<a>"] * 2})


def use_bad() -> None:
    data = jr.Patch([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)]).serialize()
    with pytest.raises(jr.DecodeError):
        jr.read_batches(data[:-2]).to_arrow()
    # Don't use a capsule here: pyarrow keeps each Python error that its C stream reports.
    with pytest.raises(jr.EncodeError):
        jr.Patch.from_arrow(BAD)


@pytest.mark.slow
@pytest.mark.parametrize("use", [use_tables, use_bad])
def test_nothing_is_kept(use: Callable[[], None]) -> None:
    assert_nothing_is_kept(use)

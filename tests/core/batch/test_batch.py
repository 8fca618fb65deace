"""Tests batches: columns of numbers, and a table that contains each distinct term once."""

import gc
import random
from typing import Any

import pytest
from hypothesis import given
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.core.batch import BatchSlice
from tests import strategies
from tests.oracle import build as b
from tests.oracle import producer
from tests.oracle.build import QUADS
from tests.oracle.terms import plain_operation
from tests.strategies import Stream
from tests.support import run

COLUMNS = ("ops", "s", "p", "o", "g")


def batch_of(*rows: Any, **options: Any) -> Any:
    head = b.options(statement_type=QUADS, rdf_star=True, generalized_statements=True, **options)
    return jr.PatchDecoder().decode_frame(b.frame(head, b.name("urn:p"), *rows))


def rebuild(batch: Any) -> list[Any]:
    """Return the operations of `batch`, rebuilt from only its columns and terms."""
    terms = batch.terms
    operations = []
    for code, s, p, o, g in zip(*(getattr(batch, name) for name in COLUMNS), strict=True):
        op = Op(code)
        graph = None if terms[g] == DATASET_DEFAULT_GRAPH_ID else terms[g]
        if op in (Op.A, Op.D):
            operations.append((op, terms[s], terms[p], terms[o], graph))
        elif op in (Op.PA, Op.PD):
            assert p == 0
            operations.append((op, terms[s], terms[o], graph))
        elif op is Op.H:
            assert p == g == 0
            operations.append((op, terms[s], terms[o]))
        else:
            assert s == p == o == g == 0
            operations.append((op,))
    return operations


class TestColumns:
    @given(strategies.streams(), strategies.dice)
    def test_of_any_stream(self, stream: Stream, rng: random.Random) -> None:
        """The columns of a batch or a slice represent its operations, and each term occurs once."""
        data = producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)
        operations = []
        for batch in jr.read_batches(data):
            got = rebuild(batch)
            assert len(batch) == len(batch.ops) == len(got)
            assert got == list(batch) == list(batch)
            operations += map(plain_operation, got)
            assert stream.quads or not any(batch.g)
            terms = list(batch.terms)
            assert terms[0] is None
            keys = [(type(term), term) for term in terms]
            # The default graph is not an IRI in the stream, but rdflib represents it only as an
            # IRI.
            twice = {term for kind, term in keys if keys.count((kind, term)) > 1}
            assert twice <= {DATASET_DEFAULT_GRAPH_ID}
            start, stop = sorted(rng.choices(range(len(batch) + 1), k=2))
            part = BatchSlice(batch, start, stop).as_batch()
            assert list(part) == got[start:stop] == rebuild(part)
            assert part.terms is batch.terms
        assert operations == stream.operations

    def test_formats(self) -> None:
        batch = batch_of(b.header("k", "s"))
        for name in COLUMNS:
            view = memoryview(getattr(batch, name))
            assert view.format == ("B" if name == "ops" else "I")
            assert view.itemsize == (1 if name == "ops" else 4)
            assert view.ndim == 1
            assert view.shape == (1,)
            assert view.contiguous
            assert view.readonly
            with pytest.raises(TypeError):
                view[0] = 1

    def test_views_outlive_their_batch(self) -> None:
        views: dict[str, Any] = {}
        expected = {}
        batch = batch_of(*(b.add(str(n), b.iri(0, 1), str(n * n), "g") for n in range(1000)))
        for name in COLUMNS:
            views[name] = memoryview(getattr(batch, name))
            expected[name] = bytes(views[name])
        terms = batch.terms
        nodes = list(terms)
        del batch
        gc.collect()
        # If the memory of the batch were freed too early, these batches would overwrite it.
        junk = [batch_of(*(b.header(str(n), "x" * n) for n in range(200))) for _ in range(20)]
        assert {name: bytes(view) for name, view in views.items()} == expected
        assert list(terms) == nodes
        assert len(junk) == 20

    def test_batches_outlive_their_decoder_and_their_bytes(self) -> None:
        data = bytearray(b.frame(b.options(), b.header("key", b.literal("value", "en"))))
        package = jr.PatchDecoder()
        batch = package.decode_frame(data)
        data[:] = b"\xff" * len(data)
        data.append(0)
        del data, package
        gc.collect()
        assert list(batch) == [(Op.H, "key", Literal("value", lang="en"))]

    def test_empty_batches(self) -> None:
        for batch in (batch_of(), jr.PatchDecoder().decode_frame(b.frame(b.options()))):
            assert len(batch) == 0
            assert list(batch) == []
            assert all(bytes(getattr(batch, name)) == b"" for name in COLUMNS)
            assert list(batch.terms) == [None]

    def test_terms(self) -> None:
        quoted = b.triple("s", b.iri(0, 1), b.literal("l"))
        batch = batch_of(
            b.header("key", quoted),
            b.add(quoted, b.iri(0, 1), b.literal("l"), "s"),
            b.prefix_add("s", b.iri(0, 1)),
        )
        p, s = URIRef("urn:p"), BNode("s")
        term = jr.TripleTerm(s, p, Literal("l"))
        terms = batch.terms
        assert set(terms) == {None, "key", "s", s, p, Literal("l"), term}
        assert len(terms) == 7
        (o, _, _) = batch.o
        assert terms[o] == term
        assert type(terms[batch.s[0]]) is str
        assert type(terms[batch.s[2]]) is str
        assert type(terms[batch.g[1]]) is BNode
        with pytest.raises(IndexError):
            terms[len(terms)]


class TestDecoder:
    @pytest.mark.parametrize("stream_type", [b.FLAT, b.PUNCTUATED])
    def test_finish_inside_a_transaction_is_refused(self, stream_type: int) -> None:
        package = jr.PatchDecoder()
        package.decode_frame(b.frame(b.options(stream_type=stream_type), b.begin()))
        with pytest.raises(jr.DecodeError, match="transaction"):
            package.finish()


@pytest.mark.parametrize("column", ["ops", "s", "metadata"])
def test_a_column_in_a_garbage_cycle_is_freed_once(column: str) -> None:
    """The garbage collector may free a column's owner before the column itself."""
    run(
        "import gc\n"
        "import jelly_rdflib as jr\n"
        "from rdflib import URIRef\n"
        "gc.disable()\n"
        "s = URIRef('urn:s')\n"
        "frame = jr.StatementEncoder(jr.StreamOptions(physical_type='TRIPLES')).encode_frame(\n"
        "    [(s, s, s)] * 2000, metadata={'metadata': bytes(10_000)}\n"
        ")\n"
        "def fail():\n"
        "    batch = jr.StatementDecoder().decode_frame(frame).batch\n"
        f"    column = batch.{column}\n"
        "    try:\n"
        "        raise ValueError\n"
        "    except ValueError as error:\n"
        "        kept = error\n"
        "fail()\n"
        "assert gc.collect()\n"
    )


class TestSlices:
    def test_all_of_a_batch_is_the_batch(self) -> None:
        batch = batch_of()
        assert BatchSlice(batch, 0, 10).as_batch() is batch


@pytest.mark.parametrize("count", range(9))
def test_the_headers_of_a_slice_are_its_operations_that_are_headers(count: int) -> None:
    rows: list[Any] = [(Op.H, f"k{n}", Literal(n)) for n in range(count)]
    rows += [(Op.TX,), (Op.H, "late", URIRef("urn:late")), (Op.TC,)]
    (batch,) = [jr.PatchDecoder().decode_frame(jr.PatchEncoder().encode_frame(rows))]
    for start, stop in ((0, len(batch)), (1, len(batch) - 2), (count, count)):
        part = BatchSlice(batch, start, stop)
        assert part.headers() == [row for row in part if row[0] == Op.H]
        assert all(type(row[1]) is str for row in part.headers())


def test_rows_that_stay_and_rows_that_undo() -> None:
    s = URIRef("urn:s")
    rows = [(Op.H, "id", s), (Op.TX,), (Op.PA, "x", s, None), (Op.A, s, s, s, None), (Op.TC,)]
    batch = next(jr.read_batches(jr.Patch(rows).serialize(options=jr.PatchOptions(frame_rows=9))))
    part = BatchSlice(batch, 1, 5)
    assert list(part.as_batch(b"\0\1\0\1")) == [list(batch)[2], (Op.TC,)]
    assert len(part.as_batch(bytes(4))) == 0
    with pytest.raises(ValueError, match="4 operations, but 3 bytes"):
        part.as_batch(bytes(3))
    codes = [operation[0] for operation in BatchSlice(batch, 0, 6).inverse()]
    assert codes == [Op.END, Op.TX, Op.D, Op.PD, Op.TC]
    assert list(BatchSlice(part.inverse(), 0, 4).inverse()) == list(part)

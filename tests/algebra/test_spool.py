"""Tests that the spool behaves like a list of batches."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, Patch
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import Batch, dump_batch, load_batch
from tests.oracle.terms import operation, plain_operation
from tests.strategies import streams

S, P = URIRef("urn:s"), URIRef("urn:p")


def batch_of(operations: Any) -> Batch:
    (part,) = Patch(operations)._slices()
    return part.batch


@st.composite
def steps(draw: st.DrawFn) -> list[Any]:
    """Return batches to append, and None to clear the list."""
    operations = [operation(each) for each in draw(streams()).operations]
    batches = [batch_of([each]) for each in operations if each != (Op.END,)]
    return draw(st.permutations([*batches, *draw(st.lists(st.none(), max_size=2))]))


@given(steps(), st.sampled_from([1, 1000, 1 << 20]))
def test_is_a_list(steps: Any, size: int) -> None:
    model: list[Any] = []
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(spool, "_MAX_SIZE", size)
        with Spool() as tested:
            for step in steps:
                if step is None:
                    tested.clear()
                    model.clear()
                else:
                    tested.extend([step])
                    model.append(step)
                assert len(tested) == len(model)
            assert exact(tested) == exact(model)
            assert exact(reversed(tested)) == exact(reversed(model))


def exact(batches: Any) -> list[Any]:
    return [[plain_operation(each) for each in batch] for batch in batches]


def test_long_texts_go_to_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_SIZE", 1 << 20)
    with Spool() as tested:
        tracemalloc.start()
        try:
            for letter in "abcdefghij":
                tested.extend([batch_of([(Op.A, S, P, Literal(letter * (1 << 19)), None)])])
            # This includes the last batch, and the buffer of the file before it moved to disk.
            assert tracemalloc.get_traced_memory()[0] < 4 * (1 << 20)
        finally:
            tracemalloc.stop()
        assert [str(row[3])[0] for batch in tested for row in batch] == list("abcdefghij")


def test_nodes_are_made_as_the_reader_wanted() -> None:
    one = [(Op.A, S, P, Literal("01", datatype=jr.terms.XSD.integer, normalize=False), None)]
    data = Patch(one).serialize()
    with Spool() as tested:
        for normalize in (True, False):
            tested.extend(jr.read_batches(data, normalize=normalize))
        assert [str(row[3]) for batch in tested for row in batch if row[0] == Op.A] == ["1", "01"]


def test_the_file_goes_with_the_spool() -> None:
    with Spool() as tested:
        tested.extend([batch_of([(Op.TX,)])])
    with pytest.raises(ValueError, match="closed"):
        list(tested)


def test_a_file_that_was_cut() -> None:
    batch = batch_of([(Op.A, S, P, S, None)])
    dumped = dump_batch(batch)
    assert list(load_batch(dumped, batch.terms.factory)) == list(batch)
    for bad in (b"", dumped[:8], dumped[:-1], dumped + b"x"):
        with pytest.raises(ValueError, match="not the bytes of a batch"):
            load_batch(bad, batch.terms.factory)

"""Tests batches that are built from terms and rows one by one."""

from collections import deque
from collections.abc import Iterator

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import LimitError, Limits, Op, TripleTerm
from jelly_rdflib.core.batch import BatchBuilder, GeneratedBatches
from jelly_rdflib.nodes import make_node_factory


def make_builder(**limits: int) -> BatchBuilder:
    return BatchBuilder(make_node_factory(False), Limits(**limits))


def test_each_kind_of_term_becomes_its_node() -> None:
    builder = make_builder()
    numbers = [
        builder.iri("urn:é"),
        builder.blank_node("b"),
        builder.literal("lex"),
        builder.literal("lex", language="en"),
        builder.literal("lex", datatype="urn:d"),
        builder.string("key"),
        builder.default_graph(),
    ]
    numbers.append(builder.triple(numbers[0], numbers[0], numbers[2]))
    for number in numbers:
        builder.add_row(Op.H, numbers[5], 0, number, 0)
    batch = builder.drain(has_graphs=True)
    terms = [operation[2] for operation in batch]
    assert terms[:6] == [
        URIRef("urn:é"),
        BNode("b"),
        Literal("lex"),
        Literal("lex", lang="en"),
        Literal("lex", datatype=URIRef("urn:d")),
        "key",
    ]
    assert terms[6] == URIRef("urn:x-rdflib:default")
    assert terms[7] == TripleTerm(URIRef("urn:é"), URIRef("urn:é"), Literal("lex"))


def test_a_term_has_one_number_in_a_batch() -> None:
    builder = make_builder()
    assert builder.iri("urn:a") == builder.iri("urn:a") != builder.blank_node("urn:a")
    assert builder.literal("a", language="en") != builder.literal("a", language="EN")
    builder.drain(has_graphs=False)
    assert len(builder) == builder.text_size == 0
    with pytest.raises(IndexError):
        builder.add_row(Op.A, 1)


def test_batches_grow() -> None:
    builder = make_builder()
    for i in range(5000):
        number = builder.iri(f"urn:{i}")
        builder.add_row(Op.A, number, number, number, 0)
    assert len(builder) == 5000
    batch = builder.drain(has_graphs=False)
    assert [str(s) for s, _, _ in batch.statements()] == [f"urn:{i}" for i in range(5000)]


def test_limits() -> None:
    with pytest.raises(LimitError, match="max_string_size"):
        make_builder(max_string_size=4).iri("urn:long")
    builder = make_builder(max_text_size=64)
    with pytest.raises(LimitError, match="max_text_size"):
        deque((builder.iri(f"urn:{i}") for i in range(100)), maxlen=0)
    with pytest.raises(UnicodeEncodeError):
        make_builder().literal("\ud800")


def test_numbers_are_checked() -> None:
    builder = make_builder()
    builder.iri("urn:a")
    for numbers in ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 0, 2)):
        with pytest.raises(IndexError, match="no term number 2"):
            builder.add_row(Op.A, *numbers)
    for triple in ((2, 1, 1), (1, 2, 1), (1, 1, 2)):
        with pytest.raises(IndexError, match="no term number 2"):
            builder.triple(*triple)
    with pytest.raises(TypeError):
        builder.iri(None)  # type: ignore[arg-type]


def test_generated_batches_close_their_generator() -> None:
    closed = []

    def generate() -> Iterator[jr.Batch]:
        builder = make_builder()
        try:
            for _ in range(3):
                builder.add_row(Op.TX)
                yield builder.drain(has_graphs=True)
        finally:
            closed.append(True)

    assert [len(batch) for batch in GeneratedBatches(generate())] == [1, 1, 1]
    assert closed == [True]
    batches = GeneratedBatches(generate())
    next(batches)
    batches.close()
    assert closed == [True, True]
    assert list(batches) == []

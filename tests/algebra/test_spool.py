"""The spool is a list."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import Variable

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.spool import Spool
from tests.oracle.terms import operation, plain_operation
from tests.strategies import streams

S, P = URIRef("urn:s"), URIRef("urn:p")


@st.composite
def steps(draw: st.DrawFn) -> list[Any]:
    """Operations to append, and None to clear the list."""
    operations = [operation(each) for each in draw(streams()).operations]
    return draw(st.permutations([*operations, *draw(st.lists(st.none(), max_size=2))]))


@given(steps(), st.integers(1, 6), st.sampled_from([20, 1 << 20]))
def test_is_a_list(steps: Any, size: int, characters: int) -> None:
    model: list[Any] = []
    with pytest.MonkeyPatch.context() as monkeypatch, Spool() as tested:
        monkeypatch.setattr(spool, "_MAX_OPERATIONS", size)
        monkeypatch.setattr(spool, "_MAX_CHARACTERS", characters)
        for step in steps:
            if step is None:
                tested.clear()
                model.clear()
            else:
                tested.append(step)
                model.append(step)
            assert len(tested) == len(model)
        assert exact(tested) == exact(model)
        assert exact(reversed(tested)) == exact(reversed(model))


def exact(operations: Any) -> list[Any]:
    default = plain_operation((Op.A, S, P, S, DATASET_DEFAULT_GRAPH_ID))[-1]
    plain = map(plain_operation, operations)
    return [(*each[:-1], None) if each[-1] == default else each for each in plain]


def test_no_graph_among_others_is_the_default_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_OPERATIONS", 4)
    none, named = ((Op.A, S, P, S, g) for g in (None, P))
    operations = [none, none, named, none, *[none] * 8]
    with Spool() as tested:
        for each in operations:
            tested.append(each)
        assert list(tested) == operations


def test_prefixes_whose_iri_is_a_str(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_OPERATIONS", 1)
    with Spool() as tested:
        for _ in range(3):
            tested.append((Op.PA, "ex", "urn:ex#", None))
        assert next(iter(tested)) == (Op.PA, "ex", URIRef("urn:ex#"), None)


def test_long_texts_go_to_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_CHARACTERS", 1 << 20)
    texts = [letter * (1 << 19) for letter in "abcdefgh"]
    with Spool() as tested:
        tracemalloc.start()
        try:
            for text in texts:
                tested.append((Op.A, S, P, Literal(text + "!"), None))
            # one piece, and what is appended
            assert tracemalloc.get_traced_memory()[0] < 3.5 * (1 << 20)
        finally:
            tracemalloc.stop()
        assert [str(op[3]) for op in tested] == [text + "!" for text in texts]


@pytest.mark.parametrize(
    "operation",
    [
        (Op.A, S, P, Literal("<a b=''/>" * 50, datatype=RDF.XMLLiteral), None),
        (Op.A, S, P, jr.TripleTerm(S, P, Literal("x" * 1000)), None),
        (Op.A, S, P, jr.TripleTerm(S, P, Literal("<a/>" * 50, datatype=RDF.XMLLiteral)), None),
        (Op.A, S, P, S, URIRef("urn:" + "x" * 1000)),
        (Op.A, S, URIRef("urn:" + "x" * 1000), S, None),
        (Op.H, "key", Literal("x" * 1000)),
    ],
)
def test_whatever_takes_memory_counts(operation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_CHARACTERS", 10_000)
    with Spool() as tested:
        for _ in range(40):
            tested.append(operation)
        assert tested._file is not None
        assert exact(tested) == exact([operation] * 40)


def test_a_triple_that_is_quoted_in_many_places_counts_once() -> None:
    term = jr.TripleTerm(S, P, S)
    for _ in range(100):
        term = jr.TripleTerm(term, P, term)
    assert spool._count_characters((Op.A, S, P, term, None), {}) < 1000


def test_a_quoted_triple_that_comes_again_is_not_walked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked = []
    count = spool._count_characters_of

    def watch(part: Any) -> int:
        if isinstance(part, jr.TripleTerm):
            walked.append(part)
        return count(part)

    monkeypatch.setattr(spool, "_count_characters_of", watch)
    term, other = jr.TripleTerm(S, P, Literal("x" * 100)), jr.TripleTerm(S, P, S)
    with Spool() as tested:
        for _ in range(10):
            tested.append((Op.A, term, P, other, None))
            tested.append((Op.TC,))
        assert walked == [term, other]
        assert tested._characters == 10 * (100 + 6 * len(S))
        tested.append((Op.A, other, P, S, None))
        tested.append((Op.A, term, P, S, None))
        assert walked == [term, other, other, term]
        tested.clear()
        assert tested._characters == 0


def test_the_file_goes_with_the_spool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_OPERATIONS", 1)
    with Spool() as tested:
        for _ in range(3):
            tested.append((Op.TX,))
        file = tested._file
    assert file is not None
    assert file.closed


def test_terms_that_can_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_OPERATIONS", 1)
    with Spool() as tested, pytest.raises(jr.EncodeError):
        tested.append((Op.A, Variable("v"), P, S, None))

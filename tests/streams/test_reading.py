"""Tests reading patches; `tests.core.jelly` tests behaviour that Jelly-RDF shares."""

import gzip
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
import rdflib
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from tests import strategies
from tests.core.jelly.streams import PATCH_REALISTIC
from tests.oracle import build as b
from tests.oracle import producer
from tests.oracle.terms import Plain, node, operation, plain, plain_operation, same_term
from tests.strategies import Stream
from tests.support import read

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": lambda data: zstandard.compress(data),
}


@pytest.mark.parametrize("given", [None, DATASET_DEFAULT_GRAPH_ID])
@pytest.mark.parametrize("statement_type", ["TRIPLES", "QUADS"])
def test_the_default_graph_is_none_in_operations(statement_type: str, given: Any) -> None:
    """The default graph is read as None, and written again as the same bytes."""
    options = jr.PatchOptions(statement_type=statement_type)
    term = URIRef("urn:x")

    def rows(graph: Any) -> list[jr.Operation]:
        return [
            (jr.Op.PA, "ex", term, graph),
            (jr.Op.A, term, term, term, graph),
            (jr.Op.D, term, term, term, graph),
            (jr.Op.PD, "ex", None, graph),
        ]

    data = jr.Patch(rows(given)).serialize(options=options)
    (patch,) = jr.read_patches(data)
    text = b"A <urn:x> <urn:x> <urn:x> <urn:x-rdflib:default> ."
    assert list(patch) == rows(None)
    assert list(jr.read_operations(data))[:-1] == rows(None)
    assert list(jr.Patch.from_arrow(patch.to_arrow())) == rows(None)
    assert list(jr.read_operations(text)) == [rows(None)[1], (jr.Op.END,)]
    for again in (patch, jr.Patch(list(patch))):
        assert again.serialize(options=options) == data


@given(strategies.streams(), strategies.dice)
def test_batches_and_patches_say_what_operations_do(stream: Stream, rng: random.Random) -> None:
    data = producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)
    in_batches = [op for batch in jr.read_batches(data) for op in batch]
    assert list(map(plain_operation, in_batches)) == stream.operations
    patches = list(jr.read_patches(data, normalize=False))
    assert [list(map(plain_operation, patch)) for patch in patches] == stream.patches
    for patch, expected in zip(patches, stream.patches, strict=True):
        assert len(patch) == len(expected)
        header = {op[1]: op[2] for op in expected if op[0] == "H"}
        assert {key: plain(value) for key, value in patch.header.items()} == header


class TestNodes:
    """A term that is read equals one made by rdflib's constructor, attribute by attribute."""

    def literals(self, terms: list[Plain], normalize: bool | None) -> list[Any]:
        datatypes = list(dict.fromkeys(term[3] for term in terms if term[3] is not None))
        rows = [b.datatype(datatype) for datatype in datatypes]
        for _, lex, language, datatype in terms:
            number = None if datatype is None else datatypes.index(datatype) + 1
            rows.append(b.header("", b.literal(lex, language, number)))
        head = b.options(max_datatype_table_size=max(16, len(datatypes)))
        operations = jr.read_operations(b.stream([head, *rows]), normalize=normalize)
        return [op[2] for op in operations if op[0] is jr.Op.H]

    @pytest.mark.parametrize("normalize", [None, True])
    def test_typed_literals(self, normalize: bool | None) -> None:
        terms = strategies.TYPED_LITERALS
        for term, got in zip(terms, self.literals(terms, normalize), strict=True):
            expected = node(term, normalize)
            assert same_term(got, expected), (term, got, expected)

    def test_without_normalizing_lexical_forms_stay(self) -> None:
        terms = strategies.TYPED_LITERALS
        for term, got in zip(terms, self.literals(terms, False), strict=True):
            _, lex, _, datatype = term
            expected = node(term, False)
            assert type(got) is Literal
            if not datatype.endswith(("#normalizedString", "#token")):
                # rdflib's constructor rewrites these two datatypes even if normalize is False.
                assert same_term(got, expected), (term, got, expected)
                assert str(got) == lex

    @pytest.mark.parametrize("name", ["normalizedString", "token"])
    def test_without_normalizing_strings_stay_too(self, name: str) -> None:
        term: Plain = ("literal", " a\tb \r\n", None, strategies.XSD + name)
        (got,) = self.literals([term], False)
        assert str(got) == term[1]

    def test_none_follows_rdflibs_flag(self, monkeypatch: pytest.MonkeyPatch) -> None:
        term: Plain = ("literal", "01", None, strategies.XSD + "integer")
        assert str(self.literals([term], None)[0]) == "1"
        monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
        assert str(self.literals([term], None)[0]) == "01"
        assert str(self.literals([term], True)[0]) == "1"

    @given(strategies.streams(), strategies.dice, st.sampled_from([None, True]))
    def test_operations(self, stream: Stream, rng: random.Random, normalize: bool | None) -> None:
        messages = producer.frames(stream.operations, stream.options, rng)
        data = producer.spelled(messages, rng)
        got = list(jr.read_operations(data, normalize=normalize))
        expected = [operation(op, normalize) for op in stream.operations]
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert one[0] is other[0]
            for a, c in zip(one[1:], other[1:], strict=True):
                plain = a is None or type(a) is str
                assert (a == c and type(a) is type(c)) if plain else same_term(a, c), (one, other)

    def test_a_datatype_that_was_bound_is_known(self) -> None:
        datatype = URIRef("urn:test:bound")
        rdflib.term.bind(datatype, complex, complex, str)
        try:
            (got,) = self.literals([("literal", "1+2j", None, str(datatype))], None)
            assert got.value == 1 + 2j
            assert same_term(got, Literal("1+2j", datatype=datatype))
        finally:
            rdflib.term._reset_bindings()


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_a_memoryview_of_other_items(compress: Callable[[bytes], bytes]) -> None:
    streams = (b.stream([b.options(), b.header("x" * n, "")]) for n in range(200))
    whole = [data for data in map(compress, streams) if len(data) % 4 == 0]
    assert whole
    for data in whole:
        assert read(memoryview(data).cast("I")) == read(data)


class TestIteration:
    def test_what_is_something_else_is_called_so(self) -> None:
        for data in (b"<a> <b> <c> .\n", b"PK\x03\x04 and more", b"{}"):
            with pytest.raises(jr.DecodeError, match="is the input Jelly-Patch at all"):
                list(jr.read_operations(data))
        for data in (b"", PATCH_REALISTIC + b"TX .\n"):
            with pytest.raises(jr.DecodeError) as caught:
                list(jr.read_operations(data))
            assert "at all" not in str(caught.value)


class TestPatch:
    def test_the_end_is_no_operation_of_it(self) -> None:
        header = (jr.Op.H, "id", URIRef("urn:1"))
        assert list(jr.Patch([header, (jr.Op.END,)])) == [header]
        with pytest.raises(ValueError, match=r"Op\.END"):
            jr.Patch([header, (jr.Op.END,), header])

    def test_it_can_be_pickled(self) -> None:
        for patch in jr.read_patches(PATCH_REALISTIC):
            copy = pickle.loads(pickle.dumps(patch))
            assert list(copy) == list(patch)
            assert copy.header == patch.header

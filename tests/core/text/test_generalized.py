"""Tests generalized N-Triples and N-Quads: any term in any position, but no triple as graph."""

import itertools

import pytest

import jelly_rdflib as jr
from tests.formats.syntaxes.support import PARSED, literal, read
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.pieces import Pieces

TERMS: dict[str, Plain] = {
    "<urn:s>": ("iri", "urn:s"),
    "_:b": ("bnode", "b"),
    '"a"': literal("a"),
    '"a"@en': literal("a", "en"),
    '"1"^^<urn:d>': literal("1", None, "urn:d"),
}
INNER = ("triple", literal("a"), ("bnode", "b"), literal("a", "en"))
TERMS['<<( "a" _:b "a"@en )>>'] = INNER


@pytest.mark.parametrize("size", [1, 1 << 16])
def test_any_term_may_have_any_place(size: int) -> None:
    triples = list(itertools.product(TERMS, repeat=3))
    text = "".join(f"{' '.join(triple)} .\n" for triple in triples)
    wanted = [tuple(TERMS[term] for term in triple) for triple in triples]
    assert read(Pieces(text.encode(), size), "n-triples", generalized=True) == wanted
    found = read(Pieces(text.encode(), size), "n-quads", generalized=True)
    assert found == [(*triple, DEFAULT_GRAPH) for triple in wanted]


@pytest.mark.parametrize("graph", TERMS)
def test_a_graph_may_be_any_term_but_a_quoted_triple(graph: str) -> None:
    text = f'"a" _:b "a"@en {graph} .\n'
    if graph.startswith("<<"):
        with pytest.raises(jr.DecodeError, match="a quoted triple can't be a graph"):
            read(text, "n-quads", generalized=True)
    else:
        assert read(text, "n-quads", generalized=True) == [(*INNER[1:], TERMS[graph])]


@pytest.mark.parametrize("format", PARSED)
def test_other_syntaxes_refuse_the_argument(format: str) -> None:
    for call in (jr.read_statements, jr.read_batches):
        with pytest.raises(ValueError, match="has no generalized statements"):
            call(b"", format=format, generalized=True)  # type: ignore[operator]

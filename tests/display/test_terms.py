"""Tests terms as text: in N-Triples, with prefixes, and truncated if they are long."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef, Variable

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.display.terms import show, spell

S, P = URIRef("urn:s"), URIRef("urn:p")
XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (S, "<urn:s>"),
        (URIRef("no IRI"), "<no IRI>"),
        (BNode("b"), "_:b"),
        (Variable("x"), "?x"),
        (Literal('a "b"\\\n'), r'"a \"b\"\\\n"'),
        (Literal("a", lang="en"), '"a"@en'),
        (Literal("x", datatype=f"{XSD}integer"), f'"x"^^<{XSD}integer>'),
        (jr.TripleTerm(S, P, Literal("o")), '<< <urn:s> <urn:p> "o" >>'),
    ],
)
def test_a_term_is_written_as_in_n_triples(value: Any, text: str) -> None:
    assert show(value) == spell(value) == text


@pytest.mark.parametrize("separator", ["\n", "\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
def test_no_term_breaks_a_line_of_a_message(separator: str) -> None:
    for term in (URIRef(f"urn:a{separator}b"), Literal(f"a{separator}b"), BNode(f"a{separator}b")):
        assert len(show(term).splitlines()) == 1


def test_an_iri_ends_once_in_a_message_and_does_not_move_the_cursor() -> None:
    assert show(URIRef("urn:a\n\x1b[31m")) == r"<urn:a\n\u001B[31m>"
    assert show(URIRef("urn:a> <urn:b")) == r"<urn:a\u003E <urn:b>"


@given(st.text(), st.sampled_from([None, "en"]))
def test_a_spelled_literal_is_read_back(text: str, language: str | None) -> None:
    literal = Literal(text, lang=language)
    line = f"<urn:s> <urn:p> {spell(literal)} .\n".encode()
    assert [*jr.read_statements(line, format="n-triples")] == [(S, P, literal)]
    if len(text) <= 300 and text.isprintable():
        assert show(literal) == spell(literal)


def test_prefixes_and_operations() -> None:
    prefixes = {"urn:ex#": "ex", XSD: "xsd"}
    assert show(URIRef("urn:ex#a.b"), prefixes) == "ex:a.b"
    # A local name in Turtle can't end with a dot.
    assert show(URIRef("urn:ex#a."), prefixes) == "<urn:ex#a.>"
    assert show(Literal(5), prefixes) == '"5"^^xsd:integer'
    assert show((Op.PA, "ex", URIRef("urn:ex#"), None)) == "(PA, 'ex', <urn:ex#>, None)"
    assert show({"id": S}) == "{'id': <urn:s>}"
    assert show(jr.LogicalStreamType.GRAPHS) == "GRAPHS"


def test_a_thing_whose_own_repr_fails() -> None:
    class Bad:
        def __repr__(self) -> str:
            raise RuntimeError

    assert "Bad instance" in show((Op.A, Bad()))


@pytest.fixture(scope="module")
def deep() -> Any:
    """Return a quoted triple whose full text would have 2 ** 300 terms."""
    term: Any = S
    for _ in range(300):
        term = jr.TripleTerm(term, P, term)
    return term


def test_messages_about_a_quoted_triple_that_stands_for_too_much_text(deep: Any) -> None:
    with pytest.raises(jr.ApplyError, match="can't hold << << << << … >> <urn:p>"):
        jr.apply([(Op.A, deep, P, S, None)], Graph())
    with pytest.raises(jr.EncodeError, match="quoted triple << << << << … >> <urn:p>"):
        jr.PatchEncoder().encode_frame([(Op.A, deep, P, S, None)])

"""The reader of the suite's texts: strict, and the same as pyoxigraph's where that can read."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef

from tests import strategies
from tests.conformance.nquads import SyntaxProblem, parse
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node

S, P, OBJ = (("iri", f"urn:{letter}") for letter in "spo")
B = ("bnode", "b")
XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("<urn:o>", OBJ),
        ("<>", ("iri", "")),
        (r"<urn:\u00e9\U0001F600>", ("iri", "urn:é\U0001f600")),
        ("<urn:😊/é>", ("iri", "urn:😊/é")),
        ("_:b", ("bnode", "b")),
        ("_:0", ("bnode", "0")),
        ("_:a.b-c:·d", ("bnode", "a.b-c:·d")),
        ('""', ("literal", "", None, None)),
        ('"a b"', ("literal", "a b", None, None)),
        (r'"\t\b\n\r\f\"\'\\"', ("literal", "\t\b\n\r\f\"'\\", None, None)),
        (r'"\\n\u0041"', ("literal", "\\nA", None, None)),
        ('"x\x85\u2028y"', ("literal", "x\x85\u2028y", None, None)),
        ('"x"@en-GB', ("literal", "x", "en-GB", None)),
        (f'"1"^^<{XSD}integer>', ("literal", "1", None, XSD + "integer")),
        (f'"1"^^<{XSD}string>', ("literal", "1", None, XSD + "string")),
        ("<< <urn:s> <urn:p> <urn:o> >>", ("triple", S, P, OBJ)),
        ("<<<urn:s><urn:p><urn:o>>>", ("triple", S, P, OBJ)),
        ("<< _:b << _:b _:b _:b >> _:b >>", ("triple", B, ("triple", B, B, B), B)),
    ],
)
def test_a_term(text: str, term: Plain) -> None:
    assert parse(f"<urn:s> <urn:p> {text} .", quads=False) == [(S, P, term)]
    assert parse(f"{text} {text} {text} .", quads=False) == [(term, term, term)]
    assert parse(f"<urn:s> {text} <urn:o> .\n", quads=True) == [(S, term, OBJ, DEFAULT_GRAPH)]


def test_statements() -> None:
    text = (
        "# a comment\n\n \t\r\n"
        "<urn:s> <urn:p> <urn:o> . # and another\r"
        '<urn:s><urn:p>"#".\n'
        "_:a <urn:p> _:b. "
    )
    triples = [
        (S, P, OBJ),
        (S, P, ("literal", "#", None, None)),
        (("bnode", "a"), P, ("bnode", "b")),
    ]
    assert parse(text, quads=False) == triples
    assert parse(text, quads=True) == [(*triple, DEFAULT_GRAPH) for triple in triples]
    assert parse("", quads=True) == parse("\n", quads=False) == []
    assert parse('<urn:s> <urn:p> <urn:o> "g"@en .', quads=True) == [
        (S, P, OBJ, ("literal", "g", "en", None))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<urn:s> <urn:p> <urn:o>",
        "<urn:s> <urn:p> .",
        "<urn:s> <urn:p> <urn:o> <urn:g> .",
        "<urn:s> <urn:p> <urn:o> . <urn:s> <urn:p> <urn:o> .",
        "<urn:s> <urn:p>\n<urn:o> .",
        "<urn:s> <urn:p> <urn:o o> .",
        r"<urn:s> <urn:p> <urn:\n> .",
        r"<urn:s> <urn:p> <urn:\uD800> .",
        r'<urn:s> <urn:p> "\U00110000" .',
        r'<urn:s> <urn:p> "\x" .',
        r'<urn:s> <urn:p> "\u12" .',
        "<urn:s> <urn:p> 'x' .",
        '<urn:s> <urn:p> "x" @en .',
        '<urn:s> <urn:p> "x"@1 .',
        '<urn:s> <urn:p> "x"^^xsd:string .',
        "<urn:s> <urn:p> _: .",
        "<urn:s> <urn:p> _:-a .",
        "<urn:s> <urn:p> a .",
        "<urn:s> <urn:p> << <urn:s> <urn:p> >> .",
        "<urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> .",
        "<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:o> )>> .",
        "<urn:s> <urn:p> >> .",
        "@prefix a: <urn:a> .",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem, match=r"^line 2: "):
        parse(f"\n{text}\n", quads=False)


def test_no_quoted_triple_names_a_graph() -> None:
    with pytest.raises(SyntaxProblem):
        parse("<urn:s> <urn:p> <urn:o> << <urn:s> <urn:p> <urn:o> >> .", quads=True)


def _plain(term: object) -> Plain:
    if isinstance(term, ox.NamedNode):
        return ("iri", term.value)
    if isinstance(term, ox.BlankNode):
        return ("bnode", term.value)
    if isinstance(term, ox.DefaultGraph):
        return DEFAULT_GRAPH
    assert isinstance(term, ox.Literal)
    datatype = None if term.language else term.datatype.value
    return ("literal", term.value, term.language, datatype)


@given(
    st.lists(
        st.tuples(
            *[st.from_regex(r"\Aurn:[a-zéß/]{0,4}\Z")] * 2,
            st.text(max_size=8),
            st.sampled_from(["", "@en-gb", f"^^<{XSD}integer>"]),
            st.sampled_from(["", "<urn:g> ", "_:g.h "]),
        ),
        max_size=5,
    )
)
def test_pyoxigraph_reads_the_same(rows: list[tuple[str, str, str, str, str]]) -> None:
    text = "".join(
        f"<{s}> <{p}> {ox.Literal(lex)}{suffix} {graph}.\n" for s, p, lex, suffix, graph in rows
    )
    quads = [
        tuple(_plain(term) for term in (q.subject, q.predicate, q.object, q.graph_name))
        for q in ox.parse(text, ox.RdfFormat.N_QUADS, rename_blank_nodes=False)
    ]
    ours = [
        (s, p, (*o[:3], XSD + "string") if o[2:] == (None, None) else o, g)
        for s, p, o, g in parse(text, quads=True)
    ]
    assert ours == quads


_labels = st.from_regex(r"\A[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_-])?\Z")


@given(
    st.lists(
        st.recursive(
            st.builds(lambda label: ("bnode", label), _labels)
            | strategies.literals.filter(lambda t: t[3] is None or t[3].startswith("http"))
            | st.from_regex(r"\Aurn:[a-zé/]*\Z").map(lambda iri: ("iri", iri)),
            lambda inner: st.tuples(st.just("triple"), inner, inner, inner),
            max_leaves=6,
        ),
        min_size=3,
        max_size=3,
    )
)
def test_any_term_in_any_place(terms: list[Plain]) -> None:
    text = " ".join(_n3(term) for term in terms)
    assert parse(f"{text} .", quads=False) == [tuple(terms)]


def _n3(term: Plain) -> str:
    if term[0] == "triple":
        return f"<< {' '.join(map(_n3, term[1:]))} >>"
    if term[0] == "literal":
        _, lex, language, datatype = term
        suffix = f"@{language}" if language else ""
        return f"{ox.Literal(lex)}{suffix}" + (f"^^{URIRef(datatype).n3()}" if datatype else "")
    return str(node(term).n3())

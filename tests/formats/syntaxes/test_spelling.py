"""Tests that Turtle and TriG keep the spelling of literals, like rdflib's parsers."""

import json
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset, Graph, Literal

import jelly_rdflib as jr
from tests.formats.syntaxes.support import attempt, literal, read

XSD = "http://www.w3.org/2001/XMLSchema#"
# The last characters of the marks with which the scanner flags datatypes and the empty IRI.
M, W = "\U000efffd", "\U000efffc"
HEAD = (
    f"@prefix xsd: <{XSD}> . @prefix s: <{XSD}str> . @prefix w: <{XSD}string> .\n"
    f"@prefix : <urn:> . @prefix m: <urn:#{M}> . @prefix n: <urn:#{W}> . @base <http://a.org/> .\n"
)

strings = st.sampled_from(["''", '""', "'x'", '"x"', "'''x'''", '"""x"y"""', r'"\"#\\"', "'@EN'"])
tags = st.from_regex(r"[A-Za-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-[a-z]{2})?", fullmatch=True)
private = st.from_regex(r"-[xX](-[A-Ea-e0-3x]{1,8}|-case-[0-9a-f]{1,2}){1,4}", fullmatch=True)
datatypes = st.sampled_from(
    [
        *(
            "xsd:string",
            "s:ing",
            "w:",
            "xsd:str\\-ing",
            "xsd:integer",
            "xsd:",
            ":string",
            ":a.string",
        ),
        *(":g", ":", ":\\~", ":a\\.b", f":a{M}", f":{W}", "m:", "n:", f"m:{M}", "w:string", ":%41"),
        *(f"<{XSD}string>", f"<{XSD}\\u0073tring>", f"<{XSD}integer>", "<urn:#string>", "<urn:g>"),
        *(f"<urn:{M}>", f"<urn:#{W}>", f"<urn:{M}{M}>", "<string>", "<#string>", "<#>"),
    ]
)
suffixes = st.one_of(
    st.just(""),
    tags.map("@{}".format),
    st.tuples(tags, private).map("@{0[0]}{0[1]}".format),
    datatypes.map("^^{}".format),
)
ends = st.sampled_from([" .\n", ".", "\n.", ", 1 .", "; :q 1 .", ",'x'@EN ."])


def spelled(term: Any) -> tuple[Any, ...]:
    if not isinstance(term, Literal):
        return (type(term), str(term))
    return (Literal, str(term), term.language, term.datatype and str(term.datatype))


@given(
    st.integers(0, 1100),
    st.lists(st.tuples(strings, suffixes, ends).map("".join), min_size=1, max_size=30),
)
def test_it_is_that_of_rdflib(size: int, objects: list[str]) -> None:
    """The spelling is the same as rdflib's, wherever a piece of text for the parser ends."""
    lines = [f"<urn:s{number}> :p {each}" for number, each in enumerate(objects)]
    text = "#" * size + "\n" + HEAD + "".join(lines)
    expected = {tuple(map(spelled, triple)) for triple in Graph().parse(data=text)}
    statements = jr.read_statements(text.encode(), format="turtle")
    assert {tuple(map(spelled, triple)) for triple in statements} == expected
    dataset = Dataset(store="Jelly")
    dataset.parse(data=f"{text} GRAPH :g {{ {''.join(lines)} }}", format="trig")
    for graph in (dataset.default_graph, dataset.graph("urn:g")):
        assert {tuple(map(spelled, triple)) for triple in graph} == expected


def test_an_empty_iri_is_that_of_the_base() -> None:
    for base in ("http://a.org/b", f"http://a.org/{M}", f"urn:{W}", "http://a.org/?b"):
        text = f'@base <{base}> . <urn:s> <urn:p> "a"^^<> .'
        assert read(text, "turtle")[0][2] == literal("a", None, base)
    text = '<urn:s> <urn:p> "a"^^<> .'
    assert read(text, "turtle", base=f"urn:{M}#a")[0][2] == literal("a", None, f"urn:{M}")


@pytest.mark.parametrize(
    "tag", ["abcdefghI", "EN-x", "en-x-X-abcdefghi", "EN-a", "A-DE", "i-Foo", "X"]
)
def test_a_wrong_tag_is_still_wrong(tag: str) -> None:
    text = f'<urn:s> <urn:p> "a"@{tag} .'
    _, error = attempt(text, "turtle")
    assert (error.line, error.column) == (1, 21)
    with pytest.raises(SyntaxError, match=error.message):
        list(ox.parse(text, ox.RdfFormat.TURTLE))
    assert read(text, "turtle", strict=False)[0][2] == literal("a", tag)


@pytest.mark.parametrize("size", [0, 1020, 5000])
@pytest.mark.parametrize(
    "text",
    [
        "'\u00e9'@EN, '\u00e9'^^xsd:string ]",
        "'a'^^xsd:string, \\",
        "\n'a'@EN, '''\n'''@EN-gb, '''\r'''@EN, ''^^w:..",
        "'a'@EN .\r'a'@EN, 'b'^^w: . ]",
        "'a'@EN .\r\n'a'@EN, 'b'^^w: 'c'",
        "'a'@EN, 'b'@EN--LTR",
        "'a'@EN, 'b'^^no:string",
        "'a'@EN, 'b'^^:\\#\\#",
        "'a'@EN, 'b'^^<#string> <a b>",
    ],
)
def test_errors_are_where_they_are_in_the_text(text: str, size: int) -> None:
    text = f"{HEAD}{'#' * size}\n :s :p {text} "
    _, error = attempt(text, "turtle")
    with pytest.raises(SyntaxError) as expected:
        list(ox.parse(text, ox.RdfFormat.TURTLE))
    assert (error.line, error.column) == (expected.value.lineno, expected.value.offset)
    assert expected.value.msg.endswith(error.message)
    assert M not in str(error)


def test_other_syntaxes_have_no_marks() -> None:
    """In other syntaxes, characters that look like a mark are part of the text."""
    datatype, tag = f"urn:{M}", "en-x-case-3"
    value = {"@value": "a", "@type": datatype}
    tagged = {"@value": "b", "@language": tag}
    text = json.dumps([{"@id": "urn:s", "urn:p": [value, tagged]}])
    expected = [literal("a", None, datatype), literal("b", tag)]
    assert [o for _, _, o, *_ in read(text, "json-ld")] == expected
    text = f'<urn:s> <urn:p> "a"^^<{datatype}>, "b"@{tag} .'
    assert [o for _, _, o, *_ in read(text, "n3")] == expected

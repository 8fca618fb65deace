"""Tests parsing N3 without formulas into a `JellyStore`."""

from typing import Any

import pytest
from rdflib import Dataset, Graph
from rdflib.compare import isomorphic
from rdflib.exceptions import ParserError

import jelly_rdflib as jr

# All syntax that N3 adds to Turtle, except for formulas.
WITHOUT_FORMULAS = """
@prefix ex: <http://example.org/> .
ex:a = <b> ; ex:p 1, "x"@en-GB, ( 1 [ ex:q true ] ) .
<#c> is ex:of of ex:d . "literal" ex:p ex:a . ex:d!ex:path ex:q ex:e .
"""
WITH_FORMULAS = [
    "{ ex:a ex:p ex:b } => { ex:a ex:q ex:b } .",
    "ex:a ex:p { ex:a ex:q ex:b } .",
    "ex:a ex:says {} .",
    "?x ex:p ex:b .",
]


@pytest.mark.parametrize("format", ["n3", "text/n3"])
@pytest.mark.parametrize("cls", [Graph, Dataset])
def test_n3_without_formulas_is_read_as_by_memory(cls: Any, format: str) -> None:
    ours, theirs = cls(store="Jelly"), cls(store="Memory")
    for graph in (ours, theirs):
        graph.parse(data=WITHOUT_FORMULAS, format=format, publicID="http://example.org/base")
    default = [each.default_graph if cls is Dataset else each for each in (ours, theirs)]
    assert isomorphic(*default)
    assert list(ours.namespaces()) == list(theirs.namespaces())


@pytest.mark.parametrize("text", WITH_FORMULAS)
def test_a_formula_is_refused_and_nothing_is_added(text: str) -> None:
    graph = Graph("Jelly", bind_namespaces="none")
    with pytest.raises(
        jr.ApplyError, match=r'formula or a variable.*Graph\(store="Memory"\)'
    ) as info:
        graph.parse(data=f"@prefix ex: <urn:ex:> . ex:s ex:p ex:o . {text}", format="n3")
    assert isinstance(info.value, ParserError)
    assert (len(graph), list(graph.namespaces())) == (0, [])
    Graph("Memory").parse(data=f"@prefix ex: <urn:ex:> . {text}", format="n3")


def test_a_text_without_utf_8_is_refused_and_nothing_is_added() -> None:
    graph = Graph("Jelly", bind_namespaces="none")
    with pytest.raises(jr.EncodeError, match="UTF-8"):
        graph.parse(data='<urn:s> <urn:p> <urn:o>, "\\uD800" .', format="n3")
    assert len(graph) == 0

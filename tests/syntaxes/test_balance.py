"""The watch of a text's nesting and the parser behind it agree on what is a bracket or a tag.

What the parser takes for a whole text leaves nothing open: if the watch took a bracket in a string
for one, or the other way round, it would think otherwise.
"""

from __future__ import annotations

import random

import pyoxigraph as ox
import pytest
from hypothesis import given

from jelly_rdflib import LimitError
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.core.nesting import NestingWatch
from jelly_rdflib.core.turtle_nesting import TurtleNesting
from jelly_rdflib.core.xml_nesting import XmlNesting

from ..strategies import dice
from .test_reading import HEAD

OPEN = 10
"""Levels that are open before the text, so that none too few would not be noticed."""

TURTLE_TERMS = [
    "<urn:a>", "<=a)))>", "<>", "<(>", "'x'", "\"('\"", "'(\"'", "''", '""', "1", "_:b", "ex:a\\(",
    "ex:\\)\\'b", '"a"@en', '"a"^^<urn:)>', '"\\"("', "'\\\\'", '"""\\\\"""', '"""a"b""(\\""""',
    '"""("(""(\\"""(""" ', "'''('(''(\\'''('''", '"""\n(\r#"""',
]  # fmt: skip
TURTLE_COMMENTS = ["", "# ((('\n", '#)))"\n', "#)))\r", "#)\r\n", "#<\n"]


def turtle(r: random.Random) -> str:
    def term(depth: int = 0) -> str:
        kind = r.randrange(8)
        if kind == 0 and depth < 4:
            return f"[ {predicates(depth + 1) if r.randrange(3) else ''} ]"
        if kind == 1 and depth < 4:
            return f"( {' '.join(term(depth + 1) for _ in range(r.randrange(4)))} )"
        if kind == 2 and depth < 4:
            return f"<<( <urn:a> <urn:b> {term(9)} )>>"
        return r.choice(TURTLE_TERMS)

    def predicates(depth: int) -> str:
        objects = ", ".join(term(depth) for _ in range(r.randint(1, 2)))
        return f"{r.choice(['<urn:p>', 'a', 'ex:p'])} {objects}"

    statements = (
        f"{r.choice(['<urn:s>', '_:b', 'ex:s', '[]', '()'])} {predicates(0)} "
        f"{r.choice(TURTLE_COMMENTS)}.\n"
        for _ in range(r.randint(1, 4))
    )
    return "@prefix ex: <urn:> . @base <http://b/> .\n" + "".join(statements)


def xml(r: random.Random) -> str:
    def node(depth: int) -> str:
        inside = "".join(prop(depth + 1) for _ in range(r.randrange(3)))
        about = r.choice(["", ">", "/>", "'"])
        more = r.choice(["", " ex:a='\"&lt;>'", " "])
        whole = f'<rdf:Description rdf:about="urn:a{about}"{more}>{inside}</rdf:Description>'
        return r.choice([whole, "<ex:T/>", "<ex:T />", "<ex:T\n></ex:T >"])

    def prop(depth: int) -> str:
        return r.choice(
            [
                f"<ex:p>{node(depth) if depth < 4 else 't'}</ex:p>",
                '<ex:p rdf:resource="urn:x"/>',
                "<ex:p>a > b &amp; -- </ex:p>",
                "<ex:p><![CDATA[</ex:p><ex:q>]]]]></ex:p>",
                '<ex:p rdf:parseType="Literal"><a b="/>">c<!-- </a> --></a></ex:p>',
                "<!-- <ex:p> - -> --><?x <ex:p> ? > ?>",
            ]
        )

    start = r.choice(
        [
            "",
            '<?xml version="1.0"?>',
            '<!DOCTYPE rdf:RDF [<!ENTITY a "<b>">]>',
            '<!DOCTYPE rdf:RDF [<!-- > ]> --><!ENTITY a "b">]>',
            "<!-- <a> -->",
            "<?p > ?>",
        ]
    )
    return start + HEAD + "".join(node(0) for _ in range(r.randrange(4))) + "</rdf:RDF>"


def json(r: random.Random) -> str:
    def value(depth: int) -> str:
        kind = r.randrange(3) if depth < 4 else 2
        if kind == 0:
            return f"[{','.join(value(depth + 1) for _ in range(r.randrange(4)))}]"
        if kind == 1:
            keys = ['"urn:p"', '"urn:[{"', '"urn:\\"]"', '"urn:\\\\"']
            chosen = r.sample(keys, r.randrange(4))
            return f"{{{','.join(f'{key}:{value(depth + 1)}' for key in chosen)}}}"
        return r.choice(['"x"', '"[{"', '"]\\\\"', '"\\"}"', "1", "true", '"\\u005b"'])

    return f"[{value(1)}]"


def mutate(r: random.Random, text: str) -> str:
    """Put something in that the parser may well not like."""
    for _ in range(r.choice([0, 0, 1, 1, 2])):
        at = r.randrange(len(text) + 1)
        junk = r.choice([*"<>\"'{}[]()\\/!?-&;=#~|^., \n\r\t", "<!--", "-->", "]]>", "<<("])
        text = text[:at] + junk + text[at + r.randrange(3) :]
    return text


KINDS = [
    (turtle, "TURTLE", TurtleNesting, "("),
    (turtle, "TRIG", TurtleNesting, "("),
    (xml, "RDF_XML", XmlNesting, "<a>"),
    (json, "JSON_LD", JsonNesting, "["),
]


@pytest.mark.parametrize(("make", "format", "kind", "bracket"), KINDS)
@given(dice)
def test_what_is_whole_is_balanced(
    make: object, format: str, kind: type[NestingWatch], bracket: str, r: random.Random
) -> None:
    for _ in range(20):
        text = mutate(r, make(r))  # type: ignore[operator]
        try:
            list(ox.parse(text, getattr(ox.RdfFormat, format), lenient=r.random() < 0.5))
        except SyntaxError:
            continue
        watch = kind(1000)
        watch.look((bracket * OPEN).encode())
        try:
            watch.look(text.encode())
        except LimitError:
            # A reference to an entity has come into the document type, where it is not allowed.
            assert "&" in text
            continue
        if kind is XmlNesting:
            # Its parser takes a document for whole that ends inside a tag.
            assert watch.depth >= OPEN, text
        else:
            assert watch.depth == OPEN, text

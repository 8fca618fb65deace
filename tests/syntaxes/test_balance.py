"""The watch of a text's nesting and the parser behind it agree on what is a bracket or a tag.

What the parser takes for a whole text leaves nothing open: if the watch took a bracket in a string
for one, or the other way round, it would think otherwise.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable

import pyoxigraph as ox
import pytest
from hypothesis import given

from jelly_rdflib import DecodeError, LimitError
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
# An IRI that starts like an arrow is refused in N3.
N3_TERMS = [term for term in TURTLE_TERMS if not term.startswith("<=")]
PREFIXES = [
    *("@prefix ex: <urn:> .", "@prefix ex:<urn:>.", "PREFIX ex:<urn:>", "@prefix\tex:\n<urn:>."),
    "@prefix:<urn:> . @prefix ex: <urn:> .",
]
BASES = ["@base <http://b/> .", "@base<http://b/>.", "BASE<http://b/>"]
TURTLE_COMMENTS = ["", "# ((('\n", '#)))"\n', "#)))\r", "#)\r\n", "#<\n"]


def turtle(r: random.Random, *, is_n3: bool = False) -> str:
    def term(depth: int = 0) -> str:
        kind = r.randrange(8)
        if kind == 0 and depth < 4:
            return f"[ {predicates(depth + 1) if r.randrange(3) else ''} ]"
        if kind == 1 and depth < 4:
            return f"( {' '.join(term(depth + 1) for _ in range(r.randrange(4)))} )"
        if kind == 2 and depth < 4 and not is_n3:
            return f"<<( <urn:a> <urn:b> {term(9)} )>>"
        return r.choice(N3_TERMS if is_n3 else TURTLE_TERMS)

    def predicates(depth: int) -> str:
        objects = ", ".join(term(depth) for _ in range(r.randint(1, 2)))
        verbs = ["<urn:p>", "a", "ex:p"]
        if is_n3:
            objects = objects.replace("_:b", "{ ex:a ex:b 'x' }")
            verbs += ["<=", "=>", "<-<urn:p>", "<- ex:p", "ex:p!ex:q"]
        return f"{r.choice(verbs)} {objects}"

    statements = (
        f"{r.choice(['<urn:s>', '_:b', 'ex:s', '[]', '()'])} {predicates(0)} "
        f"{r.choice(TURTLE_COMMENTS)}.\n"
        for _ in range(r.randint(1, 4))
    )
    return f"{r.choice(PREFIXES)}{r.choice(BASES)}\n{''.join(statements)}"


def n3(r: random.Random) -> str:
    return turtle(r, is_n3=True)


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


def watch_n3(limit: int, is_lenient: bool = False) -> TurtleNesting:
    return TurtleNesting(limit, has_arrows=True, is_lenient=is_lenient)


KINDS = [
    (turtle, "TURTLE", TurtleNesting, "("),
    (turtle, "TRIG", TurtleNesting, "("),
    (n3, "N3", watch_n3, "("),
    (xml, "RDF_XML", XmlNesting, "<a>"),
    (json, "JSON_LD", JsonNesting, "["),
]


@pytest.mark.parametrize(("make", "format", "kind", "bracket"), KINDS)
@given(dice)
def test_what_is_whole_is_balanced(
    make: Callable[[random.Random], str],
    format: str,
    kind: Callable[..., NestingWatch],
    bracket: str,
    r: random.Random,
) -> None:
    for _ in range(20):
        text = mutate(r, make(r))
        is_lenient = r.random() < 0.5
        try:
            list(ox.parse(text, getattr(ox.RdfFormat, format), lenient=is_lenient))
        except SyntaxError:
            continue
        watch = kind(1000, is_lenient=is_lenient) if kind is watch_n3 else kind(1000)
        watch.look((bracket * OPEN).encode())
        try:
            watch.look(text.encode())
        except DecodeError:
            # A reference to an entity has come into the document type, where it is not allowed; or
            # something that is not told from an arrow.
            assert any(what in text for what in (["<=", "<-"] if kind is watch_n3 else "&"))
            continue
        if kind is XmlNesting:
            # Its parser takes a document for whole that ends inside a tag.
            assert watch.depth >= OPEN, text
        else:
            assert watch.depth == OPEN, text


N3_ARROWS = [b"<=", b"<-"]


class TestArrows:
    """In N3 they look like the start of an IRI, and pyoxigraph tells them apart at their end."""

    @pytest.mark.parametrize("arrow", N3_ARROWS)
    def test_what_may_be_either_is_refused(self, arrow: bytes) -> None:
        read = 0
        for behind, end, is_lenient in itertools.product(
            range(256), (b">", b"x>", b"20>", b"u0041>", b"\x80>"), (False, True)
        ):
            start = b"@base <http://b/> . <urn:s> <urn:p> " + arrow + bytes([behind]) + end
            parser = ox.parse(start + b" .", ox.RdfFormat.N3, lenient=is_lenient)
            try:
                [quad] = parser
            except SyntaxError:
                continue
            assert str(quad.object).startswith(f"<http://b/{arrow[1:].decode()}")
            read += 1
            with pytest.raises(DecodeError, match="an arrow or an IRI") as caught:
                watch_n3(5, is_lenient).look(start)
            assert caught.value.offset == start.index(arrow)
        assert read > 500

    @pytest.mark.parametrize("arrow", N3_ARROWS)
    @pytest.mark.parametrize("behind", [b" ", b"\t", b"\n", b"<urn:p>", b"{}", b'"x" #'])
    def test_arrows_are_read(self, arrow: bytes, behind: bytes) -> None:
        watch = watch_n3(100)
        watch.look(b"<urn:s> " + arrow + behind + b"\n ((")
        assert watch.depth == 2

    def test_there_are_none_elsewhere(self) -> None:
        for is_lenient in (False, True):
            watch = TurtleNesting(100, is_lenient=is_lenient)
            watch.look(b"<=#((> <-((> <=')> ( ")
            assert watch.depth == 1


LONG = b"<http://e/" + b"x" * 3000 + b">"
DECLARATIONS = [
    *(
        b"@prefix:",
        b"@prefix :",
        b"@prefix\tp:",
        b"@prefix#c\n:",
        b"@prefix\r:",
        b"<urn:s> a 1.@prefix:",
    ),
    *("@prefixé:".encode(), "@prefixé.p: ".encode(), "@prefix é:".encode()),
    *(b"PREFIX :", b"prefix\n:", b"pReFiX p: #\n", b"<urn:s> a 1.prefix :"),
    *(b'<urn:s> a ""@en.PREFIX p:', b"<urn:s> a [].@prefix:", b"@prefix p: <urn:> .@prefix:"),
    *(b"@base", b"@base ", b"BASE", b"base\t", b"<urn:s> a 1.BASE", b"@base<urn:a>.@base"),
    b"PREFIX p: <urn:>BASE",
]


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_prefixes_and_bases_are_seen_however_they_are_spelled(declaration: bytes) -> None:
    """What they stand for is counted wherever the parser may use it."""
    text = declaration + LONG
    for format in ("TURTLE", "TRIG", "N3"):
        parser = ox.parse(text + b" . <urn:s> a 1 .", getattr(ox.RdfFormat, format))
        with contextlib.suppress(SyntaxError):
            list(parser)
        assert any(len(iri) > 3000 for iri in [*parser.prefixes.values(), parser.base_iri or ""])
    for size in (1, len(text)):
        watch = TurtleNesting(10, max_held=2000)
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        with pytest.raises(LimitError, match="max_text_size"):
            list(map(watch.look, pieces))

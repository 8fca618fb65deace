"""How deep a text nests: brackets and tags, and what looks like them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jelly_rdflib import LimitError
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.core.nesting import NestingWatch
from jelly_rdflib.core.turtle_nesting import TurtleNesting
from jelly_rdflib.core.xml_nesting import XmlNesting
from jelly_rdflib.encodings.syntaxes.contexts import measure_context


def depth(kind: type[NestingWatch], text: str, size: int = 1 << 20) -> int | str:
    """Return how deep a text nests, looked at in pieces of a size, or why else it is refused."""
    data = text.encode()
    for limit in range(100):
        watch = kind(limit)
        try:
            for start in range(0, len(data), size):
                watch.look(data[start : start + size])
        except LimitError as error:
            if "deeper" not in str(error):
                return str(error)
            continue
        return limit
    raise AssertionError("it nests very deep")


TURTLE = [
    ("", 0),
    ("[ ( { } ) ]", 3),
    ("[] () {} []", 1),
    ("<<( <s> <p> <<( <s> <p> 'o' )>> )>>", 2),
    ("<< <s> <p> <o> >> ()", 1),
    ("<s((((> <(> '(' \"(\" # ((", 0),
    ("# ' \" <\n(", 1),
    ("# (\r(", 1),
    ("'\\'(' \"\\\"(\" (", 1),
    ("''( \"\"(", 2),
    ("'''('(''(\\'''(''' (", 1),
    ('"""("(""(\\"""(""" (', 1),
    ("'\"(' (", 1),
    ("ex:a\\(\\'\\#\\< (", 1),
    ("<> <=a((> ( => )", 1),
    (")]} (", 1),
    ("'\n(' (", 1),
]
JSON = [
    ("", 0),
    ('{"a": [{"b": 1}]}', 3),
    ('["[[", "\\"[[", "\\\\"] ', 1),
    ("]] [", 1),
]
XML = [
    ("", 0),
    ("<a><b/><b></b></a>", 2),
    ("<a b='<>' c=\"/>\"><b/></a>", 2),
    ("<a / ><b/></a>", 2),
    ("<?xml <a> ?><a/>", 1),
    ("<!-- <a><b> -- > --><a/>", 1),
    ("<!----><a/>", 1),
    ("<a><![CDATA[<b><c>]>]]]></a><a><b/></a>", 2),
    ("<!DOCTYPE a [<!ENTITY b '<c>'> <!-- <d> -->]><a/>", 1),
    ("<a>&lt;b&gt; > </a>", 1),
    ("<a b='&lt;&x;'/><a/>", 1),
    ("</a></a><a>", 1),
]
CASES = [
    *((TurtleNesting, *case) for case in TURTLE),
    *((JsonNesting, *case) for case in JSON),
    *((XmlNesting, *case) for case in XML),
]


@pytest.mark.parametrize(("kind", "text", "expected"), CASES)
def test_depth(kind: type[NestingWatch], text: str, expected: int) -> None:
    assert depth(kind, text) == expected
    # However it is cut.
    assert depth(kind, text, 1) == expected
    assert depth(kind, text, 3) == expected


def test_arrows_of_n3() -> None:
    watch = TurtleNesting(1, has_arrows=True)
    watch.look(b"<> <= ( => ) <- a(")
    assert watch.depth == 1


TOKENS = {
    TurtleNesting: [
        "<a> |ab:c",
        "'|b\\'",
        "#|a#",
        "a'|bc",
        "ab:c|,d",
        "<|b<",
        "<> |1.5",
        "'|''a''",
    ],
    JsonNesting: ['{"|a', '{"a":|1.5', '["|\\"', "|tru", '{"":"|[{', '{"a":|-'],
}
WHOLE = {
    TurtleNesting: ["", "<abc:d>", "'abc' ", "abc:d (", "#a\n", "( ", "<<"],
    JsonNesting: ["", "[", '"abc"', '{"a":', "1 "],
    XmlNesting: ["", "<a", "<a b='c"],
}


@pytest.mark.parametrize("kind", WHOLE)
def test_the_size_of_a_token_that_is_not_whole(kind: type[NestingWatch]) -> None:
    """Behind what opens it, a stroke here. An XML parser goes on with what it has of it."""
    for text in [*TOKENS.get(kind, []), *(text + "|" for text in WHOLE[kind])]:
        size = len(text) - 1 - text.index("|")
        for pieces in ([text.replace("|", "")], text.replace("|", "")):
            watch = kind(100)
            for piece in pieces:
                watch.look(piece.encode())
            assert watch.token_size == size, text


@given(
    st.sampled_from([TurtleNesting, JsonNesting, XmlNesting]),
    st.text("<>\"'{}[]()\\/!?-&;=# \nax", max_size=60),
    st.integers(1, 7),
)
@example(XmlNesting, "<!;&;", 1)
def test_pieces_do_not_matter(kind: type[NestingWatch], text: str, size: int) -> None:
    assert depth(kind, text, size) == depth(kind, text)


def test_the_place_is_told() -> None:
    for watch, text in (
        (TurtleNesting(2), b"(((("),
        (JsonNesting(2), b"[[[["),
        (XmlNesting(2), b"<a><a><a><a>"),
    ):
        watch.look(b"")
        watch.look(b" " * 10)
        with pytest.raises(LimitError, match="deeper than 2 levels") as caught:
            watch.look(text)
        assert caught.value.offset == (12 if len(text) == 4 else 17)


def held_at(watch: NestingWatch, text: bytes, size: int) -> int | None:
    """Return where a watch finds that a parser would hold too much, with pieces of a size."""
    try:
        for start in range(0, len(text), size):
            watch.look(text[start : start + size])
    except LimitError as error:
        return error.offset
    return None


def watches(max_held: int) -> list[NestingWatch]:
    return [
        TurtleNesting(20, max_held=max_held, max_quoted=5),
        TurtleNesting(20, max_held=max_held, has_arrows=True, base_size=10),
        JsonNesting(20, max_held=20 * max_held, measure_context=measure_context),
        XmlNesting(20, max_held=20 * max_held),
    ]


PARTS = [
    *("@prefix p: <urn:x> .", "BASE <a/>", "p:a", "<urn:a>", "<<( ", " )>>", "[", "]", "'x'"),
    *(" . ", '{"@context":', '{"a":"urn:a"}', ",", '"a":', '"@id":', "1", '["x y"]', "{", "}"),
    *('"\\u0040id"', '<e xmlns:p="urn:p">', "<p:a rdf:ID='a'/>", "</e>", "&b;", "<!--"),
    " rdf:parseType='Literal'",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40), st.integers(1, 7), st.integers(0, 3000))
def test_pieces_do_not_matter_to_what_is_held(parts: list[str], size: int, max_held: int) -> None:
    text = "".join(parts).encode()
    for watch, other in zip(watches(max_held), watches(max_held), strict=True):
        assert held_at(watch, text, size) == held_at(other, text, len(text) or 1)


class TestTurtle:
    def refused_at(self, text: str, max_held: int = 1000) -> int | None:
        return held_at(TurtleNesting(100, max_held=max_held, max_quoted=10), text.encode(), 10)

    def test_quoted_triples(self) -> None:
        text = "<s> <p> " + "<<( <s> <p> " * 10 + "1" + " )>>" * 10 + " ."
        assert self.refused_at(text * 20) is None
        assert self.refused_at(text.replace("1", "<< 1")) == text.index("1") + 1
        assert self.refused_at(text.replace("1", "'" + "x" * 1000 + "'")) is not None
        # Two of them at a time are not held, and no string that is not quoted.
        assert self.refused_at("<s> <p> " + "<<( <s> <p> 1 )>>, " * 200) is None
        assert self.refused_at("<s> <p> [ <p> '" + "x" * 5000 + "' ] .") is None

    @pytest.mark.parametrize(
        "declare", ["@prefix p: <urn:{}> . ", "BASE<urn:{}>", "@base <urn:{}> ."]
    )
    def test_prefixes_and_bases_count_at_each_level(self, declare: str) -> None:
        text = declare.format("x" * 100) + "<s> <p> " + "[ p:p " * 10
        assert self.refused_at(text) is not None
        assert self.refused_at(text, 10_000) is None
        # A long IRI that is none of them does not count but for itself.
        assert self.refused_at(f"<urn:{'x' * 100}> <p> 1 . <s> <p> " + "[ <p> " * 10) is None

    def test_bases_that_continue_each_other(self) -> None:
        text = "@base <urn:a/> . " + "@base <b/> . " * 50 + "<s> <p> [ <p> [ <p> [ <p> 1 ] ] ] . "
        assert self.refused_at(text) is not None
        assert self.refused_at(text.replace("<b/>", "<urn:/>")) is None

    def test_words_that_declare_nothing(self) -> None:
        iri = f"<urn:{'x' * 200}>"
        for word in ("p:prefix", "_:base", "ex:a\\,base"):
            assert self.refused_at(f"<s> {word} {iri} . <s> <p> [ <p> [ <p> [") is None
        assert self.refused_at(f"PreFix p:{iri} <s> <p> [ <p> [ <p> [") is not None


class TestDocumentTypes:
    def test_entities_may_not_be_made_of_entities(self) -> None:
        for text in (b'<!DOCTYPE a [<!ENTITY b "&c;">]>', b'<!DOCTYPE a [<!ENTITY % b "%c;&c;">]>'):
            with pytest.raises(LimitError, match="made of others"):
                XmlNesting(10).look(text)
        XmlNesting(10).look(b'<!DOCTYPE a [<!ENTITY b "&#60;&#x3c;">]>')

    def test_they_may_not_be_large(self) -> None:
        watch = XmlNesting(10)
        watch.look(b'<!DOCTYPE a [<!ENTITY b "')
        watch.look(b"x" * 60_000)
        with pytest.raises(LimitError, match="document type"):
            watch.look(b"x" * 6_000)

    def test_references_count_for_what_they_may_stand_for(self) -> None:
        watch = XmlNesting(10)
        watch.look(b'<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx">]><a>')
        assert watch.expansion == 0
        watch.look(b"&lt;&gt;&amp;&quot;&apos;&#38;&#x26;")
        assert watch.expansion == 0
        watch.look(b"&b;")
        once = watch.expansion
        assert once > 10
        watch.look(b"<c d='&b;&lt;&b;")
        assert watch.expansion == 3 * once
        watch.expansion = 0
        watch.look(b"&quot")
        watch.look(b"e;&ltt;&ap;")
        assert watch.expansion == 3 * once

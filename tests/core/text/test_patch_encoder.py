"""Tests how text is written: its preferred style, refused terms, and ends of patches."""

from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib.terms import TripleTerm
from tests.core.patch_wires import TEXT
from tests.oracle.terms import Plain
from tests.support import EncoderWriter

S, P = URIRef("s"), URIRef("p")
XSD = "http://www.w3.org/2001/XMLSchema#"


def encoder_and_text() -> tuple[EncoderWriter, list[bytes]]:
    pieces: list[bytes] = []
    return TEXT.writer(pieces.append), pieces


def row(term: Any) -> str:
    """Return the text of `term` in a row."""
    encoder, pieces = encoder_and_text()
    encoder.add(S, P, term)
    encoder.finish()
    text = b"".join(pieces).decode()
    assert text.startswith("A <s> <p> ")
    assert text.endswith(" .\n")
    return text[len("A <s> <p> ") : -len(" .\n")]


def test_style() -> None:
    encoder, pieces = encoder_and_text()
    encoder.header("id", URIRef("uuid:1"))
    encoder.header("a b", Literal("é"))
    encoder.begin()
    encoder.add_prefix("ex", URIRef("http://example.org/"))
    encoder.add_prefix("", URIRef("http://example.org/#"), URIRef("g"))
    encoder.delete_prefix("ex")
    encoder.delete_prefix("ex", URIRef("http://example.org/"), BNode("g"))
    encoder.add(S, P, Literal("o"))
    encoder.delete(BNode("b"), P, Literal("o", lang="en"), URIRef("g"))
    encoder.add(S, P, Literal(12), DATASET_DEFAULT_GRAPH_ID)
    encoder.commit()
    encoder.begin()
    encoder.abort()
    encoder.finish()
    assert b"".join(pieces).decode() == (
        "H id <uuid:1> .\n"
        'H "a b" "é" .\n'
        "TX .\n"
        'PA "ex" "http://example.org/" .\n'
        'PA "" "http://example.org/#" <g> .\n'
        'PD "ex" .\n'
        'PD "ex" <_:g> .\n'
        'A <s> <p> "o" .\n'
        'D <_:b> <p> "o"@en <g> .\n'
        f'A <s> <p> "12"^^<{XSD}integer> .\n'
        "TC .\n"
        "TX .\n"
        "TA .\n"
    )


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (URIRef("http://example.org/é\U0001f600"), "<http://example.org/é\U0001f600>"),
        (URIRef(""), "<>"),
        (
            URIRef('a b<>"{}|^`\\\n\x00'),
            r"<a\u0020b\u003C\u003E\u0022\u007B\u007D\u007C\u005E\u0060\u005C\u000A\u0000>",
        ),
        (URIRef("_a"), "<_a>"),
        (BNode("b1"), "<_:b1>"),
        (BNode(""), "<_:>"),
        (BNode("_:a"), "<_:_:a>"),
        (BNode("a>\nb é"), r"<_:a\u003E\u000Ab\u0020é>"),
        (Literal(""), '""'),
        (Literal('it\'s\ta "b"\\\r\n\b\f'), r'''"it's\ta \"b\"\\\r\n\b\f"'''),
        (
            Literal("\x00\x0b\x1f\x7f\x80é\ufffd\ufffe\uffff\U0001f600"),
            '"\\u0000\\u000B\\u001F\\u007F\x80é\ufffd\\uFFFE\\uFFFF\U0001f600"',
        ),
        (Literal("\uff0c" * 30 + '"'), '"' + "\uff0c" * 30 + '\\""'),
        (Literal("x" * 100 + "\n" + "y" * 100), '"' + "x" * 100 + "\\n" + "y" * 100 + '"'),
        (Literal("a", lang="en-GB"), '"a"@en-GB'),
        (Literal("1", datatype=URIRef(XSD + "string")), f'"1"^^<{XSD}string>'),
        (Literal(True), f'"true"^^<{XSD}boolean>'),
        (Literal("x", datatype=URIRef("a b")), r'"x"^^<a\u0020b>'),
        (
            TripleTerm(S, P, TripleTerm(BNode("b"), P, Literal("o"))),
            '<<( <s> <p> <<( <_:b> <p> "o" )>> )>>',
        ),
    ],
)
def test_terms(term: Any, text: str) -> None:
    assert row(term) == text
    assert TEXT.read(f"A {text} {text} {text} .".encode())


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("id", "id"),
        ("a.b-c_1", "a.b-c_1"),
        ("", '""'),
        ("a b", '"a b"'),
        ("1a", '"1a"'),
        ("_a", '"_a"'),
        ("a.", '"a."'),
        (".a", '".a"'),
        ("a:b", '"a:b"'),
        ("é", '"é"'),
        ('"', r'"\""'),
        ("prev", "prev"),
    ],
)
def test_header_keys(key: str, text: str) -> None:
    data = TEXT.write([("H", key, ("iri", "v"))])
    assert data.decode() == f"H {text} <v> .\n"
    assert TEXT.read(data) == [("H", key, ("iri", "v")), ("END",)]


END: Plain = ("END",)
OP: Plain = ("H", "a", ("iri", "v"))


@pytest.mark.parametrize(
    ("operations", "marks"),
    [
        ([], ""),
        ([END], ""),
        ([OP], "o"),
        ([OP, END], "o"),
        ([END, END], "ZZ"),
        ([END, END, END], "ZZZ"),
        ([OP, END, END], "oZZ"),
        ([END, OP, END], "Zo"),
        ([END, OP], "Zo"),
        ([OP, END, OP, END], "oZo"),
        ([OP, END, END, OP, END], "oZZo"),
        ([OP, END, OP, END, END], "oZoZZ"),
    ],
)
def test_ends_of_patches(operations: list[Plain], marks: str) -> None:
    data = TEXT.write(operations)
    assert data.decode() == "".join({"o": "H a <v> .\n", "Z": "Z .\n"}[mark] for mark in marks)
    assert TEXT.read(data) == (operations if operations[-1:] == [END] else [*operations, END])


def test_sink_gets_whole_rows_in_pieces() -> None:
    encoder, pieces = encoder_and_text()
    for number in range(10_000):
        encoder.add(S, P, Literal(str(number)))
    assert len(pieces) > 1
    assert all(piece.endswith(b" .\n") for piece in pieces)
    assert max(map(len, pieces)) < 1 << 17
    encoder.end_patch()
    assert len(TEXT.read(b"".join(pieces))) == 10_001


def test_sink_that_fails() -> None:
    def fail(piece: bytes) -> None:
        raise OSError("full")

    encoder = TEXT.writer(fail)
    encoder.add(S, P, S)
    with pytest.raises(OSError, match="full"):
        encoder.end_patch()
    with pytest.raises(jr.EncodeError, match="could not be written"):
        encoder.add(S, P, S)
    encoder.finish()

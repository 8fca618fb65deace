"""Tests each rule of the grammar with good and bad rows."""

from typing import Any

import pytest

from tests.core.patch_wires import TEXT
from tests.core.text import reference
from tests.oracle.terms import Plain
from tests.pieces import Pieces

XSD = "http://www.w3.org/2001/XMLSchema#"
S, P, OBJECT, G = ("iri", "s"), ("iri", "p"), ("iri", "o"), ("iri", "g")
END = ("END",)


def typed(lexical: str, name: str) -> Plain:
    return ("literal", lexical, None, XSD + name)


def plain_literal(lexical: str) -> Plain:
    return ("literal", lexical, None, None)


ROWS: dict[str, str] = {
    "add a triple": "A <s> <p> <o> .",
    "add a quad": "A <s> <p> <o> <g> .",
    "Jena's names for the default graph": (
        "A <s> <p> <o> <urn:x-arq:DefaultGraph> . D <s> <p> <o> <urn:x-arq:DefaultGraphNode> ."
        "PA ex <s> <urn:x-arq:DefaultGraphNode> . PD ex <urn:x-arq:DefaultGraphNode> ."
    ),
    "IRIs like Jena's names for the default graph": (
        "A <s> <p> <urn:x-arq:DefaultGraph> <urn:x-arq:DefaultGraphNodes> ."
        "A <s> <p> <o> <urn:x-arq:defaultGraph> ."
    ),
    "transaction": "TX .\nTC .",
    "TB is an old TX": "TB . TC .",
    "header, bare key": "H id <s> .",
    "header, quoted key": 'H "id" <s> .',
    "header, key with dots and dashes": "H a.b-c_1 <s> .",
    "header, key that is a code": "H TX <s> .",
    "header, key not ASCII": "H schlüssel·1 <s> .",
    "header, quoted triple": "H a << <s> <p> <o> >> .",
    "header behind changes": "TX . H a <s> . TC .",
    "header PREV as rdflib writes prev": "H PREV <s>\nTX .\nTC .\n",
    "header prev as rdflib writes it": "H prev <s>\nTX .\nTC .\n",
    "prefix add, name and IRI bare": "PA ex <s> .",
    "prefix add, quoted": 'PA "ex" "s" .',
    "prefix add, empty name": 'PA "" <s> .',
    "prefix add, graph": "PA ex <s> <g> .",
    "prefix add, quoted IRI like a blank node": 'PA ex "_:s" .',
    "prefix delete": "PD ex .",
    "prefix delete, graph": "PD ex <g> .",
    "prefix delete, IRI quoted": 'PD ex "s" .',
    "prefix delete, IRI quoted, graph": 'PD ex "s" <g> .',
    "prefix delete, IRI, graph": "PD ex <s> <g> .",
    "end of a patch": "A <s> <p> <o> . Z .",
    "end between patches": "H a <s> . Z . H a <o> .",
}

LAYOUT: dict[str, str] = {
    "nothing": "",
    "byte order mark": "\ufeffTX . TC .",
    "hardly any space": "TX. A<s><p><o>.TC.",
    "no space around literals": 'A<s><p>"o"<g>.A<s><p>1.D<s><p>_:o.',
    "row over lines": "A\n<s>\r\n\t<p>\n<o>\n.\n",
    "comments between rows": "# a\nTX . # b\n# c\nTC . # d",
    "comments in a row": 'A # a .\n<s> # >\r<p># "\n<o>#\n.',
    "comment with any characters": "# é😀\x00\"<'\nTX . TC .",
}

TERMS: dict[str, tuple[str, Plain]] = {
    "IRI": ("<http://example.org/a#b>", ("iri", "http://example.org/a#b")),
    "IRI, empty": ("<>", ("iri", "")),
    "IRI, relative": ("<../a?b>", ("iri", "../a?b")),
    "IRI, not ASCII": ("<http://é/\U0001f600>", ("iri", "http://é/\U0001f600")),
    "IRI, escapes": (r"<a\u00e9\U0001F600b>", ("iri", "aé\U0001f600b")),
    "IRI, escapes of what IRIs do not have": (r"<a\u0020\u003E>", ("iri", "a >")),
    "IRI, what Jena warns of": ('<a{}|^`"b>', ("iri", 'a{}|^`"b')),
    "blank node": ("_:b", ("bnode", "b")),
    "blank node, dots and dashes": ("_:a.b--c..d-", ("bnode", "a.b--c..d-")),
    "blank node, colons": ("_:a:b:", ("bnode", "a:b:")),
    "blank node, not ASCII": ("_:é·\U0001f600", ("bnode", "é·\U0001f600")),
    "blank node in brackets": ("<_:b>", ("bnode", "b")),
    "blank node in brackets, odd characters": ("<_:-a/b?c#d:e.>", ("bnode", "-a/b?c#d:e.")),
    "blank node in brackets, empty": ("<_:>", ("bnode", "")),
    "blank node in brackets, escapes": (r"<_:a\u0020\u003E\u000A>", ("bnode", "a >\n")),
    "string": ('"x"', plain_literal("x")),
    "string, empty": ('""', plain_literal("")),
    "string, single quotes": ("'x'", plain_literal("x")),
    "string, other quote": ('"it\'s"', plain_literal("it's")),
    "string, escapes": (r'''"\t\b\n\r\f\"\'\\"''', plain_literal("\t\b\n\r\f\"'\\")),
    "string, escapes of characters": (r'"\u00E9\u00e9\U0001F600"', plain_literal("éé\U0001f600")),
    "string, escape of nothing": (r'"a\u0000b"', plain_literal("a\0b")),
    "string, control characters": ('"\t\x00\x1f\x7f"', plain_literal("\t\x00\x1f\x7f")),
    "string, what looks like more": ('"<a> . # \' _:b"', plain_literal("<a> . # ' _:b")),
    "string in three quotes": ('"""a"b""c\n\r\nd"""', plain_literal('a"b""c\n\r\nd')),
    "string in three single quotes": ("'''a'b''c\n'''", plain_literal("a'b''c\n")),
    "string in three quotes, escapes": (r'"""\"\n\u00e9\\"""', plain_literal('"\né\\')),
    "language": ('"x"@en', ("literal", "x", "en", None)),
    "language, parts and case": ("'x'@EN-gb-1a", ("literal", "x", "EN-gb-1a", None)),
    "datatype": ('"x"^^<d>', ("literal", "x", None, "d")),
    "datatype, xsd:string": (f'"x"^^<{XSD}string>', typed("x", "string")),
    "datatype behind space": ('"x" ^^ # c\n <d>', ("literal", "x", None, "d")),
    "integer": ("12", typed("12", "integer")),
    "integer, signs": ("-012", typed("-012", "integer")),
    "decimal": ("-3.40", typed("-3.40", "decimal")),
    "decimal without a first digit": (".5", typed(".5", "decimal")),
    "double": ("1.0e6", typed("1.0e6", "double")),
    "double, nothing behind the dot": ("1.e6", typed("1.e6", "double")),
    "double, signs": ("-.1e-06", typed("-.1e-06", "double")),
    "true": ("true", typed("true", "boolean")),
    "quoted triple": ("<< <s> <p> <o> >>", ("triple", S, P, OBJECT)),
    "quoted triple of RDF 1.2": ("<<( <s> <p> <o> )>>", ("triple", S, P, OBJECT)),
    "quoted triples nested": (
        "<< << <s> <p> <o> >> <p> <<( <s> <p> << <s> <p> 1 >> )>> >>",
        (
            "triple",
            ("triple", S, P, OBJECT),
            P,
            ("triple", S, P, ("triple", S, P, typed("1", "integer"))),
        ),
    ),
    "quoted triple over lines": ("<<\n<s> # c\n<p>\n<o>\n>>", ("triple", S, P, OBJECT)),
}

BAD: dict[str, str] = {
    "no code": "<s> <p> <o> .",
    "unknown code": "B <s> <p> <o> .",
    "statement without terms": "A .",
    "statement of five terms": "A <s> <p> <o> <g> <x> .",
    "statement without a dot": "A <s> <p> <o>\nA <s> <p> <o> .",
    "two dots": "A <s> <p> <o> . .",
    "prefixed name": "A ex:s <p> <o> .",
    "prefixed name without a prefix": "A :s <p> <o> .",
    "directive": "@prefix ex: <s> .",
    "header without a value": "H id .",
    "header key with a colon": "H id: <s> .",
    "header key with a language": 'H "id"@en <s> .',
    "header key that is an IRI": "H <id> <s> .",
    "header without a dot": "H id <s>\nTX .\nTC .",
    "header prev without a dot, elsewhere": "H prev <s> TX . TC .",
    "prefix add without an IRI": "PA ex .",
    "prefix with a colon": "PA ex: <s> .",
    "prefix add, a blank node as IRI": "PA ex <_:s> .",
    "prefix add, IRI with a datatype": 'PA ex "s"^^<d> .',
    "prefix add, two graphs": "PA ex <s> <g> <g> .",
    "prefix add, quoted triple as graph": "PA ex <s> << <s> <p> <o> >> .",
    "prefix delete, a blank node as IRI": "PD ex _:s <g> .",
    "transaction in a transaction": "TX . TX . TC . TC .",
    "commit without a transaction": "TC .",
    "end of input in a transaction": "TX . A <s> <p> <o> .",
    "end of a patch in a transaction": "TX . Z . TC .",
    "mark without a dot": "TX\nTC .",
    "marks that are one word": "TX.TC.",
    "IRI not closed": "A <s <p> <o> .",
    "IRI with a space": "A <s s> <p> <o> .",
    "IRI with an angle bracket": "A <s<> <p> <o> .",
    "IRI with an escape of strings": r"A <s\n> <p> <o> .",
    "IRI with a short escape": r"A <s\u00e> <p> <o> .",
    "IRI with an escaped bracket": r"A <s\>> <p> <o> .",
    "IRI with an escaped surrogate": r"A <s\uD800> <p> <o> .",
    "label that starts with a dash": "A _:-a <p> <o> .",
    "label with other characters": "A _:a/b <p> <o> .",
    "underscore alone": "A _ <p> <o> .",
    "string not closed": 'A <s> <p> "o .',
    "string with a line feed": 'A <s> <p> "a\nb" .',
    "string with an unknown escape": r'A <s> <p> "\a" .',
    "string with a wrong escape": r'A <s> <p> "\u12G4" .',
    "string with an escaped surrogate": r'A <s> <p> "\uD83D\uDE00" .',
    "string with an escape out of range": r'A <s> <p> "\U00110000" .',
    "string in three quotes, not closed": 'A <s> <p> """o" .',
    "string in three quotes, four at the end": 'A <s> <p> """o"""" .',
    "language that starts with a digit": 'A <s> <p> "o"@1 .',
    "language that ends in a dash": 'A <s> <p> "o"@en- .',
    "language with a digit in the first part": 'A <s> <p> "o"@e1 .',
    "language and direction": 'A <s> <p> "o"@en--ltr .',
    "one caret": 'A <s> <p> "o"^<d> .',
    "datatype missing": 'A <s> <p> "o"^^ .',
    "datatype that is a prefixed name": 'A <s> <p> "o"^^xsd:int .',
    "datatype that is a quoted triple": 'A <s> <p> "o"^^<< <s> <p> <o> >> .',
    "datatype and language": 'A <s> <p> "o"@en^^<d> .',
    "sign without a number": "A <s> <p> - .",
    "number with a letter": "A <s> <p> 12a .",
    "quoted triple of two terms": "A << <s> <p> >> <p> <o> .",
    "quoted triple not closed": "A << <s> <p> <o> > <p> <o> .",
    "quoted triple, brackets do not fit": "A <<( <s> <p> <o> >> <p> <o> .",
    "quoted triple as graph": "A <s> <p> <o> << <s> <p> <o> >> .",
    "byte order mark in the middle": "TX . \ufeffTC .",
    "vertical tab": "TX \x0b.",
}

BAD_UTF8: dict[str, bytes] = {
    "IRI": b"A <\xff> <p> <o> .",
    "IRI, cut off": b"A <\xc3> <p> <o> .",
    "blank node": b"A <_:\xe9> <p> <o> .",
    "label": b"A _:a\xff <p> <o> .",
    "string": b'A <s> <p> "\xc0\x80" .',
    "string with escapes": b'A <s> <p> "\\n\xff" .',
    "string, surrogate": b'A <s> <p> "\xed\xa0\x80" .',
    "string, cut off by an escape": b'A <s> <p> "\xe2\x82\\n" .',
    "comment": b"# \xff\nTX . TC .",
    "comment in a row": b"TX # \xff\n. TC .",
    "between tokens": b"TX \xff. TC .",
    "start": b"\xff\xfeT\0X\0",
    "key": b"H a\xff <s> .",
}


@pytest.mark.parametrize("name", [*ROWS, *LAYOUT])
def test_good(name: str) -> None:
    data = {**ROWS, **LAYOUT}[name].encode()
    expected = reference.read(data)
    assert expected.fault is None
    assert TEXT.read(data) == TEXT.read(Pieces(data)) == expected.operations


@pytest.mark.parametrize("name", TERMS)
def test_term(name: str) -> None:
    """Any term may be in any position, except that a quoted triple can't be a graph."""
    text, term = TERMS[name]
    for position in range(4):
        texts, terms = ["<s>", "<p>", "<o>", "<g>"], [S, P, OBJECT, G]
        texts[position], terms[position] = text, term
        row = f"A {' '.join(texts)} ."
        if position == 3 and term[0] == "triple":
            refuse(row.encode())
            continue
        assert TEXT.read((row * 2).encode()) == [("A", *terms)] * 2 + [END]
        assert reference.read(row.encode()).operations == [("A", *terms), END]
        assert TEXT.read(Pieces(row.encode())) == [("A", *terms), END]


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    refuse(BAD[name].encode())


@pytest.mark.parametrize("name", BAD_UTF8)
def test_bad_utf8(name: str) -> None:
    error = refuse(BAD_UTF8[name])
    assert "UTF-8" in error.message


def refuse(data: bytes) -> Any:
    expected = reference.read(data)
    assert expected.fault is not None
    operations, error = TEXT.attempt(data)
    assert error is not None
    assert operations == expected.operations
    assert error.line is not None
    assert error.column is not None
    assert error.offset is not None
    assert error.frame is None
    assert error.row is None
    pieces = TEXT.attempt(Pieces(data))
    assert (pieces[0], str(pieces[1])) == (operations, str(error))
    return error

"""IRIs, blank nodes, literals and quoted triples."""

from __future__ import annotations

from typing import Any

from conformance import rows as b
from conformance.cases.case import (
    TABLE,
    XSD,
    A,
    Case,
    G,
    O,
    P,
    S,
    X,
    g,
    o,
    p,
    reads,
    refuses,
    s,
    text,
    x,
)
from conformance.document import Plain
from conformance.wire import field

_GENERAL: dict[str, Any] = {"generalized_statements": True}
_STAR: dict[str, Any] = {"rdf_star": True}


def cases() -> list[Case]:
    """Return the cases."""
    return [*_iris(), *_blank_nodes(), *_literals(), *_quoted(), *_generalized(), *_twice()]


def _iris() -> list[Case]:
    odd = [
        b.name("http://例え.テスト/パス#フ"),
        b.name("urn:x"),
        b.name("http://example.org/a%20b?q=1&r#f"),
    ]
    names = ("http://例え.テスト/パス#フ", "urn:x", "http://example.org/a%20b?q=1&r#f")
    bad = "not an IRI <>"
    return [
        *reads("terms/iris", "iri", "IRIs of several schemes, and with characters of others.",
               [[*odd, b.add(b.iri(), b.iri(), b.iri())]],
               [[A(*(("iri", name) for name in names))]]),
        *refuses("terms/iri_that_is_none", "iri",
                 "An IRI with spaces and angle brackets. It should be one of RFC 3987; readers may"
                 " take it as it is.",
                 [[*TABLE, b.name(bad), b.prefix(""), b.add(s, p, b.iri(2, 6))]],
                 [[*TABLE, b.name("urn:y"), b.prefix(""), b.add(s, p, b.iri(2, 6))]],
                 [[A(S, P, ("iri", "urn:y"))]], "may", as_read=[[A(S, P, ("iri", bad))]]),
        *refuses("terms/iri_that_is_relative", "iri",
                 "A relative IRI. Jelly has no base for it; readers may take it as it is.",
                 [[b.prefix(""), b.name("../x"), b.add(b.iri(1, 1), b.iri(1, 1), "o")]],
                 [[b.prefix("urn:"), b.name("x"), b.add(b.iri(1, 1), b.iri(1, 1), "o")]],
                 [[A(("iri", "urn:x"), ("iri", "urn:x"), ("bnode", "o"))]], "may",
                 as_read=[[A(("iri", "../x"), ("iri", "../x"), ("bnode", "o"))]]),
    ]  # fmt: skip


def _blank_nodes() -> list[Case]:
    labels = ["b", "B", "b.1", "0", "ü", "a b", "", "_:b"]
    rows = [b.add(label, p, "b") for label in labels]
    return [
        *reads("terms/blank_nodes", "blank-nodes utf-8",
               "Labels of all sorts; the same label is the same node.",
               [[*TABLE, *rows]],
               [[A(("bnode", label), P, ("bnode", "b")) for label in labels]]),
        *reads("terms/blank_nodes_in_all_places", "blank-nodes",
               "One node as subject, object, graph and value of a header.",
               [[*TABLE, b.header("k", "b"), b.add("b", p, "b", "b")]],
               [[("H", "k", ("bnode", "b")), A(("bnode", "b"), P, ("bnode", "b"), ("bnode", "b"))]],
               statement_type="QUADS"),
        *reads("terms/blank_nodes_across_frames", "blank-nodes",
               "A label in two frames of a FLAT stream, which is one patch: one node.",
               [[*TABLE, b.add("b", p, o)], [b.add("c", p, o)], [b.add("b", p, x)]],
               [[A(("bnode", "b"), P, O), A(("bnode", "c"), P, O), A(("bnode", "b"), P, X)]]),
    ]  # fmt: skip


def _object(message: Any, *before: Any) -> list[list[Any]]:
    return [[*TABLE, *before, b.add(s, p, message)]]


def _literals() -> list[Case]:
    integer = b.datatype(XSD + "integer")
    one = [[A(S, P, text("1", None, XSD + "integer"))]]
    odd = '"\\\t\r\n\u0000\ufeff é 日本 \U0001f600'
    tag = field(11, field(1, b"x") + field(2, b""))
    start = field(1, s.SerializeToString()) + field(5, p.SerializeToString())
    zero = field(11, field(1, b"1") + field(3, 0))
    return [
        *reads("terms/simple_literal", "simple-literal", "Neither language nor datatype.",
               _object(b.literal("x")), [[A(S, P, text("x"))]]),
        *reads("terms/empty_literals", "empty-literal simple-literal",
               "No lexical form: the empty string, simple, with a language, with a datatype.",
               [[*TABLE, integer, b.add(s, p, b.literal()), b.add(o=b.literal(lang="en")),
                 b.add(o=b.literal(datatype=1))]],
               [[A(S, P, text("")), A(S, P, text("", "en")),
                 A(S, P, text("", None, XSD + "integer"))]]),
        *reads("terms/characters_of_literals", "simple-literal utf-8",
               "Quotes, line breaks, the null character, a byte order mark, and characters of one"
               " to four bytes.", _object(b.literal(odd)), [[A(S, P, text(odd))]]),
        *reads("terms/languages", "language-tag", "Language tags of BCP 47.",
               [[*TABLE, b.add(s, p, b.literal("x", "en")), b.add(o=b.literal("x", "de-CH-1996")),
                 b.add(o=b.literal("x", "zh-Hant-TW"))]],
               [[A(S, P, text("x", tag)) for tag in ("en", "de-CH-1996", "zh-Hant-TW")]]),
        *reads("terms/datatypes", "datatype-id",
               "Lexical forms are kept, even if the datatype has no such value.",
               [[*TABLE, integer, b.datatype(XSD + "date"),
                 b.add(s, p, b.literal("01", datatype=1)),
                 b.add(o=b.literal("2024-02-30", datatype=2)), b.add(o=b.literal("", datatype=2))]],
               [[A(S, P, text("01", None, XSD + "integer")),
                 A(S, P, text("2024-02-30", None, XSD + "date")),
                 A(S, P, text("", None, XSD + "date"))]]),
        *reads("terms/xsd_string", "simple-literal datatype-id",
               "A literal of xsd:string is the simple literal of RDF 1.1.",
               [[*TABLE, b.datatype(XSD + "string"), b.add(s, p, b.literal("x", datatype=1))]],
               [[A(S, P, text("x"))]]),
        *refuses("terms/datatype_zero", "datatype-id",
                 "A literal of datatype 0, which is spelled out: it is not the next one.",
                 [[*TABLE, integer, field(2, start + zero)]],
                 _object(b.literal("1", datatype=1), integer), one),
        *refuses("terms/language_that_is_none", "language-tag",
                 "A language tag with a space. It should be one of BCP 47.",
                 _object(b.literal("x", "not a tag")), _object(b.literal("x", "not-a-tag")),
                 [[A(S, P, text("x", "not-a-tag"))]], "may",
                 as_read=[[A(S, P, text("x", "not a tag"))]]),
        *refuses("terms/language_with_a_direction", "language-tag",
                 "A language tag with a base direction, as RDF 1.2 writes it. It is no tag of BCP"
                 " 47, and the schema has no field for a direction: readers refuse it, keep it, or"
                 " take it for both.",
                 _object(b.literal("سلام", "ar--rtl")), _object(b.literal("سلام", "ar")),
                 [[A(S, P, text("سلام", "ar"))]], "may"),
        *refuses("terms/language_that_is_empty", "language-tag",
                 "An empty language tag, which is spelled out.",
                 [[*TABLE, field(2, start + tag)]], _object(b.literal("x", "en")),
                 [[A(S, P, text("x", "en"))]], "may"),
    ]  # fmt: skip


def _deep(levels: int) -> tuple[Any, Any]:
    """Return a row whose object is a nested quoted triple, and its operation."""
    message: Any = b.triple(s, p, o)
    term: Plain = ("triple", S, P, O)
    for _ in range(levels - 1):
        message, term = b.triple(s, p, message), ("triple", S, P, term)
    return b.add(s, p, message), A(S, P, term)


def _very_deep(levels: int) -> bytes:
    """Return the row of `_deep` as bytes, nested deeper than protobuf can write messages."""
    start = field(1, s.SerializeToString()) + field(5, p.SerializeToString())
    inner = start + field(9, o.SerializeToString())
    for _ in range(levels - 1):
        inner = start + field(12, inner)
    return field(2, start + field(12, inner))


def _quoted() -> list[Case]:
    row, said = _deep(20)
    quoted, star = b.triple(s, p, o), ("triple", S, P, O)
    out: list[Case] = [
        *reads("terms/quoted", "rdf-star-option", "A quoted triple as subject and object.",
               [[*TABLE, b.add(quoted, p, o), b.add(s, p, quoted), b.header("k", quoted)]],
               [[A(star, P, O), A(S, P, star), ("H", "k", star)]], **_STAR),
        *reads("terms/quoted_with_all_terms", "rdf-star-option",
               "A quoted triple with a blank node and a literal.",
               [[*TABLE, b.add(b.triple("b", p, b.literal("x", "en")), p, o)]],
               [[A(("triple", ("bnode", "b"), P, text("x", "en")), P, O)]], **_STAR),
        *refuses("terms/quoted_a_thousand_deep", "quoted-depth wire",
                 "A thousand nested quoted triples. Readers should refuse what is too deep"
                 " for them; this must not end the process.",
                 [[*TABLE, _very_deep(1000)]], [[*TABLE, row]], [[said]], "may", **_STAR),
    ]  # fmt: skip
    for place, terms in (
        ("subject", (None, p, o)),
        ("predicate", (s, None, o)),
        ("object", (s, p, None)),
    ):
        out += refuses(f"terms/quoted_without_{place}", "quoted-repeated-term",
                       f"A quoted triple has no {place}. The statement before has one.",
                       [[*TABLE, b.add(s, p, o), b.add(s, p, b.triple(*terms))]],
                       [[*TABLE, b.add(s, p, o), b.add(s, p, b.triple(s, p, o))]],
                       [[A(S, P, O), A(S, P, star)]], **_STAR)  # fmt: skip
    out += refuses("terms/quoted_without_object_in_quoted", "quoted-repeated-term",
                   "A quoted triple in a quoted triple has no object.",
                   [[*TABLE, b.add(s, p, b.triple(s, p, b.triple(s, p)))]],
                   [[*TABLE, b.add(s, p, b.triple(s, p, b.triple(s, p, o)))]],
                   [[A(S, P, ("triple", S, P, star))]], **_STAR)  # fmt: skip
    out += refuses("terms/quoted_without_object_in_header", "quoted-repeated-term",
                   "The value of a header is a quoted triple without an object.",
                   [[*TABLE, b.add(s, p, o), b.header("k", b.triple(s, p))]],
                   [[*TABLE, b.add(s, p, o), b.header("k", b.triple(s, p, o))]],
                   [[A(S, P, O), ("H", "k", star)]], **_STAR)  # fmt: skip
    return out


def _generalized() -> list[Case]:
    literal = b.literal("x", "en")
    said = text("x", "en")
    return [
        *reads("terms/generalized", "generalized-option",
               "Literals and blank nodes in all places of a statement.",
               [[*TABLE, b.add(literal, "b", o), b.add(s, literal, literal)]],
               [[A(said, ("bnode", "b"), O), A(S, said, said)]], **_GENERAL),
        *reads("terms/generalized_graph", "generalized-option",
               "Literals as names of graphs, of a statement and of a namespace.",
               [[*TABLE, b.add(s, p, o, literal), b.prefix_add("n", s, b.literal("y"))]],
               [[A(S, P, O, said), ("PA", "n", S, text("y"))]], statement_type="QUADS",
               **_GENERAL),
        *reads("terms/generalized_quoted", "generalized-option rdf-star-option",
               "Quoted triples as predicates, and with literals in all places.",
               [[*TABLE, b.add(s, b.triple(literal, literal, literal), o)]],
               [[A(S, ("triple", said, said, said), O)]], **_GENERAL, **_STAR),
    ]  # fmt: skip


def _twice() -> list[Case]:
    """Return cases of oneofs whose bytes set two members; protobuf keeps the last."""
    po = field(5, p.SerializeToString()) + field(9, o.SerializeToString())
    iri = field(1, s.SerializeToString())
    both = field(2, field(2, b"b") + iri + po)
    language = field(11, field(1, b"x") + field(2, b"en") + field(3, 1))
    start = iri + field(5, p.SerializeToString())
    graphs = field(5, b"") + field(3, g.SerializeToString())
    value = field(4, field(1, b"n") + field(2, s.SerializeToString()) + graphs)
    integer = b.datatype(XSD + "integer")
    typed = text("x", None, XSD + "integer")
    words = "Protobuf keeps the last, so most readers can't see it."
    return [
        *refuses("terms/subject_of_two_kinds", "second-field",
                 f"A subject is a blank node, and then an IRI. {words}",
                 [[*TABLE, both]], [[*TABLE, b.add(s, p, o)]], [[A(S, P, O)]], "may",
                 as_read=[[A(S, P, O)]]),
        *refuses("terms/literal_of_two_kinds", "second-field",
                 f"A literal has a language, and then a datatype. {words}",
                 [[*TABLE, integer, field(2, start + language)]],
                 [[*TABLE, integer, b.add(s, p, b.literal("x", datatype=1))]],
                 [[A(S, P, typed)]], "may", as_read=[[A(S, P, typed)]]),
        *refuses("terms/graph_of_two_kinds", "second-field",
                 f"A namespace is in the default graph, and then in a named one. {words}",
                 [[*TABLE, value]], [[*TABLE, b.prefix_add("n", s, g)]], [[("PA", "n", S, G)]],
                 "may", as_read=[[("PA", "n", S, G)]], statement_type="QUADS"),
        *refuses("terms/value_of_two_kinds", "second-field header-value",
                 f"The value of a header is a blank node, and then an IRI. {words}",
                 [[*TABLE, field(14, field(1, b"k") + field(3, b"b")
                                 + field(2, x.SerializeToString()))]],
                 [[*TABLE, b.header("k", x)]], [[("H", "k", X)]], "may", as_read=[[("H", "k", X)]]),
    ]  # fmt: skip

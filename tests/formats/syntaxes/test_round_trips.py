"""Tests round trips of statements and batches through each syntax."""

import io
import re
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Dataset, Graph
from rdflib.compare import isomorphic

import jelly_rdflib as jr
from tests.formats.syntaxes.support import (
    ALL,
    WITH_GRAPHS,
    batches_of,
    literal,
    operations,
    read,
    read_back,
    write,
)
from tests.formats.syntaxes.support import write_batches as encode
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node, plain, with_default_graph
from tests.strategies import (
    TYPED_LITERALS,
    blank_nodes,
    iris,
    literals,
)

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TRIPLE_TERMS = ("n-triples", "n-quads", "turtle", "trig")

NAME = (
    "[A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"
)
MORE = NAME[:-1] + "\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]"
"""The name characters of XML 1.0, "Common Syntactic Constructs", without the colon."""


def escaped(text: str) -> str:
    return "".join(f"\\U{ord(char):08X}" for char in text)


def n_quads(value: Plain) -> str:
    """Return a term in N-Quads, with as many escapes as possible."""
    if value[0] == "iri":
        return f"<{escaped(value[1])}>"
    if value[0] == "bnode":
        return f"_:{value[1]}"
    if value[0] == "triple":
        return f"<<( {' '.join(map(n_quads, value[1:]))} )>>"
    _, lexical, language, datatype = value
    if language is not None:
        return f'"{escaped(lexical)}"@{language}'
    return f'"{escaped(lexical)}"' + ("" if datatype is None else f"^^<{escaped(datatype)}>")


def is_n_quad(statement: Plain) -> bool:
    """Return whether pyoxigraph reads exactly this statement from a line made by the test."""
    terms = statement[:3] if statement[3] == DEFAULT_GRAPH else statement
    # Only labels can't have escapes.
    if any(re.search(r"\s|[<>\"]|^$", term[1]) for term in terms if term[0] == "bnode"):
        return False
    line = f"{' '.join(map(n_quads, terms))} .\n"
    try:
        quads = list(ox.parse(line, ox.RdfFormat.N_QUADS))
    except (SyntaxError, UnicodeEncodeError):
        return False
    return len(quads) == 1


def has_triple(statement: Plain) -> bool:
    return any(term[0] == "triple" for term in statement)


def is_xml(statement: Plain) -> bool:
    """Return whether RDF/XML can represent each term."""
    s, p, o, _ = statement
    labels = [term[1] for term in (s, o) if term[0] == "bnode"]
    words = ("Description", "RDF", "ID", "about", "parseType", "resource", "nodeID", "datatype")
    return (
        re.search(f"{NAME}{MORE}*$", p[1]) is not None
        and not p[1].startswith("http://www.w3.org/2000/xmlns/")
        and p[1] not in [RDF + word for word in (*words, "li", "aboutEach", "bagID")]
        and all(re.fullmatch(f"{NAME}{MORE}*", label) for label in labels)
        and not (o[0] == "literal" and re.search("[\0-\b\v\f\x0e-\x1f\ufffe\uffff]", o[1]))
    )


def sayable(statement: Plain, format: str) -> bool:
    return (
        is_n_quad(statement)
        and (format in WITH_GRAPHS or statement[3] == DEFAULT_GRAPH)
        and (format in TRIPLE_TERMS or not has_triple(statement))
        and (format != "rdf-xml" or is_xml(statement))
    )


def expected(statements: list[Plain], format: str) -> list[Plain]:
    """Return the statements that a reader must return for the written statements."""
    length = 4 if format in WITH_GRAPHS else 3
    # rdflib's own constructor changes the whitespace of some datatypes.
    return [
        tuple(read_back(plain(node(term))) for term in statement[:length])
        for statement in statements
    ]


good_iris = st.sampled_from(
    [
        "http://example.org/a",
        "http://example.org/b#c",
        "http://example.org/é/日本#\U0001f600",
        "urn:a:b",
        "tag:x,y:z?q&r='s'",
        "http://example.org/12",
        "http://example.org/1a",
        "http://example.org/%41b",
        "http://example.org/",
        "http://example.org#",
        RDF + "type",
        RDF + "first",
        RDF + "nil",
        RDF + "li",
        "http://www.w3.org/2000/xmlns/a",
        "http://www.w3.org/XML/1998/namespace",
    ]
).map(lambda iri: ("iri", iri))
good_nodes = st.sampled_from(["b0", "a.b", "0-x", "é", "_"]).map(lambda label: ("bnode", label))
any_iri = good_iris | good_iris | good_iris | iris
any_node = any_iri | good_nodes | blank_nodes
graphs = st.just(DEFAULT_GRAPH) | any_node
plain_objects = any_node | literals
triples = st.recursive(
    st.tuples(st.just("triple"), any_node, any_iri, plain_objects),
    lambda inner: st.tuples(st.just("triple"), any_node, any_iri, inner),
    max_leaves=3,
)
statements = st.tuples(any_node, any_iri, plain_objects | triples, graphs)
generalized = st.tuples(*[any_node | literals | triples] * 3, graphs | literals | triples)


def write_what_can_be(statements: list[Plain], format: str) -> tuple[bytes, list[Plain]]:
    """Write statements one by one; return the text and the statements that were not refused."""
    taken: list[Plain] = []

    def attempts() -> Any:
        for statement in statements:
            try:
                write([statement], format)
            except jr.EncodeError:
                continue
            taken.append(statement)
            yield statement

    return write(attempts(), format), taken


@pytest.mark.parametrize("format", ALL)
@given(st.lists(statements | statements | generalized, max_size=6))
def test_what_can_be_said_is_said(format: str, statements: list[Plain]) -> None:
    """Statements that can't be represented are refused and leave nothing in the text."""
    file_text, taken = write_what_can_be(statements, format)
    assert taken == [statement for statement in statements if sayable(statement, format)]
    assert read_back(tuple(read(file_text, format))) == read_back(tuple(expected(taken, format)))


@pytest.mark.parametrize("format", ALL)
@settings(max_examples=15)
@given(st.lists(statements, max_size=6))
def test_batches_are_written_as_statements_are(format: str, statements: list[Plain]) -> None:
    statements = [statement for statement in statements if sayable(statement, format)]
    if format not in WITH_GRAPHS:
        statements = [statement[:3] for statement in statements]
        batches = batches_of(statements, physical_type="TRIPLES", frame_rows=3)
    else:
        batches = batches_of(statements, frame_rows=3)
    text = write(statements, format)
    assert encode(batches, format) == text
    # The statements that were read are written once more.
    again = encode(jr.read_batches(text, format=format), format)
    assert read(again, format) == read(text, format)


@pytest.mark.parametrize("format", ["n-quads", "turtle", "rdf-xml"])
@settings(max_examples=20)
@given(st.data())
def test_jelly_there_and_back(format: str, data: Any) -> None:
    """A Jelly-RDF stream survives the round trip with the same statements and namespaces."""
    chosen = [
        statement
        for statement in data.draw(st.lists(statements, max_size=6))
        if sayable(statement, format)
    ]
    text = write(chosen, format, [("ex", "http://example.org/")])
    file = io.BytesIO()
    options = jr.StreamOptions(rdf_star=True, namespace_declarations=True)
    with jr.StatementWriter(file, options) as writer:
        for batch in jr.read_batches(text, format=format):
            writer.write_all(batch)
    found = operations(file.getvalue(), "jelly-rdf")
    expected = [tuple(read_back(plain(node(term))) for term in one) for one in chosen]
    added = [with_default_graph(op)[1:] for op in found if op[0] == "A"]
    assert [tuple(map(read_back, statement)) for statement in added] == expected
    has_prefixes = format in ("turtle", "trig", "n3", "rdf-xml")
    namespace = ("PA", "ex", ("iri", "http://example.org/"), None)
    # In RDF/XML the prefixes are known only after the first statement.
    assert (namespace in found) == (has_prefixes and (format != "rdf-xml" or chosen != []))


def test_every_character_comes_back() -> None:
    """Every character of a literal survives, in each syntax; XML excludes some characters."""
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for format in ALL:
        parts = [
            "".join(characters[start : start + 4096]) for start in range(0, len(characters), 4096)
        ]
        if format == "rdf-xml":
            parts = [re.sub("[\0-\b\v\f\x0e-\x1f\ufffe\uffff]", "", part) for part in parts]
        statements: list[Plain] = [
            (("iri", "urn:s"), ("iri", "urn:p"), literal(part)) for part in parts
        ]
        assert [o for _, _, o, *_ in read(write(statements, format), format)] == [
            o for *_, o in statements
        ]


@pytest.mark.parametrize("format", ALL)
def test_typed_literals_come_back(format: str) -> None:
    """Numbers and booleans survive as well; Turtle writes them without quotes where possible."""
    statements: list[Plain] = [
        (("iri", "urn:s"), ("iri", "urn:p"), value)
        for value in TYPED_LITERALS
        if sayable((("iri", "urn:s"), ("iri", "urn:p"), value, DEFAULT_GRAPH), format)
    ]
    assert len(statements) > 100
    found = [read_back(o) for _, _, o, *_ in read(write(statements, format), format)]
    assert found == [read_back(plain(node(o))) for *_, o in statements]


RDFLIB_FORMATS = {"rdf-xml": "xml", "n-triples": "nt", "n-quads": "nquads"}
tame = st.tuples(
    st.sampled_from(["http://e.org/a", "http://e.org/b#c", "urn:x:y"]).map(lambda x: ("iri", x))
    | st.sampled_from(["b0", "b1"]).map(lambda x: ("bnode", x)),
    st.sampled_from(["http://e.org/p", "http://e.org/12p", RDF + "type"]).map(lambda x: ("iri", x)),
    st.sampled_from(["http://e.org/12", "http://e.org/T", "http://e.org/a?b&c"]).map(
        lambda x: ("iri", x)
    )
    | st.sampled_from(["b0", "b1"]).map(lambda x: ("bnode", x))
    | st.builds(literal, st.sampled_from(["x", " <&>\"'\\ ", "a\r\n\tb", "é\U0001f600"]))
    | st.builds(lambda tag: literal("x", tag), st.sampled_from(["en", "de-at"]))
    | st.builds(lambda lex: literal(lex, None, "http://e.org/d"), st.sampled_from(["x", "1"])),
    st.sampled_from([DEFAULT_GRAPH, ("iri", "http://e.org/g"), ("bnode", "b0")]),
)


@pytest.mark.parametrize("format", ALL)
@settings(max_examples=20)
@given(st.lists(tame, max_size=8), st.booleans())
def test_rdflib_reads_the_same(format: str, statements: list[Plain], has_prefixes: bool) -> None:
    """rdflib confirms that a document is well-formed, not only that pyoxigraph accepts it."""
    if format not in WITH_GRAPHS:
        statements = [statement for statement in statements if statement[3] == DEFAULT_GRAPH]
    prefixes = (
        [("e", "http://e.org/"), ("", "http://e.org/12"), ("rdf", RDF)] if has_prefixes else []
    )
    text = write(statements, format, prefixes)
    witness = Dataset() if format in WITH_GRAPHS else Graph()
    witness.parse(data=text, format=RDFLIB_FORMATS.get(format, format))
    ours = Dataset() if format in WITH_GRAPHS else Graph()
    jr.apply([operation for batch in batches_of(statements) for operation in batch], ours)
    if isinstance(witness, Dataset):
        assert isinstance(ours, Dataset)
        for dataset in (witness, ours):
            # Isomorphism applies to graphs, so the quads become triples of one graph.
            for s, p, o, g in list(dataset.quads()):
                name = "default" if g is None else g
                dataset.remove((s, p, o, g))
                dataset.add((s, p, o, name))
        assert len(list(witness.quads())) == len(list(ours.quads()))
        return
    assert isomorphic(witness, ours)

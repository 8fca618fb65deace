"""Tests RDF Thrift and RDF Protobuf with rows that other packages write and read.

Both formats have structs or messages with the same names. tests/interop/jvm compares the formats
with Jena itself.
"""

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf.proto import parse_length_prefixed, serialize_length_prefixed
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib.formats import guess_by_start
from tests.core.thrift import oracle
from tests.oracle import schema, wire
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node, plain
from tests.pieces import Pieces
from tests.support import run

XSD = "http://www.w3.org/2001/XMLSchema#"
S, P, O = (("iri", f"urn:{letter}") for letter in "spo")  # noqa: E741


@dataclass
class Side:
    """A format, with the functions with which another package makes and encodes its structs."""

    format: Any
    make: Callable[..., Any]
    encode: Callable[[Any], bytes]
    # The deepest quoted triple that can be written.
    depth: int

    def term(self, plain_term: Plain) -> Any:
        kind, *parts = plain_term
        if kind == "triple":
            names = dict(zip("SPO", map(self.term, parts), strict=True))
            return self.make("RDF_Term", tripleTerm=self.make("RDF_Triple", **names))
        if kind == "iri":
            return self.make("RDF_Term", iri=self.make("RDF_IRI", iri=parts[0]))
        if kind == "bnode":
            return self.make("RDF_Term", bnode=self.make("RDF_BNode", label=parts[0]))
        lex, language, datatype = parts
        fields = {"langtag": language, "datatype": datatype}
        fields = {name: value for name, value in fields.items() if value is not None}
        if not fields and self.format == "rdf-protobuf":
            fields = {"simple": True}
        return self.make("RDF_Term", literal=self.make("RDF_Literal", lex=lex, **fields))

    def statement(self, *terms: Any) -> bytes:
        """Return a row; the terms are plain terms or structs."""
        made = [self.term(term) if isinstance(term, tuple) else term for term in terms]
        kind = "triple" if len(made) == 3 else "quad"
        names = dict(zip("SPOG", made, strict=False))
        statement = self.make("RDF_Triple" if kind == "triple" else "RDF_Quad", **names)
        return self.row(**{kind: statement})

    def prefix(self, prefix: str, iri: str) -> bytes:
        return self.row(prefixDecl=self.make("RDF_PrefixDecl", prefix=prefix, uri=iri))

    def name(self, prefix: str, local: str) -> Any:
        return self.make("RDF_PrefixName", prefix=prefix, localName=local)

    def row(self, **fields: Any) -> bytes:
        return self.encode(self.make("RDF_StreamRow", **fields))

    def read(self, data: Any, **limits: int) -> list[Plain]:
        rows = jr.read_statements(
            data, format=self.format, normalize=False, limits=jr.Limits(**limits)
        )
        return [tuple(map(plain, row)) for row in rows]

    def write(self, statements: Any) -> bytes:
        file = io.BytesIO()
        with jr.StatementWriter(file, format=self.format) as writer:
            writer.write_all(tuple(map(node, row)) for row in statements)
        return file.getvalue()


def delimited(row: Any) -> bytes:
    file = io.BytesIO()
    serialize_length_prefixed(row, file)
    return file.getvalue()


THRIFT = Side("rdf-thrift", lambda kind, **f: getattr(oracle.SCHEMA, kind)(**f), oracle.encode, 30)
PROTOBUF = Side("rdf-protobuf", lambda kind, **f: schema.message_class(kind)(**f), delimited, 48)
sides = pytest.mark.parametrize("side", [THRIFT, PROTOBUF], ids=lambda side: side.format)
iris = st.text(st.characters(codec="utf-8", exclude_characters='<>"{}|^`\\ \x7f'), max_size=8)
simple_terms = st.one_of(
    iris.map(lambda text: ("iri", f"urn:{text}".replace("%", "").replace("[", ""))),
    st.sampled_from([("bnode", "b"), ("bnode", "b.1-é")]),
    st.text(st.characters(codec="utf-8"), max_size=8).map(lambda lex: ("literal", lex, None, None)),
    st.text(max_size=3).map(lambda lex: ("literal", lex, "en-gb", None)),
    st.sampled_from(["1", "01", "é\n"]).map(lambda lex: ("literal", lex, None, XSD + "integer")),
).filter(lambda term: "\ud800" not in repr(term))
any_terms = st.recursive(
    simple_terms, lambda part: st.tuples(st.just("triple"), part, part, part), max_leaves=9
)
rows = st.tuples(any_terms, any_terms, any_terms, simple_terms | st.none())
statements = st.lists(rows, max_size=8)


@sides
@settings(max_examples=15)
@given(rows=statements, size=st.sampled_from([1, 3, 1 << 16]))
def test_what_others_make_is_read(side: Side, rows: list[Any], size: int) -> None:
    data = b"".join(side.statement(*(row if row[3] else row[:3])) for row in rows)
    wanted = [(*row[:3], row[3] or DEFAULT_GRAPH) for row in rows]
    assert side.read(Pieces(data, size)) == wanted


@sides
@settings(max_examples=15)
@given(rows=statements)
def test_others_read_what_is_written(side: Side, rows: list[Any]) -> None:
    """Each row has exactly the bytes that the other package writes."""
    given_rows = [(*row[:3], row[3] or DEFAULT_GRAPH) for row in rows]
    try:
        data = side.write(given_rows)
    except jr.EncodeError as error:
        # The N-Quads encoder, which checks IRIs, refused the row.
        assert side is PROTOBUF and "can't be written as an IRI" in str(error)  # noqa: PT017, PT018
        return
    assert data == b"".join(side.statement(*(row if row[3] else row[:3])) for row in rows)


@sides
def test_prefixes(side: Side) -> None:
    """The last declaration of a prefix determines a name's IRI; earlier ones no longer count."""
    name = side.make("RDF_Term", prefixName=side.name("ex", "a"))
    literal = side.make("RDF_Literal", lex="1", dtPrefix=side.name("ex", "d"))
    term = side.make("RDF_Term", literal=literal)
    row = side.statement(name, P, term)
    data = side.prefix("ex", "urn:1#") + row + row + side.prefix("ex", "urn:2#") + row
    wanted = [
        (("iri", f"urn:{n}#a"), P, ("literal", "1", None, f"urn:{n}#d"), DEFAULT_GRAPH)
        for n in (1, 1, 2)
    ]
    assert side.read(data) == wanted
    assert side.read(Pieces(data, 1)) == wanted
    operations = [row for batch in jr.read_batches(data, format=side.format) for row in batch]
    assert [row[1:3] for row in operations if row[0] == jr.Op.PA] == [
        ("ex", URIRef("urn:1#")),
        ("ex", URIRef("urn:2#")),
    ]
    file = io.BytesIO()
    with jr.StatementWriter(file, format=side.format) as writer:
        writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        writer.add_namespace("é", "urn:é#")
    assert file.getvalue() == side.statement(S, P, ("literal", "o", None, None)) + side.prefix(
        "é", "urn:é#"
    )


@sides
def test_an_undeclared_prefix_is_refused(side: Side) -> None:
    name = side.make("RDF_Term", prefixName=side.name("ex", "a"))
    with pytest.raises(jr.DecodeError, match="no earlier row declares") as caught:
        side.read(side.statement(S, P, O) + side.statement(S, P, name))
    assert caught.value.row == 2


@sides
def test_literals_by_their_values(side: Side) -> None:
    decimal = side.make("RDF_Decimal", value=-1050, scale=2)
    values = {"valInteger": -7, "valDouble": 1e300, "valDecimal": decimal}
    data = b"".join(
        side.statement(S, P, side.make("RDF_Term", **{name: value}))
        for name, value in values.items()
    )
    assert [row[2] for row in side.read(data)] == [
        ("literal", "-7", None, XSD + "integer"),
        ("literal", "1.0E300", None, XSD + "double"),
        ("literal", "-10.50", None, XSD + "decimal"),
    ]
    huge = side.make("RDF_Term", valDecimal=side.make("RDF_Decimal", value=1, scale=2_000_000_000))
    with pytest.raises(jr.LimitError, match="limit max_expansion"):
        side.read(side.statement(S, P, huge))


@sides
def test_jenas_names_of_the_default_graph(side: Side) -> None:
    for name in ("urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"):
        assert side.read(side.statement(S, P, O, ("iri", name))) == [(S, P, O, DEFAULT_GRAPH)]


@sides
@pytest.mark.parametrize("member", ["variable", "any", "undefined", "repeat"])
def test_what_is_no_term_of_rdf_is_refused(side: Side, member: str) -> None:
    structs = {"variable": "RDF_VAR", "any": "RDF_ANY", "undefined": "RDF_UNDEF"}
    struct = structs.get(member, "RDF_REPEAT")
    if side is PROTOBUF:
        struct = struct.replace("VAR", "Var")
    fields = {"name": "x"} if member == "variable" else {}
    term = side.make("RDF_Term", **{member: side.make(struct, **fields)})
    with pytest.raises(jr.DecodeError, match=r"is not a term of RDF.*row 1"):
        side.read(side.statement(S, P, term))


@sides
def test_what_lacks_is_told(side: Side) -> None:
    empty = side.make("RDF_Term")
    with pytest.raises(jr.DecodeError, match="none of the members of RDF_Term"):
        side.read(side.statement(S, P, empty))
    with pytest.raises(jr.DecodeError, match="none of the members of RDF_StreamRow"):
        side.read(side.row())
    with pytest.raises(jr.DecodeError, match=r"lacks|none of the members of RDF_Term"):
        side.read(side.row(triple=side.make("RDF_Triple", S=side.term(S), P=side.term(P))))
    with pytest.raises(jr.DecodeError, match="a quoted triple can't be a graph"):
        side.read(side.statement(S, P, O, ("triple", S, P, O)))
    with pytest.raises(jr.DecodeError, match="not a language tag"):
        side.read(side.statement(S, P, ("literal", "x", "not a tag", None)))


def test_a_literal_of_rdf_thrift_has_a_language_or_a_datatype() -> None:
    """A literal with a language and a datatype is refused; RDF Protobuf can't have both."""
    kind = {"datatype": "urn:d"}, {"dtPrefix": THRIFT.name("", "d")}
    for datatype in kind:
        literal = THRIFT.make("RDF_Literal", lex="x", langtag="en", **datatype)
        row = THRIFT.statement(S, P, THRIFT.make("RDF_Term", literal=literal))
        with pytest.raises(jr.DecodeError, match="a language tag and a datatype"):
            THRIFT.read(THRIFT.prefix("", "urn:") + row)


@sides
def test_limits(side: Side) -> None:
    row = side.statement(S, P, ("literal", "x" * 1000, None, None))
    assert len(side.read(row)) == 1
    for limits in ({"max_frame_size": 900}, {"max_string_size": 900}, {"max_text_size": 900}):
        with pytest.raises(jr.LimitError, match=next(iter(limits))):
            side.read(row, **limits)
    quoted = ("triple", ("triple", S, P, O), P, O)
    assert len(side.read(side.statement(quoted, P, O), max_nesting_depth=2)) == 1
    with pytest.raises(jr.LimitError, match="max_nesting_depth"):
        side.read(side.statement(quoted, P, O), max_nesting_depth=1)
    name = side.make("RDF_Term", prefixName=side.name("", "a"))
    data = side.prefix("", "urn:" + "x" * 10_000) + side.statement(name, name, name) * 200
    assert len(side.read(data)) == 200
    with pytest.raises(jr.LimitError, match=r"max_expansion|max_text_size"):
        side.read(data, max_expansion=1, max_text_size=20_000)
    with pytest.raises(jr.LimitError, match="max_text_size"):
        side.read(side.prefix("", "urn:" + "x" * 900) + row, max_text_size=900)


@sides
def test_quoted_triples_have_the_depth_that_others_read(side: Side) -> None:
    def nested(depth: int) -> Plain:
        term: Plain = O
        for _ in range(depth):
            term = ("triple", S, P, term)
        return term

    row = (S, P, nested(side.depth), DEFAULT_GRAPH)
    assert side.read(side.write([row])) == [row]
    with pytest.raises(jr.EncodeError, match=f"more than {side.depth} levels"):
        side.write([(S, P, nested(side.depth + 1))])
    if side is PROTOBUF:
        file = io.BytesIO(side.write([row]))
        assert parse_length_prefixed(schema.message_class("RDF_StreamRow"), file) is not None
        term = wire.field(1, wire.field(1, b"urn:o"))
        for _ in range(60):
            term = wire.field(6, wire.field(3, term))
        deep = wire.field(2, wire.field(3, term))
        with pytest.raises(jr.DecodeError, match="nests deeper"):
            side.read(wire.varint(len(deep)) + deep)


@sides
@given(data=st.data())
def test_any_bytes_are_read_or_refused(side: Side, data: st.DataObject) -> None:
    good = side.prefix("ex", "urn:ex#") + side.statement(S, P, ("triple", S, P, O), S)
    place = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[place] = data.draw(st.integers(0, 255))
    for source in (bytes(bad), good[:place], data.draw(st.binary(max_size=40))):
        with suppress(jr.DecodeError):
            side.read(source)


@sides
def test_changes_are_refused(side: Side) -> None:
    batch = next(jr.read_batches(b"D <urn:s> <urn:p> <urn:o> .", format="rdf-patch"))
    with pytest.raises(jr.EncodeError, match="is for statements: it can't express D"):
        jr.StatementWriter(io.BytesIO(), format=side.format).write_all(batch)
    with pytest.raises(LookupError, match="is for statements"):
        jr.read_operations(b"", format=side.format)
    with pytest.raises(jr.EncodeError, match="no place for metadata"):
        jr.StatementWriter(io.BytesIO(), format=side.format).end_frame({"a": b""})


def test_rdf_thrift_is_told_by_its_first_bytes() -> None:
    rows = (THRIFT.prefix("ex", "urn:"), THRIFT.statement(S, P, O), THRIFT.statement(S, P, O, S))
    for row in rows:
        assert guess_by_start(row, holds_changes=False).name == "rdf-thrift"
        # The input may also be RDF Patch, which can start with these bytes.
        assert guess_by_start(row, holds_changes=None).name == "rdf-patch-thrift"
        jr.read_batches(row, format="rt")
    found = list(jr.read_statements(io.BytesIO(rows[1])))
    assert found == [(*(URIRef(f"urn:{x}") for x in "spo"), DATASET_DEFAULT_GRAPH_ID)]


def test_the_base_of_rdf_protobuf_says_nothing() -> None:
    base = PROTOBUF.row(base=PROTOBUF.make("RDF_IRI", iri="urn:base"))
    assert PROTOBUF.read(base + PROTOBUF.statement(S, P, O)) == [(S, P, O, DEFAULT_GRAPH)]


def test_a_row_of_ten_bytes_is_no_bare_frame() -> None:
    """The row's length, 10, is also the tag of a row in a frame."""
    blank = PROTOBUF.prefix("a", "urn")
    assert blank[0] == 10
    assert PROTOBUF.read(blank) == []


def test_protobuf_is_imported_on_demand() -> None:
    code = (
        "import sys, jelly_rdflib as jr\n"
        "list(jr.read_statements(b'', format='rdf-thrift'))\n"
        "print('google.protobuf' in sys.modules)\n"
    )
    assert run(code).split() == ["False"]

"""Tests round trips of text and Thrift: via operations, batches, Jelly-Patch, and each other."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.nodes import NODE_TYPES
from tests import support as jelly
from tests.core.patch_wires import TEXT, THRIFT
from tests.core.text import reference
from tests.core.thrift import oracle
from tests.oracle.terms import Plain, operation, plain_operation
from tests.strategies import Stream, streams

JELLY_OPTIONS = jr.PatchOptions(generalized_statements=True, rdf_star=True)

# Each form has a function with which an independent reader reads its bytes.
FORMS = {
    "text": (TEXT, lambda data: reference.read(data).operations),
    "thrift": (THRIFT, lambda data: with_end([oracle.operation(row) for row in rows(data)])),
}
forms = pytest.mark.parametrize("name", FORMS)


def rows(data: bytes) -> list[Any]:
    return oracle.decode(data, oracle.SCHEMA.RDF_Patch_Row)


def sayable(value: Any) -> bool:
    """Return whether the text can represent `value`.

    It can't if an IRI starts like a blank node, or if a prefix is deleted from a literal graph.
    """
    if not isinstance(value, tuple):
        return True
    if value[:1] == ("iri",):
        return not value[1].startswith("_:")
    if value[:1] == ("literal",):
        return value[3] is None or not value[3].startswith("_:")
    if value[:1] == ("PA",):
        return sayable(value[3])
    if value[:1] == ("PD",):
        return value[3] is None or (value[3][0] != "literal" and sayable(value[3]))
    return all(map(sayable, value))


def said(name: str, stream: Stream) -> list[Plain]:
    """Return the operations of `stream` that the form `name` can represent."""
    return [op for op in stream.operations if name != "text" or sayable(op)]


def with_end(operations: list[Plain]) -> list[Plain]:
    return operations if operations[-1:] == [("END",)] else [*operations, ("END",)]


def expected(operations: list[Plain]) -> list[Plain]:
    """Return the operations that a reader must return for `operations`, with rdflib's literals."""
    return with_end([as_rdf_patch_says(plain_operation(operation(op))) for op in operations])


def as_rdf_patch_says(plain_op: Plain) -> Plain:
    """Return an operation without the IRI of a deleted prefix, which neither form has."""
    return (*plain_op[:2], None, plain_op[3]) if plain_op[0] == "PD" else plain_op


@forms
@given(stream=streams())
def test_operations(name: str, stream: Stream) -> None:
    form, witness = FORMS[name]
    operations = said(name, stream)
    data = form.write(operations)
    assert form.read(data) == witness(data) == expected(operations)
    # Writing the operations that were read produces the same bytes.
    assert form.write(form.read(data)) == data
    assert form.write_batches(form.batches(data)) == data


@forms
@given(stream=streams())
def test_jelly_patch(name: str, stream: Stream) -> None:
    form, _ = FORMS[name]
    frames = jelly.write(said(name, stream), JELLY_OPTIONS)
    data = form.write_batches(jr.read_batches(frames))
    assert data == form.write(jelly.read(frames))
    assert form.read(data) == expected(jelly.read(frames))
    # In Jelly-Patch a graph that is missing here is the default graph.
    again = jelly.read(jelly.write(form.read(data), JELLY_OPTIONS))
    assert again == expected(jelly.read(frames))


@given(streams())
def test_text(stream: Stream) -> None:
    """Text and Thrift represent and omit the same operations."""
    operations = [op for op in stream.operations if sayable(op)]
    data = TEXT.write(operations)
    in_thrift = THRIFT.write_batches(TEXT.batches(data))
    assert THRIFT.read(in_thrift) == TEXT.read(data)
    assert TEXT.write_batches(THRIFT.batches(in_thrift)) == data


@forms
@given(
    strings=st.lists(
        st.text(max_size=40) | st.binary(max_size=40).map(lambda b: b.decode("latin-1"))
    )
)
def test_any_text(name: str, strings: list[str]) -> None:
    """Any string may be a literal, a label, an IRI, a datatype, a key or a prefix."""
    form, witness = FORMS[name]
    operations: list[Plain] = []
    for string in strings:
        iri = "x" + string
        operations += [
            ("A", ("bnode", string), ("iri", iri), ("literal", string, None, None), None),
            ("H", string, ("literal", string, "en", None)),
            ("H", "", ("literal", string, None, iri)),
            ("PA", string, ("iri", string), ("bnode", string)),
        ]
    data = form.write(operations)
    assert form.read(data) == witness(data) == [*operations, ("END",)]


@forms
def test_batch_of_statements(name: str) -> None:
    """Batches of Jelly-RDF are written as additions."""
    form, _ = FORMS[name]
    frame = jr.StatementEncoder().encode_frame([(URIRef("s"), URIRef("p"), Literal("o"))])
    added = ("A", ("iri", "s"), ("iri", "p"), ("literal", "o", None, None), None)
    assert form.read(form.write_batches(jr.read_batches(frame))) == [added, ("END",)]


def test_batch_that_follows_the_end_of_the_output() -> None:
    encoder = THRIFT.writer(bytes)
    encoder.finish()
    with pytest.raises(jr.EncodeError, match="has ended"):
        encoder.write_all(next(THRIFT.batches(b"\x65\0\0\x65\2\0")))


def test_batch_with_what_the_text_cannot_say() -> None:
    frames = jelly.write(
        [
            ("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None),
            ("A", ("iri", "s"), ("iri", "p"), ("iri", "_:o"), None),
        ]
    )
    with pytest.raises(jr.EncodeError, match="'_:o'"):
        TEXT.write_batches(jr.read_batches(frames))


def test_batch_that_deletes_a_prefix_from_a_literal() -> None:
    for graph in (("literal", "g", None, None), ("literal", "g", None, "d")):
        frames = jelly.write([("PD", "ex", None, graph)], JELLY_OPTIONS)
        with pytest.raises(jr.EncodeError, match="literal"):
            TEXT.write_batches(jr.read_batches(frames))


@forms
def test_a_batch_with_what_cannot_be_said(name: str) -> None:
    """The writer writes the operations before the one that it refuses, and can continue."""
    form, _ = FORMS[name]
    term: Plain = ("iri", "_:v")
    for _ in range(31 if name == "thrift" else 0):
        term = ("triple", ("iri", "s"), ("iri", "p"), term)
    operations: list[Plain] = [("H", str(number), ("iri", "v")) for number in range(9)]
    frames = jelly.write([*operations[:5], ("H", "a", term), *operations[5:]], JELLY_OPTIONS)
    pieces: list[bytes] = []
    encoder = form.encoder(NODE_TYPES, pieces.append)
    batch = next(jr.read_batches(frames))
    for _ in range(2):
        with pytest.raises(jr.EncodeError):
            encoder.write_batch(batch)
    encoder.finish()
    assert form.read(b"".join(pieces)) == [*operations[:5] * 2, ("END",)]

"""What goes there and back: operations, batches, Jelly-Patch; and terms as pyoxigraph has them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.core.text import TextPatchEncoder
from jelly_rdflib.nodes import NODE_TYPES
from tests import support as jelly
from tests.core.text import reference
from tests.core.text.support import batches, read, write, write_batches
from tests.oracle.terms import Plain, operation, plain_operation
from tests.strategies import Stream, streams

JELLY_OPTIONS = jr.PatchOptions(generalized_statements=True, rdf_star=True)


def sayable(value: Any) -> bool:
    """Tell whether the text can say it: no IRI of it starts as a blank node does.

    And no prefix is deleted from a graph that is a literal.
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


def as_text_says(plain_op: Plain) -> Plain:
    """Return an operation without what the text does not tell."""
    return (*plain_op[:2], None, plain_op[3]) if plain_op[0] == "PD" else plain_op


def expected(operations: list[Plain]) -> list[Plain]:
    found = [as_text_says(plain_operation(operation(op))) for op in operations]
    return found if found[-1:] == [("END",)] else [*found, ("END",)]


@given(streams())
def test_operations(stream: Stream) -> None:
    operations = [op for op in stream.operations if sayable(op)]
    data = write(operations)
    assert read(data) == expected(operations)
    assert reference.read(data).operations == expected(operations)
    # What was read says all that the text does.
    assert write(read(data)) == data
    assert write_batches(batches(data)) == data


@given(streams())
def test_jelly_patch(stream: Stream) -> None:
    operations = [op for op in stream.operations if sayable(op)]
    frames = jelly.write(operations, JELLY_OPTIONS)
    data = write_batches(jr.read_batches(frames))
    assert data == write(jelly.read(frames))
    assert read(data) == expected(jelly.read(frames))
    # And back: the default graph is none in the text, and what is none is the default graph.
    again = jelly.write(read(data), JELLY_OPTIONS)
    wanted = [(*op[:2], None, op[3]) if op[0] == "PD" else op for op in jelly.read(frames)] or [
        ("END",)
    ]
    assert jelly.read(again) == wanted


@given(st.lists(st.text(max_size=40) | st.binary(max_size=40).map(lambda b: b.decode("latin-1"))))
def test_any_text(strings: list[str]) -> None:
    """In a string, a label, an IRI, a key and a prefix."""
    operations: list[Plain] = []
    for text in strings:
        operations += [
            ("A", ("bnode", text), ("iri", "x" + text), ("literal", text, None, None), None),
            ("H", text, ("literal", text, "en", None)),
            ("PA", text, ("iri", text), ("bnode", text)),
        ]
    data = write(operations)
    assert read(data) == [*operations, ("END",)]
    assert reference.read(data).operations == [*operations, ("END",)]


def test_batch_with_what_the_text_cannot_say() -> None:
    frames = jelly.write(
        [
            ("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None),
            ("A", ("iri", "s"), ("iri", "p"), ("iri", "_:o"), None),
        ]
    )
    with pytest.raises(jr.EncodeError, match="'_:o'"):
        write_batches(jr.read_batches(frames))


def test_batch_that_deletes_a_prefix_from_a_literal() -> None:
    for graph in (("literal", "g", None, None), ("literal", "g", None, "d")):
        frames = jelly.write([("PD", "ex", None, graph)], JELLY_OPTIONS)
        with pytest.raises(jr.EncodeError, match="literal"):
            write_batches(jr.read_batches(frames))


def test_what_a_batch_has_before_what_cannot_be_said_is_written() -> None:
    operations: list[Plain] = [("H", str(number), ("iri", "v")) for number in range(9)]
    frames = jelly.write([*operations[:5], ("H", "a", ("iri", "_:v")), *operations[5:]])
    pieces: list[bytes] = []
    encoder = TextPatchEncoder(NODE_TYPES, pieces.append)
    batch = next(jr.read_batches(frames))
    with pytest.raises(jr.EncodeError):
        encoder.write_batch(batch)
    encoder.finish()
    assert read(b"".join(pieces)) == [*operations[:5], ("END",)]


def test_batch_of_statements() -> None:
    """Batches of Jelly-RDF are written as additions."""
    file = io.BytesIO()
    with jr.StatementWriter(file) as writer:
        writer.write((URIRef("s"), URIRef("p"), Literal("o"), URIRef("g")))
    assert write_batches(jr.read_batches(file.getvalue())) == b'A <s> <p> "o" <g> .\n'

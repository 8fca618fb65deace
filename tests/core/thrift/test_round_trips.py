"""What goes there and back: operations, batches, Jelly-Patch, text."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from tests import support as jelly
from tests.core.text import support as text
from tests.core.text.test_round_trips import sayable
from tests.core.thrift.oracle import SCHEMA, decode, operation, rows_to_bytes
from tests.core.thrift.support import ThriftWriter, batches, read, write, write_batches
from tests.oracle import terms as oracle
from tests.oracle.terms import Plain
from tests.strategies import Stream, streams

JELLY_OPTIONS = jr.PatchOptions(generalized_statements=True, rdf_star=True)


def as_thrift_says(plain_op: Plain) -> Plain:
    """Return an operation without what Thrift does not tell."""
    return (*plain_op[:2], None, plain_op[3]) if plain_op[0] == "PD" else plain_op


def expected(operations: list[Plain]) -> list[Plain]:
    found = list(map(as_thrift_says, operations))
    return found if found[-1:] == [("END",)] else [*found, ("END",)]


def as_made(operations: list[Plain]) -> list[Plain]:
    """Return what rdflib makes of operations: it collapses white space of some literals."""
    return [oracle.plain_operation(oracle.operation(operation)) for operation in operations]


@given(streams())
def test_operations(stream: Stream) -> None:
    data = write(stream.operations)
    wanted = expected(as_made(stream.operations))
    assert read(data) == wanted
    # Another library reads and writes the same.
    rows = [operation(row) for row in decode(data, SCHEMA.RDF_Patch_Row)]
    assert rows in (wanted, wanted[:-1])
    assert rows_to_bytes(rows) == data
    # What was read says all that Thrift does.
    assert write(read(data)) == data
    assert write_batches(batches(data)) == data


@given(streams())
def test_jelly_patch(stream: Stream) -> None:
    frames = jelly.write(stream.operations, JELLY_OPTIONS)
    data = write_batches(jr.read_batches(frames))
    assert data == write(jelly.read(frames))
    assert read(data) == expected(jelly.read(frames))
    # And back: what is no graph in Thrift is the default graph in Jelly-Patch.
    file = io.BytesIO()
    with jr.PatchWriter(file, JELLY_OPTIONS) as writer:
        # A patch without operations takes no bytes, which say nothing of their format.
        writer.write_all(jr.read_operations(data, normalize=False, format="rdf-patch-thrift"))
    wanted = [(*op[:2], None, op[3]) if op[0] == "PD" else op for op in jelly.read(frames)]
    assert jelly.read(file.getvalue()) == (wanted or [("END",)])


@given(streams())
def test_text(stream: Stream) -> None:
    """Text and Thrift tell and leave out the same."""
    operations = [op for op in stream.operations if sayable(op)]
    data = text.write(operations)
    in_thrift = write_batches(text.batches(data))
    assert read(in_thrift) == text.read(data)
    assert text.write_batches(batches(in_thrift)) == data


@given(st.lists(st.text(max_size=40) | st.binary(max_size=40).map(lambda b: b.decode("latin-1"))))
def test_any_text(strings: list[str]) -> None:
    """In a literal, a label, an IRI, a datatype, a key and a prefix."""
    operations: list[Plain] = []
    for string in strings:
        operations += [
            ("A", ("bnode", string), ("iri", string), ("literal", string, None, None), None),
            ("H", string, ("literal", string, "en", None)),
            ("H", "", ("literal", string, None, string)),
            ("PA", string, ("iri", string), ("bnode", string)),
        ]
    assert read(write(operations)) == [*operations, ("END",)]


def test_batch_of_statements() -> None:
    """Batches of Jelly-RDF are written as additions."""
    file = io.BytesIO()
    with jr.StatementWriter(file) as writer:
        writer.write((URIRef("s"), URIRef("p"), Literal("o"), URIRef("g")))
    assert read(write_batches(jr.read_batches(file.getvalue()))) == [
        ("A", ("iri", "s"), ("iri", "p"), ("literal", "o", None, None), ("iri", "g")),
        ("END",),
    ]


def test_batch_that_follows_the_end_of_the_output() -> None:
    encoder = ThriftWriter(bytes)
    encoder.finish()
    with pytest.raises(jr.EncodeError, match="has ended"):
        encoder.write_all(next(batches(b"\x65\0\0\x65\2\0")))

"""Tests N-Quads, RDF Thrift and RDF Protobuf: we and Jena read each other's output."""

import io
from typing import Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from tests.interop.jvm.forms import with_jenas_terms
from tests.interop.jvm.inputs import FEATURES, G, P, S
from tests.interop.jvm.peer import Peer
from tests.interop.jvm.test_statements import NAMES, NAMESPACES, additions_by_release, statements_of
from tests.oracle.terms import DEFAULT_GRAPH, Plain, node, plain_operation

BINARY = ["rt", "rpb"]
# N-Quads has no prefixes, and allows quoted triples only as objects.
QUOTED_OBJECTS = [
    (S, P, ("triple", S, P, ("literal", "x", "en", None)), G),
    (("bnode", "b"), P, ("triple", S, P, ("triple", ("bnode", "b"), P, S)), DEFAULT_GRAPH),
]

formats = pytest.mark.parametrize("format", BINARY)
shapes = pytest.mark.parametrize("shape", ["TRIPLES", "QUADS"])


def write(statements: list[Plain], format: Any, namespaces: Any = ()) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file, format=format) as writer:
        for prefix, value in namespaces:
            writer.add_namespace(prefix, URIRef(value))
        writer.write_all(tuple(map(node, row)) for row in statements)
    return file.getvalue()


def read(data: bytes, format: Any) -> tuple[list[Plain], list[tuple[str, str]]]:
    """Return the statements and the namespaces."""
    batches = list(jr.read_batches(data, format=format))
    rows = [plain_operation(row) for batch in batches for row in batch]
    statements = [row[1:] for row in rows if row[0] == "A"]
    return statements, [(row[1], row[2][1]) for row in rows if row[0] == "PA"]


def quads(statements: list[Plain]) -> list[Plain]:
    """Return statements as both sides represent them, with triples in the default graph."""
    return [
        with_jenas_terms((*row[:3], next(filter(None, row[3:]), DEFAULT_GRAPH)))
        for row in statements
    ]


def check(peer: Peer, statements: list[Plain], format: str, namespaces: Any = ()) -> None:
    wanted = quads(statements), list(namespaces)
    ours = write(statements, format, namespaces)
    found, prefixes = peer.read_statements(ours, format)
    assert (quads(found), prefixes) == wanted
    theirs = peer.write_statements(statements, format, values=False, prefixes=namespaces)
    found, prefixes = read(theirs, format)
    assert (quads(found), prefixes) == wanted


@pytest.mark.parametrize("format", [*BINARY, "nq"])
def test_quoted_objects(peer: Peer, format: str) -> None:
    check(peer, QUOTED_OBJECTS, format)
    check(peer, statements_of(FEATURES["statements"], "QUADS"), format)


@pytest.mark.parametrize("name", NAMES)
@shapes
@formats
def test_features(peer: Peer, format: str, shape: str, name: str) -> None:
    check(peer, statements_of(FEATURES[name], shape), format)


@shapes
@formats
def test_prefixed_names(peer: Peer, format: str, shape: str) -> None:
    """In RDF Thrift, Jena writes IRIs and datatypes as prefixed names."""
    datatype = ("literal", "x", None, "http://example.org/ns#datatype")
    quoted = ("triple", ("iri", "http://example.org/a"), ("iri", "urn:p"), datatype)
    subject, predicate = ("iri", "http://example.org/a"), ("iri", "urn:p")
    more = [(subject, predicate, term) for term in (datatype, quoted)]
    check(peer, statements_of(FEATURES["statements"], shape) + more, format, NAMESPACES)


@formats
def test_literals_by_their_values(peer: Peer, format: str) -> None:
    """We and Jena read values as the same lexical forms; in RDF Protobuf Jena writes no values."""
    statements = statements_of(FEATURES["statements"], "TRIPLES")
    data = peer.write_statements(statements, format, values=True)
    theirs, _ = peer.read_statements(data, format)
    found, _ = read(data, format)
    assert quads(found) == quads(theirs)
    assert (quads(found) != quads(statements)) == (format == "rt")


@pytest.mark.parametrize("format", [*BINARY, "nq"])
def test_releases_of_schema_org(peer: Peer, format: str) -> None:
    check(peer, additions_by_release("QUADS"), format, () if format == "nq" else NAMESPACES)

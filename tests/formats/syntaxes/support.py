"""Reads and writes the RDF syntaxes in plain form."""

import io
from collections.abc import Iterable
from typing import Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from tests.oracle.terms import Plain, node, plain, plain_operation, with_simple_strings
from tests.sanitized import UNDER_SANITIZERS

ALL = ("n-triples", "n-quads", "turtle", "trig", "n3", "rdf-xml", "json-ld")
# This package's own reader reads these syntaxes; pyoxigraph parses the others.
LINES = ("n-triples", "n-quads")
PARSED = ALL[len(LINES) :]
WITH_GRAPHS = ("n-quads", "trig", "json-ld")
TEXTS_LIKE_TURTLE = ("n-triples", "n-quads", "turtle", "trig", "n3")

ISOLATED = pytest.mark.skipif(
    UNDER_SANITIZERS, reason="AddressSanitizer takes terabytes, which no limit of a process allows"
)


def read(source: Any, format: str, **arguments: Any) -> list[Plain]:
    """Return the plain statements of a text, with their lexical forms unchanged."""
    if isinstance(source, str):
        source = source.encode()
    statements = jr.read_statements(source, format=format, normalize=False, **arguments)
    return [tuple(map(plain, statement)) for statement in statements]


def attempt(source: Any, format: str, **arguments: Any) -> tuple[list[Plain], jr.DecodeError]:
    """Return the plain statements of a text up to its fault, and the fault."""
    if isinstance(source, str):
        source = source.encode()
    found: list[Plain] = []
    try:
        found.extend(
            tuple(map(plain, statement))
            for statement in jr.read_statements(source, format=format, normalize=False, **arguments)
        )
    except jr.DecodeError as error:
        return found, error
    raise AssertionError(f"it was read: {found}")


def operations(source: Any, format: str, **arguments: Any) -> list[Plain]:
    """Return the plain operations of the batches of a text."""
    if isinstance(source, str):
        source = source.encode()
    batches = jr.read_batches(source, format=format, **arguments)
    return [plain_operation(operation) for batch in batches for operation in batch]


def write(statements: Iterable[Plain], format: str, prefixes: Iterable[Any] = ()) -> bytes:
    """Return the text of plain statements written one by one."""
    file = io.BytesIO()
    with jr.StatementWriter(file, format=format) as writer:
        for prefix, iri in prefixes:
            writer.add_namespace(prefix, URIRef(iri))
        for statement in statements:
            writer.write(tuple(map(node, statement)))
    return file.getvalue()


def batches_of(statements: Iterable[Plain], **options: Any) -> Iterable[jr.Batch]:
    """Return statements as batches of a Jelly-RDF stream."""
    file = io.BytesIO()
    all_terms = jr.StreamOptions(
        generalized_statements=True, rdf_star=True, max_datatype_table_size=256, **options
    )
    with jr.StatementWriter(file, all_terms) as writer:
        for statement in statements:
            writer.write(tuple(map(node, statement)))
    return jr.read_batches(file.getvalue())


def write_batches(batches: Iterable[jr.Batch], format: str) -> bytes:
    """Return the text of batches."""
    file = io.BytesIO()
    with jr.StatementWriter(file, format=format) as writer:
        for batch in batches:
            writer.write_all(batch)
    return file.getvalue()


def literal(lexical: str, language: str | None = None, datatype: str | None = None) -> Plain:
    return ("literal", lexical, language, datatype)


def read_back(value: Any) -> Any:
    """Return terms as pyoxigraph returns them.

    Tags are in lower case, and an xsd:string literal is a simple literal.
    """
    if not isinstance(value, tuple):
        return value
    if value[:1] == ("literal",) and value[2] is not None:
        return ("literal", value[1], value[2].lower(), None)
    return with_simple_strings(tuple(map(read_back, value)))

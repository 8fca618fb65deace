"""Reads N-Triples and N-Quads with pyoxigraph's parser, which has no limits."""

import re
from typing import Any

import pyoxigraph as ox

import jelly_rdflib as jr
from jelly_rdflib.core.batch import dump_batch, load_batch
from tests.formats.syntaxes.support import literal
from tests.oracle.terms import DEFAULT_GRAPH, Plain, plain

FORMATS = {"n-triples": ox.RdfFormat.N_TRIPLES, "n-quads": ox.RdfFormat.N_QUADS}
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# pyoxigraph accepts these faults, although no grammar allows them; LENIENT ones only if it is
# lenient.
NO_TEXT = re.compile(r"comment is not UTF-8")
LENIENT = re.compile(r"line break in a string|not allowed in <>|surrogate")


def outcome(
    source: Any, format: str, **arguments: Any
) -> tuple[list[Plain], jr.DecodeError | None]:
    """Return the statements of a text, and the error that ends them, or None.

    The direction of a literal follows its language, as in ``ar--rtl``.
    """
    found: list[Plain] = []
    try:
        for batch in jr.read_batches(source, format=format, **arguments):
            shown = load_batch(dump_batch(batch), batch.terms.factory.for_messages())
            found.extend(tuple(map(plain, statement)) for statement in shown.statements())
    except jr.DecodeError as error:
        return found, error
    return found, None


def _parse(data: bytes, format: str, *, strict: bool) -> tuple[list[Plain], bool]:
    """Return the statements that pyoxigraph reads, and whether it reaches the end."""
    found = []
    try:
        for quad in ox.parse(
            data.removeprefix(BYTE_ORDER_MARK), FORMATS[format], lenient=not strict
        ):
            s, p, o, g = quad
            triple = (_plain(s), _plain(p), _plain(o))
            found.append((*triple, _plain(g)) if format == "n-quads" else triple)
    except SyntaxError:
        return found, False
    return found, True


def _plain(term: Any) -> Plain:
    if isinstance(term, ox.NamedNode):
        return ("iri", term.value)
    if isinstance(term, ox.BlankNode):
        return ("bnode", term.value)
    if isinstance(term, ox.DefaultGraph):
        return DEFAULT_GRAPH
    if isinstance(term, ox.Triple):
        return ("triple", _plain(term.subject), _plain(term.predicate), _plain(term.object))
    if term.direction is not None:
        return literal(term.value, f"{term.language}--{term.direction}")
    if term.language is not None:
        return literal(term.value, term.language)
    datatype = term.datatype.value
    return literal(term.value, None, None if datatype == XSD_STRING else datatype)


def _respell(term: Plain) -> Plain:
    if term[0] == "triple":
        return ("triple", *map(_respell, term[1:]))
    if term[0] != "literal":
        return term
    _, text, language, datatype = term
    return literal(
        text, language and language.lower(), None if datatype == XSD_STRING else datatype
    )


def assert_same(data: bytes, format: str, *, strict: bool) -> None:
    """Check that our reader and pyoxigraph read the same statements from a text."""
    found, error = outcome(data, format, strict=strict)
    if isinstance(error, jr.LimitError):
        return
    expected, is_good = _parse(data, format, strict=strict)
    # If a fault follows a statement on the same line, a reader may or may not return the statement.
    size = min(len(found), len(expected))
    # pyoxigraph does not distinguish "x" from "x"^^xsd:string, nor the case of language tags.
    found = [tuple(map(_respell, statement)) for statement in found]
    assert found[:size] == expected[:size]
    if error is not None:
        assert None not in (error.offset, error.line, error.column)
        if NO_TEXT.search(error.message) or (not strict and LENIENT.search(error.message)):
            return
    assert is_good == (error is None), error
    assert abs(len(found) - len(expected)) <= (error is not None)

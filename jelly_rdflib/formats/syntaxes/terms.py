"""What the syntaxes of RDF can have as a term, by pyoxigraph's own word."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pyoxigraph as ox

from jelly_rdflib.core.batch import TermKind
from jelly_rdflib.errors import EncodeError

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# What makes a literal one of them is its tag, and its direction.
_TAGGED_DATATYPES = (f"{_RDF}langString", f"{_RDF}dirLangString")


def check_text(kind: int, text: bytes) -> None:
    """Check that the syntaxes of RDF can have a term.

    Args:
        kind: The `TermKind` of an IRI, a blank node or a language tag (a ``STRING``); or that of
            typed literals, for a datatype that is an IRI.
        text: Its text in UTF-8.

    Raises:
        EncodeError: They can't.
    """
    _CHECKS[kind](text.decode())


def _check_blank_node(label: str) -> None:
    if ":" in label:
        raise EncodeError(f"{label!r} can't be the label of a blank node: it has a colon")
    _try(ox.BlankNode, "the label of a blank node", label)


def _check_datatype(iri: str) -> None:
    if iri in _TAGGED_DATATYPES:
        raise EncodeError(f"a literal of datatype {iri} has no language tag")


def _try(make: Callable[[str], Any], what: str, text: str) -> None:
    try:
        make(text)
    except ValueError as error:
        raise EncodeError(f"{text!r} can't be written as {what}: {error}") from error


_CHECKS: dict[int, Callable[[str], None]] = {
    TermKind.IRI: functools.partial(_try, ox.NamedNode, "an IRI"),
    TermKind.BLANK_NODE: _check_blank_node,
    TermKind.STRING: functools.partial(
        _try, lambda tag: ox.Literal("", language=tag), "a language tag"
    ),
    TermKind.TYPED_LITERAL: _check_datatype,
}

"""The parts of terms, and the memory that they take beside their text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rdflib.namespace import RDF
from rdflib.term import Literal

from jelly_rdflib.terms import TripleTerm

# Bytes of rdflib's tree of an XML literal, and of each tag and attribute in it.
_TREE = 4000
_TAG = 400


def leaves(term: Any) -> Iterator[Any]:
    """Iterate over the terms in a quoted triple that are no triples; or the term itself.

    A triple that is quoted in several places is in memory once, and its terms come once.
    """
    waiting = [term]
    seen = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, TripleTerm):
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            waiting += (part.s, part.p, part.o)


def tree_size(literal: Literal) -> int:
    """Estimate the bytes of rdflib's tree of an XML literal; 0 if it has no tree."""
    if literal.datatype != RDF.XMLLiteral or literal.value is None:
        return 0
    return _TREE + _TAG * (literal.count("<") + literal.count("="))

"""What terms are made of, and what of it takes more memory than its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rdflib.namespace import RDF
from rdflib.term import Literal

from jelly_rdflib.terms import TripleTerm

# What rdflib's tree of an XML literal takes, and each tag and attribute in it, in bytes.
_TREE = 4000
_TAG = 400


def leaves(term: Any) -> Iterator[Any]:
    """Iterate over what a term quotes that is no triple, or the term itself.

    A triple may be quoted in many places: it is in memory once, and looked into once.

    Examples:
        >>> from rdflib import URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> [str(leaf) for leaf in leaves(TripleTerm(s, p, TripleTerm(s, p, p)))]
        ['urn:p', 'urn:p', 'urn:s', 'urn:p', 'urn:s']
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
    """Return about how many bytes rdflib's tree of an XML literal takes, or 0 if there is none.

    Examples:
        >>> tree_size(Literal("<a/>", datatype=RDF.XMLLiteral)), tree_size(Literal("<a/>"))
        (4400, 0)
    """
    if literal.datatype != RDF.XMLLiteral or literal.value is None:
        return 0
    return _TREE + _TAG * (literal.count("<") + literal.count("="))

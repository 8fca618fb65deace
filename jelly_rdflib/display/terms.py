"""Writes terms as text: in full as N-Triples, or shortened for messages and tables."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any

from rdflib.term import BNode, Identifier, Literal, Node, Variable

from jelly_rdflib.display.words import MOST_CHARACTERS, printable, shorten
from jelly_rdflib.terms import TripleTerm

_ESCAPES = str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r"})
_LINE_BREAKS = {ord(each): ascii(each)[1:-1] for each in "\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"}
_LOCAL_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_MOST_DEPTH = 3


def spell(term: Node) -> str:
    """Return a term in N-Triples, however long it is.

    rdflib's own ``n3()`` refuses invalid IRIs, and warns of invalid numbers. This function writes
    both unchanged.

    Examples:
        >>> from rdflib import URIRef
        >>> spell(Literal("text", lang="en")), spell(URIRef("urn:no IRI")), spell(BNode("b"))
        ('"text"@en', '<urn:no IRI>', '_:b')
    """
    if isinstance(term, TripleTerm):
        return term._write("<< {} {} {} >>", spell)
    return _write(term, str, "<{}>".format)


def show(value: Any, prefixes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a term or an operation as text for messages; long parts are cut.

    Args:
        value: A term, which is written in N-Triples; an `Op`, written as its name; or any other
            object, written as its Python repr, but with the terms in it in N-Triples.
        prefixes: Prefixes by their IRIs: for ``{"urn:ex#": "ex"}`` the IRI urn:ex#a is ``ex:a``.

    Examples:
        >>> from rdflib import URIRef
        >>> from jelly_rdflib.operations import Op
        >>> show((Op.A, URIRef("urn:ex#a"), URIRef("urn:ex#b"), Literal("c"), None))
        '(A, <urn:ex#a>, <urn:ex#b>, "c", None)'
        >>> show(URIRef("urn:ex#a"), {"urn:ex#": "ex"})
        'ex:a'
        >>> show(Literal("x" * 1000))[295:]
        'xxxxxx… (1,000 characters)"'
    """
    # Escape line breaks: an IRI with a line break could forge a line of a log file.
    return printable(_Shortener(prefixes).repr(value)).translate(_LINE_BREAKS)


class _Shortener(reprlib.Repr):
    """Shortens any object as `reprlib` does, with terms in N-Triples.

    An object may have any size, and its own ``__repr__`` may fail.
    """

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__()
        # The longest operation has five items.
        self.maxtuple = 5
        self.maxstring = self.maxother = 100
        self._prefixes = prefixes

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, Enum):
            return x.name
        if isinstance(x, TripleTerm):
            return self._quoted(x, _MOST_DEPTH)
        if not isinstance(x, Identifier):
            return super().repr1(x, level)
        # Cut terms inside another object shorter, since the object may contain many of them.
        most = MOST_CHARACTERS if level == self.maxlevel else self.maxother
        return _write(x, partial(shorten, most=most), partial(self._iri, most=most))

    def _quoted(self, term: Node, depth: int) -> str:
        if not isinstance(term, TripleTerm):
            return self.repr1(term, 1)
        # Stop at a maximum depth: nested quoted triples may need far less memory than their text.
        if depth == 0:
            return "<< … >>"
        parts = (self._quoted(each, depth - 1) for each in (term.s, term.p, term.o))
        return f"<< {' '.join(parts)} >>"

    def _iri(self, iri: str, most: int) -> str:
        """Return an IRI as a prefixed name, with the longest namespace that fits; else in full."""
        short = shorten(iri, most)
        if short is iri:
            for end in _ends(iri):
                prefix = self._prefixes.get(iri[:end])
                if prefix is not None and _LOCAL_NAME.fullmatch(iri, end):
                    return f"{shorten(prefix)}:{iri[end:]}"
        # An invalid IRI may contain ">", which would seem to end it.
        return "<{}>".format(short.replace(">", r"\u003E"))


def _write(term: Any, cut: Callable[[str], str], write_iri: Callable[[str], str]) -> str:
    """Return the text of a term that is not a quoted triple."""
    text = str(term)
    if isinstance(term, Literal):
        quoted = f'"{cut(text).translate(_ESCAPES)}"'
        if term.language:
            return f"{quoted}@{cut(term.language)}"
        return quoted if term.datatype is None else f"{quoted}^^{write_iri(str(term.datatype))}"
    if isinstance(term, BNode | Variable):
        return f"{'_:' if isinstance(term, BNode) else '?'}{cut(text)}"
    return write_iri(text)


def _ends(iri: str) -> Iterator[int]:
    """Yield the ends of possible namespaces, the longest first."""
    for end in range(len(iri), 0, -1):
        if iri[end - 1] in "#/:":
            yield end

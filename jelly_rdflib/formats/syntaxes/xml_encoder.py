"""Writes RDF/XML, which can express only terms that fit XML's names and characters."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from html import escape

import pyoxigraph as ox

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats.format import Format
from jelly_rdflib.formats.syntaxes.encoder import SyntaxEncoder, serialize, strip_ends
from jelly_rdflib.nodes.conversion import NodeTypes

_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"[{_NAME_START}][{_NAME_START}\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*")
# The escapes that N-Quads has in literals for characters that XML does not allow.
_NO_XML_CHARACTER = re.compile(r"\\(?:[bf]|u00[01]|uFFF[EF])")
# The start of an element for a node whose type's IRI does not end with a name: after "<" it has
# only a prefix, or nothing.
_NAMELESS_START = re.compile(
    rb"\n\t<(?P<prefix>(?:[^\s<>:/]*:)?)"
    rb'(?: xmlns:oxprefix="(?P<type>[^"]*)")?(?P<subject> rdf:[^<>]*)>'
)
_NAMELESS_END = re.compile(rb"\n\t</(?:[^\s<>:/]*:)?>")
# The number of predicates and types for which the encoder remembers whether they end with a name.
_MAX_KNOWN = 1 << 12
# The maximum length of an IRI that is remembered, in characters; longer ones are checked each time.
_MAX_KNOWN_SIZE = 1 << 10
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
# Prefixes that pyoxigraph or XML itself declares, with their IRIs.
_OWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "its": "http://www.w3.org/2005/11/its",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
# IRIs that only XML's own prefixes may abbreviate, and a word that can't be a prefix.
_RESERVED = ("http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/", "xmlns")


class XmlEncoder(SyntaxEncoder):
    """Encodes RDF/XML. Only prefixes that are declared before the first statement are written."""

    _checks_statements = True

    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object], format: Format) -> None:
        self._own_prefixes: dict[str, str] = {}  # declared at the document's start
        self._head = self._tail = b""
        self._recall_name = functools.lru_cache(_MAX_KNOWN)(_ends_with_name)
        self._has_nameless_types = False
        super().__init__(types, sink, format)

    def check_statement(self, s: str, p: str, o: str) -> None:
        """Check that RDF/XML can express a statement."""
        if not self._is_name(p):
            raise EncodeError(
                f"{p} can't be a predicate in RDF/XML: it does not end with a name, or is a"
                " reserved word of RDF/XML"
            )
        for term in (s, o):
            if term.startswith("_:") and _NAME.fullmatch(term, 2) is None:
                raise EncodeError(
                    f"{term} can't be a blank node in RDF/XML: its label is not a name"
                )
        if o.startswith('"') and o.endswith(("--ltr", "--rtl")) and not _has_directions():
            raise EncodeError(
                f"{o} has a base direction, which this version of pyoxigraph leaves out of RDF/XML:"
                " update pyoxigraph"
            )
        if o.startswith('"') and "\\" in o and _NO_XML_CHARACTER.search(o.replace("\\\\", "")):
            raise EncodeError(f"{o} has a character that XML does not allow")
        if p == _TYPE and o.startswith("<") and not self._is_name(o):
            self._has_nameless_types = True

    def _declare(self, prefix: str, iri: str) -> bytes:
        is_own = _OWN_PREFIXES.get(prefix) == iri
        is_free = prefix not in _OWN_PREFIXES and not {prefix, iri} & {*_RESERVED}
        is_name = prefix == "" or _NAME.fullmatch(prefix) is not None
        if not is_name or not (is_own or is_free):
            raise EncodeError(f"the prefix {prefix!r} can't stand for <{iri}> in RDF/XML")
        if not self._head and not is_own:
            self._own_prefixes[prefix] = iri
        return b""

    def _start(self) -> bytes:
        empty = serialize(b"", self._format, self._own_prefixes)
        self._head, end, rest = empty.partition(b"</rdf:RDF>")
        self._tail = end + rest
        self._end = self._tail + b"\n"
        return self._head

    def _convert(self, lines: bytes) -> bytes:
        text = serialize(lines, self._format, self._own_prefixes)
        text = strip_ends(text, self._head, self._tail)
        if self._has_nameless_types:
            # The pattern starts with a line feed, so put one before the first element, too.
            text = _NAMELESS_START.sub(self._name, b"\n" + text)
            text = _NAMELESS_END.sub(b"\n\t</rdf:Description>", text)[1:]
        # XML reads a carriage return as a line feed, unless it is escaped.
        return text.replace(b"\r", b"&#13;")

    def _is_name(self, iri: str) -> bool:
        return (self._recall_name if len(iri) <= _MAX_KNOWN_SIZE else _ends_with_name)(iri)

    def _name(self, match: re.Match[bytes]) -> bytes:
        """Return the start of an rdf:Description with its type as a child element."""
        type_ = match["type"]
        if type_ is None:
            type_ = escape(self._own_prefixes[match["prefix"].decode()[:-1]]).encode()
        return (
            b"\n\t<rdf:Description%b>" % match["subject"]
            + b'\n\t\t<rdf:type rdf:resource="%b"/>' % type_
        )


@functools.cache
def _has_directions() -> bool:
    """Return whether pyoxigraph writes base directions to RDF/XML; old versions leave them out."""
    line = b'<s:s> <s:p> "o"@ar--rtl .\n'
    return b"its:dir" in serialize(line, ox.RdfFormat.RDF_XML, {})


def _ends_with_name(iri: str) -> bool:
    """Return whether an IRI ends with a valid element name."""
    try:
        text = serialize(f"<s:s> {iri} <o:o> .\n".encode(), ox.RdfFormat.RDF_XML, {})
    except OSError:
        return False
    # Otherwise, pyoxigraph gives the element a name that XML with namespaces does not allow.
    return b"<oxprefix:" not in text and b"<xmlns:" not in text

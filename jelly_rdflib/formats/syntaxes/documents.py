"""How the statements of a text become a document in a syntax, some thousand at a time."""

from __future__ import annotations

import re
from html import escape

import pyoxigraph as ox

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats.syntaxes.syntax import Syntax


class Document:
    """A document of N-Triples or N-Quads, and what the others have in common with it.

    A document is a start, pieces, and an end; ``add_prefix`` may come before the start and between
    pieces.

    Args:
        syntax: Its syntax.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._format: ox.RdfFormat = getattr(ox.RdfFormat, syntax.format)

    def check(self, s: str, p: str, o: str) -> None:
        """Check that a statement can be said.

        Raises:
            EncodeError: It can be said in N-Quads, but not here.
        """

    def add_prefix(self, prefix: str, iri: str) -> bytes:
        """Return what declares a prefix; nothing where there is no place for it.

        Raises:
            EncodeError: A prefix can't be called so.
        """
        return b""

    def start(self) -> bytes:
        """Return what comes before the first statement."""
        return b""

    def piece(self, n_quads: bytes) -> bytes:
        """Return what statements are in the syntax."""
        return n_quads

    def end(self) -> bytes:
        """Return what comes after the last statement."""
        return b""

    def _serialize(self, n_quads: bytes, prefixes: dict[str, str]) -> bytes:
        # Each term is one already.
        quads = ox.parse(n_quads, ox.RdfFormat.N_QUADS, lenient=True)
        return ox.serialize(quads, format=self._format, prefixes=prefixes)  # type: ignore[return-value]


class TurtleDocument(Document):
    """A document of Turtle, TriG or N3."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self._prefixes: dict[str, str] = {}

    def add_prefix(self, prefix: str, iri: str) -> bytes:
        """Return what declares a prefix; nothing if it stands for the IRI already."""
        if self._prefixes.get(prefix) == iri:
            return b""
        declaration = f"@prefix {prefix}: <{iri}> .\n".encode()
        parser = ox.parse(declaration, ox.RdfFormat.TURTLE)
        try:
            is_one = list(parser) == [] and parser.prefixes == {prefix: iri}
        except SyntaxError:
            is_one = False
        if not is_one:
            raise EncodeError(f"a prefix can't be called {prefix!r} in Turtle, TriG and N3")
        self._prefixes[prefix] = iri
        return declaration

    def piece(self, n_quads: bytes) -> bytes:
        """Return what statements are in the syntax."""
        text = self._serialize(n_quads, self._prefixes)
        # pyoxigraph declares all prefixes each time.
        start = 0
        while text.startswith(b"@prefix ", start):
            start = text.index(b"\n", start) + 1
        return text[start:]


class JsonDocument(Document):
    """A document of JSON-LD: an array of objects."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self._is_empty = True

    def start(self) -> bytes:
        """Return what comes before the first statement."""
        return b"["

    def piece(self, n_quads: bytes) -> bytes:
        """Return what statements are in the syntax."""
        text = _strip(self._serialize(n_quads, {}), b"[", b"]")
        separator = b"" if self._is_empty else b","
        self._is_empty = False
        return separator + text

    def end(self) -> bytes:
        """Return what comes after the last statement."""
        return b"]\n"


_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"[{_NAME_START}][{_NAME_START}\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*")
# Of a literal as it is escaped in N-Quads: characters that XML does not have.
_NO_XML_CHARACTER = re.compile(r"\\(?:[bf]|u00[01]|uFFF[EF])")
# An element that has no name but a prefix, or not even that, since its type does not end with one.
_NAMELESS_START = re.compile(
    rb"\n\t<(?P<prefix>(?:[^\s<>:/]*:)?)"
    rb'(?: xmlns:oxprefix="(?P<type>[^"]*)")?(?P<subject> rdf:[^<>]*)>'
)
_NAMELESS_END = re.compile(rb"\n\t</(?:[^\s<>:/]*:)?>")
# Of predicates and types that are known to end with a name, or not to.
_MAX_KNOWN = 1 << 12
# In characters; longer ones are tried each time.
_MAX_KNOWN_SIZE = 1 << 10
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
# What pyoxigraph declares by itself, and what XML does.
_OWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "its": "http://www.w3.org/2005/11/its",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
# What no other prefix can stand for, and what is no prefix.
_RESERVED = ("http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/", "xmlns")


class XmlDocument(Document):
    """A document of RDF/XML. Only prefixes that come before its start have a place in it."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self._prefixes: dict[str, str] = {}
        self._head = self._tail = b""
        self._ends_with_name: dict[str, bool] = {}
        self._has_nameless_types = False

    def check(self, s: str, p: str, o: str) -> None:
        """Check that a statement can be said."""
        if not self._is_name(p):
            raise EncodeError(
                f"{p} can't be a predicate in RDF/XML: it does not end with a name, or is a word of"
                " RDF/XML itself"
            )
        for term in (s, o):
            if term.startswith("_:") and _NAME.fullmatch(term, 2) is None:
                raise EncodeError(f"{term} can't be a blank node in RDF/XML: its label is no name")
        if o.startswith('"') and "\\" in o and _NO_XML_CHARACTER.search(o.replace("\\\\", "")):
            raise EncodeError(f"{o} has a character that XML has not")
        if p == _TYPE and o.startswith("<") and not self._is_name(o):
            self._has_nameless_types = True

    def add_prefix(self, prefix: str, iri: str) -> bytes:
        """Note a prefix for the document's start, if that is yet to come."""
        is_own = _OWN_PREFIXES.get(prefix) == iri
        is_free = prefix not in _OWN_PREFIXES and not {prefix, iri} & {*_RESERVED}
        is_name = prefix == "" or _NAME.fullmatch(prefix) is not None
        if not is_name or not (is_own or is_free):
            raise EncodeError(f"the prefix {prefix!r} can't stand for <{iri}> in RDF/XML")
        if not self._head and not is_own:
            self._prefixes[prefix] = iri
        return b""

    def start(self) -> bytes:
        """Return what comes before the first statement."""
        self._head, self._tail = self._serialize(b"", self._prefixes).split(b"</rdf:RDF>")
        self._tail = b"</rdf:RDF>" + self._tail
        return self._head

    def piece(self, n_quads: bytes) -> bytes:
        """Return what statements are in the syntax."""
        text = _strip(self._serialize(n_quads, self._prefixes), self._head, self._tail)
        if self._has_nameless_types:
            # Without its line feed the first element would not look like the others.
            text = _NAMELESS_START.sub(self._name, b"\n" + text)
            text = _NAMELESS_END.sub(b"\n\t</rdf:Description>", text)[1:]
        # Of a carriage return as it is, XML makes a line feed.
        return text.replace(b"\r", b"&#13;")

    def end(self) -> bytes:
        """Return what comes after the last statement."""
        return self._tail + b"\n"

    def _is_name(self, iri: str) -> bool:
        """Does an IRI end with what can be the name of an element?"""
        known = self._ends_with_name.get(iri)
        if known is None:
            known = self._try_name(iri)
            if len(self._ends_with_name) >= _MAX_KNOWN:
                self._ends_with_name.clear()
            if len(iri) <= _MAX_KNOWN_SIZE:
                self._ends_with_name[iri] = known
        return known

    def _try_name(self, iri: str) -> bool:
        try:
            text = self._serialize(f"<s:s> {iri} <o:o> .\n".encode(), {})
        except OSError:
            return False
        # If it does not, what pyoxigraph makes of it is no XML with namespaces.
        return b"<oxprefix:" not in text and b"<xmlns:" not in text

    def _name(self, match: re.Match[bytes]) -> bytes:
        """Return the start of an element that has its type inside."""
        type_ = match["type"]
        if type_ is None:
            type_ = escape(self._prefixes[match["prefix"].decode()[:-1]]).encode()
        return (
            b"\n\t<rdf:Description%b>" % match["subject"]
            + b'\n\t\t<rdf:type rdf:resource="%b"/>' % type_
        )


def _strip(text: bytes, head: bytes, tail: bytes) -> bytes:
    if not text.startswith(head) or not text.endswith(tail):
        raise RuntimeError("pyoxigraph does not write what it is known to write")
    return text[len(head) : len(text) - len(tail)]


def make_document(syntax: Syntax) -> Document:
    """Make the document of a syntax."""
    kinds: dict[str, type[Document]] = {
        "N_TRIPLES": Document,
        "N_QUADS": Document,
        "RDF_XML": XmlDocument,
        "JSON_LD": JsonDocument,
    }
    return kinds.get(syntax.format, TurtleDocument)(syntax)

"""Terms as N-Quads has them: of rdflib's nodes, and of the terms of a batch.

All syntaxes are written by way of N-Quads: pyoxigraph's statements are slow to make of terms, and
quick to parse from a text. What is a term, and how it is written down, pyoxigraph says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pyoxigraph as ox

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.terms import TermKind
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.terms import TripleTerm

__all__ = ["BatchTerms", "check_positions", "is_good", "write_iri", "write_node"]

# As deep as a reader follows.
_MAX_NESTING_DEPTH = 1000
# In characters; longer tags are checked each time.
_MAX_KEPT_TAG = 100

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# What makes a literal one of them is its tag, and its direction.
_TAGGED_DATATYPES = (f"{_RDF}langString", f"{_RDF}dirLangString")


def write_iri(iri: str) -> str:
    """Return the text of an IRI.

    Raises:
        EncodeError: It is none.
    """
    _make(ox.NamedNode, "an IRI", iri)
    return f"<{iri}>"


def write_blank_node(label: str) -> str:
    """Return the text of a blank node.

    Raises:
        EncodeError: The syntaxes of RDF have no such label.
    """
    if ":" in label:
        raise EncodeError(f"{label!r} can't be the label of a blank node: it has a colon")
    _make(ox.BlankNode, "the label of a blank node", label)
    return f"_:{label}"


def write_literal(lexical: str, language: str | None, datatype: str | None) -> str:
    """Return the text of a literal.

    Args:
        lexical: The lexical form.
        language: The tag; its letters stay capital or small, as they are.
        datatype: The text of the datatype.

    Raises:
        EncodeError: The tag is none, or the datatype is one that only a tag can give.
    """
    if lexical.isprintable() and '"' not in lexical and "\\" not in lexical:
        text = f'"{lexical}"'
    else:
        text = str(_make(ox.Literal, "the text of a literal", lexical))
    if language is not None:
        check_tag(language)
        return f"{text}@{language}"
    if datatype is not None:
        check_datatype(datatype[1:-1])
        return f"{text}^^{datatype}"
    return text


def check_tag(tag: str) -> None:
    """Check a language tag.

    Raises:
        EncodeError: It is none.
    """
    if len(tag) <= _MAX_KEPT_TAG:
        _check_short_tag(tag)
    else:
        _make_tagged(tag)


@functools.lru_cache
def _check_short_tag(tag: str) -> None:
    _make_tagged(tag)


def _make_tagged(tag: str) -> None:
    _make(lambda text: ox.Literal("", language=text), "a language tag", tag)


def check_datatype(iri: str) -> None:
    """Check a datatype.

    Raises:
        EncodeError: It is one that only a language tag can give.
    """
    if iri in _TAGGED_DATATYPES:
        raise EncodeError(f"a literal of datatype {iri} has no language tag")


def write_triple(outer: list[tuple[str, str]], o: str) -> str:
    """Return the text of a quoted triple.

    Args:
        outer: Subject and predicate of the triple, then those of its object, and so on.
        o: The object of the innermost.

    Raises:
        EncodeError: One of the terms can't be where it is.
    """
    for s, p in outer:
        check_positions(s, p)
    return "".join(f"<<( {s} {p} " for s, p in outer) + o + " )>>" * len(outer)


def check_positions(s: str, p: str, g: str = "") -> None:
    """Check what kinds of terms stand where.

    Args:
        s, p: The texts of the subject and the predicate.
        g: That of the graph's name; empty for the default graph.

    Raises:
        EncodeError: It is a generalized statement, or one that is about a quoted triple.
    """
    if not _is_iri(p):
        raise EncodeError(f"{p} can't be a predicate: in the syntaxes of RDF that is an IRI")
    for text, what in ((s, "subject"), (g, "graph's name")):
        if text and not _is_iri(text) and not text.startswith("_:"):
            raise EncodeError(
                f"{text} can't be a {what}: in the syntaxes of RDF that is an IRI or a blank node"
            )


def _is_iri(text: str) -> bool:
    return text.startswith("<") and not text.startswith("<<")


def _make(make: Callable[[str], Any], what: str, text: str) -> Any:
    try:
        return make(text)
    except ValueError as error:
        try:
            text.encode()
        except UnicodeEncodeError as no_text:
            raise EncodeError(f"text has no UTF-8 form: {no_text}") from error
        raise EncodeError(f"{text!r} can't be written as {what}: {error}") from error


def write_node(node: Any, types: NodeTypes) -> str:
    """Return the text of one of rdflib's nodes.

    Args:
        node: The node.
        types: The classes of nodes.

    Raises:
        EncodeError: It can't be written in the syntaxes of RDF, or is no term.
    """
    if isinstance(node, types.iri):
        # str() of a node is code in Python.
        return write_iri(str.__str__(node))
    if isinstance(node, types.blank_node):
        return write_blank_node(str.__str__(node))
    if isinstance(node, types.literal):
        literal: Any = node
        datatype = None if literal.datatype is None else write_node(literal.datatype, types)
        return write_literal(str.__str__(literal), literal.language, datatype)
    if isinstance(node, TripleTerm):
        outer: list[tuple[str, str]] = []
        while isinstance(node, TripleTerm):
            _check_depth(len(outer))
            _refuse_triple(isinstance(node.s, TripleTerm) or isinstance(node.p, TripleTerm))
            outer.append((write_node(node.s, types), write_node(node.p, types)))
            node = node.o
        return write_triple(outer, write_node(node, types))
    raise EncodeError(
        f"{node!r} of type {type(node).__name__} is no term: give rdflib's URIRef, BNode or"
        " Literal, or a TripleTerm; of a Graph, its identifier"
    )


class BatchTerms:
    """The texts of a batch's terms, each of them written once.

    Args:
        batch: The batch.
    """

    def __init__(self, batch: Batch) -> None:
        terms = batch.terms
        self._kinds = bytes(terms.kinds)
        self._offsets = terms.offsets
        self._extras = terms.extras
        self._data = terms.data
        self._texts: dict[int, str] = {}

    def string(self, number: int) -> str:
        """Return the plain text of a term: of a prefix its name, of an IRI the IRI."""
        return self._bytes(number).decode()

    def write_graph(self, number: int) -> str:
        """Return the text of a graph's name, empty for the default graph; see `write`."""
        is_default = self._kinds[number] in (TermKind.NONE, TermKind.DEFAULT_GRAPH)
        return "" if is_default else self.write(number)

    def write(self, number: int) -> str:
        """Return the text of a term.

        Raises:
            EncodeError: It can't be written in the syntaxes of RDF.
        """
        text = self._texts.get(number)
        if text is None:
            text = self._texts[number] = self._write(number)
        return text

    def _bytes(self, number: int) -> bytes:
        return bytes(self._data[self._offsets[number] : self._offsets[number + 1]])

    def _write(self, number: int) -> str:
        kind = self._kinds[number]
        extra = self._extras[number]
        if kind == TermKind.IRI:
            return write_iri(self.string(number))
        if kind == TermKind.BLANK_NODE:
            return write_blank_node(self.string(number))
        if kind == TermKind.SIMPLE_LITERAL:
            return write_literal(self.string(number), None, None)
        if kind == TermKind.LANGUAGE_LITERAL:
            return write_literal(self.string(number), self.string(extra), None)
        if kind == TermKind.TYPED_LITERAL:
            return write_literal(self.string(number), None, self.write(extra))
        if kind == TermKind.TRIPLE_TERM:
            return self._write_triple(number)
        raise EncodeError(f"{TermKind(kind).name} is no term of a statement")

    def _write_triple(self, number: int) -> str:
        outer: list[tuple[str, str]] = []
        while self._kinds[number] == TermKind.TRIPLE_TERM:
            _check_depth(len(outer))
            s, p, number = memoryview(self._bytes(number)).cast("I")
            _refuse_triple(TermKind.TRIPLE_TERM in (self._kinds[s], self._kinds[p]))
            outer.append((self.write(s), self.write(p)))
        return write_triple(outer, self.write(number))


def is_good(kind: int, text: bytes) -> bool:
    """Can the syntaxes of RDF have it?

    Args:
        kind: The `TermKind` of an IRI, a blank node or a language tag (a ``STRING``); or that of
            typed literals, for a datatype that is an IRI.
        text: Its text in UTF-8.
    """
    checks: dict[int, Callable[[str], object]] = {
        TermKind.IRI: write_iri,
        TermKind.BLANK_NODE: write_blank_node,
        TermKind.STRING: check_tag,
        TermKind.TYPED_LITERAL: check_datatype,
    }
    try:
        checks[kind](text.decode())
    except EncodeError:
        return False
    return True


def _check_depth(depth: int) -> None:
    if depth >= _MAX_NESTING_DEPTH:
        raise EncodeError(f"quoted triples nest deeper than {_MAX_NESTING_DEPTH}")


def _refuse_triple(is_triple: bool) -> None:
    if is_triple:
        raise EncodeError(
            "a quoted triple can't be a subject or a predicate: in the syntaxes of RDF it can only"
            " be an object"
        )

"""Terms as N-Quads has them: of rdflib's nodes, and of the terms of a batch.

All syntaxes are written by way of N-Quads: pyoxigraph's statements are slow to make of terms, and
quick to parse from a text. What is a term, and how it is written down, pyoxigraph says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyoxigraph as ox

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.terms import TermKind
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.terms import TripleTerm

__all__ = ["BatchTerms", "NodeTerms", "check_positions", "write_iri"]

# As deep as a reader follows.
_MAX_NESTING_DEPTH = 1000
# Of nodes whose texts are kept, since mostly it is the same objects again and again.
_MAX_KEPT = 1 << 14
_MAX_KEPT_SIZE = 256

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD_STRING = "<http://www.w3.org/2001/XMLSchema#string>"
# What makes a literal one of them is its tag, and its direction.
_TAGGED_DATATYPES = (f"<{_RDF}langString>", f"<{_RDF}dirLangString>")


def write_iri(iri: str) -> str:
    """Return the text of an IRI.

    Raises:
        EncodeError: It is none.
    """
    return str(_make(ox.NamedNode, "an IRI", iri))


def write_blank_node(label: str) -> str:
    """Return the text of a blank node.

    Raises:
        EncodeError: The syntaxes of RDF have no such label.
    """
    if ":" in label:
        raise EncodeError(f"{label!r} can't be the label of a blank node: it has a colon")
    return str(_make(ox.BlankNode, "the label of a blank node", label))


def write_literal(lexical: str, language: str | None, datatype: str | None) -> str:
    """Return the text of a literal.

    Args:
        lexical: The lexical form.
        language: The tag; its letters stay capital or small, as they are.
        datatype: The text of the datatype.

    Raises:
        EncodeError: The tag is none, or the datatype is one that only a tag can give.
    """
    text = str(_make(ox.Literal, "the text of a literal", lexical))
    if language is not None:
        _make(lambda tag: ox.Literal("", language=tag), "a language tag", language)
        return f"{text}@{language}"
    if datatype is None or datatype == _XSD_STRING:
        return text
    if datatype in _TAGGED_DATATYPES:
        raise EncodeError(f"the literal {text}^^{datatype} has no language tag")
    return f"{text}^^{datatype}"


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
        # Of rdflib's terms, which are subclasses of str, str() is code in Python.
        return make(str.__str__(text))
    except ValueError as error:
        try:
            text.encode()
        except UnicodeEncodeError as no_text:
            raise EncodeError(f"text has no UTF-8 form: {no_text}") from error
        raise EncodeError(f"{text!r} can't be written as {what}: {error}") from error


class NodeTerms:
    """The texts of rdflib's nodes.

    Args:
        types: The classes of nodes.
    """

    def __init__(self, types: NodeTypes) -> None:
        self._types = types
        # By their identity, as the hash of a node is slow; that they are kept keeps it theirs.
        self.kept: dict[int, tuple[Any, str]] = {}

    def write(self, node: Any) -> str:
        """Return the text of a node.

        Raises:
            EncodeError: It can't be written in the syntaxes of RDF, or is no term.
        """
        kept = self.kept.get(id(node))
        if kept is not None:
            return kept[1]
        text = self._write(node)
        if len(text) <= _MAX_KEPT_SIZE:
            if len(self.kept) >= _MAX_KEPT:
                self.kept.clear()
            self.kept[id(node)] = (node, text)
        return text

    def _write(self, node: Any) -> str:
        types: Any = self._types
        if isinstance(node, types.iri):
            return write_iri(node)
        if isinstance(node, types.blank_node):
            return write_blank_node(node)
        if isinstance(node, types.literal):
            datatype = node.datatype
            return write_literal(
                node, node.language, None if datatype is None else self.write(datatype)
            )
        if isinstance(node, TripleTerm):
            return self._write_triple(node)
        raise EncodeError(
            f"{node!r} of type {type(node).__name__} is no term: give rdflib's URIRef, BNode or"
            " Literal, or a TripleTerm; of a Graph, its identifier"
        )

    def _write_triple(self, triple: TripleTerm) -> str:
        outer: list[tuple[str, str]] = []
        node: Any = triple
        while isinstance(node, TripleTerm):
            _check_depth(len(outer))
            _refuse_triple(isinstance(node.s, TripleTerm) or isinstance(node.p, TripleTerm))
            outer.append((self.write(node.s), self.write(node.p)))
            node = node.o
        return write_triple(outer, self.write(node))


class BatchTerms:
    """The texts of a batch's terms, each of them written once.

    Args:
        batch: The batch.
        default_graph: The IRI that stands for the default graph.

    Attributes:
        kinds: The terms' kinds: `TermKind`.
    """

    def __init__(self, batch: Batch, default_graph: str) -> None:
        terms = batch.terms
        self.kinds = bytes(terms.kinds)
        self._offsets: list[int] = terms.offsets.tolist()
        self._extras: list[int] = terms.extras.tolist()
        self._data = bytes(terms.data)
        self._texts: list[str | None] = [None] * len(self.kinds)
        self._default_graph = default_graph.encode()

    @property
    def longest(self) -> int:
        """The bytes of the longest term."""
        return max(
            stop - start for start, stop in zip(self._offsets, self._offsets[1:], strict=False)
        )

    def string(self, number: int) -> str:
        """Return the plain text of a term: of a prefix its name, of an IRI the IRI."""
        return self._bytes(number).decode()

    def is_default_graph(self, number: int) -> bool:
        """Is it the default graph, or none?"""
        kind = self.kinds[number]
        return kind in (TermKind.NONE, TermKind.DEFAULT_GRAPH) or (
            kind == TermKind.IRI and self._bytes(number) == self._default_graph
        )

    def kinds_of(self, numbers: list[int]) -> set[int]:
        """Return the kinds that terms are of."""
        return {self.kinds[number] for number in set(numbers)}

    def write_graph(self, number: int) -> str:
        """Return the text of a graph's name, empty for the default graph; see `write`."""
        return "" if self.is_default_graph(number) else self.write(number)

    def write(self, number: int) -> str:
        """Return the text of a term.

        Raises:
            EncodeError: It can't be written in the syntaxes of RDF.
        """
        text = self._texts[number]
        if text is None:
            text = self._texts[number] = self._write(number)
        return text

    def _bytes(self, number: int) -> bytes:
        return self._data[self._offsets[number] : self._offsets[number + 1]]

    def _write(self, number: int) -> str:
        kind = self.kinds[number]
        if kind == TermKind.IRI:
            return write_iri(self.string(number))
        if kind == TermKind.BLANK_NODE:
            return write_blank_node(self.string(number))
        if kind == TermKind.SIMPLE_LITERAL:
            return write_literal(self.string(number), None, None)
        if kind == TermKind.LANGUAGE_LITERAL:
            return write_literal(self.string(number), self.string(self._extras[number]), None)
        if kind == TermKind.TYPED_LITERAL:
            return write_literal(self.string(number), None, self.write(self._extras[number]))
        if kind == TermKind.TRIPLE_TERM:
            return self._write_triple(number)
        raise EncodeError(f"{TermKind(kind).name} is no term of a statement")

    def _write_triple(self, number: int) -> str:
        outer: list[tuple[str, str]] = []
        while self.kinds[number] == TermKind.TRIPLE_TERM:
            _check_depth(len(outer))
            s, p, number = memoryview(self._bytes(number)).cast("I")
            _refuse_triple(TermKind.TRIPLE_TERM in (self.kinds[s], self.kinds[p]))
            outer.append((self.write(s), self.write(p)))
        return write_triple(outer, self.write(number))


def _check_depth(depth: int) -> None:
    if depth >= _MAX_NESTING_DEPTH:
        raise EncodeError(f"quoted triples nest deeper than {_MAX_NESTING_DEPTH}")


def _refuse_triple(is_triple: bool) -> None:
    if is_triple:
        raise EncodeError(
            "a quoted triple can't be a subject or a predicate: in the syntaxes of RDF it can only"
            " be an object"
        )

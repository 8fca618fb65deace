"""Encodes statements in the syntaxes that pyoxigraph serializes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.output import Output
from jelly_rdflib.core.statement_lines import StatementLines
from jelly_rdflib.encodings.syntaxes.documents import Document, make_document
from jelly_rdflib.encodings.syntaxes.syntax import Syntax
from jelly_rdflib.encodings.syntaxes.terms import (
    BatchTerms,
    check_positions,
    is_good,
    write_iri,
    write_node,
)
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.operations import Op, Statement

if TYPE_CHECKING:
    from rdflib.term import Node, URIRef

__all__ = ["SyntaxEncoder"]

# A piece is handed on when it has so many bytes of N-Quads.
_SIZE = 1 << 19


class SyntaxEncoder(Output):
    """Encodes statements, one after another, or whole batches.

    What can't be encoded raises `EncodeError` and leaves the text as if it had not been tried.
    Statements are handed on some thousand at a time.

    Args:
        syntax: The syntax.
        types: The classes of nodes.
        sink: Called with pieces of the text as they are ready: bytes.
    """

    def __init__(self, syntax: Syntax, types: NodeTypes, sink: Callable[[bytes], object]) -> None:
        super().__init__(sink)
        self._syntax = syntax
        self._types = types
        self._default_graph = write_node(types.default_graph, types)
        self._document = make_document(syntax)
        # Whether what can be said in N-Quads, but for graphs and quoted triples, can be said.
        self._says_all = type(self._document).check is Document.check
        self._lines = StatementLines(
            types, is_good, self, has_graphs=syntax.has_graphs, piece=_SIZE
        )
        self._prefixes: dict[str, str] = {}
        self._is_started = False

    def add(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None:
        """Write a statement.

        Args:
            s, p, o: Terms.
            g: The graph's name; None for the default graph.
        """
        if not (self._says_all and self._lines.add(s, p, o, g)):
            subject, predicate, object_ = (write_node(term, self._types) for term in (s, p, o))
            graph = "" if g is None else write_node(g, self._types)
            self._put(subject, predicate, object_, graph)
        if self._lines.size >= _SIZE:
            self._hand_on()

    def add_namespace(self, prefix: str, iri: URIRef) -> None:
        """Declare a namespace, for people to read; it is left out where there is no place for it.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
        """
        if not isinstance(prefix, str):
            raise EncodeError(f"prefix {prefix!r} is no str")
        if not isinstance(iri, self._types.iri):
            raise EncodeError(f"prefix {prefix!r} can't stand for {iri!r}: it is no URIRef")
        self._put_prefix(prefix, str.__str__(iri))

    def write(self, statement: Statement) -> None:
        """Write a statement that is given as a tuple of three or four terms."""
        if not isinstance(statement, tuple) or len(statement) not in (3, 4):
            raise EncodeError(f"{statement!r} is no statement: give a tuple of 3 or 4 terms")
        self.add(*statement)

    def write_all(self, statements: Iterable[Statement]) -> None:
        """Write each statement of an iterable."""
        self.check()
        if self._says_all:
            self._lines.add_all(statements, self.write, self._hand_on)
            return
        for statement in statements:
            self.write(statement)

    def write_batch(self, batch: Batch) -> None:
        """Write the statements and namespaces of a batch, without making nodes of them.

        If one of them can't be encoded, those before it are written.
        """
        self.check()
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        terms = BatchTerms(batch)
        ops, s, p, o, g = batch.ops, batch.s, batch.p, batch.o, batch.g

        def add_row(row: int) -> None:
            self._put_row(terms, ops[row], s[row], p[row], o[row], g[row])

        if self._says_all:
            self._lines.add_batch(batch, add_row, self._hand_on)
            return
        for row in range(len(batch)):
            add_row(row)
            if self._lines.size >= _SIZE:
                self._hand_on()

    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None:
        """Hand on what is written so far.

        Args:
            metadata: None: there is no place for it.
        """
        self.check()
        if metadata:
            raise EncodeError(f"{self._syntax.title} has no place for metadata")
        self._hand_on()

    def finish(self) -> None:
        """End the text and hand on what is left."""
        if self.is_over:
            return
        self.claim()
        try:
            self._put_lines()
            start = b"" if self._is_started else self._document.start()
            self._emit(start + self._document.end())
            self.end()
        finally:
            self.free()

    def abandon(self) -> None:
        """End the text because of an error: what is written stays."""
        self.finish()

    def _put(self, s: str, p: str, o: str, g: str) -> None:
        if g == self._default_graph:
            g = ""
        check_positions(s, p, g)
        if g and not self._syntax.has_graphs:
            raise EncodeError(f"graph {g} in {self._syntax.title}, which has no named graphs")
        if o.startswith("<<") and not self._syntax.has_triple_terms:
            raise EncodeError(f"{self._syntax.title} can't have the quoted triple {o}")
        self._document.check(s, p, o)
        self._lines.add_line((f"{s} {p} {o} {g} .\n" if g else f"{s} {p} {o} .\n").encode())

    def _put_row(self, terms: BatchTerms, op: int, s: int, p: int, o: int, g: int) -> None:
        if op == Op.A:
            self._put(terms.write(s), terms.write(p), terms.write(o), terms.write_graph(g))
        elif op == Op.PA:
            self._put_prefix(terms.string(s), terms.string(o))
        else:
            raise EncodeError(
                f"{Op(op).name} is about changes, and {self._syntax.title} is for statements"
            )

    def _put_prefix(self, prefix: str, iri: str) -> None:
        self.claim()
        try:
            if not self._syntax.has_prefixes or self._prefixes.get(prefix) == iri:
                return
            write_iri(iri)
            # Before it come statements for which the prefix may have stood for something else.
            self._put_lines()
            self._emit(self._document.add_prefix(prefix, iri))
            self._prefixes[prefix] = iri
        finally:
            self.free()

    def _hand_on(self) -> None:
        """Hand on the statements that wait."""
        self.claim()
        try:
            self._put_lines()
        finally:
            self.free()

    def _put_lines(self) -> None:
        n_quads = self._lines.take()
        if not n_quads:
            return
        start = b"" if self._is_started else self._document.start()
        self._is_started = True
        try:
            piece = self._document.piece(n_quads)
        except BaseException:
            # The statements are lost.
            self.lose()
            raise
        self._emit(start + piece)

    def _emit(self, piece: bytes) -> None:
        if piece:
            self.hand_on(piece)

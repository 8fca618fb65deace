"""Encodes statements in the syntaxes that pyoxigraph serializes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jelly_rdflib.core.batch import TermKind
from jelly_rdflib.core.text import LineEncoder
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats.syntaxes.documents import Document, make_document
from jelly_rdflib.formats.syntaxes.syntax import Syntax
from jelly_rdflib.formats.syntaxes.terms import check_text
from jelly_rdflib.nodes.conversion import NodeTypes


class SyntaxEncoder(LineEncoder):
    """Encodes statements, and hands them on some thousand at a time.

    Args:
        syntax: The syntax.
        types: The classes of nodes.
        sink: Called with pieces of the text as they are ready: bytes.
    """

    def __init__(self, syntax: Syntax, types: NodeTypes, sink: Callable[[bytes], object]) -> None:
        self._syntax = syntax
        self._document = make_document(syntax)
        self._prefixes: dict[str, str] = {}
        self._is_started = False
        has_all = type(self._document).check is Document.check
        super().__init__(
            types,
            sink,
            title=syntax.title,
            check_text=check_text,
            check_statement=None if has_all else self._document.check,
            has_graphs=syntax.has_graphs,
            has_triple_terms=syntax.has_triple_terms,
        )

    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None:
        """Hand on what is written so far.

        Args:
            metadata: None: there is no place for it.
        """
        self.check()
        if metadata:
            raise EncodeError(f"{self._syntax.title} has no place for metadata")
        self.claim()
        try:
            self.put_lines()
        finally:
            self.free()

    def finish(self) -> None:
        """End the text and hand on what is left."""
        if self.is_over:
            return
        self.claim()
        try:
            self.put_lines()
            start = b"" if self._is_started else self._document.start()
            self._emit(start + self._document.end())
            self.end()
        finally:
            self.free()

    def abandon(self) -> None:
        """End the text because of an error: what is written stays."""
        self.finish()

    def put_prefix(self, prefix: str, iri: str) -> None:
        """Declare a prefix, for people to read; it is left out where there is no place for it."""
        if not self._syntax.has_prefixes or self._prefixes.get(prefix) == iri:
            return
        check_text(TermKind.IRI, iri.encode())
        # Before it come statements for which the prefix may have stood for something else.
        self.put_lines()
        self._emit(self._document.add_prefix(prefix, iri))
        self._prefixes[prefix] = iri

    def put_lines(self) -> None:
        """Hand on the statements that wait."""
        n_quads = self.take_lines()
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

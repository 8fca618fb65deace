"""Writes the syntaxes that pyoxigraph serializes, a few thousand statements at a time."""

from __future__ import annotations

from collections.abc import Callable

import pyoxigraph as ox

from jelly_rdflib.core.text import LineEncoder
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats.format import Format
from jelly_rdflib.nodes.conversion import NodeTypes


class SyntaxEncoder(LineEncoder):
    """Encodes statements as a document: a start, statements converted from N-Quads, and an end."""

    _checks_statements = False
    # The end of the document, after the last statement.
    _end = b""

    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object], format: Format) -> None:
        self._format: ox.RdfFormat = getattr(ox.RdfFormat, format.parser)
        self._prefixes: dict[str, str] = {}
        self._is_started = False
        super().__init__(types, sink, format, checks_statements=self._checks_statements)

    def put_prefix(self, prefix: str, iri: str) -> None:
        """Declare a prefix, unless it already stands for the IRI."""
        if self._prefixes.get(prefix) == iri:
            return
        # Write the buffered lines first, since the prefix may have another IRI in them.
        self.put_lines()
        self._emit(self._declare(prefix, iri))
        self._prefixes[prefix] = iri

    def put_lines(self) -> None:
        """Convert the buffered lines, and pass the result to the sink."""
        lines = self.take_lines()
        if not lines:
            return
        try:
            piece = self._start_once() + self._convert(lines)
        except BaseException:
            # The statements of these lines are lost, so the output is broken.
            self.lose()
            raise
        self._emit(piece)

    def put_end(self) -> None:
        """Pass the end of the document to the sink."""
        self._emit(self._start_once() + self._end)

    def _start_once(self) -> bytes:
        start = b"" if self._is_started else self._start()
        self._is_started = True
        return start

    def _emit(self, piece: bytes) -> None:
        if piece:
            self.hand_on(piece)

    # Subclasses override these.

    def _declare(self, prefix: str, iri: str) -> bytes:
        """Return the declaration of a prefix, or no bytes if the syntax can't declare it here."""
        return b""

    def _start(self) -> bytes:
        """Return the text before the first statement."""
        return b""

    def _convert(self, lines: bytes) -> bytes:
        """Convert lines of N-Quads to the syntax."""
        raise NotImplementedError


class TurtleEncoder(SyntaxEncoder):
    """Encodes Turtle, TriG and N3."""

    def _declare(self, prefix: str, iri: str) -> bytes:
        declaration = f"@prefix {prefix}: <{iri}> .\n".encode()
        parser = ox.parse(declaration, ox.RdfFormat.TURTLE)
        try:
            is_one = list(parser) == [] and parser.prefixes == {prefix: iri}
        except SyntaxError:
            is_one = False
        if not is_one:
            raise EncodeError(f"a prefix can't be called {prefix!r} in Turtle, TriG and N3")
        return declaration

    def _convert(self, lines: bytes) -> bytes:
        text = serialize(lines, self._format, self._prefixes)
        # pyoxigraph starts each piece with all prefixes, but each should be declared once.
        start = 0
        while text.startswith(b"@prefix ", start):
            start = text.index(b"\n", start) + 1
        return text[start:]


class JsonEncoder(SyntaxEncoder):
    """Encodes JSON-LD as an array of objects, without prefixes."""

    _end = b"]\n"
    _has_objects = False

    def _start(self) -> bytes:
        return b"["

    def _convert(self, lines: bytes) -> bytes:
        text = strip_ends(serialize(lines, self._format, {}), b"[", b"]")
        separator = b"," if self._has_objects else b""
        self._has_objects = True
        return separator + text


def strip_ends(text: bytes, head: bytes, tail: bytes) -> bytes:
    """Return a text that pyoxigraph wrote, without its known start and end."""
    if not text.startswith(head) or not text.endswith(tail):
        raise RuntimeError("pyoxigraph's output does not have the expected start and end")
    return text[len(head) : len(text) - len(tail)]


def serialize(lines: bytes, format: ox.RdfFormat, prefixes: dict[str, str]) -> bytes:
    """Convert lines of N-Quads with pyoxigraph; the terms were checked when the lines were made."""
    quads = ox.parse(lines, ox.RdfFormat.N_QUADS, lenient=True)
    return ox.serialize(quads, format=format, prefixes=prefixes)  # type: ignore[return-value]

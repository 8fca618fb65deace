"""Targets for RDF syntaxes, and for the child process that parses them with pyoxigraph."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.formats import find_format
from jelly_rdflib.formats.format import Reading
from jelly_rdflib.formats.syntaxes import messages
from jelly_rdflib.formats.syntaxes.hashed_text import HashedText
from jelly_rdflib.formats.syntaxes.isolated import IsolatedBatches
from jelly_rdflib.nodes import make_node_factory
from tests.formats.syntaxes import reference
from tests.pieces import Pieces

from .outcomes import attempt, choose, is_compressed
from .reading import check_rows

__all__ = ["read_answers", "read_syntax"]

BASE = "http://e.org/"
LINES: tuple[jr.StatementFormat, ...] = ("n-triples", "n-quads")
TURTLE_LIKE: tuple[jr.StatementFormat, ...] = ("turtle", "trig", "n3", *LINES)


def read_syntax(data: bytes) -> None:
    """Read RDF/XML, or Turtle and similar syntaxes, at once and in pieces.

    Our own parsers of N-Triples and N-Quads are compared with pyoxigraph.

    JSON-LD is left out: a few bytes can make pyoxigraph abort the process.
    """
    if is_compressed(data):
        return
    is_xml = data.lstrip()[:2] in (b"<?", b"<!", b"<r")
    formats: tuple[jr.StatementFormat, ...] = ("rdf-xml",) if is_xml else TURTLE_LIKE
    ways = itertools.product(formats, (False, True), (BASE, None))
    format, is_lenient, base = choose(data, list(ways))
    if format in LINES:
        base = None
        reference.assert_same(data, format, strict=not is_lenient)

    def read(source: Any) -> Iterator[int]:
        batches = jr.read_batches(source, format=format, base=base, strict=not is_lenient)
        return map(check_rows, batches)

    whole = attempt(lambda: read(data))
    again = attempt(lambda: read(Pieces(data, 1 + len(data) % 37)))
    assert (again.error is None) == (whole.error is None)
    if whole.error is None:
        assert sum(again.items) == sum(whole.items)


class _Answers:
    """Stands for a child process that sends the given answers and ends."""

    position = 0
    error = jr.DecodeError

    def __init__(self, answers: bytes) -> None:
        self._answers = io.BytesIO(answers)

    def send(self, data: bytes | None) -> None:
        """Accept the bytes that the child asked for."""

    def receive_answer(self) -> tuple[bytes, int]:
        """Return the kind and size of the next answer."""
        kind, size = messages.ANSWER.unpack(self.receive(messages.ANSWER.size))
        return kind, size

    def receive(self, size: int) -> bytearray:
        """Return ``size`` bytes of an answer."""
        data = bytearray(self._answers.read(size))
        if len(data) < size:
            raise jr.DecodeError("the parser's process has ended")
        return data

    def end(self) -> None:
        """End the child."""


def read_answers(data: bytes) -> None:
    """Read untrusted answers of the parser's process; only errors about the input may be raised."""
    reading = Reading(factory=make_node_factory(False), limits=jr.Limits())
    batches: Any = IsolatedBatches(
        find_format("turtle"), HashedText(memoryview(b""), reading.limits), reading
    )
    batches._child = _Answers(data)
    attempt(lambda: map(check_rows, batches))

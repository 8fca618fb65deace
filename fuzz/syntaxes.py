"""A target of the syntaxes that pyoxigraph parses, and of what watches its input.

Its parser is tried behind the watch, through the package, and without: what it makes of a text must
be what the watch thought of. Those who see a bracket too few, or a prefix, let through what ends
the process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pyoxigraph as ox

import jelly_rdflib as jr
from jelly_rdflib.core.input_start import BYTE_ORDER_MARK
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.core.nesting import NestingWatch
from jelly_rdflib.core.turtle_nesting import TurtleNesting
from jelly_rdflib.core.xml_nesting import XmlNesting
from jelly_rdflib.encodings.syntaxes.contexts import measure_context
from tests.pieces import Pieces

from .outcomes import Outcome, attempt, choose, is_compressed
from .reading import check_rows

__all__ = ["read_syntax"]

BASE = "http://e.org/"
# A parser without a watch gets no more than this: as deep as it can nest in so few bytes, the stack
# is enough for it.
MAX_SIZE = 4096
# What the seeds name most is made long, for what a parser holds to be more than a little.
MARKER = b"e.org"
LONG = MARKER + b"x" * 3000
HELD = 2500
OPEN = 10

LINES = ("n-triples", "n-quads")
TURTLE_LIKE = ("turtle", "trig", "n3", *LINES)


def _guess_formats(data: bytes) -> tuple[str, ...]:
    """Return the formats an input may be of, by its first bytes."""
    start = data.removeprefix(BYTE_ORDER_MARK).lstrip()[:2]
    if start[:1] in (b"{", b"["):
        return ("json-ld", "json-ld", "json-ld", "trig", "n3")
    return ("rdf-xml",) if start in (b"<?", b"<!", b"<r") else TURTLE_LIKE


def read_syntax(data: bytes) -> None:
    """Turtle and those like it, RDF/XML or JSON-LD: at once, in pieces, and without the package."""
    if is_compressed(data):
        return
    formats = _guess_formats(data)
    # With a base a vocabulary of one character is a whole IRI.
    ways = itertools.product(formats, (False, True), (BASE, BASE, None))
    format, is_lenient, base = choose(data, list(ways))
    if format in LINES:
        base = None

    def read(source: Any) -> Iterator[int]:
        batches = jr.read_batches(source, format=format, base=base, strict=not is_lenient)
        return map(check_rows, batches)

    whole = attempt(lambda: read(data))
    again = attempt(lambda: read(Pieces(data, 1 + len(data) % 37)))
    assert (again.error is None) == (whole.error is None)
    if whole.error is None:
        assert sum(again.items) == sum(whole.items)
    if len(data) <= MAX_SIZE:
        # The parser knows it in JSON only.
        text = data.removeprefix(BYTE_ORDER_MARK)
        _check_watch(text, format, is_lenient, base, whole)
        _check_watch(text.replace(MARKER, LONG, 8), format, is_lenient, base, None)


def _check_watch(
    data: bytes, format: str, is_lenient: bool, base: str | None, whole: Outcome | None
) -> None:
    """Hold a watch against the parser, and what came of the package."""

    def make_watch(max_held: int) -> NestingWatch:
        return WATCHES[format](max_held, is_lenient)

    watch = make_watch(1 << 30)
    # Levels that are open before, so that none too few would not be noticed.
    watch.look(b"[" * OPEN)
    open_levels = watch.depth
    if not _lets_through(watch, data):
        return
    name = format.upper().replace("-", "_")
    syntax = getattr(ox.RdfFormat, name)
    parser: Any = ox.parse(data, syntax, base_iri=base, lenient=is_lenient)
    quads: list[Any] = []
    try:
        quads.extend(parser)
        if name != "RDF_XML":
            # It takes a document for whole that ends inside a tag.
            assert watch.depth == open_levels
        assert whole is None or whole.error is not None or sum(whole.items) >= len(quads)
    except SyntaxError:
        assert whole is None or whole.error is not None
    if isinstance(watch, JsonNesting):
        assert len(quads) <= watch.made
    if _held(name, parser, quads) > HELD:
        assert not _lets_through(make_watch(HELD), data), "the watch did not notice"


def _lets_through(watch: NestingWatch, data: bytes) -> bool:
    try:
        watch.look(data)
    except jr.DecodeError:
        return False
    return True


def _watch_turtle(max_held: int, is_lenient: bool, has_arrows: bool = False) -> NestingWatch:
    return TurtleNesting(
        1000,
        max_held=max_held,
        has_arrows=has_arrows,
        is_lenient=is_lenient,
        base_size=len(BASE),
    )


WATCHES: dict[str, Callable[[int, bool], NestingWatch]] = {
    **dict.fromkeys(TURTLE_LIKE, _watch_turtle),
    "n3": lambda max_held, is_lenient: _watch_turtle(max_held, is_lenient, has_arrows=True),
    "rdf-xml": lambda max_held, _: XmlNesting(1000, max_held=max_held, base_size=len(BASE)),
    "json-ld": lambda max_held, is_lenient: JsonNesting(
        128, max_held=max_held, measure_context=measure_context, is_lenient=is_lenient
    ),
}


def _held(name: str, parser: Any, quads: list[Any]) -> int:
    """Return the size of the longest IRI that a few bytes may stand for."""
    if name == "RDF_XML":
        return max((len(iri) for quad in quads for iri in _iris(quad)), default=0)
    # Of lines nothing is declared, and of JSON-LD the watch counts all text.
    return max(map(len, [*parser.prefixes.values(), parser.base_iri or ""]))


def _iris(quad: Any) -> Iterator[str]:
    for term in (quad.subject, quad.predicate, quad.object, getattr(quad.object, "datatype", None)):
        if isinstance(term, ox.NamedNode):
            yield term.value

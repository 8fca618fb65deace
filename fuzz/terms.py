"""Targets of what takes strings from users: terms as N-Triples, and texts that nest."""

from __future__ import annotations

import array

import jelly_rdflib as jr
from jelly_rdflib.core.column_batches import ColumnBatches, TextColumnView
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.core.nesting import NestingWatch
from jelly_rdflib.core.ntriples import find_texts
from jelly_rdflib.core.turtle_nesting import TurtleNesting
from jelly_rdflib.core.xml_nesting import XmlNesting
from jelly_rdflib.encodings.syntaxes.contexts import measure_context
from jelly_rdflib.nodes import make_node_factory
from tests.arrow.spelling import spell
from tests.oracle.terms import plain

from .outcomes import SMALL_LIMITS

__all__ = ["parse_terms", "watch_nesting"]


def _column(texts: list[bytes]) -> TextColumnView:
    offsets = array.array("i", [0])
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    return TextColumnView(len(texts), 0, None, offsets.tobytes(), b"".join(texts))


def _parse(texts: list[bytes], limits: jr.Limits) -> jr.Batch | None:
    """Parse terms, each as the object of a row; None if one is refused."""
    maker = ColumnBatches(make_node_factory(False), limits)
    same = [b"<urn:x>"] * len(texts)
    columns = {"op": None, "s": _column(same), "p": _column(same), "o": _column(texts)}
    try:
        batch, count = maker.make(0, {**columns, "g": None, "name": None})
    except (jr.EncodeError, jr.LimitError):
        return None
    assert count == len(batch) == len(texts)
    return batch


def parse_terms(data: bytes) -> None:
    """Terms of N-Triples, one in each line: parsed, spelled, and parsed again."""
    for text in data.split(b"\n")[:1000]:
        batch = _parse([text], jr.Limits())
        _parse([text], SMALL_LIMITS)
        if batch is None:
            continue
        number = batch.o[0]
        spelled = find_texts(batch.terms, 1 << 24)[number]
        assert spelled is not None
        term = plain(batch.terms[number])
        assert spelled == spell(term)
        again = _parse([spelled.encode()], jr.Limits())
        assert again is not None
        assert plain(again.terms[again.o[0]]) == term


def _depth(watch: NestingWatch, data: bytes, size: int) -> int | None:
    """Return how deep a text nests, looked at in pieces; None if it is refused."""
    try:
        for start in range(0, len(data), size):
            watch.look(data[start : start + size])
    except jr.DecodeError:
        return None
    return watch.depth


def _watches(limit: int, max_held: int) -> list[NestingWatch]:
    return [
        TurtleNesting(limit, max_held=max_held, max_quoted=limit, base_size=limit),
        TurtleNesting(limit, max_held=max_held, has_arrows=True),
        JsonNesting(limit, max_held=max_held, measure_context=measure_context),
        JsonNesting(limit, max_held=max_held, is_lenient=True),
        XmlNesting(limit, max_held=max_held, base_size=limit),
    ]


def watch_nesting(data: bytes) -> None:
    """How deep texts nest, and what a parser would hold, the same in pieces of whatever size."""
    size = 1 + len(data) % 13
    for limit, max_held in ((2, 1 << 12), (100, 1 << 16), (100, 1 << 24)):
        pairs = zip(_watches(limit, max_held), _watches(limit, max_held), strict=True)
        for in_pieces, whole in pairs:
            assert _depth(in_pieces, data, size) == _depth(whole, data, len(data) or 1)

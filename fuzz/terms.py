"""A target for N-Triples terms, which users pass as strings."""

from __future__ import annotations

import array

import jelly_rdflib as jr
from jelly_rdflib.core.arrow import ColumnBatches, RowColumnsBuilder, TextColumnView
from jelly_rdflib.nodes import make_node_factory
from tests.oracle.terms import plain
from tests.spelling import spell

from .outcomes import SMALL_LIMITS

__all__ = ["parse_terms"]


def _column(texts: list[bytes]) -> TextColumnView:
    offsets = array.array("i", [0])
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    return TextColumnView(len(texts), 0, None, offsets.tobytes(), b"".join(texts))


def _parse(texts: list[bytes], limits: jr.Limits) -> jr.Batch | None:
    """Parse terms, each as the object of a row; return None if one is refused."""
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
    """Parse N-Triples terms, one per line; write them, and parse them again."""
    for text in data.split(b"\n")[:1000]:
        batch = _parse([text], jr.Limits())
        _parse([text], SMALL_LIMITS)
        if batch is None:
            continue
        columns = RowColumnsBuilder(columns=["o"], max_text_size=1 << 24)
        columns.append(batch)
        [((_, _, texts), _)] = columns.drain()["o"]
        spelled = bytes(texts).decode()
        term = plain(batch.terms[batch.o[0]])
        assert spelled == spell(term)
        again = _parse([spelled.encode()], jr.Limits())
        assert again is not None
        assert plain(again.terms[again.o[0]]) == term

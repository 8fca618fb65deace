"""Targets that read: at once and in pieces, by batches and one by one, with limits and without."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.batches import open_patch_batches, open_statement_batches
from jelly_rdflib.nodes import make_node_factory
from tests.oracle import wire
from tests.rdf.support import plain_frame
from tests.support import assert_position

from .outcomes import (
    SMALL_LIMITS,
    Outcome,
    Pieces,
    assert_limited,
    attempt,
    is_compressed,
    plain_operations,
)

__all__ = ["read_any", "read_patch", "read_rdf", "read_text", "read_thrift"]

# Of longer inputs terms are not compared one by one: that takes the harness longer than the reader.
LONG = 4096


def check_batch(batch: jr.Batch) -> int:
    """Go through the columns of a batch, and make its terms; return the number of its rows."""
    count = len(batch.terms)
    for column in (batch.s, batch.p, batch.o, batch.g):
        assert len(column) == len(batch.ops) == len(batch)
        assert not len(column) or max(column) < count
    for number in range(min(count, LONG)):
        repr(batch.terms[number])
    assert sum(1 for _ in batch) == len(batch)
    return len(batch)


def check_reader(data: bytes, format: str, *, has_positions: bool) -> Outcome | None:
    """Read changes in all ways; return what was read, in plain form, unless it is long."""

    def operations(source: Any, **arguments: Any) -> Iterator[Any]:
        return jr.read_operations(source, format=format, **arguments)

    factory = make_node_factory(False)
    limits = jr.Limits()
    batches = attempt(lambda: map(check_batch, open_patch_batches(data, factory, limits, format)))
    normalized = attempt(lambda: _count(operations(data, normalize=True)))
    assert normalized.told == batches.told
    if has_positions and batches.error is not None and not is_compressed(data):
        assert_position(batches.error, len(data))
    limited = attempt(lambda: _count(operations(data, limits=SMALL_LIMITS)))
    assert limited.told == batches.told or isinstance(limited.error, jr.LimitError)
    if len(data) > LONG:
        return None
    whole = attempt(lambda: plain_operations(operations(data, normalize=False)))
    assert len(whole.items) == len(normalized.items)
    assert whole.told == batches.told
    pieces = Pieces(data, 1 + len(data) % 37)
    assert attempt(lambda: plain_operations(operations(pieces, normalize=False))) == whole
    assert_limited(
        attempt(lambda: plain_operations(operations(data, normalize=False, limits=SMALL_LIMITS))),
        whole,
    )
    patches = attempt(lambda: jr.read_patches(data, format=format, normalize=False))
    assert patches.told == whole.told
    assert len(patches.items) == whole.items.count(("END",))
    return whole


def _count(items: Iterable[Any]) -> Iterator[None]:
    """Give nothing for each item, so that none is kept."""
    return (None for _ in items)


def read_patch(data: bytes) -> None:
    """Jelly-Patch, also frame by frame."""
    whole = check_reader(data, "jelly-patch", has_positions=True)
    if whole is None:
        return
    parts = _split(data)
    if parts is not None:
        decoder = jr.PatchDecoder(normalize=False)
        apart = attempt(lambda: plain_operations(_decode_all(decoder, parts)))
        assert apart.items == whole.items
        assert (apart.error is None) == (whole.error is None)


def _split(data: bytes) -> list[bytes] | None:
    try:
        parts = wire.split(data)
    except wire.WireError:
        return None
    return None if sum(map(len, parts)) > jr.Limits().max_frame_size else parts


def _decode_all(decoder: jr.PatchDecoder, parts: list[bytes]) -> Iterator[Any]:
    for part in parts:
        yield from decoder.decode_frame(part)
    yield from decoder.finish()


def read_rdf(data: bytes) -> None:
    """Jelly-RDF: batches, statements, frames, graphs; also frame by frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _read_rdf(data)


def _read_rdf(data: bytes) -> None:
    factory = make_node_factory(False)
    batches = attempt(
        lambda: map(
            check_batch,
            open_statement_batches(data, factory, jr.Limits(), "jelly-rdf", strict=True, base=None),
        )
    )
    if batches.error is not None and not is_compressed(data):
        assert_position(batches.error, len(data))
    statements = attempt(lambda: _count(jr.read_statements(data, format="jelly-rdf")))
    assert statements.told == batches.told
    limited = attempt(lambda: _count(jr.read_frames(data, limits=SMALL_LIMITS)))
    assert limited.told == batches.told or isinstance(limited.error, jr.LimitError)
    if len(data) > LONG:
        return
    whole = attempt(lambda: map(plain_frame, jr.read_frames(data, normalize=False)))
    assert whole.told == batches.told
    pieces = Pieces(data, 1 + len(data) % 37)
    assert attempt(lambda: map(plain_frame, jr.read_frames(pieces, normalize=False))) == whole
    loose = attempt(lambda: map(plain_frame, jr.read_frames(data, normalize=False, strict=False)))
    assert whole.error is not None or loose == whole
    # What rdflib can't hold is an error, and so is a stream that is none of graphs.
    with contextlib.suppress(jr.JellyError):
        list(jr.read_graphs(data, strict=False))
    parts = _split(data)
    if parts is not None:
        decoder = jr.StatementDecoder(normalize=False)
        apart = attempt(lambda: (plain_frame(decoder.decode_frame(part)) for part in parts))
        assert apart.items == whole.items


def read_text(data: bytes) -> None:
    """RDF Patch text."""
    check_reader(data, "rdf-patch", has_positions=False)


def read_thrift(data: bytes) -> None:
    """RDF Patch in Thrift."""
    check_reader(data, "rdf-patch-thrift", has_positions=False)


def read_any(data: bytes) -> None:
    """An input of which nothing is known: maybe compressed, maybe of any of the formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = attempt(lambda: map(check_batch, jr.read_batches(data)))
        pieces = attempt(
            lambda: map(check_batch, jr.read_batches(Pieces(data, 1 + len(data) % 61)))
        )
        assert (pieces.error is None) == (whole.error is None)
        attempt(lambda: _count(jr.read_operations(data, limits=SMALL_LIMITS)))
        attempt(lambda: _count(jr.read_statements(data, limits=SMALL_LIMITS)))

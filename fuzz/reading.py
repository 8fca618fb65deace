"""Targets that read an input in several ways, which must agree."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import jelly_rdflib as jr
from jelly_rdflib.streams.open_input import open_input
from tests.core.jelly.statement_support import plain_frame
from tests.oracle import wire
from tests.pieces import Pieces
from tests.support import assert_position

from .outcomes import (
    SMALL_LIMITS,
    Outcome,
    assert_limited,
    attempt,
    choose,
    is_compressed,
    plain_operations,
)

__all__ = ["read_any", "read_patch", "read_rdf", "read_text", "read_thrift"]

# A function of an input, its format, and the outcome of reading batches: the size of each batch.
Way: TypeAlias = Callable[[bytes, str, Outcome], None]


def count_rows(batch: jr.Batch) -> int:
    """Check the columns of a batch against each other; return the number of its rows."""
    count = len(batch.terms)
    for column in (batch.s, batch.p, batch.o, batch.g):
        assert len(column) == len(batch.ops) == len(batch)
        assert not len(column) or max(column) < count
    return len(batch)


def check_rows(batch: jr.Batch) -> int:
    """Make all terms and all rows of a batch; return the number of rows."""
    for number in range(len(batch.terms)):
        repr(batch.terms[number])
    assert sum(1 for _ in batch) == len(batch)
    return len(batch)


def check_changes(data: bytes, format: str, *more: Way, has_positions: bool = False) -> None:
    """Read changes as batches, and then in one other way, which must agree.

    The inputs that fuzzing keeps differ little, so each way gets some of the similar inputs.
    """
    batches = attempt(lambda: map(count_rows, _open(data, format)))
    if has_positions and batches.error is not None and not is_compressed(data):
        assert_position(batches.error, len(data))
    choose(data, (*WAYS, *more))(data, format, batches)


def _open(data: bytes, format: str) -> Iterable[jr.Batch]:
    return open_input(data, format=format, holds_changes=True).batches()


def _operations(data: Any, format: Any, **arguments: Any) -> Iterator[Any]:
    """Yield operations in plain form."""
    return plain_operations(jr.read_operations(data, format=format, normalize=False, **arguments))


def read_rows(data: bytes, format: str, batches: Outcome) -> None:
    """Check that making all rows and terms of the batches gives the same outcome."""
    assert attempt(lambda: map(check_rows, _open(data, format))) == batches


def read_normalized(data: bytes, format: Any, batches: Outcome) -> None:
    """Read operations with normalized literals."""
    operations = attempt(lambda: jr.read_operations(data, format=format, normalize=True))
    assert operations.told == batches.told
    assert len(operations.items) == sum(batches.items)


def _read_whole(data: bytes, format: str, batches: Outcome) -> Outcome:
    whole = attempt(lambda: _operations(data, format))
    assert whole.told == batches.told
    assert len(whole.items) == sum(batches.items)
    return whole


def read_limited(data: bytes, format: str, batches: Outcome) -> None:
    """Check that lower limits either change nothing or end reading earlier."""
    whole = _read_whole(data, format, batches)
    assert_limited(attempt(lambda: _operations(data, format, limits=SMALL_LIMITS)), whole)


def read_in_pieces(data: bytes, format: str, batches: Outcome) -> None:
    """Read a source that returns a few bytes at a time."""
    whole = _read_whole(data, format, batches)
    pieces = Pieces(data, 1 + len(data) % 37)
    _assert_same(data, attempt(lambda: _operations(pieces, format)), whole)


def _assert_same(data: bytes, in_pieces: Outcome, whole: Outcome) -> None:
    """Check that reading in pieces and reading at once give the same outcome."""
    if is_compressed(data) and whole.error is not None:
        # For damaged data, a decompressor's output depends on how much input it gets at once.
        assert in_pieces.error is not None
    else:
        assert in_pieces == whole


def read_as_patches(data: bytes, format: Any, batches: Outcome) -> None:
    """Read patches: there must be one for each END."""
    whole = _read_whole(data, format, batches)
    patches = attempt(lambda: jr.read_patches(data, format=format, normalize=False))
    assert patches.told == whole.told
    assert len(patches.items) == whole.items.count(("END",))


WAYS = (read_rows, read_normalized, read_limited, read_in_pieces, read_as_patches)


def read_frame_by_frame(data: bytes, format: str, batches: Outcome) -> None:
    """Decode frames that were split by other code."""
    parts = _split(data)
    if parts is None:
        return
    whole = _read_whole(data, format, batches)
    decoder = jr.PatchDecoder(normalize=False)
    apart = attempt(lambda: plain_operations(_decode_all(decoder, parts)))
    assert apart.items == whole.items
    assert (apart.error is None) == (whole.error is None)
    strict = jr.PatchDecoder(normalize=False, on_repeated_options="error")
    once = attempt(lambda: plain_operations(_decode_all(strict, parts)))
    anew = jr.PatchDecoder(normalize=False, on_repeated_options="restart")
    restarted = attempt(lambda: plain_operations(_decode_all(anew, parts)))
    if once.error is None or once.error.rule is not jr.Rule.REPEATED_OPTIONS:
        assert once.items == restarted.items == whole.items


def read_patch(data: bytes) -> None:
    """Read Jelly-Patch as a stream or frame by frame."""
    check_changes(data, "jelly-patch", read_frame_by_frame, has_positions=True)


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
    """Read Jelly-RDF as batches, then as statements, frames or graphs, or frame by frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batches = attempt(lambda: map(count_rows, _open_statements(data)))
        if batches.error is not None and not is_compressed(data):
            assert_position(batches.error, len(data))
        choose(data, RDF_WAYS)(data, batches)


def _open_statements(data: bytes) -> Iterable[jr.Batch]:
    return open_input(data, format="jelly-rdf", holds_changes=False).batches()


def _frames(data: Any, **arguments: Any) -> Iterator[Any]:
    """Yield frames in plain form."""
    return map(plain_frame, jr.read_frames(data, normalize=False, **arguments))


def _read_statement_rows(data: bytes, batches: Outcome) -> None:
    assert attempt(lambda: map(check_rows, _open_statements(data))) == batches


def _read_statements(data: bytes, batches: Outcome) -> None:
    statements = attempt(lambda: jr.read_statements(data, format="jelly-rdf"))
    assert statements.told == batches.told
    assert len(statements.items) <= sum(batches.items)


def _read_all_frames(data: bytes, batches: Outcome) -> Outcome:
    whole = attempt(lambda: _frames(data))
    assert whole.told == batches.told
    assert sum(len(frame.operations) for frame in whole.items) == sum(batches.items)
    return whole


def _read_limited_frames(data: bytes, batches: Outcome) -> None:
    whole = _read_all_frames(data, batches)
    assert_limited(attempt(lambda: _frames(data, limits=SMALL_LIMITS)), whole)


def _read_frames_in_pieces(data: bytes, batches: Outcome) -> None:
    whole = _read_all_frames(data, batches)
    pieces = Pieces(data, 1 + len(data) % 37)
    _assert_same(data, attempt(lambda: _frames(pieces)), whole)


def _read_loosely(data: bytes, batches: Outcome) -> None:
    loose = attempt(lambda: _frames(data, strict=False))
    whole = _read_all_frames(data, batches)
    assert whole.error is not None or loose == whole
    # Terms that rdflib can't represent are errors, and so is a stream without graphs.
    with contextlib.suppress(jr.JellyError):
        list(jr.read_graphs(data, strict=False))


def _read_rdf_frame_by_frame(data: bytes, batches: Outcome) -> None:
    parts = _split(data)
    if parts is None:
        return
    whole = _read_all_frames(data, batches)
    decoder = jr.StatementDecoder(normalize=False)
    apart = attempt(lambda: (plain_frame(decoder.decode_frame(part)) for part in parts))
    assert apart.items == whole.items


RDF_WAYS = (
    _read_statement_rows,
    _read_statements,
    _read_limited_frames,
    _read_frames_in_pieces,
    _read_loosely,
    _read_rdf_frame_by_frame,
)


def read_text(data: bytes) -> None:
    """Read RDF Patch text."""
    check_changes(data, "rdf-patch")


def read_thrift(data: bytes) -> None:
    """Read RDF Patch in Thrift."""
    check_changes(data, "rdf-patch-thrift")


def read_any(data: bytes) -> None:
    """Read an input of unknown format, which may be compressed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = attempt(lambda: map(count_rows, jr.read_batches(data)))
        choose(data, ANY_WAYS)(data, whole)


def _read_any_in_pieces(data: bytes, whole: Outcome) -> None:
    pieces = Pieces(data, 1 + len(data) % 61)
    # rdflib's nodes have no base direction.
    again = attempt(lambda: map(check_rows, jr.read_batches(pieces, directions="drop")))
    assert (again.error is None) == (whole.error is None)


def _read_any_as_operations(data: bytes, _: Outcome) -> None:
    attempt(lambda: jr.read_operations(data, limits=SMALL_LIMITS))


def _read_any_as_statements(data: bytes, _: Outcome) -> None:
    attempt(lambda: jr.read_statements(data, limits=SMALL_LIMITS))


ANY_WAYS = (_read_any_in_pieces, _read_any_as_operations, _read_any_as_statements)

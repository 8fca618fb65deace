"""Targets for `inspect`, `validate`, reading a file in parts, and checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import (
    BatchReader,
    FrameDecoder,
    PatchFrameDecoder,
    StatementFrameDecoder,
    StreamScanner,
)
from jelly_rdflib.nodes import make_node_factory

from .outcomes import Outcome, attempt, choose, is_compressed, plain_operations

__all__ = ["look_at_any", "read_parts", "restore_state"]

LIMITS = jr.Limits()
# Frames whose rows only repeat terms: they are valid if the state has terms to repeat.
REPEATING = [b"\x0a\x02\x12\x00", b"\x0a\x02\x1a\x00", b"\x0a\x04\x22\x02\x0a\x00", b""]


def look_at_any(data: bytes) -> None:
    """Check that `inspect`, `inspect_frames` and `validate` agree with the reader."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        choose(data, (_inspect, _inspect_frames, _validate))(data)


def _inspect(data: bytes) -> None:
    report = jr.inspect(data)
    report.as_dict()
    whole = attempt(lambda: map(len, jr.read_batches(data, strict=False)))
    assert (report.error is None) == (whole.error is None), (report.error, whole.error)
    assert sum(report.operations.values()) == sum(whole.items)


def _inspect_frames(data: bytes) -> None:
    report = jr.inspect(data)
    if report.is_delimited is not None:
        frames = attempt(lambda: jr.inspect_frames(data))
        assert len(frames.items) == report.frames


def _validate(data: bytes) -> None:
    faults = list(jr.validate(data))
    assert all(str(fault) for fault in faults)
    is_refused = any(fault.rule.is_enforced for fault in faults)
    error = attempt(lambda: map(len, jr.read_batches(data, strict=False))).error
    assert is_refused or error is None, error


def make_decoder(is_patch: bool) -> FrameDecoder:
    """Make a decoder of patches or statements; it drops directions, which rdflib can't hold."""
    factory = make_node_factory(False)
    if is_patch:
        return PatchFrameDecoder(factory, LIMITS)
    return StatementFrameDecoder(factory, LIMITS, drop_directions=True)


def _plain(batches: Any) -> Iterator[Any]:
    return plain_operations(operation for batch in batches for operation in batch)


def _read(batches: Any) -> Outcome:
    return attempt(lambda: _plain(batches))


def read_parts(data: bytes) -> None:
    """Check that the parts of a stream, read from checkpoints, make up the whole."""
    if not data or is_compressed(data):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A decoder of the wrong kind soon fails, which is tested, too.
        for is_patch in (True, False):
            _read_parts(data, is_patch)


def _read_parts(data: bytes, is_patch: bool) -> None:
    spacing = 1 + len(data) % 97
    scanner = StreamScanner(
        data, make_decoder(is_patch), LIMITS, spacing=spacing, counts_frames=not is_patch
    )
    found = attempt(lambda: scanner)
    whole = attempt(lambda: _plain(BatchReader(data, make_decoder(is_patch), LIMITS)))
    # An error at the end of the stream also ends the last part.
    assert found.error is None or whole.error is not None, found.error
    starts = [0, *(start for start, _, _ in found.items)]
    got: list[Any] = []
    error = None
    for number, start in enumerate(starts):
        decoder = make_decoder(is_patch)
        is_last = number == len(starts) - 1
        if number > 0:
            decoder.restore(found.items[number - 1][2])
        end = len(data) if is_last else starts[number + 1]
        part = BatchReader(data[start:end], decoder, LIMITS, offset=start or None, is_last=is_last)
        outcome = _read(part)
        got += outcome.items
        assert is_last or outcome.error is None
        error = outcome.error
    assert got == whole.items
    assert (error is None) == (whole.error is None)


def restore_state(data: bytes) -> None:
    """Check that an untrusted state is either refused or can be saved again."""
    for is_patch in (True, False):
        decoder = make_decoder(is_patch)
        try:
            decoder.restore(data)
        except jr.DecodeError:
            continue
        state = decoder.save()
        other = make_decoder(is_patch)
        other.restore(state)
        assert other.save() == state
        for frame in REPEATING:
            outcome = _decode(decoder, frame)
            assert _decode(other, frame) == outcome
            if outcome.error is not None:
                break


def _decode(decoder: FrameDecoder, frame: bytes) -> Outcome:
    return attempt(lambda: _plain([decoder.decode_frame(frame)]))

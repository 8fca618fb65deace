"""Tests encoding patches as frames of a stream and decoding them, for all transports."""

import gc
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

from jelly_rdflib import (
    DecodeError,
    EncodeError,
    Op,
    Patch,
    PatchEncoder,
    PatchOptions,
    PatchWriter,
    TripleTerm,
)
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder
from jelly_rdflib.errors import InUseError
from jelly_rdflib.live.frames import FrameBuffer, LiveDecoder, LiveEncoder, starts_stream
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from tests import strategies
from tests.oracle.decoder import Reference
from tests.oracle.schema import message_class
from tests.oracle.terms import operation, plain_operation
from tests.support import options_of, run

G = URIRef("urn:g")


def patch_of(size: int, name: str = "s", *, has_transaction: bool = True) -> Patch:
    rows = [(Op.A, URIRef(f"urn:{name}{n}"), URIRef("urn:p"), Literal(n), G) for n in range(size)]
    return Patch([(Op.TX,), *rows, (Op.TC,)] if has_transaction else rows)


@given(st.lists(strategies.streams(), min_size=2, max_size=4))
def test_a_stream_depends_on_none_before_it(streams: list[strategies.Stream]) -> None:
    options = replace(options_of(streams[0].options), stream_type="PUNCTUATED")
    used = LiveEncoder(options, restart_every=1)
    for stream in streams:
        for operations in stream.patches:
            patch = Patch(map(operation, operations))
            found = []
            for encoder in (used, LiveEncoder(options)):
                # The options of a stream allow its features; other options may not.
                with suppress(EncodeError):
                    found.append(encoder.encode(patch))
            assert found[:1] == found[1:]


def test_no_stream_starts_in_the_middle_of_a_call() -> None:
    encoder = PatchFrameEncoder(NODE_TYPES, PatchOptions())
    with pytest.raises(InUseError, match="start a stream"):
        encoder.encode_frame(encoder.restart)
    started: list[PatchFrameEncoder] = []
    encoder = PatchFrameEncoder(NODE_TYPES, PatchOptions(), lambda _: started[0].restart())
    started.append(encoder)
    with pytest.raises(InUseError, match="another call is writing"):
        encoder.finish()


def test_a_finalizer_starts_no_stream_in_the_middle_of_a_row() -> None:
    """A finalizer can't start a stream inside a row, even if the collector runs on an error."""
    (batch,) = NodeBatches(NODE_TYPES, [(Op.A, Literal("s"), G, G, G)])
    writer = PatchWriter(FrameBuffer(1 << 20))
    encoder: Any = writer.encoder
    refused = 0

    def restart(*_: object) -> None:
        nonlocal refused
        try:
            encoder.restart()
        except InUseError:
            refused += 1

    threshold = gc.get_threshold()
    gc.callbacks.append(restart)
    try:
        gc.set_threshold(1)
        with pytest.raises(EncodeError):
            writer.write_all(batch)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(restart)
    # Newer Python versions collect garbage only between instructions.
    assert refused > 0 or sys.version_info >= (3, 12)


LARGE = """
import os
from rdflib import URIRef
from jelly_rdflib.live.frames import LiveEncoder
from tests.live.faults import memory_of

def patch_of(texts):
    return Patch([(Op.A, *[URIRef("urn:g")] * 2, URIRef(text), None) for text in texts])

encoder = LiveEncoder(restart_every=1, max_frame_size=1 << 28)
encoder.encode(patch_of("abc"))
before = memory_of(os.getpid())
encoder.encode(patch_of(f"urn:{str(n) * (1 << 20)}" for n in range(20)))
encoder.encode(patch_of("abc"))
print(memory_of(os.getpid()) - before)
"""


def test_a_restarted_encoder_keeps_no_large_memory() -> None:
    # Run in a separate process, since memory that other tests freed would affect the result.
    assert int(run(LARGE)) < 12 << 20


def test_a_stream_without_its_start_can_not_be_read() -> None:
    encoder = LiveEncoder()
    encoder.encode(patch_of(1))
    with pytest.raises(DecodeError, match="options"):
        list(LiveDecoder().decode(encoder.encode(patch_of(1))[0]))


def test_a_stream_of_another_type_may_follow_behind_a_field_that_is_unknown() -> None:
    punctuated, flat = (PatchOptions.small(stream_type=name) for name in ("PUNCTUATED", "FLAT"))
    (first,) = LiveEncoder(punctuated).encode(patch_of(1))
    second = PatchEncoder(flat).encode_frame(patch_of(2))
    decoder = LiveDecoder()
    assert list(decoder.decode(first)) == [patch_of(1)]
    assert list(decoder.decode(b"\x7a\x01x" + second)) == [patch_of(2)]
    assert decoder.options == flat


@pytest.mark.parametrize("fault", ["options", "row"])
def test_a_stream_can_start_behind_a_bad_frame(fault: str) -> None:
    (start,) = LiveEncoder().encode(patch_of(1))
    decoder = LiveDecoder()
    with pytest.raises(DecodeError):
        list(decoder.decode(b"\x0a\x02\x0a\x00" if fault == "options" else start[:-1]))
    assert list(decoder.decode(start)) == [patch_of(1)]


def test_a_patch_whose_producer_stopped_is_dropped() -> None:
    first, second = (LiveEncoder(PatchOptions(frame_rows=16)) for _ in range(2))
    half = first.encode(patch_of(100, has_transaction=False))[:3]
    decoder = LiveDecoder()
    found = [
        patch for frame in half + second.encode(patch_of(2)) for patch in decoder.decode(frame)
    ]
    assert found == [patch_of(2)]


def test_a_patch_that_can_not_be_encoded_leaves_no_half() -> None:
    encoder = LiveEncoder(PatchOptions(frame_rows=16))
    rows = list(patch_of(50, has_transaction=False))
    quoted = TripleTerm(G, G, G)
    with pytest.raises(EncodeError):
        encoder.encode(Patch([*rows, (Op.A, G, G, quoted, G)]))
    decoder = LiveDecoder()
    (frame,) = encoder.encode(Patch(rows[:3]))
    assert [len(patch) for patch in decoder.decode(frame)] == [3]


def test_a_row_that_is_larger_than_a_frame_is_refused() -> None:
    encoder = LiveEncoder(max_frame_size=1000)
    big = Patch([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 2000), None)])
    with pytest.raises(EncodeError, match="at most 1000 are allowed"):
        encoder.encode(big)
    assert starts_stream(encoder.encode(patch_of(1))[0])


def test_frames_of_many_rows_stay_below_the_largest_size() -> None:
    encoder = LiveEncoder(max_frame_size=4000)
    frames = encoder.encode(patch_of(2000))
    assert len(frames) > 5
    assert max(map(len, frames)) <= 4000


def test_a_flat_stream_gives_whole_transactions() -> None:
    encoder = PatchEncoder(PatchOptions(stream_type="FLAT"))
    decoder = LiveDecoder()
    row = (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)
    frames = map(
        encoder.encode_frame,
        ([row], [(Op.TX,), row, (Op.TC,), (Op.TX,), row], [row], [(Op.TC,), row]),
    )
    found = [[len(patch) for patch in decoder.decode(frame)] for frame in frames]
    assert found == [[1], [3], [], [5]]


@given(sizes=st.lists(st.integers(0, 40), max_size=12), restart_every=st.integers(1, 3))
def test_options_may_be_repeated_in_a_stream(sizes: list[int], restart_every: int) -> None:
    """For readers that follow the specification, repeated options start no new stream."""
    options = PatchOptions.small(frame_rows=16, max_name_table_size=8)
    encoder = LiveEncoder(options, restart_every=restart_every)
    patches = [patch_of(size, f"n{number % 3}-") for number, size in enumerate(sizes)]
    frames = [frame for patch in patches for frame in encoder.encode(patch)]
    decoder, reference = LiveDecoder(on_repeated_options="continue"), Reference()
    assert [patch for frame in frames for patch in decoder.decode(frame)] == patches
    parse = message_class("RdfPatchFrame").FromString
    rows = [row for frame in frames for row in reference.frame(parse(bytes(frame)))]
    expected = [row for patch in patches for row in [*patch, (Op.END,)]]
    assert rows == [plain_operation(row) for row in expected]


def test_the_frames_of_a_patch_come_as_they_are_full() -> None:
    encoder = LiveEncoder(PatchOptions(frame_rows=16))
    parts = iter([patch_of(20, has_transaction=False), patch_of(3, "t", has_transaction=False)])
    frames = encoder.encode_parts(parts)
    first = next(frames)
    assert next(parts) == patch_of(3, "t", has_transaction=False)
    decoder = LiveDecoder()
    (patch,) = (patch for frame in [first, *frames] for patch in decoder.decode(frame))
    assert len(patch) == 20

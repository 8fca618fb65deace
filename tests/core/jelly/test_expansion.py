"""Tests `max_expansion`, which limits the total text that a stream expands to."""

import itertools
from collections.abc import Iterator

import pytest

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from tests.oracle import build as b
from tests.oracle.wire import varint

LONG = 10_000
SMALL = jr.Limits(max_text_size=1 << 16, max_expansion=4)
# A stream may save at most this much of the text allowance that it has earned but not used.
SAVED = 16 * SMALL.max_text_size

HEAD = b.frame(
    b.options(max_name_table_size=100, generalized_statements=True),
    b.prefix("p" * LONG),
    *(b.name(f"{number}") for number in range(1, 51)),
)


def use(number: int) -> bytes:
    """Return a frame of a few bytes that expands to a long IRI."""
    return b.frame(b.add(b.iri(1, number % 50 + 1), "p", "o"))


def read_until_refused(frames: Iterator[bytes], decoder: PatchFrameDecoder) -> int:
    """Return the number of frames read before the decoder reaches `max_expansion`."""
    read: list[jr.Batch] = []
    with pytest.raises(jr.LimitError, match="max_expansion"):
        read.extend(map(decoder.decode_frame, frames))
    return len(read)


def uses() -> Iterator[bytes]:
    return map(use, itertools.count())


def started(limits: jr.Limits = SMALL) -> PatchFrameDecoder:
    decoder = PatchFrameDecoder(make_node_factory(False), limits)
    decoder.decode_frame(HEAD)
    return decoder


def most_frames(text: int) -> int:
    """Return how many frames fit into `text` bytes if each has a long IRI that counts twice."""
    return text // (2 * LONG) + 1


def test_a_small_stream_may_stand_for_long_iris() -> None:
    """The first frames of many streams use long IRIs that were just added to the lookups."""
    data = b.delimited([HEAD, *(use(number) for number in range(50))])
    assert len(data) < 12_000
    assert sum(map(len, jr.read_batches(data))) == 50 + 1


def test_a_frame_has_no_text_for_free() -> None:
    """Frames earn text in proportion to their size, so small frames can't expand without limit."""
    earned = SMALL.max_expansion * len(HEAD)
    count = read_until_refused(uses(), started())
    text = SMALL.max_text_size + earned + SMALL.max_expansion * count * len(use(0))
    assert 1 < count <= most_frames(text)


@pytest.mark.parametrize("empty", [b"", b.frame(b.begin(), b.abort())])
def test_empty_frames_earn_no_more_than_their_size(empty: bytes) -> None:
    decoder = started()
    for _ in range(2000):
        decoder.decode_frame(empty)
    count = read_until_refused(uses(), decoder)
    size = len(HEAD) + 2000 * len(empty) + count * len(use(0))
    assert count <= most_frames(SMALL.max_text_size + SMALL.max_expansion * size)


def test_what_was_not_used_may_be_used_later_but_not_all() -> None:
    """The stream starts with much text that does not expand; later, a few bytes expand a lot."""
    decoder = started()
    before = read_until_refused(uses(), started())
    for number in range(200):
        decoder.decode_frame(b.frame(b.add(b.iri(1, 1), "p", f"{number}" * 10_000)))
    count = read_until_refused(uses(), decoder)
    assert before < SAVED // (4 * LONG) < count
    assert count <= most_frames(SAVED + SMALL.max_expansion * count * len(use(0)))


def test_a_saved_state_gives_no_more_than_a_stream_may_keep() -> None:
    decoder = started()
    state = decoder.save()
    # After the lookups' entries and the options, the state stores the amounts of text used and
    # still allowed.
    earned = SMALL.max_text_size + SMALL.max_expansion * len(HEAD)
    old = varint(0) + varint(earned)
    assert state.count(old) == 1
    forged = PatchFrameDecoder(make_node_factory(False), SMALL)
    forged.restore(state.replace(old, varint(0) + varint((1 << 62) - 1)))
    count = read_until_refused(uses(), forged)
    assert count <= most_frames(SAVED + SMALL.max_expansion * count * len(use(0)))

"""Tests a decoder's state: saved as bytes after any frame, then restored by another decoder."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import (
    BatchReader,
    PatchFrameDecoder,
    StatementFrameDecoder,
    StreamScanner,
)
from jelly_rdflib.nodes import make_node_factory
from tests import strategies
from tests.core.jelly.formats import PATCH, Format, formats
from tests.core.jelly.statement_support import few
from tests.oracle import wire
from tests.oracle.terms import plain_operation
from tests.strategies import Stream
from tests.support import options_of, write

LIMITS = jr.Limits()


def patch_decoder(limits: jr.Limits = LIMITS) -> PatchFrameDecoder:
    return PatchFrameDecoder(make_node_factory(False), limits)


def statement_decoder(limits: jr.Limits = LIMITS) -> StatementFrameDecoder:
    return StatementFrameDecoder(make_node_factory(False), limits)


def operations(batches: Any) -> list[Any]:
    return [plain_operation(operation) for batch in batches for operation in batch]


def check_all_states(messages: list[bytes], make_decoder: Any) -> None:
    """Check that decoding from each saved state gives the same as decoding without saving."""
    through = make_decoder()
    expected = [through.decode_frame(message) for message in messages]
    end = through.finish()
    decoder = make_decoder()
    for number, message in enumerate(messages):
        decoder.decode_frame(message)
        if decoder.options is None:
            continue
        state = decoder.save()
        other = make_decoder()
        other.restore(state)
        assert other.save() == state
        assert other.options == decoder.options
        got = [other.decode_frame(each) for each in messages[number + 1 :]]
        assert operations(got) == operations(expected[number + 1 :])
        assert [batch.metadata for batch in got] == [
            batch.metadata for batch in expected[number + 1 :]
        ]
        assert operations([other.finish()]) == operations([end])


class TestGoingOn:
    @formats
    @few
    @given(data=st.data(), rng=strategies.dice)
    def test_a_stream_goes_on_from_any_frame(
        self, f: Format, data: st.DataObject, rng: random.Random
    ) -> None:
        frames = f.spoken(data.draw(f.streams()), rng)
        make_decoder = patch_decoder if f is PATCH else statement_decoder
        check_all_states([frame.SerializeToString() for frame in frames], make_decoder)

    @few
    @given(strategies.streams(), st.integers(1, 4), st.integers(1, 200))
    def test_parts_that_a_scanner_finds_make_the_whole(
        self, stream: Stream, rows: int, spacing: int
    ) -> None:
        data = write(stream.operations, options_of(stream.options, frame_rows=rows))
        found = list(StreamScanner(data, patch_decoder(), LIMITS, spacing=spacing))
        starts = [0, *(start for start, _, _ in found)]
        ends = [*starts[1:], len(data)]
        got = []
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            decoder = patch_decoder()
            if number > 0:
                _, place, state = found[number - 1]
                assert start - starts[number - 1] >= spacing
                decoder.restore(state)
                assert place[0] == len(got)
                assert place[1] == got.count(("END",))
                assert place[2] >= got.count(("TX",))
            is_last = number == len(starts) - 1
            part = BatchReader(data[start:end], decoder, LIMITS, offset=start, is_last=is_last)
            got += operations(part)
        assert got == operations(jr.read_batches(data))

    def test_an_error_in_a_part_tells_its_place_in_the_stream(self) -> None:
        good = write([("TX",), ("TC",), ("END",)] * 4, jr.PatchOptions(frame_rows=1))
        data = good + b"\x02\xff\xff"
        (*_, (start, _, state)) = StreamScanner(good, patch_decoder(), LIMITS, spacing=1)
        decoder = patch_decoder()
        decoder.restore(state)
        with pytest.raises(jr.DecodeError) as through:
            list(jr.read_batches(data))
        with pytest.raises(jr.DecodeError) as caught:
            list(BatchReader(data[start:], decoder, LIMITS, offset=start, is_last=True))
        assert str(caught.value) == str(through.value)
        assert caught.value.offset == len(good) + 1


class TestDamage:
    def state(self) -> bytes:
        quoted = ("triple", ("bnode", "b"), ("iri", "urn:p"), ("literal", "x", "en", None))
        data = write(
            [
                ("TX",),
                ("A", quoted, ("iri", "urn:p"), ("literal", "1", None, "urn:d"), ("iri", "urn:g")),
                ("TC",),
            ],
            jr.PatchOptions.small(rdf_star=True),
        )
        decoder = patch_decoder()
        for frame in wire.split(data):
            decoder.decode_frame(frame)
        return decoder.save()

    @given(st.data())
    def test_a_damaged_state_is_refused_or_read_as_another(self, data: st.DataObject) -> None:
        state = bytearray(self.state())
        for _ in range(data.draw(st.integers(1, 3))):
            state[data.draw(st.integers(0, len(state) - 1))] = data.draw(st.integers(0, 255))
        decoder = patch_decoder()
        try:
            decoder.restore(bytes(state))
        except jr.DecodeError:
            with pytest.raises(jr.DecodeError):
                decoder.decode_frame(b"")
            return
        # The bytes are the state of some stream, and the terms that it repeats are well formed.
        repeated = b"\x0a\x02\x12\x00"
        try:
            operations([decoder.decode_frame(repeated)])
        except jr.DecodeError:
            return

    @given(st.integers(0, 10_000))
    def test_a_state_that_is_cut_off_is_refused(self, size: int) -> None:
        state = self.state()
        with pytest.raises(jr.DecodeError, match="checkpoint"):
            patch_decoder().restore(state[: size % len(state)])

    @given(st.binary(max_size=60))
    def test_what_is_no_state_is_refused(self, data: bytes) -> None:
        with pytest.raises(jr.DecodeError):
            patch_decoder().restore(data)

    def test_a_state_with_more_behind_it_is_refused(self) -> None:
        with pytest.raises(jr.DecodeError, match="more bytes after its end"):
            patch_decoder().restore(self.state() + b"\0")

    def test_a_state_of_the_other_format_is_refused(self) -> None:
        with pytest.raises(jr.DecodeError, match="not from a Jelly-RDF decoder"):
            statement_decoder().restore(self.state())

    def test_limits_hold_for_states_too(self) -> None:
        with pytest.raises(jr.LimitError, match="limit max_name_table_size"):
            patch_decoder(jr.Limits(max_name_table_size=8)).restore(self.state())
        with pytest.raises(jr.DecodeError, match="nest deeper"):
            patch_decoder(jr.Limits(max_nesting_depth=0)).restore(self.state())

    @pytest.mark.parametrize("levels", [10, 22, 40, 99])
    def test_quoted_triples_that_would_be_written_out_without_end(self, levels: int) -> None:
        """The subject and object of each quoted triple are the previous quoted triple."""
        text = "b" * 20
        data = write(
            [("A", ("bnode", text), ("iri", "urn:p"), ("bnode", text), None)],
            jr.PatchOptions(rdf_star=True),
        )
        decoder = patch_decoder()
        for frame in wire.split(data):
            decoder.decode_frame(frame)
        # The saved subject consists of a flag, a table with one term (a blank node of 20 bytes),
        # and the number of the last term.
        node = bytes([2, 0, len(text)]) + text.encode()
        subject = b"\1\1" + node + b"\1"
        triples = b"".join(bytes([6, level, 1, level]) for level in range(1, levels + 1))
        state = decoder.save()
        assert state.count(subject) == 2  # The state has the same bytes for the object.
        forged = bytes([1, levels + 1]) + node + triples + bytes([levels + 1])
        restored = patch_decoder()
        if levels == 10:
            restored.restore(state.replace(subject, forged, 1))
            return
        with pytest.raises(jr.LimitError, match="limit max_text_size"):
            restored.restore(state.replace(subject, forged, 1))

    def test_only_a_new_decoder_takes_one(self) -> None:
        decoder = patch_decoder()
        decoder.restore(self.state())
        with pytest.raises(ValueError, match="only a new decoder"):
            decoder.restore(self.state())

    def test_before_the_options_there_is_none(self) -> None:
        with pytest.raises(jr.DecodeError, match="before the stream's options"):
            patch_decoder().save()

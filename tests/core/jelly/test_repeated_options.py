"""Tests repeated options: the stream continues, a new stream starts, or an error is raised."""

import io
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.arrow import read_arrow
from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from tests import strategies
from tests.core.jelly.formats import PATCH, RDF, Format, formats
from tests.core.jelly.statement_support import few
from tests.core.jelly.test_checkpoint import check_all_states
from tests.oracle import build as b
from tests.oracle import rdf_build as rb
from tests.oracle import wire
from tests.oracle.terms import plain_operation
from tests.strategies import Stream
from tests.support import options_of, write

KINDS = {PATCH: PatchFrameDecoder, RDF: StatementFrameDecoder}


def first(f: Format, n: Any, **more: Any) -> bytes:
    """Return a frame with options and entries that also uses these entries."""
    return f.frame(f.options(**more), f.name(f"urn:{n}"), f.triple())


def again(f: Format) -> bytes:
    """Return a frame that uses the entries of `first` again."""
    return f.frame(f.spo(None, b.iri(0, 1)))


def make(f: Format, on_repeated_options: Any = "restart", limits: Any = None) -> Any:
    factory = make_node_factory(False)
    return KINDS[f](factory, limits or jr.Limits(), on_repeated_options=on_repeated_options)


def operations(batches: Iterable[Any]) -> list[Any]:
    return [plain_operation(operation) for batch in batches for operation in batch]


class TestRestart:
    @formats
    @few
    @given(data=st.data(), rows=st.integers(1, 4))
    def test_streams_one_after_another(self, f: Format, data: st.DataObject, rows: int) -> None:
        """Concatenated streams are read as each of them is read alone."""
        streams = [
            wire.split(f.write_stream(stream, frame_rows=rows))
            for stream in data.draw(st.lists(f.streams(), min_size=1, max_size=3))
        ]
        expected = []
        for frames in streams:
            alone = make(f, "error")
            expected += operations([*map(alone.decode_frame, frames), alone.finish()])
        through = make(f)
        frames = [frame for stream in streams for frame in stream]
        assert operations([*map(through.decode_frame, frames), through.finish()]) == expected
        assert through.options == alone.options
        check_all_states(frames, lambda: make(f))

    @formats
    def test_each_frame_may_be_a_stream(self, f: Format) -> None:
        """The decoder counts the size and content of each stream separately."""
        limits = jr.Limits(max_frame_rows=1, max_text_size=100)
        decoder = make(f, limits=limits)
        for n in range(50):
            names = {op[2] for op in decoder.decode_frame(first(f, f"{n}" * 40)) if len(op) > 2}
            assert names == {URIRef("urn:" + f"{n}" * 40)}

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (b.add(b.iri(0, 1)), "name id 1 was never set"),
            (b.add(b.iri()), "name id 1 was never set"),
            (b.add(), "no term before it in position 1"),
            (b.commit(), "none was started"),
        ],
    )
    def test_nothing_is_left_of_a_patch_stream(self, row: Any, reason: str) -> None:
        options = b.options(statement_type=b.QUADS)
        rows = [b.name("urn:1"), b.prefix("urn:"), b.begin(), b.add("s", b.iri(1, 1), "o", "g")]
        decoder = make(PATCH)
        decoder.decode_frame(b.frame(options, *rows))
        with pytest.raises(jr.DecodeError, match=reason):
            decoder.decode_frame(b.frame(options, row))

    @pytest.mark.parametrize(
        ("physical_type", "row", "reason"),
        [
            (rb.TRIPLES, rb.spo("s", rb.iri(0, 1), "o"), "name id 1 was never set"),
            (rb.TRIPLES, rb.spo(), "no term before it in position 1"),
            (rb.QUADS, rb.spog(), "no term before it in position 1"),
            (rb.GRAPHS, rb.spo("s", "p", "o"), "outside a graph"),
            (rb.GRAPHS, rb.end(), "none was started"),
        ],
    )
    def test_nothing_is_left_of_a_statement_stream(
        self, physical_type: int, row: Any, reason: str
    ) -> None:
        rows = [rb.name("urn:1"), rb.start("g"), rb.spo("s", rb.iri(0, 1), "o")]
        decoder = make(RDF)
        decoder.decode_frame(rb.frame(rb.options(physical_type=rb.GRAPHS), *rows))
        with pytest.raises(jr.DecodeError, match=reason):
            decoder.decode_frame(rb.frame(rb.options(physical_type=physical_type), row))

    @pytest.mark.parametrize("stream_type", [b.FLAT, b.PUNCTUATED])
    def test_an_open_transaction_is_aborted(self, stream_type: int) -> None:
        options = b.options(stream_type=stream_type)
        decoder = jr.PatchDecoder(on_repeated_options="restart")
        decoder.decode_frame(b.frame(options, b.begin()))
        ops = [op[0].name for op in decoder.decode_frame(b.frame(options, b.begin(), b.commit()))]
        assert ops == ["TA", "END", "TX", "TC"]

    @formats
    def test_options_come_first_in_their_frame(self, f: Format) -> None:
        decoder = make(f)
        with pytest.raises(jr.DecodeError, match="a new stream must start a new frame") as caught:
            decoder.decode_frame(first(f, 1) * 2)
        assert (caught.value.frame, caught.value.row) == (1, 4)

    def test_what_the_lookups_may_hold_depends_on_no_earlier_stream(self) -> None:
        """The short names replace the long names, whose memory the entries keep."""
        options = b.options(max_name_table_size=128)
        limits = jr.Limits(max_text_size=10_000)
        long = [b.name(f"{n:03}" + "n" * 245, n) for n in range(1, 39)]
        short = [b.name("n", n) for n in range(1, 101)]
        decoder = make(PATCH, limits=limits)
        for names in (long, short, long, short):
            decoder.decode_frame(b.frame(options, *names))
        with pytest.raises(jr.LimitError, match="the lookups have more than 10000 bytes"):
            decoder.decode_frame(b.frame(options, *(b.name("n" * 400, n) for n in range(1, 38))))

    def test_long_entries_of_an_earlier_stream_are_given_back(self) -> None:
        long = [b.name("n" * 400_000, n) for n in range(1, 17)]
        frames = [b.frame(b.options(), *long), b.frame(b.options())]
        decoder = make(PATCH)
        tracemalloc.start()
        try:
            for frame in frames:
                decoder.decode_frame(frame)
                decoder.decode_frame(b.frame(b.begin(), b.commit()))
                held, _ = tracemalloc.get_traced_memory()
                assert (held > 5_000_000) == (len(frame) > 5_000_000)
        finally:
            tracemalloc.stop()


class TestRestartByTheCaller:
    """`FrameDecoder.restart` resets a decoder to its initial state."""

    @few
    @given(strategies.streams(), strategies.streams(), st.data())
    def test_wherever_it_is(self, first: Stream, second: Stream, data: st.DataObject) -> None:
        one, two = (
            wire.split(write(stream.operations, options_of(stream.options, frame_rows=2)))
            for stream in (first, second)
        )
        decoder, new = make(PATCH, "error"), make(PATCH, "error")
        for frame in one[: data.draw(st.integers(0, len(one)))]:
            decoder.decode_frame(frame)
        decoder.restart()
        assert decoder.options is None
        for frame in two:
            expected = operations([new.decode_frame(frame)])
            assert operations([decoder.decode_frame(frame)]) == expected
            assert decoder.save() == new.save()
        assert operations([decoder.finish()]) == operations([new.finish()])

    @formats
    def test_the_next_frame_has_options(self, f: Format) -> None:
        decoder = make(f, "error")
        decoder.decode_frame(first(f, 1))
        decoder.restart()
        with pytest.raises(jr.DecodeError, match="options"):
            decoder.decode_frame(again(f))
        assert decoder.is_broken
        with pytest.raises(jr.DecodeError, match="has failed"):
            decoder.restart()


@formats
class TestEachChoice:
    def test_continue(self, f: Format) -> None:
        decoder = make(f, "continue")
        frame = first(f, 1)
        options = frame[: 2 + frame[1]]
        expected = list(decoder.decode_frame(frame))
        assert list(decoder.decode_frame(options + again(f))) == expected
        with pytest.raises(jr.DecodeError, match="differ from the first options"):
            decoder.decode_frame(first(f, 2, max_name_table_size=8))

    def test_error(self, f: Format) -> None:
        decoder = make(f, "error")
        decoder.decode_frame(first(f, 1))
        with pytest.raises(jr.DecodeError, match=r"'restart' if .*'continue' if") as caught:
            decoder.decode_frame(first(f, 2))
        assert (caught.value.frame, caught.value.row) == (2, 1)

    def test_a_restored_decoder_has_had_its_options(self, f: Format) -> None:
        decoder = make(f, "error")
        decoder.decode_frame(first(f, 1))
        other = make(f, "error")
        other.restore(decoder.save())
        with pytest.raises(jr.DecodeError, match="has its options again"):
            other.decode_frame(first(f, 1))


def written(f: Format, n: int) -> bytes:
    file = io.BytesIO()
    with f.Writer(file) as writer:
        writer.add(URIRef("urn:s"), URIRef(f"urn:p{n}"), URIRef(f"urn:p{n}"))
    return file.getvalue()


def decode(decoder: Any, data: bytes) -> list[Any]:
    return [row for frame in wire.split(data) for row in decoder.decode_frame(frame)]


def spell(item: Any) -> Any:
    """Return the content of an item of any reader in a comparable form."""
    return item.to_pylist() if hasattr(item, "to_pylist") else list(item)


ENTRIES = {
    "read_operations": (PATCH, jr.read_operations),
    "read_patches": (PATCH, jr.read_patches),
    "read_batches": (PATCH, jr.read_batches),
    "read_batches of Jelly-RDF": (RDF, jr.read_batches),
    "read_arrow": (PATCH, read_arrow),
    "read_statements": (RDF, jr.read_statements),
    "read_frames": (RDF, jr.read_frames),
    "PatchDecoder": (PATCH, lambda data, **more: decode(jr.PatchDecoder(**more), data)),
    "StatementDecoder": (
        RDF,
        lambda data, **more: decode(jr.StatementDecoder(**more), data),
    ),
}


@pytest.mark.parametrize(("f", "read"), ENTRIES.values(), ids=ENTRIES)
class TestEntryPoints:
    def test_files_that_were_put_together(
        self, f: Format, read: Callable[..., Iterable[Any]]
    ) -> None:
        def uses(**more: Any) -> list[int]:
            text = str([spell(item) for item in read(data, **more)])
            return [text.count(f"urn:p{n}") for n in (1, 2)]

        data = written(f, 1) + written(f, 2)
        assert uses(on_repeated_options="restart") == [2, 2]
        with pytest.raises(jr.DecodeError, match="on_repeated_options="):
            list(read(data, on_repeated_options="error"))
        # The two streams share their lookups: the second one uses the names of the first.
        assert uses() == uses(on_repeated_options="continue") == [3, 1]

    def test_no_other_choice(self, f: Format, read: Callable[..., Iterable[Any]]) -> None:
        with pytest.raises(ValueError, match="must be one of 'continue', 'restart', 'error'"):
            list(read(written(f, 1), on_repeated_options="ignore"))

"""Jelly-RDF 1.2 is a draft: its streams are refused, and the error says what they are."""

import io
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from rdflib import Dataset, Graph

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import FrameReader
from tests.core.jelly.draft_streams import (
    DRAFT_STREAMS,
    QUADS_COLUMNS,
    QUADS_OPTIONS,
    REFUSAL,
    SECOND_FRAME,
    TRIPLES_OPTIONS,
    DraftStream,
)
from tests.core.jelly.formats import RDF
from tests.oracle import rdf_build as b
from tests.oracle.wire import I64, LEN, VARINT, field, tag, varint
from tests.pieces import Pieces, breaking

streams = pytest.mark.parametrize("stream", DRAFT_STREAMS.values(), ids=DRAFT_STREAMS)


def parse(graph: Graph, data: bytes) -> None:
    graph.parse(data=data, format="jelly-rdf")


READERS: dict[str, Callable[[bytes], Any]] = {
    "read_batches": lambda data: list(jr.read_batches(data)),
    "read_statements": lambda data: list(jr.read_statements(data)),
    "read_frames": lambda data: list(jr.read_frames(data)),
    "read_graphs": lambda data: list(jr.read_graphs(data, strict=False)),
    "pieces": lambda data: list(jr.read_statements(Pieces(data))),
    "Graph": lambda data: parse(Graph(), data),
    "Dataset": lambda data: parse(Dataset(), data),
    "JellyStore": lambda data: parse(Dataset(store="Jelly"), data),
}


@streams
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_each_reader_refuses_it(read: Callable[[bytes], Any], stream: DraftStream) -> None:
    with pytest.raises(jr.DecodeError) as caught:
        read(stream.data)
    error = caught.value
    assert error.message == REFUSAL
    assert error.rule is jr.Rule.VERSION_TAG
    assert (error.offset, error.frame, error.row) == (stream.offset, 0, 0)


def test_a_message_is_refused() -> None:
    with pytest.raises(jr.DecodeError) as caught:
        jr.StatementDecoder().decode_frame(QUADS_COLUMNS + QUADS_OPTIONS)
    assert caught.value.message == REFUSAL


def test_a_draft_behind_a_stream_that_is_read() -> None:
    data = RDF.one(RDF.triple()) + DRAFT_STREAMS["quads"].data
    statements = jr.read_statements(data, on_repeated_options="restart")
    next(statements)
    with pytest.raises(jr.DecodeError) as caught:
        next(statements)
    assert (caught.value.message, caught.value.frame) == (REFUSAL, 1)


def test_a_version_of_which_nothing_is_known() -> None:
    with pytest.raises(jr.DecodeError) as caught:
        list(jr.read_statements(TRIPLES_OPTIONS[:-1] + b"\x04"))
    assert caught.value.message == "version 4 of Jelly-RDF: this library reads up to version 2"


class TestFirstByteOfColumns:
    """0x12 is the tag of a frame's columns, and the length of a frame of 18 bytes."""

    @pytest.mark.parametrize("rows", [0, 10, 18, 122])
    def test_columns_of_any_size(self, rows: int) -> None:
        for size in [*range(300), 16_383, 16_384]:
            entry = field(2, field(2, b"x" * size))
            data = field(2, tag(1, VARINT) + varint(rows) + entry) + TRIPLES_OPTIONS
            with pytest.raises(jr.DecodeError) as caught:
                list(jr.read_statements(data))
            assert caught.value.message == REFUSAL, size

    @pytest.mark.parametrize("more", [b"", field(15, field(1, b"k"))])
    def test_columns_without_anything(self, more: bytes) -> None:
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(b"\x12\x00" + more + TRIPLES_OPTIONS))
        assert caught.value.message == REFUSAL

    def test_a_frame_of_more_than_the_limit(self) -> None:
        data = QUADS_COLUMNS + QUADS_OPTIONS
        with pytest.raises(jr.LimitError):
            list(jr.read_statements(data, limits=jr.Limits(max_frame_size=len(data) - 1)))
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(data, limits=jr.Limits(max_frame_size=len(data))))
        assert caught.value.message == REFUSAL

    # Frames of 18 bytes that may be the first of a delimited stream.
    FRAMES: ClassVar = {
        "options": bytes.fromhex("0a10 0a0e 0a0178 1001 488001 5010 5810 7802"),
        "changes": bytes.fromhex("0a10 0a0e 0801 1003 488001 508001 5810 7801"),
        "options, row": bytes.fromhex("0a0a 0a08 1001 4808 7801 5800 0a04 4a02 1200"),
        "metadata": bytes.fromhex("7a10 0a0178 120b") + b"x" * 11,
        "metadata twice": bytes.fromhex("7a08 0a0178 1203414141 7a06 0a0178 120161"),
        "empty metadata": bytes.fromhex("7a00") * 9,
    }

    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
    def test_a_delimited_frame_of_its_size_comes_at_once(self, frame: bytes) -> None:
        assert len(frame) == 0x12
        source = breaking(AssertionError("it read on"), b"\x12" + frame)
        assert next(FrameReader(source, jr.Limits())) == frame

    @pytest.mark.parametrize(
        "frame",
        [
            tag(3, LEN) + b"\x10" + b"x" * 16,
            tag(4, I64) + b"x" * 8 + tag(5, I64) + b"x" * 8,
            tag(2, LEN) + b"\x10" + b"x" * 16,
        ],
        ids=["bytes", "numbers", "columns"],
    )
    def test_a_delimited_frame_of_unknown_fields(self, frame: bytes) -> None:
        options = b.options(physical_type=1, version=2)
        rows = b.frame(options, b.name("urn:s"), RDF.triple())
        assert len(frame) == 0x12
        for data in (b"\x12" + frame, b"\x12" + frame + varint(len(rows)) + rows):
            parts = list(FrameReader(io.BytesIO(data), jr.Limits()))
            assert parts == [frame, rows][: len(parts)]
            assert len(parts) == 1 + (len(data) > 19)

    def test_a_delimited_draft_of_its_size(self) -> None:
        options = bytes.fromhex("0a10 0a0e 0a0178 1001 488001 5010 5810 7803")
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(b"\x12" + options + b"\x22" + SECOND_FRAME))
        assert (caught.value.message, caught.value.offset) == (REFUSAL, 5)

    def test_a_damaged_stream_is_taken_for_what_it_was(self) -> None:
        data = b"\x12" + self.FRAMES["options"]
        for size in range(1, len(data)):
            with pytest.raises(jr.DecodeError, match="the frame has 18 bytes, but the input ends"):
                list(jr.read_statements(data[:size]))

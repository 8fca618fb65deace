"""Tests that the reader distinguishes columns at the start of a bare frame from a length."""

import io
from typing import ClassVar

import pytest

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import FrameReader
from tests.core.columns.plain_batches import read_plain
from tests.core.jelly.draft_streams import QUADS_COLUMNS, QUADS_OPTIONS, TRIPLES_OPTIONS
from tests.core.jelly.formats import RDF
from tests.oracle import rdf_build as b
from tests.oracle.wire import I64, LEN, VARINT, field, tag, varint
from tests.pieces import breaking

pytestmark = pytest.mark.filterwarnings("ignore:Jelly-RDF 1.2 is a draft")


class TestFirstByteOfColumns:
    """0x12 is both the tag of a frame's columns and the length of an 18-byte frame."""

    @pytest.mark.parametrize("rows", [0, 10, 18, 122])
    def test_columns_of_any_size(self, rows: int) -> None:
        for size in [*range(300), 16_383, 16_384]:
            entry = field(2, field(2, b"x" * size))
            data = field(2, tag(1, VARINT) + varint(rows) + entry) + TRIPLES_OPTIONS
            if rows == 0:
                assert read_plain(data) == [[]], size
                continue
            with pytest.raises(jr.DecodeError) as caught:
                read_plain(data)
            assert caught.value.rule == "column-unbound", size

    @pytest.mark.parametrize("more", [b"", field(15, field(1, b"k"))])
    def test_columns_without_anything(self, more: bytes) -> None:
        assert read_plain(b"\x12\x00" + more + TRIPLES_OPTIONS) == [[]]

    def test_a_frame_of_more_than_the_limit(self) -> None:
        data = QUADS_COLUMNS + QUADS_OPTIONS
        with pytest.raises(jr.LimitError):
            read_plain(data, limits=jr.Limits(max_frame_size=len(data) - 1))
        assert len(read_plain(data, limits=jr.Limits(max_frame_size=len(data)))) == 1

    # These are 18-byte frames that may be the first of a delimited stream.
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
        ],
        ids=["bytes", "numbers"],
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
        reader = jr.read_batches(b"\x12" + options + b"\x00")
        assert [len(batch) for batch in reader] == [0, 0]

    def test_a_damaged_stream_is_taken_for_what_it_was(self) -> None:
        data = b"\x12" + self.FRAMES["options"]
        for size in range(1, len(data)):
            with pytest.raises(jr.DecodeError, match="the frame has 18 bytes, but the input ends"):
                list(jr.read_statements(data[:size]))

"""Tests the report of `inspect` against counts of protobuf messages."""

import bz2
import dataclasses
import gzip
import io
import json
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.formats import RDF, Format, formats
from tests.core.jelly.statement_support import few
from tests.core.jelly.streams import PATCH_REALISTIC as REALISTIC
from tests.core.jelly.streams import PATCH_SMALL as SMALL
from tests.inspection.counting import Counts, count
from tests.oracle import build as b
from tests.oracle import rdf_build as rb
from tests.oracle import rdf_producer, wire
from tests.oracle import schema as pb
from tests.oracle.wire import varint
from tests.pieces import Chunks
from tests.support import run
from tests.support import write as write_patch


def assert_counts(report: jr.StreamReport, expected: Counts, messages: list[Any]) -> None:
    """Check all counts that do not depend on the encoding of the messages."""
    assert report.error is None
    assert {kind: tally.count for kind, tally in report.rows.items() if tally.count} == {
        kind: number for kind, number in expected.rows.items() if number
    }
    for kind, lookup in report.lookups.items():
        assert dataclasses.asdict(lookup) == expected.lookup(kind)
    assert {kind: number for kind, number in report.terms.items() if number} == expected.terms
    assert {position: number for position, number in report.repeated_terms.items() if number} == {
        position: number for position, number in expected.repeated.items() if number
    }
    assert report.frames == len(messages)


def assert_sizes(report: jr.StreamReport, messages: list[Any]) -> None:
    """Check the sizes of rows in a stream that protobuf has written."""
    sizes = dict.fromkeys(report.rows, 0)
    metadata = 0
    for message in messages:
        for row in message.rows:
            sizes[row.WhichOneof("row")] += len(wire.field(1, row.SerializeToString()))
        metadata += len(message.SerializeToString())
        metadata -= len(type(message)(rows=message.rows).SerializeToString())
    assert {kind: tally.size for kind, tally in report.rows.items()} == sizes
    assert report.metadata.size == metadata


def assert_operations(report: jr.StreamReport, data: bytes) -> None:
    codes = [op for batch in jr.read_batches(data, strict=False) for op in batch.ops]
    assert report.operations == {op.name: codes.count(op) for op in jr.Op}
    assert report.statements == codes.count(jr.Op.A) + codes.count(jr.Op.D)
    assert report.patches == codes.count(jr.Op.END)
    assert report.committed == codes.count(jr.Op.TC)
    assert report.aborted == codes.count(jr.Op.TA)


@formats
@few
@given(data=st.data(), rng=strategies.dice)
def test_streams_are_counted_as_protobuf_has_them(
    f: Format, data: st.DataObject, rng: random.Random
) -> None:
    stream = data.draw(f.streams())
    messages = f.spoken(stream, rng)
    has_graphs = f is RDF or stream.quads
    expected = count(messages, stream.options, has_graphs=has_graphs)
    # State the format: a frame of 35 bytes starts with "#", like a comment in text.
    odd = jr.inspect(f.producer.spelled(messages, rng), format=f.format)
    assert_counts(odd, expected, messages)
    written = b.delimited(message.SerializeToString() for message in messages)
    report = jr.inspect(written)
    assert report.format == f.format
    assert_counts(report, expected, messages)
    assert_sizes(report, messages)
    assert_operations(report, written)
    assert report.size == report.stored_size == len(written)
    assert report.largest_frame == max(message.ByteSize() for message in messages)
    assert report.metadata.count == expected.metadata
    assert report.is_delimited
    assert report.compression is report.lines is None


@few
@given(rdf_strategies.streams(), strategies.dice)
def test_frames_one_by_one(stream: rdf_strategies.Stream, rng: random.Random) -> None:
    messages = rdf_producer.messages(stream.frames, stream.options, rng)
    data = b.delimited(message.SerializeToString() for message in messages)
    inspector = jr.inspect_frames(data)
    frames = list(inspector)
    for number, (frame, message) in enumerate(zip(frames, messages, strict=True), 1):
        kinds = [row.WhichOneof("row") for row in message.rows]
        assert frame.number == number
        assert data[frame.offset : frame.offset + frame.size] == message.SerializeToString()
        assert frame.rows == len(kinds)
        assert frame.entries == sum(kind in ("name", "prefix", "datatype") for kind in kinds)
        assert frame.statements == sum(kind in ("triple", "quad") for kind in kinds)
        assert frame.metadata == message.metadata
        assert json.loads(json.dumps(frame.as_dict()))["size"] == frame.size
    assert inspector.report == jr.inspect(data)


def test_deletions_of_a_frame_count_as_statements() -> None:
    quad = (("iri", "urn:s"), ("iri", "urn:p"), ("iri", "urn:o"), None)
    data = write_patch([("TX",), ("D", *quad), ("D", *quad), ("A", *quad), ("TC",)])
    assert sum(frame.statements for frame in jr.inspect_frames(data)) == 3


def test_the_end_of_input_is_no_frame() -> None:
    """An END without a punctuation mark, as in a FLAT stream, does not add a frame."""
    for stream_type in (b.FLAT, b.PUNCTUATED):
        data = b.stream([b.options(stream_type=stream_type), b.begin(), b.commit()])
        assert [frame.rows for frame in jr.inspect_frames(data)] == [3]
        assert jr.inspect(data).patches == 1


def test_a_bare_frame() -> None:
    data = b.frame(b.options(), b.name("urn:s"), b.add(b.iri(), b.iri(0, 1), "o"))
    report = jr.inspect(data)
    assert report.is_delimited is False
    assert report.frames == report.statements == 1
    assert report.size == report.stored_size == report.largest_frame == len(data)


@pytest.mark.parametrize("compression", [None, "gzip", "zstd"])
def test_sources_and_compression(compression: str | None, tmp_path: Path) -> None:
    pack = {None: bytes, "gzip": gzip.compress, "zstd": zstandard.compress}[compression]
    data = pack(REALISTIC)
    path = tmp_path / "changes.jellyp"
    path.write_bytes(data)
    plain = jr.inspect(REALISTIC)
    for source in (data, bytearray(data), path, str(path), io.BytesIO(data)):
        report = jr.inspect(source)
        assert report.compression == compression
        assert report.stored_size == len(data)
        assert report.size == len(REALISTIC)
        assert dataclasses.replace(report, compression=None, stored_size=len(REALISTIC)) == plain


def test_options_as_they_are_on_the_wire() -> None:
    fields = {
        "stream_name": "é",
        "physical_type": "GRAPHS",
        "logical_type": "NAMED_GRAPHS",
        "generalized_statements": True,
        "rdf_star": False,
        "max_name_table_size": 9,
        "max_prefix_table_size": 0,
        "max_datatype_table_size": 3,
        "version": 2,
    }
    numbers = {**fields, "physical_type": rb.GRAPHS, "logical_type": 14}
    report = jr.inspect(rb.stream([rb.options(**numbers)]))
    assert report.options == jr.StreamOptions(**fields)
    assert report.as_dict()["options"] == fields
    # incompatible types do not prevent an inspection
    numbers["logical_type"] = 15
    assert jr.inspect(rb.stream([rb.options(**numbers)])).as_dict()["options"] == {
        **fields,
        "logical_type": 15,
    }
    report = jr.inspect(b.stream([b.options()]))
    assert report.options == jr.PatchOptions(
        statement_type="TRIPLES",
        stream_type="FLAT",
        max_name_table_size=16,
        max_prefix_table_size=16,
        max_datatype_table_size=16,
    )
    assert set(report.as_dict()["options"]) == set(pb.RdfPatchOptions.DESCRIPTOR.fields_by_name)


def test_json() -> None:
    report = jr.inspect(SMALL)
    again = json.loads(json.dumps(report.as_dict()))
    assert again["rows"]["statement_add"] == {"count": 1, "size": report.rows["statement_add"].size}
    assert again["statements"] == 2
    assert again["patches"] == 2
    assert again["committed"] == again["aborted"] == 1
    assert again["error"] is None
    broken = jr.inspect(SMALL[:-1])
    assert json.loads(json.dumps(broken.as_dict()))["error"] == {
        "message": broken.error.message,
        "offset": broken.error.offset,
        "frame": broken.error.frame,
        "row": None,
        "line": None,
        "column": None,
    }


class TestText:
    TEXT = b"TX .\n# c\nA <s> <p> '''a\nb''' .\nD <s> <p> <o> . TC .\nZ .\n\n"

    @pytest.mark.parametrize("end", [b"", b"\n", b"H id <x> ."])
    def test_operations_lines_and_bytes(self, end: bytes) -> None:
        text = self.TEXT + end
        for source in (text, io.BytesIO(text), gzip.compress(text)):
            report = jr.inspect(source)
            assert report.format == "rdf-patch"
            assert report.lines == len(text.splitlines())
            assert report.size == len(text)
            assert report.options is report.is_delimited is None
            assert report.frames == 0
            assert report.rows == report.lookups == report.terms == {}
            assert report.statements == 2
            assert report.committed == 1
            assert report.patches == 1 + end.startswith(b"H")
            assert_operations(report, text)

    def test_up_to_an_error(self) -> None:
        report = jr.inspect(self.TEXT + b"A <s> .")
        assert report.error is not None
        assert report.error.message == "the row ends where a term is expected"
        assert (report.error.line, report.error.column) == (8, 7)
        assert report.statements == 2
        assert report.lines == 7
        assert report.size == len(self.TEXT)

    def test_the_size_of_other_syntaxes(self) -> None:
        text = b"<urn:s> <urn:p> 1 .\n" * 9999
        for source in (text, io.BytesIO(text), gzip.compress(text)):
            report = jr.inspect(source, format="turtle")
            assert (report.statements, report.size) == (9999, len(text))

    def test_it_has_no_frames(self) -> None:
        with pytest.raises(ValueError, match="rdf-patch has no frames"):
            jr.inspect_frames(self.TEXT)


class TestBadInput:
    def test_frames_before_the_error_are_counted(self) -> None:
        good = [b.options(), b.name("urn:s"), b.add(b.iri(), b.iri(0, 1), "o")]
        data = b.stream(good, [b.add()], [b.add(b.iri(0, 9))], [b.add()])
        report = jr.inspect(data)
        assert report.frames == report.statements == 2
        assert report.size == len(b.stream(good, [b.add()]))
        assert report.error is not None
        assert (report.error.frame, report.error.row) == (3, 1)
        inspector = jr.inspect_frames(data)
        with pytest.raises(jr.DecodeError, match="name id 9 was never set"):
            list(inspector)
        assert str(inspector.report.error) == str(report.error)
        assert dataclasses.replace(inspector.report, error=None) == dataclasses.replace(
            report, error=None
        )

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "the input is empty"),
            (gzip.compress(b"", mtime=0), "the input is empty"),
            (b"\x1f\x8b\x08", "bad gzip data"),
            (gzip.compress(REALISTIC, mtime=0)[:-9], "bad gzip data"),
            (b"\x28\xb5\x2f\xfd\x00", "bad zstd data"),
            (bz2.compress(REALISTIC), "bzip2, which is not supported: unpack it with bzip2 -dc"),
            (lzma.compress(REALISTIC), "with xz, which is not supported: unpack it with xz -dc"),
            (varint(1 << 40), "limit max_frame_size"),
            (b"<urn:s> <urn:p> <urn:o> .", "the input may be N-Triples"),
        ],
    )
    def test_what_can_not_be_read_at_all(self, data: bytes, message: str) -> None:
        for source in (data, io.BytesIO(data)):
            error = jr.inspect(source).error
            assert error is not None
            assert message in str(error)

    def test_limits(self) -> None:
        error = jr.inspect(SMALL, limits=jr.Limits(max_name_table_size=8)).error
        assert isinstance(error, jr.LimitError)

    def test_wrong_calls(self, tmp_path: Path) -> None:
        for function in (jr.inspect, jr.inspect_frames):
            with pytest.raises(TypeError, match="text file"):
                function(io.StringIO("TX ."))
            with pytest.raises(TypeError, match="can't read from int"):
                function(1)
            with pytest.raises(LookupError, match="no format 'docx'"):
                function(SMALL, format="docx")
            with pytest.raises(FileNotFoundError):
                function(tmp_path / "nothing.jellyp")

    def test_files_are_closed(self, tmp_path: Path) -> None:
        """Files are closed; an unclosed file would cause a warning, which is an error here."""
        path = tmp_path / "changes"
        for data in (REALISTIC, SMALL[:-1], b"TX . TC .", b"B .", b"\x1f\x8b\x08"):
            path.write_bytes(data)
            jr.inspect(path)
        path.write_bytes(REALISTIC)
        inspector = jr.inspect_frames(path)
        next(inspector)
        inspector.close()
        assert list(inspector) == []


def test_memory_is_that_of_a_frame() -> None:
    code = """
import collections
import jelly_rdflib as jr
from jelly_rdflib.inspection.validation.validator import find_faults
from tests.inspection.test_inspect import endless
for function in (jr.inspect, lambda source: collections.deque(find_faults(source), maxlen=1)):
    function(endless(1 << 20))
    before = peak()
    function(endless(10 << 20))
    assert peak() - before < 4 << 20, (function, peak() - before)
print("ok")
"""
    assert run(code) == "ok\n"


def endless(size: int) -> Chunks:
    """Return a stream that is generated while it is read: each frame has fifty new invalid IRIs."""

    def make() -> Iterator[bytes]:
        yield b.stream([b.options(max_prefix_table_size=0, max_name_table_size=50)])
        for number in range(size // (50 * 2000)):
            names = [b.name(f"{number} {n} {'x' * 2000}", n) for n in range(1, 51)]
            yield b.stream([*names, *(b.add("s", b.iri(0, n), "o") for n in range(1, 51))])

    return Chunks(make())

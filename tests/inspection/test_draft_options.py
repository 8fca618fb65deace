"""The options of Jelly-RDF 1.2 are shown, and its rows are not read."""

from typing import Any

import pytest

import jelly_rdflib as jr
from tests.core.jelly.draft_streams import (
    DRAFT_STREAMS,
    REFUSAL,
    TRIPLES_COLUMNS,
    TRIPLES_OPTIONS,
    DraftStream,
)
from tests.core.jelly.formats import RDF
from tests.oracle import rdf_build as b
from tests.oracle import wire
from tests.pieces import Pieces

streams = pytest.mark.parametrize("stream", DRAFT_STREAMS.values(), ids=DRAFT_STREAMS)
SHOWN = {
    "TRIPLES": "physical_type TRIPLES, stream_type FLAT, rdf_version unspecified,"
    " max_name_table_size 128, max_prefix_table_size 16, max_datatype_table_size 16, version 3",
    "QUADS": "physical_type QUADS, stream_type MESSAGES, rdf_version 1.2,"
    " max_name_table_size 128, max_prefix_table_size 0, max_datatype_table_size 0, version 3",
}


def bare(options: bytes) -> bytes:
    """Return a frame of these options and columns."""
    return wire.field(1, wire.field(1, options)) + TRIPLES_COLUMNS


def draft_options(data: Any) -> dict[str, str | int] | None:
    return jr.inspect(data, format="jelly-rdf").draft_options


@streams
def test_inspect(stream: DraftStream) -> None:
    for source in (stream.data, Pieces(stream.data)):
        report = jr.inspect(source)
        assert report.draft_options == stream.options
        assert report.options is None
        assert (report.format, report.frames) == ("jelly-rdf", 0)
        assert report.is_delimited == stream.is_delimited
        assert report.error is not None
        assert (report.error.message, report.error.offset) == (REFUSAL, stream.offset)
        assert report.as_dict()["draft_options"] == stream.options


@streams
def test_validate(stream: DraftStream) -> None:
    [fault] = jr.validate(stream.data)
    assert fault == jr.Fault(
        rule=jr.Rule.VERSION_TAG,
        message=f"{REFUSAL}; its options are {SHOWN[str(stream.options['physical_type'])]}",
        offset=stream.offset,
        frame=0,
        row=0,
    )


def test_frame_by_frame() -> None:
    inspector = jr.inspect_frames(DRAFT_STREAMS["quads"].data)
    with pytest.raises(jr.DecodeError, match=r"Jelly-RDF 1\.2"):
        next(inspector)
    assert inspector.report.draft_options == DRAFT_STREAMS["quads"].options


def test_the_name_and_the_types_of_neither_draft() -> None:
    # The last of a field that stands twice holds, and so do parts of options.
    name = wire.field(1, "né".encode())
    twice = bytes.fromhex("1001 1002 2801 3001 48ff01 48e807 7802 7803 780f 7803")
    data = bare(name + twice)
    assert draft_options(data) == {
        "stream_name": "né",
        "physical_type": "QUADS",
        "stream_type": "MESSAGES",
        "rdf_version": "1.1",
        "max_name_table_size": 1000,
        "max_prefix_table_size": 0,
        "max_datatype_table_size": 0,
        "version": 3,
    }
    [fault] = jr.validate(data)
    assert "; its options are stream_name né, physical_type QUADS, " in fault.message
    # A number that the draft does not have, and none.
    numbers = draft_options(bare(bytes.fromhex("1007 2808 30ffffffffffffffffff01 488001 7803")))
    assert numbers is not None
    assert (numbers["physical_type"], numbers["stream_type"]) == (7, 8)
    assert numbers["rdf_version"] == 2**32 - 1
    none = draft_options(bare(bytes.fromhex("488001 7803")))
    assert none is not None
    assert (none["physical_type"], none["stream_type"]) == ("unspecified", "FLAT")


def test_options_in_parts() -> None:
    row = wire.field(1, TRIPLES_OPTIONS[4:-2]) + wire.field(1, TRIPLES_OPTIONS[-2:])
    data = wire.field(1, row) + TRIPLES_COLUMNS
    assert draft_options(data) == DRAFT_STREAMS["triples"].options


def test_a_long_name_is_cut() -> None:
    [fault] = jr.validate(bare(wire.field(1, b"x" * 5000) + TRIPLES_OPTIONS[4:]))
    assert "xxx… (5,012 characters), physical_type TRIPLES, stream_type FLAT, " in fault.message
    assert len(fault.message) < 1000


@pytest.mark.parametrize(
    "data",
    [
        RDF.one(RDF.triple()),
        bare(b"\x10\x01\x48\x80\x01\x78\x04"),
        bare(b"\x10\x01\x48\x80\x01"),
        bare(TRIPLES_OPTIONS[4:-1]),
        b"",
        b"\x12\x00",
        # behind a stream that was read
        RDF.one(RDF.triple()) + DRAFT_STREAMS["quads"].data,
        # options of Jelly-Patch
        bare(bytes.fromhex("0801 1001 488001 7803")),
        # options that are not the first row
        b.frame(b.name("urn:p")) + DRAFT_STREAMS["bare"].data,
    ],
    ids=["version 1", "4", "none", "cut", "empty", "columns", "later", "patch", "second row"],
)
def test_what_has_none(data: bytes) -> None:
    report = jr.inspect(data)
    assert report.draft_options is None
    assert report.as_dict()["draft_options"] is None
    assert all("its options are" not in fault.message for fault in jr.validate(data))

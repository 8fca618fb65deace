"""Jelly-RDF 1.2 is a draft: its streams are refused, and the error says what they are."""

from collections.abc import Callable
from typing import Any

import pytest
from rdflib import Dataset, Graph

import jelly_rdflib as jr
from tests.core.jelly.draft_streams import (
    DRAFT_STREAMS,
    QUADS_COLUMNS,
    QUADS_OPTIONS,
    REFUSAL,
    TRIPLES_OPTIONS,
    DraftStream,
)
from tests.core.jelly.formats import RDF
from tests.pieces import Pieces

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

"""Tests the Jelly-RDF 1.2 reader with a second reader, hand-made streams, and faults."""

import io
import random
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset, Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib.cli.conversion import write_batches
from jelly_rdflib.core.jelly_decoder import StatementFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from tests.core.columns.fault_streams import Fault, build_batch, build_options, build_stream
from tests.core.columns.fault_streams import fault_streams as all_faults
from tests.core.columns.plain_batches import (
    assert_same_outcome,
    open_batches,
    plain_operations,
    read_plain,
)
from tests.core.columns.stream_strategies import streams
from tests.core.jelly.draft_streams import DRAFT_STREAMS, SECOND_FRAME
from tests.oracle.columns_decoder import is_bare, read
from tests.oracle.columns_producer import Stream, write_columns
from tests.oracle.columns_schema import DRAFTS, LATER, MESSAGES, QUADS
from tests.oracle.wire import split
from tests.pieces import Pieces
from tests.strategies import dice

pytestmark = pytest.mark.filterwarnings("ignore:Jelly-RDF 1.2 is a draft")

WARNING = "Jelly-RDF 1.2 is a draft: this library's support may change with the draft"
FAULTS = [fault for draft in DRAFTS for fault in all_faults(draft)]
faults = pytest.mark.parametrize(
    "fault", FAULTS, ids=[f"{number}-{fault.name}" for number, fault in enumerate(FAULTS)]
)


@given(streams(), dice)
def test_all_streams(stream: Stream, rng: random.Random) -> None:
    data = write_columns(stream, rng)
    assert read_plain(data) == [frame.operations for frame in read(data, with_end=False)]
    assert read_plain(Pieces(data, rng.randint(1, 50))) == read_plain(data)


@given(streams(), dice)
def test_inspected_and_recovering_decoders(stream: Stream, rng: random.Random) -> None:
    data = write_columns(stream, rng)
    assert read_plain(data, faults=[]) == read_plain(data)
    report = jr.inspect(data)
    assert report.error is None
    statements = sum(op[0] == "A" for frame in read_plain(data) for op in frame)
    assert report.statements == statements
    # The producer writes members of oneofs twice, which readers must accept.
    errors = [fault.rule for fault in jr.validate(data) if fault.rule.severity == "error"]
    assert set(errors) <= {jr.Rule.SECOND_FIELD, jr.Rule.ROW_KINDS}


@given(streams(), dice, st.data())
def test_damaged_streams(stream: Stream, rng: random.Random, data: st.DataObject) -> None:
    """If one byte changes, both readers read the same, or both refuse the stream."""
    written = bytearray(write_columns(stream, rng))
    at = data.draw(st.integers(0, len(written) - 1))
    written[at] = data.draw(st.integers(0, 255))
    assert_same_outcome(bytes(written))


@given(streams(), dice)
def test_checkpoints(stream: Stream, rng: random.Random) -> None:
    """A decoder restored before a frame reads the same as the decoder that saved its state."""
    data = write_columns(stream, rng)
    if is_bare(data):
        return
    parts = split(data)
    limits = jr.Limits()
    first = StatementFrameDecoder(make_node_factory(False, limits), limits)
    plain_operations(first.decode_frame(parts[0]))
    for part in parts[1:]:
        again = StatementFrameDecoder(make_node_factory(False, limits), limits)
        again.restore(first.save())
        assert again.save() == first.save()
        assert again.options == first.options
        assert plain_operations(again.decode_frame(part)) == plain_operations(
            first.decode_frame(part)
        )


@faults
def test_a_fault_is_refused(fault: Fault) -> None:
    with pytest.raises(jr.DecodeError) as caught:
        read_plain(fault.data)
    error = caught.value
    assert (error.rule, error.frame) == (fault.rule, fault.frame + 1)
    assert error.offset is not None
    # If the field is empty, the error's offset is the byte after the field.
    assert fault.place.start <= error.offset <= fault.place.stop or error.rule == "options-first"


@faults
def test_a_fault_is_found_by_validate(fault: Fault) -> None:
    found = list(jr.validate(fault.data, format="jelly-rdf"))
    assert fault.rule in [each.rule for each in found]


def parsed(graph: Graph, data: bytes) -> list[int]:
    graph.parse(data=data, format="jelly-rdf")
    return [len(graph)]


READERS: dict[str, Callable[[bytes], list[int]]] = {
    "read_batches": lambda data: [len(batch) for batch in jr.read_batches(data)],
    "read_statements": lambda data: [len(list(jr.read_statements(data)))],
    "read_frames": lambda data: [len(frame) for frame in jr.read_frames(data)],
    "Graph": lambda data: parsed(Graph(), data),
    "Dataset": lambda data: parsed(Dataset(), data),
    "JellyStore": lambda data: parsed(Dataset(store="Jelly"), data),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_each_reader_reads_it(read: Callable[[bytes], list[int]]) -> None:
    data = DRAFT_STREAMS["two-frames"].data
    assert sum(read(data)) == 4
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(data)
    assert [str(each.message) for each in caught if each.category is UserWarning] == [WARNING]


def test_messages_one_by_one() -> None:
    data = DRAFT_STREAMS["two-frames"].data
    first, second = data[2 : -1 - len(SECOND_FRAME)], SECOND_FRAME
    decoder = jr.StatementDecoder()
    assert [len(decoder.decode_frame(frame)) for frame in (first, second)] == [3, 1]
    decoder.finish()


def test_graphs_are_messages() -> None:
    """Message lengths cut a stream within a frame, across frames, and at repeated options."""

    def frame(count: int, lengths: list[int], first: int, **fields: Any) -> dict[str, Any]:
        labels = [f"b{number}" for number in range(first, first + count)]
        run = {"layouts": [count - 2]} if count > 1 else {}
        batch = {
            "row_count": count,
            "subjects": {"bnodes": labels},
            "predicates": {"name_ids": [1], **run},
            "objects": {"bnodes": ["o"], **run},
            "names": [{"id": 1, "values": ["urn:p"]}],
            "message_lengths": lengths,
        }
        return {**fields, "columns": batch}

    options = build_options(physical_type=QUADS, stream_type=MESSAGES)
    rows = {"rows": [options]}
    frames = [
        frame(3, [1, 0], 0, **rows),
        frame(2, [], 3),
        frame(4, [1, 2], 5),
        frame(1, [], 9, **rows),
        {"metadata": {"k": b"v"}},
        # A frame that has only namespaces does not contain a message.
        {"columns": {"namespaces": [{"name": "ex", "value": {"name_id": 1}}]}},
    ]
    data = build_stream(LATER, frames)
    sizes = [1, 0, 5, 2, 1, 1]
    graphs = list(jr.read_graphs(data))
    assert [len(graph) for graph in graphs] == sizes
    subjects = sorted(str(s) for s in graphs[2].subjects())
    assert subjects == ["b1", "b2", "b3", "b4", "b5"]
    written = io.BytesIO()
    with jr.StatementWriter(
        written, jr.StreamOptions(physical_type=QUADS, logical_type=jr.LogicalStreamType.DATASETS)
    ) as writer:
        write_batches(jr.read_batches(data), writer)
    frames_of_1_1 = list(jr.read_frames(written.getvalue()))
    assert [len(frame) for frame in frames_of_1_1] == sizes


def test_a_graph_that_fails_in_a_message() -> None:
    """After an ApplyError the reader can still read the next graph."""
    literal = {"lex_values": ["x"], "literal_kinds": [2], "langtags": ["ar"]}
    directed = {**literal, "langtag_directions": [2]}
    options = build_options(stream_type=MESSAGES)
    frames = [
        {"rows": [options], "columns": build_batch(message_lengths=[1])},
        {"columns": build_batch(names=None, objects=directed)},
        {"columns": build_batch(names=None, message_lengths=[1])},
        {"columns": build_batch(names=None)},
    ]
    graphs = jr.read_graphs(build_stream(LATER, frames))
    assert len(next(graphs)) == 1
    with pytest.raises(jr.JellyError, match="direction"):
        next(graphs)


def build_run(count: int) -> dict[str, Any]:
    """Return a batch of `count` equal rows, in a few bytes."""
    columns = {"layouts": [15, count - 17]}
    return build_batch(
        row_count=count,
        subjects={**columns, "bnodes": ["s"]},
        predicates={**columns, "name_ids": [1]},
        objects={**columns, "bnodes": ["o"]},
    )


@pytest.mark.parametrize("count", [(1 << 19) + 1, (1 << 27) - 1])
def test_rows_count_before_memory_is_taken(count: int) -> None:
    batch = build_run(count)
    data = build_stream(LATER, [{"rows": [build_options()], "columns": batch}])
    with pytest.raises(jr.LimitError) as caught:
        read_plain(data)
    error = caught.value
    assert (error.limit, error.value, error.asked) == ("max_frame_rows", 1 << 19, count)


def test_cells_count_as_expansion() -> None:
    """Frames of a few bytes can't expand to an unlimited number of rows."""
    count = 1 << 19
    batch = build_run(count)
    frames = [{"rows": [build_options()], "columns": batch}, *[{"columns": batch}] * 10]
    with pytest.raises(jr.LimitError) as caught:
        for _ in open_batches(build_stream(LATER, frames)):
            pass
    assert (caught.value.limit, caught.value.frame) == ("max_expansion", 2)


def test_many_messages_are_bounded() -> None:
    batch = build_batch(message_lengths=[0] * 11)
    options = build_options(stream_type=MESSAGES)
    data = build_stream(LATER, [{"rows": [options], "columns": batch}])
    with pytest.raises(jr.LimitError, match="frame of 11 messages: the maximum is 10"):
        read_plain(data, limits=jr.Limits(max_frame_rows=10))


def test_triple_terms_that_nest() -> None:
    term: dict[str, Any] = {"s_bnode": "s", "p_iri": {"name_id": 1}, "o_bnode": "o"}
    for _ in range(4):
        term = {
            **{k: v for k, v in term.items() if k == "p_iri"},
            "s_bnode": "s",
            "o_triple_term": term,
        }
    batch = build_batch(objects={"triple_terms": [term]})
    data = build_stream(LATER, [{"rows": [build_options()], "columns": batch}])
    assert len(read_plain(data, limits=jr.Limits(max_nesting_depth=5))[0]) == 1
    with pytest.raises(jr.LimitError) as caught:
        read_plain(data, limits=jr.Limits(max_nesting_depth=4))
    assert caught.value.limit == "max_nesting_depth"


class TestRepeatedOptions:
    FRAME: ClassVar = {"rows": [build_options()], "columns": build_batch()}

    def test_joined_files_are_one_stream(self) -> None:
        data = build_stream(LATER, [self.FRAME])
        (frame,) = read_plain(data)
        assert read_plain(data + data) == [frame, frame]

    def test_error_reads_them_too(self) -> None:
        """The format defines repeated options, so `error` refuses only those that it forbids."""
        data = build_stream(LATER, [self.FRAME])
        (frame,) = read_plain(data)
        assert read_plain(data + data, on_repeated_options="error") == [frame, frame]
        quads = {"rows": [build_options(physical_type=QUADS)], "columns": build_batch()}
        with pytest.raises(jr.DecodeError, match="choose on_repeated_options=") as caught:
            read_plain(data + build_stream(LATER, [quads]), on_repeated_options="error")
        assert (caught.value.rule, caught.value.frame) == (jr.Rule.REPEATED_OPTIONS, 2)

    def test_a_new_stream_may_be_of_another_kind(self) -> None:
        quads = {"rows": [build_options(physical_type=QUADS)], "columns": build_batch()}
        rows = io.BytesIO()
        with jr.StatementWriter(rows, jr.StreamOptions(physical_type="TRIPLES")) as writer:
            writer.add(URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"))
        parts = [build_stream(LATER, [self.FRAME]), rows.getvalue(), build_stream(LATER, [quads])]
        data = b"".join(parts)
        statements = list(jr.read_statements(data, on_repeated_options="restart"))
        assert [len(statement) for statement in statements] == [3, 3, 4]
        with pytest.raises(jr.DecodeError):
            list(jr.read_statements(data))
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(parts[1] + parts[2]))
        assert caught.value.rule == "options-same"


@pytest.mark.parametrize("changes", [{"version": 4}, {"physical_type": 0}])
def test_errors_of_unknown_options_say_what_to_ask_for(changes: dict[str, int]) -> None:
    data = build_stream(LATER, [{"rows": [build_options(**changes)]}])
    with pytest.raises(jr.DecodeError, match="ask the writer of the stream for version 2 ") as told:
        read_plain(data)
    if "version" in changes:
        assert "this library reads versions 1 and 2, and 3 as a draft" in told.value.message


def test_options_are_not_for_a_writer() -> None:
    reader = jr.read_statements(DRAFT_STREAMS["triples"].data)
    list(reader)
    assert reader.options is not None
    assert reader.options.version == 3
    with pytest.raises(ValueError, match=r"Jelly-RDF 1\.2 is a draft, and is not written"):
        jr.StatementWriter(io.BytesIO(), reader.options)
    with pytest.raises(ValueError, match="version must be from 1 to 2"):
        jr.StreamOptions(version=3)


def test_a_decoder_that_restarts() -> None:
    data = DRAFT_STREAMS["triples"].data[2:]
    limits = jr.Limits()
    decoder = StatementFrameDecoder(make_node_factory(False, limits), limits)
    first = plain_operations(decoder.decode_frame(data))
    decoder.restart()
    assert decoder.draft_options is None
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", WARNING)
        assert plain_operations(decoder.decode_frame(data)) == first
    assert len(caught) == 1

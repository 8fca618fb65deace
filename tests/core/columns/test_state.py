"""Tests what a Jelly-RDF 1.2 reader keeps between columns and frames, and what it drops."""

import io
import time
from typing import Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.core.jelly_decoder import StatementFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from tests.core.columns.fault_streams import build_batch, build_options, build_stream
from tests.core.columns.plain_batches import plain_operations, read_plain
from tests.core.jelly.draft_streams import DRAFT_STREAMS, TRIPLES_OPTIONS
from tests.oracle.columns_schema import EARLIER, LATER, MESSAGES, RDF_1_1
from tests.oracle.wire import field, varint

pytestmark = pytest.mark.filterwarnings("ignore:Jelly-RDF 1.2 is a draft")

TERM: dict[str, Any] = {"s_iri": {}, "p_iri": {}, "o_bnode": "o"}
PREFIXES = {"prefixes": [{"values": ["a:", "b:"]}]}


def operations(*batches: dict[str, Any]) -> list[Any]:
    """Return the operations of frames whose columns are `batches`."""
    frames: list[dict[str, Any]] = [{"columns": batch} for batch in batches]
    frames[0]["rows"] = [build_options()]
    return [operation for frame in read_plain(build_stream(LATER, frames)) for operation in frame]


def iri(text: str) -> tuple[str, str]:
    return ("iri", text)


def test_triple_terms_start_without_the_last_iri_of_namespaces() -> None:
    namespace = {"name": "ex", "value": {"prefix_id": 1, "name_id": 2}}
    batch = build_batch(**PREFIXES, namespaces=[namespace], objects={"triple_terms": [TERM]})
    declared, (*_, term, _) = operations(batch)
    assert declared == ("PA", "ex", iri("a:urn:q"), None)
    assert term == ("triple", iri("urn:p"), iri("urn:q"), ("bnode", "o"))


def test_namespaces_start_without_an_iri_in_each_batch() -> None:
    first = {"name": "ex", "value": {"prefix_id": 1, "name_id": 2}}
    term = {**TERM, "s_iri": {"prefix_id": 2, "name_id": 1}}
    batches = (
        build_batch(**PREFIXES, namespaces=[first], objects={"triple_terms": [term]}),
        build_batch(names=None, namespaces=[{"name": "ex", "value": {}}]),
    )
    declared = [operation for operation in operations(*batches) if operation[0] == "PA"]
    assert [operation[2] for operation in declared] == [iri("a:urn:q"), iri("urn:p")]


def decoder(**settings: Any) -> StatementFrameDecoder:
    limits = jr.Limits()
    return StatementFrameDecoder(make_node_factory(False, limits), limits, **settings)


def test_an_open_message_ends_where_options_come_again() -> None:
    """The message also ends after an empty frame, and in a decoder restored from a checkpoint."""
    row = build_options(stream_type=MESSAGES)
    frames: list[dict[str, Any]] = [
        {"rows": [row], "columns": build_batch()},
        {"columns": {}},
        {"rows": [row], "columns": build_batch(message_lengths=[1])},
        {"rows": [row]},
    ]
    messages = [LATER.Frame(**frame).SerializeToString() for frame in frames]
    whole, found = decoder(), []
    for message in messages:
        again = decoder()
        if found:
            again.restore(whole.save())
        batch = whole.decode_frame(message)
        found.append(batch.message_ends)
        assert plain_operations(again.decode_frame(message)) == plain_operations(batch)
    assert found == [(), (), (0, 1), ()]


class TestMerged:
    """A message that occurs twice in a frame is merged if each part is a message by itself."""

    BATCH = LATER.Frame(columns=build_batch()).SerializeToString()[2:]

    def read(self, *parts: bytes) -> list[Any]:
        return read_plain(TRIPLES_OPTIONS + b"".join(field(2, part) for part in parts))

    def test_parts_of_columns(self) -> None:
        whole = self.read(self.BATCH)
        assert len(whole[0]) == 1
        # The message is cut before the row count, after its two bytes, and after the names.
        for at in (0, 2, len(self.BATCH)):
            assert self.read(self.BATCH[:at], self.BATCH[at:]) == whole

    def test_parts_that_are_no_messages(self) -> None:
        for at in (1, 3, len(self.BATCH) - 1):
            with pytest.raises(jr.DecodeError) as caught:
                self.read(self.BATCH[:at], self.BATCH[at:])
            assert caught.value.rule == "wire", at


def test_a_packed_number_that_is_cut_off() -> None:
    with pytest.raises(jr.DecodeError) as caught:
        read_plain(TRIPLES_OPTIONS + field(2, field(6, field(2, b"\x80"))))
    assert (caught.value.rule, caught.value.message) == ("wire", "varint is cut off")


def test_many_parts_take_no_time_squared() -> None:
    """A decoder of quadratic time needs almost a minute for 64,000 parts; ours needs 50 ms."""
    parts = field(2, field(12, b"")) * 64_000
    started = time.process_time()
    assert read_plain(TRIPLES_OPTIONS + parts) == [[]]
    assert read_plain(TRIPLES_OPTIONS + field(2, field(6, field(12, b"")) * 64_000)) == [[]]
    assert time.process_time() - started < 10


def test_a_triple_term_that_is_overwritten_nests_no_deeper() -> None:
    """The parts of a triple term that is overwritten are checked: here they nest too deep."""
    heads, size = [], 0
    for _ in range(200_000):
        heads.append(varint(12 << 3 | 2) + varint(size))
        size += len(heads[-1])
    term = b"".join(reversed(heads)) + field(9, b"")
    batch = LATER.Frame(columns=build_batch(objects=None)).SerializeToString()[2:]
    with pytest.raises(jr.LimitError) as caught:
        read_plain(TRIPLES_OPTIONS + field(2, batch + field(8, field(10, term))))
    assert caught.value.limit == "max_nesting_depth"


def test_rows_behind_messages_have_none() -> None:
    row = build_options(stream_type=MESSAGES)
    batch = build_batch(message_lengths=[0])
    rows = io.BytesIO()
    options = jr.StreamOptions(physical_type="TRIPLES", delimited=False)
    with jr.StatementWriter(rows, options) as writer:
        writer.add(URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"))
    first = decoder(on_repeated_options="restart")
    # The row in this frame belongs to an open message.
    message = LATER.Frame(rows=[row], columns=batch).SerializeToString()
    assert first.decode_frame(message).message_ends == (0,)
    assert first.decode_frame(rows.getvalue()).message_ends is None
    decoder().restore(first.save())


def test_options_of_the_earlier_draft_behind_a_checkpoint() -> None:
    frame = EARLIER.Frame(rows=[build_options(rdf_version=RDF_1_1)], columns=build_batch())
    first, second = decoder(), decoder()
    first.decode_frame(frame.SerializeToString())
    second.restore(first.save())
    second.decode_frame(frame.SerializeToString())
    assert second.draft_options == {"stream_type": "FLAT", "rdf_version": "1.1"}


def test_a_frame_before_the_options_is_no_message() -> None:
    frame = {"rows": [build_options(stream_type=MESSAGES)], "columns": build_batch()}
    assert [len(graph) for graph in jr.read_graphs(b"\0" + build_stream(LATER, [frame]))] == [1]


def test_options_that_are_replaced_by_others_without_a_version() -> None:
    without = LATER.Frame(rows=[build_options(version=0)]).SerializeToString()[2:]
    # An empty field between the options prevents protobuf from merging them.
    row = TRIPLES_OPTIONS[2:] + field(2, b"") + without
    with pytest.raises(jr.DecodeError) as caught:
        list(jr.read_statements(field(1, row), format="jelly-rdf"))
    assert caught.value.rule == "version-tag"


def test_inspect_counts_the_terms_that_are_written() -> None:
    terms = jr.inspect(DRAFT_STREAMS["triples"].data).terms
    counted = {kind: count for kind, count in terms.items() if count}
    assert counted == {"iri": 4, "language_literal": 1, "typed_literal": 1}
    terms = jr.inspect(DRAFT_STREAMS["quads"].data).terms
    counted = {kind: count for kind, count in terms.items() if count}
    # The counts include the terms in the triple term and the namespace's IRI.
    assert counted == {"iri": 8, "blank_node": 2, "language_literal": 1, "triple_term": 1}

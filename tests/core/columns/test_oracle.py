"""Tests the oracle of Jelly-RDF 1.2: its second reader, its foreign producer, and its faults."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from tests.core.columns.fault_streams import (
    Fault,
    build_batch,
    build_options,
    build_stream,
    fault_streams,
)
from tests.core.columns.stream_strategies import streams
from tests.core.jelly.draft_streams import (
    DRAFT_STREAMS,
    EARLIER_QUADS_COLUMNS,
    EARLIER_QUADS_OPTIONS,
    EARLIER_TRIPLES_OPTIONS,
    QUADS_COLUMNS,
    QUADS_OPTIONS,
    SECOND_FRAME,
    TRIPLES_COLUMNS,
    TRIPLES_OPTIONS,
)
from tests.oracle.columns_decoder import Reference, messages, read
from tests.oracle.columns_producer import Stream, frames, options, write_columns
from tests.oracle.columns_schema import DRAFTS, EARLIER, LATER, MESSAGES, QUADS, Draft
from tests.oracle.reference import Doubt, RuleError
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.oracle.wire import spell
from tests.strategies import dice

drafts = pytest.mark.parametrize("draft", DRAFTS, ids=[draft.name for draft in DRAFTS])


def iri(text: str) -> Plain:
    return ("iri", text)


S, P, Q, O, G = (iri(f"urn:{name}") for name in "spqog")  # noqa: E741
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
B = ("bnode", "b")
M = ("literal", "m", "ar", None, "rtl")
TRIPLES_SAID = [
    (iri("http://a.org/s"), iri("http://a.org/p"), iri("http://a.org/o1")),
    (iri("http://a.org/s"), iri("http://a.org/p"), ("literal", "x", "en", None)),
    (iri("http://a.org/s"), iri("http://a.org/q"), ("literal", "7", None, INTEGER)),
]
SECOND_SAID = (iri("http://a.org/s2"), iri("http://a.org/p"), iri("http://a.org/o1"))
QUADS_SAID = [
    [(B, P, M, DEFAULT_GRAPH)] * 20,
    [(S, P, ("triple", S, P, B), G), (S, Q, O, G)],
    [(S, Q, O, DEFAULT_GRAPH)],
]


def said(data: bytes) -> list[Plain]:
    return [operation for frame in read(data) for operation in frame.operations]


class TestWorkedStreams:
    @pytest.mark.parametrize(
        ("name", "draft"),
        [
            ("triples", LATER),
            ("bare", LATER),
            ("triples-columns-first", LATER),
            ("delimited-columns-first", LATER),
            ("earlier-triples", EARLIER),
        ],
        ids=str,
    )
    def test_triples(self, name: str, draft: Draft) -> None:
        (frame,) = read(DRAFT_STREAMS[name].data)
        assert frame.statements == [(*triple,) for triple in TRIPLES_SAID]

    def test_a_second_frame(self) -> None:
        first, second = read(DRAFT_STREAMS["two-frames"].data)
        assert first.statements == TRIPLES_SAID
        assert second.statements == [SECOND_SAID]

    @pytest.mark.parametrize(
        "data",
        [
            DRAFT_STREAMS["quads"].data,
            QUADS_OPTIONS + QUADS_COLUMNS,
            QUADS_COLUMNS + QUADS_OPTIONS,
            EARLIER_QUADS_OPTIONS + EARLIER_QUADS_COLUMNS,
            EARLIER_QUADS_COLUMNS + EARLIER_QUADS_OPTIONS,
        ],
        ids=["delimited", "bare", "columns first", "earlier", "earlier, columns first"],
    )
    def test_quads(self, data: bytes) -> None:
        (frame,) = read(data)
        assert frame.namespaces == [("u", S)]
        assert messages([frame]) == QUADS_SAID
        assert frame.operations[-1] == ("END",)

    @pytest.mark.parametrize(
        ("draft", "data"),
        [
            (LATER, TRIPLES_OPTIONS + TRIPLES_COLUMNS),
            (LATER, SECOND_FRAME),
            (LATER, QUADS_OPTIONS + QUADS_COLUMNS),
            (EARLIER, EARLIER_TRIPLES_OPTIONS + TRIPLES_COLUMNS),
        ],
        ids=["A", "C", "B", "A, earlier"],
    )
    def test_protobufs_classes_write_the_same_bytes(self, draft: Draft, data: bytes) -> None:
        assert draft.Frame.FromString(data).SerializeToString(deterministic=True) == data

    def test_the_messages_of_the_earlier_draft(self) -> None:
        frame = EARLIER.Frame.FromString(EARLIER_QUADS_OPTIONS + EARLIER_QUADS_COLUMNS)
        assert list(frame.columns.message_lengths) == [20, 2]
        later = LATER.Frame.FromString(QUADS_OPTIONS + QUADS_COLUMNS)
        assert list(later.columns.message_lengths) == [20, 2]


@given(streams(), dice)
def test_what_is_written_is_read(stream: Stream, rng: random.Random) -> None:
    assert said(write_columns(stream, rng)) == stream.operations


@given(streams(), dice)
def test_joined_files_are_read_as_one(stream: Stream, rng: random.Random) -> None:
    """Each file starts with its options, which clear the lookups and end a message."""
    written = [
        b"".join(
            bytes([len(data) & 127 | 128, len(data) >> 7 & 127 | 128, len(data) >> 14]) + data
            for data in (spell(frame, rng) for frame in frames(stream, rng))
        )
        for _ in range(2)
    ]
    assert said(b"".join(written)) == stream.operations * 2


@pytest.fixture(scope="module")
def freedoms() -> Counter[str]:
    """Count the encoding variants that the producer chose in sixty streams."""
    seen: Counter[str] = Counter()
    pool = [iri(f"http://a.org/{n}") for n in range(300)]
    texts = [("literal", "x", "en", None), M, ("literal", "1", None, INTEGER)]
    triple = ("triple", B, pool[0], M)
    for seed in range(60):
        rng = random.Random(seed)
        operations: list[Plain] = [("PA", "a", pool[0], None)]
        node = value = B
        graph = DEFAULT_GRAPH
        stays = rng.choice([0.5, 0.97])
        for number in range(rng.choice([3, 300])):
            if rng.random() > stays:
                node = rng.choice([B, B, rng.choice(pool)])
                value = rng.choice([pool[1], pool[1], *texts, triple])
                graph = rng.choice([DEFAULT_GRAPH, DEFAULT_GRAPH, pool[2]])
            predicate = pool[0 if rng.random() < 0.97 else number]
            operations.append(("A", node, predicate, value, graph))
            if rng.random() < 0.1:
                operations.append(("END",))
        fields = options(
            physical_type=QUADS,
            stream_type=MESSAGES,
            max_prefix_table_size=rng.choice([2, 150]),
            rdf_version=3,
        )
        stream = Stream(fields, [*operations, ("END",)], rng.choice(DRAFTS))
        written = frames(stream, rng)
        for number, frame in enumerate(written):
            seen.update(_freedoms(frame, number))
        data = write_columns(stream, rng)
        seen["bare" if data[:1] == b"\n" and data[1:2] != b"\n" else "delimited"] += 1
    return seen


def _freedoms(frame: Any, number: int) -> list[str]:
    batch = frame.columns
    found = {
        "options again": number > 0 and len(frame.rows) > 0,
        "no columns": not frame.HasField("columns"),
        "graphs omitted": batch.row_count > 0 and not batch.HasField("graphs"),
        "empty graphs": batch.HasField("graphs") and not batch.graphs.ByteSize(),
        "message of no rows": 0 in batch.message_lengths,
        "many rows": batch.row_count > 100,
        "one row": batch.row_count == 1,
    }
    for table in ("names", "prefixes", "datatypes"):
        for entry in getattr(batch, table):
            found[f"{table} id 0" if entry.id == 0 else f"{table} id"] = True
            found[f"{table} packed"] = found.get(f"{table} packed") or len(entry.values) > 1
    for position in ("subjects", "predicates", "objects", "graphs"):
        column = getattr(batch, position)
        values = len(column.name_ids) + len(column.lex_values) + len(column.bnodes)
        values += len(column.triple_terms)
        lists = (column.name_ids, column.lex_values, column.bnodes, column.triple_terms)
        is_alike = sum(map(bool, lists)) == 1
        layouts = list(column.layouts)
        found |= {
            f"{position} without layouts": values > 2 and not layouts,
            f"{position} kinds": is_alike and column.kinds != b"",
            f"{position} no kinds": is_alike and column.kinds == b"",
            f"{position} mixed": not is_alike and values > 0,
            f"{position} long run": any(token & 15 == 15 for token in layouts),
            f"{position} skip": any(token >> 5 for token in layouts),
            f"{position} name 0": 0 in column.name_ids,
        }
        for name, count in (
            ("prefix_ids", len(column.name_ids)),
            ("literal_kinds", len(column.lex_values)),
        ):
            size = len(getattr(column, name))
            form = {0: "none", 1: "one", count: "all"}[size] if count > 1 else "few"
            found[f"{position} {name} {form}"] = True
    directions = batch.objects.langtag_directions
    found["directions of no tag"] = bool(directions) and not any(directions)
    found["no directions"] = bool(batch.objects.langtags) and not directions
    return [name for name, is_so in found.items() if is_so]


@pytest.mark.parametrize(
    "freedom",
    [
        *("bare", "delimited", "options again", "no columns", "graphs omitted"),
        *("message of no rows", "many rows", "one row"),
        *(f"{t} {what}" for t in ("names", "prefixes", "datatypes") for what in ("id 0", "id")),
        *("names packed", "prefixes packed"),
        *(
            f"{position} {what}"
            for position in ("subjects", "predicates", "objects", "graphs")
            for what in ("kinds", "no kinds", "long run", "skip", "name 0")
        ),
        *("subjects mixed", "objects mixed", "objects without layouts"),
        *(f"predicates prefix_ids {form}" for form in ("none", "one", "all")),
        *(f"objects literal_kinds {form}" for form in ("one", "all")),
        *("directions of no tag", "no directions"),
    ],
)
def test_the_producer_takes_each_freedom(freedoms: Counter[str], freedom: str) -> None:
    assert freedoms[freedom], freedoms


def test_lists_of_numbers_are_packed_or_not() -> None:
    frame = LATER.Frame.FromString(TRIPLES_OPTIONS + TRIPLES_COLUMNS)
    spelled = {spell(frame, random.Random(seed), 0.5) for seed in range(200)}
    # The layouts of the subjects look like this if the producer chooses no unusual encoding.
    assert any(b"\x12\x01\x01" in data for data in spelled)
    assert any(b"\x10\x01" in data for data in spelled)
    assert all(read(data)[0].statements == TRIPLES_SAID for data in spelled if data[:1] == b"\n")


@drafts
def test_what_faults_are_made_of_is_read(draft: Draft) -> None:
    data = build_stream(draft, [{"rows": [build_options()], "columns": build_batch()}])
    assert said(data) == [("A", ("bnode", "s"), P, ("bnode", "o"), None)]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=f"{draft.name}-{fault.name}")
        for draft in DRAFTS
        for fault in fault_streams(draft)
    ],
)
def test_faults(fault: Fault) -> None:
    with pytest.raises(RuleError) as caught:
        read(fault.data)
    assert (caught.value.rule, caught.value.frame) == (fault.rule, fault.frame)
    assert 0 <= fault.place.start < fault.place.stop <= len(fault.data)


class TestWhatIsNoFault:
    @drafts
    def test_an_entry_without_values_is_skipped_with_its_id(self, draft: Draft) -> None:
        names = [{"values": ["urn:x"]}, {"id": 9}, {"values": ["urn:p"]}]
        columns = build_batch(names=names, predicates={"name_ids": [2]})
        data = build_stream(draft, [{"rows": [build_options()], "columns": columns}])
        assert said(data) == [("A", ("bnode", "s"), P, ("bnode", "o"), None)]

    def test_a_frame_of_nothing_before_the_options(self) -> None:
        assert said(b"\x00" + DRAFT_STREAMS["triples"].data) == said(DRAFT_STREAMS["triples"].data)

    def test_lists_of_one_for_no_terms(self) -> None:
        objects = {"bnodes": ["o"], "prefix_ids": [99], "literal_kinds": [98], "langtags": ["x"]}
        columns = build_batch(objects=objects)
        data = build_stream(LATER, [{"rows": [build_options()], "columns": columns}])
        assert said(data) == [("A", ("bnode", "s"), P, ("bnode", "o"), None)]

    def test_a_prefix_of_0_for_all(self) -> None:
        columns = build_batch(prefixes=[{"values": ["a"]}], objects={"name_ids": [1]})
        columns["objects"]["prefix_ids"] = [0]
        data = build_stream(LATER, [{"rows": [build_options()], "columns": columns}])
        assert said(data) == [("A", ("bnode", "s"), P, P, None)]


@drafts
def test_a_message_goes_on_over_frames_without_rows(draft: Draft) -> None:
    rows = [build_options(stream_type=MESSAGES)]
    first = {"rows": rows, "columns": build_batch()}
    data = build_stream(draft, [first, {"columns": {}}, {}])
    statement = ("A", ("bnode", "s"), P, ("bnode", "o"), None)
    assert said(data) == [statement, ("END",)]
    ended = {"columns": {"message_lengths": [0, 0]}}
    assert said(build_stream(draft, [first, {}, ended])) == [statement, ("END",), ("END",)]


@pytest.mark.parametrize("version", [1, 2])
def test_streams_of_rows_are_not_for_it(version: int) -> None:
    with pytest.raises(Doubt):
        read(build_stream(LATER, [{"rows": [build_options(version=version)]}]))


def test_no_input() -> None:
    with pytest.raises(RuleError) as caught:
        read(b"")
    assert (caught.value.rule, caught.value.frame) == ("options-first", None)


def test_messages_of_a_queue() -> None:
    """Each message is a bare frame, and the stream does not end."""
    reference = Reference()
    operations = reference.frame(QUADS_COLUMNS + QUADS_OPTIONS).operations
    assert operations.count(("END",)) == 2
    # The options end the open message.
    assert reference.frame(QUADS_OPTIONS).operations == [("END",)]
    assert reference.finish() == []

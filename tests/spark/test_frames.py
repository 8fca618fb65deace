"""Tests decoding a message queue's frames and encoding them, mostly as a task computes them."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest
from rdflib import XSD, URIRef

pytest.importorskip("pyspark")
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import jelly_rdflib as jr
from jelly_rdflib.spark import decode_frames, encode_frames, frames, stream_decoder
from jelly_rdflib.spark.pipeline import CHANGES
from tests.spark.files import COLUMNS, make_operations
from tests.spark.tasks import Table, schema_of
from tests.spelling import rows_of

P = URIRef("urn:p")
KAFKA = ("topic", "partition", "offset", "key", "value")
# Some columns of operations.
SOME = ("file", "seq", "op", "s", "p", "o")


def frames_of(name: str, count: int, rows: int = 1) -> list[bytes]:
    """Return the frames of a stream; each row has a different subject."""
    return encode(*([f"{name}-{frame}-{row}" for row in range(rows)] for frame in range(count)))


def encode(*frames: Iterable[str]) -> list[bytes]:
    """Return the frames of a stream with a statement for each of these subjects."""
    encoder = jr.PatchEncoder()
    return [
        encoder.encode_frame((jr.Op.A, URIRef(f"urn:{name}"), P, P, None) for name in each)
        for each in frames
    ]


def kafka(*values: bytes | None) -> Any:
    """Return the messages of a partition, the newest first."""
    rows = [("t", "0", offset, b"k", value) for offset, value in enumerate(values)]
    return Table(rows[::-1], schema_of(*KAFKA))


def subjects(table: Any) -> list[str]:
    return [s for (s,) in table.select("s").rows if s is not None]


def test_rows_come_in_their_order_and_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_decoder, "MAX_ROWS", 10)
    table = kafka(*frames_of("a", 20, rows=3))
    decoded: Any = decode_frames(table)
    assert subjects(decoded) == [f"<urn:a-{n}-{row}>" for n in range(20) for row in range(3)]
    assert [seq for (seq,) in decoded.select("seq").rows] == list(range(60))
    assert 6 <= len(decoded.sizes) < 20
    assert max(decoded.sizes) <= 10


def test_limits() -> None:
    table = kafka(*frames_of("a", 1))
    with pytest.raises(
        jr.DecodeError, match=r"^stream \('t', '0', b'k'\), offset 0: .*max_string_size: 2"
    ):
        decode_frames(table, limits=jr.Limits(max_string_size=2))
    with pytest.raises(
        jr.DecodeError, match=r"^stream .*more than 6 bytes of text \(limit max_text"
    ):
        decode_frames(table, limits=jr.Limits(max_text_size=6))


def test_a_term_too_long_as_text_names_its_stream() -> None:
    """An accepted term may be too long as text: each triple quotes the last one twice."""
    term: Any = P
    for _ in range(14):
        term = jr.TripleTerm(term, P, term)
    encoder = jr.PatchEncoder(jr.PatchOptions(rdf_star=True))
    table = kafka(encoder.encode_frame([(jr.Op.A, term, P, P, None)]))
    for limit in (1 << 16, 100_000):
        message = rf"^stream .*b'k'\), offset 0: a quoted triple has more than {limit} bytes"
        with pytest.raises(jr.DecodeError, match=message):
            decode_frames(table, limits=jr.Limits(max_text_size=limit))
    decode_frames(table)


def test_a_null_frame_is_named() -> None:
    first, second, *_ = frames_of("a", 2)
    table = kafka(first, second, None)
    with pytest.raises(
        jr.DecodeError, match=r"^stream \('t', '0', b'k'\), offset 2: the frame is null$"
    ):
        decode_frames(table)


def test_options_that_come_again() -> None:
    one, two = frames_of("a", 2), frames_of("b", 1)
    with pytest.raises(jr.DecodeError, match="retention, or were in an earlier batch"):
        decode_frames(kafka(*one[1:]))
    with pytest.raises(jr.DecodeError, match="on_repeated_options='restart'") as caught:
        decode_frames(kafka(*one, *two))
    # This stream has options.
    assert "retention" not in str(caught.value)
    # One producer restarts, another repeats its options and continues.
    decoded = decode_frames(kafka(*one, *two), on_repeated_options="restart")
    assert subjects(decoded) == ["<urn:a-0-0>", "<urn:a-1-0>", "<urn:b-0-0>"]
    options = one[0][: 2 + one[0][1]]
    decoded = decode_frames(kafka(one[0], options + one[1]), on_repeated_options="continue")
    assert subjects(decoded) == ["<urn:a-0-0>", "<urn:a-1-0>"]


@pytest.mark.parametrize("name", ["topic", "partition"])
def test_a_null_topic_or_partition_is_refused(name: str) -> None:
    row = {"topic": "t", "partition": "0", "offset": 0, "key": b"k", "value": frames_of("a", 1)[0]}
    table: Any = Table([tuple({**row, name: None}.values())], schema_of(*row))
    with pytest.raises(ValueError, match=f"the column '{name}' is null"):
        decode_frames(table)


def test_streams_are_told_apart_by_their_key_and_ordered_by_several_columns() -> None:
    rows = [
        (f"{key}", 10 * offset, "topic", frame)
        for key in (1, 2, 3)
        for offset, frame in enumerate(frames_of(f"{key}", 3))
    ]
    table: Any = Table(rows[::-1], schema_of("id", "seq", "topic", "value"))
    decoded: Any = decode_frames(table, key="id", order=["topic", "seq"])
    assert decoded.select("id", "seq", "s").rows == [
        (f"{key}", seq, f"<urn:{key}-{seq}-0>") for key in (1, 2, 3) for seq in range(3)
    ]


def test_a_damaged_frame_names_its_stream() -> None:
    table: Any = Table([("a", 0, b"\xff\xff")], schema_of("file", "offset", "value"))
    with pytest.raises(jr.DecodeError, match=r"stream 'a', offset 0: .*frame 1"):
        decode_frames(table, key="file")


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        ("file offset value", {}, r"no column 'topic': .* key='file'"),
        ("file offset value", {"key": ()}, "the key has no column"),
        ("op offset value", {"key": ("op",)}, "can't have .* 'op'"),
        ("file offset topic", {"key": "file", "column": "topic"}, "'topic' must be binary"),
        ("file offset", {"key": "file"}, "no column 'value'; there are file"),
        ("file value", {"key": "file"}, "no column 'offset'"),
        (" ".join(KAFKA), {"on_repeated_options": "ignore"}, "on_repeated_options must be"),
    ],
)
def test_arguments_are_checked(columns: str, arguments: Any, message: str) -> None:
    table: Any = Table([], schema_of(*columns.split()))
    with pytest.raises(ValueError, match=message):
        decode_frames(table, **arguments)


@pytest.mark.parametrize(
    ("columns", "key", "message"),
    [
        ("file seq op s o", "file", "no column 'p'"),
        ("offset seq op s p o", "offset", "can't have the column 'offset'"),
    ],
)
def test_operations_are_checked(columns: str, key: str, message: str) -> None:
    table: Any = Table([], schema_of(*columns.split()))
    with pytest.raises(ValueError, match=message):
        encode_frames(table, key=key)


def test_a_stream_of_spark_is_refused() -> None:
    table: Any = Table([], schema_of(*KAFKA), stream=True)
    with pytest.raises(ValueError, match=r"read_frames.* decodes it"):
        decode_frames(table)


def operations(files: int, rows: int) -> list[tuple]:
    return [
        # Literals keep their spelling.
        (f"{file}", seq, "A", f"<urn:{file}-{seq}>", "<urn:p>", f'"0{seq}"^^<{XSD.integer}>')
        for file in range(files)
        for seq in range(rows)
    ]


@pytest.mark.parametrize(
    "options",
    [None, jr.PatchOptions(frame_rows=9), jr.PatchOptions(frame_rows=9, delimited=False)],
    ids=repr,
)
def test_frames_are_numbered_from_0_in_each_stream(options: jr.PatchOptions | None) -> None:
    rows = operations(3, 40)
    table: Any = Table(rows[::-1], schema_of(*SOME))
    encoded: Any = encode_frames(table, options=options)
    assert encoded.columns == ["file", "offset", "value"]
    for _, each in groupby(encoded.rows, key=lambda row: row[0]):
        offsets = [row[1] for row in each]
        assert offsets == list(range(len(offsets)))
        assert (len(offsets) > 5) == (options is not None)
    again: Any = decode_frames(Table(encoded.rows[::-1], encoded.schema), key="file")
    assert [row for row in again.select(*SOME).rows if row[2] != "END"] == rows


def test_the_graph_may_have_a_name_in_capitals() -> None:
    table: Any = Table([("0", 0, "A", *["<urn:a>"] * 4)], schema_of(*SOME, "G"))
    again: Any = decode_frames(encode_frames(table), key="file")
    assert again.select("op", "g").rows == [("A", "<urn:a>"), ("END", None)]


def test_a_row_that_is_no_operation_names_its_stream() -> None:
    rows = operations(2, 2)
    rows[3] = (*rows[3][:5], "no term")
    table: Any = Table(rows, schema_of(*SOME))
    with pytest.raises(jr.EncodeError, match=r"^stream '1': .*'no term' is not an N-Triples"):
        encode_frames(table)


def test_a_record_batch_is_cut_where_a_column_of_the_key_changes() -> None:
    rows = [{"file": f"{n // 9}", "part": n % 40 // 20 or None, "n": n} for n in range(100)]
    runs = list(frames._runs(pa.RecordBatch.from_pylist(rows), 2))
    assert [
        ({"file": key[0].as_py(), "part": key[1].as_py()}, rest.column("n").to_pylist())
        for key, rest in runs
    ] == [
        (key, [row["n"] for row in each])
        for key, each in groupby(rows, key=lambda row: {"file": row["file"], "part": row["part"]})
    ]
    assert {rest.num_columns for _, rest in runs} == {1}


def test_a_key_may_be_a_struct() -> None:
    """A key may be a struct, though Arrow can't compare structs: Python compares their values."""
    keys = [{"a": 0}, {"a": 1}, {"a": 1}, {"a": 2}, None, None]
    rows = [{"key": key, "number": number} for number, key in enumerate(keys)]
    runs = [
        (key[0].as_py(), rest.column("number").to_pylist())
        for key, rest in frames._runs(pa.RecordBatch.from_pylist(rows), 1)
    ]
    assert runs == [({"a": 0}, [0]), ({"a": 1}, [1, 2]), ({"a": 2}, [3]), (None, [4, 5])]


class TestOnSpark:
    def test_a_null_key_is_one_stream_of_its_partition(self, spark: SparkSession) -> None:
        schema = "topic string, partition int, offset long, key binary, value binary"
        streams = {"a": (0, None), "b": (1, None), "c": (1, b"k")}
        rows = [
            ("t", partition, offset, key, frame)
            for name, (partition, key) in streams.items()
            for offset, frame in enumerate(frames_of(name, 30, rows=2))
        ]
        decoded = decode_frames(spark.createDataFrame(rows[::-1], schema))
        assert decoded.columns == ["topic", "partition", "key", *COLUMNS]
        found = [(row.partition, row.key, row.s) for row in decoded.collect()]
        for name, stream in streams.items():
            expected = [f"<urn:{name}-{frame}-{row}>" for frame in range(30) for row in range(2)]
            assert [s for *of, s in found if of == list(stream)] == expected

    def test_frames_make_the_operations_again(self, spark: SparkSession) -> None:
        from pyspark.sql import functions as F

        said = [
            (f"{file}", *(row[name] for name in COLUMNS))
            for file in range(2)
            for row in rows_of(make_operations(2, 30, seed=file))
        ]
        changes = spark.createDataFrame(said, CHANGES)
        # The second patch of each file is a stream whose key contains null.
        changes = changes.withColumn("part", F.when(F.col("patch") == 1, 5))
        keys = ["file", "part"]
        encoded = encode_frames(changes, key=keys, options=jr.PatchOptions(frame_rows=7))
        assert encoded.columns == [*keys, "offset", "value"]
        again = decode_frames(encoded.repartition(3), key=keys)
        assert again.columns == [*keys, *COLUMNS]

        def rows(table: DataFrame) -> list[Any]:
            kept = table.where("op != 'END'").orderBy(*keys, "seq")
            return kept.select(*keys, "op", "s", "p", "o", "g", "name").collect()

        assert rows(again) == rows(changes)

"""Frames of a message queue: columns of bare frames to operations, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from tests.spark.files import COLUMNS, make_operations
from tests.spelling import rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# As Kafka's source has them.
KAFKA = "topic string, partition int, offset long, key binary, value binary"
P = URIRef("urn:p")


def stream(name: str, *, messages: int, rows: int = 2) -> Iterator[tuple[list[str], bytes]]:
    """Give the messages of a stream: the subjects of its statements, and the frame."""
    encoder = jr.PatchEncoder()
    for message in range(messages):
        # Some are said again: who has the wrong lookups has wrong terms for them.
        subjects = [f"urn:{name}-{message}-{row}" for row in range(rows - 1)] + [f"urn:{name}"]
        yield subjects, encoder.encode_frame((jr.Op.A, URIRef(s), P, P, None) for s in subjects)


def kafka(
    spark: SparkSession,
    streams: Iterable[tuple[int, bytes | None, Iterable[tuple[list[str], bytes]]]],
) -> tuple[DataFrame, list[tuple[int, bytes | None, str]]]:
    """Return what Kafka's source makes of streams, one after another, and what they say."""
    rows: list[Any] = []
    said: list[tuple[int, bytes | None, str]] = []
    offsets: dict[int, int] = {}
    for partition, key, messages in streams:
        for subjects, frame in messages:
            offset = offsets[partition] = offsets.get(partition, -1) + 1
            rows.append(("t", partition, offset, key, bytearray(frame)))
            said += ((partition, key, f"<{subject}>") for subject in subjects)
    return spark.createDataFrame(rows[::-1], KAFKA), said


def told(operations: DataFrame) -> list[tuple[int, bytes | None, str]]:
    rows = operations.where("op = 'A'").orderBy("partition", "key", "seq").collect()
    return [(row.partition, row.key and bytes(row.key), row.s) for row in rows]


def decode(*arguments: Any, **more: Any) -> DataFrame:
    from jelly_rdflib.spark import decode_frames

    return decode_frames(*arguments, **more)


class TestStreamsOfKafka:
    def test_a_null_key_is_one_stream_of_its_partition(self, spark: SparkSession) -> None:
        streams = [(partition, None, stream(f"{partition}", messages=500)) for partition in (0, 1)]
        table, said = kafka(spark, streams)
        got = decode(table)
        assert told(got) == said
        assert got.columns == ["topic", "partition", "key", *COLUMNS]

    @pytest.mark.parametrize(("streams", "messages"), [(3, 50), (100, 1)])
    def test_streams_with_one_key(self, spark: SparkSession, streams: int, messages: int) -> None:
        """A producer that starts anew, and one that makes each message a stream."""
        table, said = kafka(
            spark, [(0, b"k", stream(f"{n}", messages=messages)) for n in range(streams)]
        )
        with pytest.raises(Exception, match=r"stream .*b'k'.*on_repeated_options='restart'"):
            decode(table).collect()
        assert told(decode(table, on_repeated_options="restart")) == said

    def test_a_producer_that_repeats_its_options_and_goes_on(self, spark: SparkSession) -> None:
        messages = list(stream("a", messages=20))
        options = messages[0][1][: 2 + messages[0][1][1]]
        repeated = [messages[0], *((said, options + frame) for said, frame in messages[1:])]
        table, said = kafka(spark, [(0, None, repeated)])
        assert told(decode(table, on_repeated_options="continue")) == said

    def test_a_lost_frame(self, spark: SparkSession) -> None:
        encoder = jr.PatchEncoder()
        subjects = [["urn:a"], ["urn:b", "urn:c"], ["urn:b"]]
        frames = [
            encoder.encode_frame((jr.Op.A, URIRef(s), P, P, None) for s in each)
            for each in subjects
        ]
        table, said = kafka(spark, [(0, b"k", zip(subjects, frames, strict=True))])
        assert told(decode(table)) == said
        with pytest.raises(Exception, match=r"stream .*b'k'.*was never set"):
            decode(table.where("offset <> 1")).collect()

    def test_a_lost_message_that_was_a_stream(self, spark: SparkSession) -> None:
        table, said = kafka(spark, [(0, b"k", stream(f"{n}", messages=1)) for n in range(9)])
        got = decode(table.where("offset <> 4"), on_repeated_options="restart")
        assert told(got) == said[:8] + said[10:]

    @pytest.mark.parametrize("name", ["topic", "partition"])
    def test_a_null_topic_or_partition_is_refused(self, spark: SparkSession, name: str) -> None:
        from pyspark.sql import functions as F

        table, _ = kafka(spark, [(0, b"k", stream("a", messages=1))])
        kind = table.schema[name].dataType
        with pytest.raises(Exception, match=f"the column '{name}' is null"):
            decode(table.withColumn(name, F.lit(None).cast(kind))).collect()

    def test_in_a_batch_the_middle_of_a_stream_is_refused(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """As foreachBatch has it: the frames that came since the last batch."""
        table, _ = kafka(spark, [(0, b"k", stream("a", messages=4))])
        for number in range(2):
            half = table.where(f"offset div 2 = {number}").coalesce(1)
            half.write.mode("append").parquet(str(tmp_path / "frames"))
        read = spark.readStream.schema(KAFKA).option("maxFilesPerTrigger", 1)
        counts = []

        def take(batch: DataFrame, number: int) -> None:
            counts.append(decode(batch).count())

        query = (
            read.parquet(str(tmp_path / "frames"))
            .writeStream.foreachBatch(take)
            .trigger(availableNow=True)
            .start()
        )
        with pytest.raises(Exception, match=r"(?s)b'k'.*retention, or were in an earlier batch"):
            query.awaitTermination()
        assert counts == [4]


def changes_of(spark: SparkSession, patches: int, size: int) -> DataFrame:
    from jelly_rdflib.spark.pipeline import CHANGES

    rows = [
        (f"{file}", *(row[name] for name in COLUMNS))
        for file in range(2)
        for row in rows_of(make_operations(patches, size, seed=file))
    ]
    return spark.createDataFrame(rows, CHANGES)


def test_a_key_may_be_a_struct() -> None:
    """Arrow can't compare structs: rows are cut where their values in Python change."""
    import pyarrow as pa

    from jelly_rdflib.spark.frames import _runs

    keys = [{"a": 0}, {"a": 1}, {"a": 1}, {"a": 2}, None, None]
    rows = [{"key": key, "number": number} for number, key in enumerate(keys)]
    runs = [
        (key[0].as_py(), rest.column("number").to_pylist())
        for key, rest in _runs(pa.RecordBatch.from_pylist(rows), 1)
    ]
    assert runs == [({"a": 0}, [0]), ({"a": 1}, [1, 2]), ({"a": 2}, [3]), (None, [4, 5])]


class TestOtherColumns:
    @pytest.mark.parametrize(
        "options",
        [jr.PatchOptions(frame_rows=7), jr.PatchOptions.small(stream_type="FRAME")],
        ids=["frames of 7 rows", "frames that are patches"],
    )
    @pytest.mark.parametrize("keys", [["file"], ["file", "part"]], ids=str)
    def test_frames_make_the_operations_again(
        self, spark: SparkSession, options: jr.PatchOptions, keys: list[str]
    ) -> None:
        from pyspark.sql import functions as F

        from jelly_rdflib.spark import encode_frames

        # The second patch of each file is a stream with null in its key.
        changes = changes_of(spark, 2, 30).withColumn("part", F.when(F.col("patch") == 0, 5))
        key = keys[0] if len(keys) == 1 else keys
        frames = encode_frames(changes, key=key, options=options)
        assert frames.columns == [*keys, "offset", "value"]
        assert frames.count() >= 4
        again = decode(frames.repartition(3), key=key)
        assert again.columns == [*keys, *COLUMNS]

        def rows(table: DataFrame) -> list[Any]:
            kept = table.where("op != 'END'").orderBy(*keys, "seq")
            return kept.select(*keys, "op", "s", "p", "o", "g", "name").collect()

        assert rows(again) == rows(changes)

    def test_streams_are_told_apart_by_their_key(self, spark: SparkSession) -> None:
        rows = [
            (key, 10 * offset, "topic", bytearray(frame))
            for key in (1, 2, 3)
            for offset, (_, frame) in enumerate(stream(f"{key}", messages=3, rows=1))
        ]
        table = spark.createDataFrame(rows[::-1], "id int, at long, topic string, value binary")
        got = decode(table, key="id", order=["topic", "at"]).orderBy("id", "seq")
        assert [(row.id, row.seq, row.s) for row in got.collect()] == [
            (key, seq, f"<urn:{key}>") for key in (1, 2, 3) for seq in range(3)
        ]

    def test_a_damaged_frame_names_its_stream(self, spark: SparkSession) -> None:
        table = spark.createDataFrame(
            [("a", 0, bytearray(b"\xff\xff"))], "key string, offset long, value binary"
        )
        with pytest.raises(Exception, match=r"stream 'a', offset 0: .*frame 0"):
            decode(table, key="key").collect()

    @pytest.mark.parametrize(
        ("columns", "arguments", "message"),
        [
            ("key string, offset long, value binary", {}, r"no column 'topic': .* key='file'"),
            ("file string, offset long, value binary", {"key": ()}, "the key has no column"),
            ("op string, offset long, value binary", {"key": ("op",)}, "can't have .* 'op'"),
            ("file string, offset long, value string", {"key": "file"}, "'value' is to be binary"),
            ("file string, offset long", {"key": "file"}, "no column 'value'; there are file"),
            ("file string, value binary", {"key": "file"}, "no column 'offset'"),
            (KAFKA, {"on_repeated_options": "ignore"}, "on_repeated_options is one of"),
        ],
    )
    def test_arguments_are_checked(
        self, spark: SparkSession, columns: str, arguments: Any, message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            decode(spark.createDataFrame([], columns), **arguments)

    @pytest.mark.parametrize(
        ("dropped", "key", "message"),
        [("p", "file", "no column 'p'"), ("txn", "offset", "can't have the column 'offset'")],
    )
    def test_operations_are_checked(
        self, spark: SparkSession, dropped: str, key: str, message: str
    ) -> None:
        from jelly_rdflib.spark import encode_frames

        changes = changes_of(spark, 1, 3)
        changes = changes.withColumn("offset", changes.seq).drop(dropped)
        with pytest.raises(ValueError, match=message):
            encode_frames(changes, key=key)

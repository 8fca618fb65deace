"""Tests Structured Streaming of frames: batches, with the decoders' state between them.

Most tests call the function that Spark calls for a stream's frames in a batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import jelly_rdflib as jr
from jelly_rdflib.spark import read_frames
from jelly_rdflib.spark.kafka import _name_of
from tests.oracle.terms import operation
from tests.spark.files import COLUMNS, make_operations
from tests.spelling import rows_of

# Kafka's source has these columns.
KAFKA = StructType().add("topic", "string").add("partition", "integer").add("key", "binary")
KAFKA.add("offset", "long").add("value", "binary")


class Frames:
    """Stands in for a streaming DataFrame; returns the function that it would call per key."""

    isStreaming = True
    schema = KAFKA
    columns = schema.names

    def applyInPandasWithState(self, read: Any, *_: Any) -> Any:
        return read

    def select(self, *_: Any) -> Frames:
        return self

    withColumns = groupBy = select


class State:
    """The state that Spark keeps for a stream."""

    def __init__(self, saved: Any) -> None:
        self.getOption = saved

    def update(self, saved: Any) -> None:
        self.getOption = saved


class Topic:
    """Messages in batches, with a query that returns the rows of each batch."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[Any, ...]]] = []
        # The states of the streams before each batch, and after the last one.
        self.states: list[dict[Any, Any]] = [{}]

    def send(self, *messages: tuple[Any, ...]) -> None:
        """Add a batch of messages: partition, key, offset and value of each."""
        self.batches.append(list(messages[::-1]))

    def read(self, **options: Any) -> list[list[tuple[Any, ...]]]:
        """Read the new batches; return the rows of each."""
        table: Any = Frames()
        read: Any = read_frames(table, **options)
        found = []
        for batch in self.batches[len(self.states) - 1 :]:
            rows: list[tuple[Any, ...]] = []
            states = dict(self.states[-1])
            for key in {message[:2] for message in batch}:
                messages = [message[2:] for message in batch if message[:2] == key]
                # Spark passes the frames of a stream in tables of any size.
                tables = (pd.DataFrame([each], columns=["offset", "value"]) for each in messages)
                state = State(states.get(key))
                for made in read(("t", str(key[0]), key[1]), tables, state):
                    rows += made.astype(object).where(made.notna(), None).itertuples(index=False)
                states[key] = state.getOption
            self.states.append(states)
            found.append(sorted(map(tuple, rows), key=itemgetter(0, 3)))
        return found


@pytest.fixture
def topic(spark: SparkSession) -> Topic:
    """Return a topic; Spark's columns need a session."""
    return Topic()


def encode(*messages: Iterable[Any], **options: Any) -> list[bytes]:
    """Return the frames of a stream."""
    encoder = jr.PatchEncoder(jr.PatchOptions(**options))
    return [encoder.encode_frame(map(operation, message)) for message in messages]


def patch(number: int, size: int = 3) -> list[Any]:
    """Return a patch of `size` statements, which shares terms with other patches."""
    return make_operations(1, size, seed=number)


def join(lists: Iterable[list[Any]]) -> list[Any]:
    return list(chain.from_iterable(lists))


def expected(file: str, operations: list[Any]) -> list[tuple[Any, ...]]:
    return [(file, *(row[name] for name in COLUMNS)) for row in rows_of(operations)]


def read_on_spark(spark: SparkSession, folder: Path) -> list[list[tuple[Any, ...]]]:
    """Run a query over the files of a folder, one batch per file; return the rows of each batch."""
    batches: list[list[tuple[Any, ...]]] = []

    def note(table: DataFrame, _: int) -> None:
        batches.append(sorted(map(tuple, table.collect()), key=itemgetter(0, 3)))

    source = spark.readStream.schema(KAFKA).option("maxFilesPerTrigger", 1)
    frames = source.parquet(str(folder / "frames" / "batch=*"))
    writer = read_frames(frames).writeStream.foreachBatch(note)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    return batches


def send_on_spark(spark: SparkSession, folder: Path, batch: int, *rows: tuple[Any, ...]) -> None:
    table = spark.createDataFrame([("t", *row) for row in rows[::-1]], KAFKA).coalesce(1)
    table.write.parquet(str(folder / "frames" / f"batch={batch}"))


class TestOnSpark:
    def test_streams_go_on_in_later_batches_and_after_a_restart(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        keys = [(0, b"k"), (0, None), (1, b"k")]
        patches = {key: [patch(3 * at + n) for n in range(3)] for at, key in enumerate(keys)}
        frames = {key: encode(*each) for key, each in patches.items()}
        batches = []
        for number in range(3):
            rows = [(*key, number, frames[key][number]) for key in keys]
            send_on_spark(spark, tmp_path, number, *rows)
            if number > 0:
                # The first query reads two batches, then a restarted query reads one.
                batches += read_on_spark(spark, tmp_path)
        assert len(batches) == 3
        for key, name in zip(keys, ["t/0/k", "t/0/(null)", "t/1/k"], strict=True):
            got = [[row for row in batch if row[0] == name] for batch in batches]
            assert join(got) == expected(name, join(patches[key]))
            assert [{row[1] for row in batch} for batch in got] == [{1}, {2}, {3}]

    def test_a_null_offset(self, spark: SparkSession, tmp_path: Path) -> None:
        send_on_spark(spark, tmp_path, 0, (0, b"k", None, encode(patch(0))[0]))
        with pytest.raises(Exception, match="the column 'offset' of a frame is null"):
            read_on_spark(spark, tmp_path)


class TestState:
    def test_a_message_that_comes_twice_is_skipped(self, topic: Topic) -> None:
        patches = [patch(n) for n in range(4)]
        a, b, c, d = encode(*patches)
        topic.send((0, b"k", 3, a), (0, b"k", 5, b), (0, b"k", 5, b))
        topic.send((0, b"k", 3, a), (0, b"k", 5, b), (0, b"k", 9, c))
        topic.send((0, b"k", 9, c))
        topic.send((0, b"k", 10, d))
        batches = topic.read()
        assert join(batches) == expected("t/0/k", join(patches))
        assert [len(batch) for batch in batches] == [16, 8, 0, 8]

    def test_a_batch_that_spark_has_not_noted_as_done_comes_again(self, topic: Topic) -> None:
        """After a kill, an unrecorded batch is repeated with the state from before the batch."""
        patches = [patch(n) for n in range(3)]
        for at, frame in enumerate(encode(*patches)[:2]):
            topic.send((0, b"k", at, frame))
        first, second = topic.read()
        topic.states.pop()
        topic.send((0, b"k", 2, encode(*patches)[2]))
        again, third = topic.read()
        assert again == second
        assert first + second + third == expected("t/0/k", join(patches))

    @pytest.mark.parametrize("again", ["restart", "continue", "error"])
    def test_options_that_come_again_in_a_later_batch(self, topic: Topic, again: str) -> None:
        one, two = patch(0), patch(1)
        [first], [second] = encode(one), encode(two)
        topic.send((0, b"k", 0, first))
        topic.send((0, b"k", 1, second))
        if again == "error":
            with pytest.raises(
                jr.DecodeError, match=r"t/0/k, offset 1: .*'restart'.*frame 2, row 1"
            ):
                topic.read(on_repeated_options=again)
        else:
            batches = topic.read(on_repeated_options=again)
            assert join(batches) == expected("t/0/k", one + two)


class TestWholePatches:
    @pytest.mark.parametrize("size", [3, 60])
    def test_a_patch_comes_when_it_has_ended(self, topic: Topic, size: int) -> None:
        operations = join(patch(n, size) for n in range(4))
        ends = [n + 1 for n, operation in enumerate(operations) if operation == ("END",)]
        # Patches end inside a frame, span several frames, or end with a frame.
        cuts = [2, ends[0] + 1, ends[0] + 2, ends[1] + 3, ends[2], ends[2] + 4, ends[3]]
        parts = [operations[a:b] for a, b in zip([0, *cuts], cuts, strict=False)]
        for at, frame in enumerate(encode(*parts)):
            topic.send((0, b"k", at, frame))
        batches = topic.read()
        assert join(batches) == expected("t/0/k", operations)
        assert [{row[1] for row in batch} for batch in batches] == [
            set(),
            {1},
            set(),
            {2},
            {3},
            set(),
            {4},
        ]

    def test_rows_come_at_once_where_that_is_wanted(self, topic: Topic) -> None:
        operations = patch(0)
        frames = encode(operations[:3], operations[3:5], operations[5:])
        topic.send((0, b"k", 0, frames[0]))
        assert topic.read() == [[]]
        # The query's state keeps the first frame.
        topic.send((0, b"k", 1, frames[1]))
        topic.send((0, b"k", 2, frames[2]))
        batches = topic.read(whole_patches=False)
        assert [len(batch) for batch in batches] == [5, 3]
        assert join(batches) == expected("t/0/k", operations)

    def test_a_patch_without_an_end_has_a_limit(self, topic: Topic) -> None:
        header = [("H", "by", ("iri", "urn:me"))]
        topic.send(*((0, b"k", at, each) for at, each in enumerate(encode(*[header] * 9))))
        with pytest.raises(
            jr.LimitError, match=r"t/0/k, offset 5: .* more than 5 operations .limit"
        ):
            topic.read(limits=jr.Limits(max_held_operations=5))


class TestErrors:
    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (b"\xff\xff", r"stream t/0/k, offset 4: .*cut off .byte 0, frame 2"),
            (None, "stream t/0/k, offset 4: the frame is null"),
        ],
    )
    def test_a_bad_frame_is_named(self, topic: Topic, frame: bytes | None, message: str) -> None:
        topic.send((0, b"k", 3, encode(patch(0))[0]))
        assert len(topic.read()) == 1
        topic.send((0, b"k", 4, frame))
        with pytest.raises(jr.DecodeError, match=message):
            topic.read()

    def test_a_stream_without_its_first_frame(self, topic: Topic) -> None:
        topic.send((0, b"k", 7, encode(patch(0), patch(1))[1]))
        with pytest.raises(jr.DecodeError, match=r"t/0/k, offset 7: .*option startingOffsets"):
            topic.read()

    @pytest.mark.parametrize(
        ("columns", "arguments", "message"),
        [
            ("key string, offset long, value binary", {}, "no column 'topic': .* key='file'"),
            ("file string, offset long, value string", {"key": "file"}, "'value' .* be binary"),
            ("offset long, value binary", {"key": "file"}, "no column 'file'"),
            ("offset long, value binary", {"key": ()}, "the key has no column"),
            (KAFKA, {"on_repeated_options": "ignore"}, "on_repeated_options must be"),
        ],
    )
    def test_arguments_are_checked(
        self, spark: SparkSession, tmp_path: Path, columns: str, arguments: Any, message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            read_frames(spark.readStream.schema(columns).parquet(str(tmp_path)), **arguments)

    def test_a_table_is_refused(self, spark: SparkSession) -> None:
        with pytest.raises(ValueError, match="needs a stream"):
            read_frames(spark.createDataFrame([], KAFKA))


def test_no_two_streams_have_the_same_name() -> None:
    names = {
        ("lamps", "0", b"room/1"): "lamps/0/room/1",
        ("lamps", "0", None): "lamps/0/(null)",
        ("lamps", "0", b"(null)"): "lamps/0/%28null%29",
        ("lamps", "0", b""): "lamps/0/",
        ("lamps", "0", b"\xff"): "lamps/0/%FF",
        ("a/b", "c"): "a%2Fb/c",
        ("a", "b/c"): "a/b/c",
        ("file:/a b",): "file:/a%20b",
    }
    assert {key: _name_of(key) for key in names} == names

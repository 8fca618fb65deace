"""Structured Streaming of frames: batches of a folder, with the decoders' state between them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from tests.oracle.terms import operation
from tests.spark.files import COLUMNS, make_operations
from tests.spelling import rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# As Kafka's source has them.
KAFKA = "topic string, partition int, key binary, offset long, value binary"
P = URIRef("urn:p")


class Topic:
    """A folder of frames that come in batches, and a query that notes what comes out of each."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.count = 0

    def send(self, *messages: tuple[Any, ...]) -> None:
        """Add a batch of messages: partition, key, offset and value of each."""
        rows = [("t", partition, key, at, value) for partition, key, at, value in messages]
        table = self.spark.createDataFrame(rows[::-1], KAFKA).coalesce(1)
        table.write.parquet(str(self.folder / "frames" / f"batch={self.count}"))
        self.count += 1

    def read(self, **options: Any) -> list[list[tuple[Any, ...]]]:
        """Start the query, also again, and return the rows of each batch, up to the last one."""
        from jelly_rdflib.spark import read_frames

        batches = []
        source = self.spark.readStream.schema(KAFKA).option("maxFilesPerTrigger", 1)
        frames = source.parquet(str(self.folder / "frames" / "batch=*"))
        query = (
            read_frames(frames, **options)
            .writeStream.foreachBatch(
                lambda table, _: batches.append(
                    [tuple(row) for row in table.orderBy("file", "seq").collect()]
                )
            )
            .option("checkpointLocation", str(self.folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return batches


@pytest.fixture
def topic(spark: SparkSession, tmp_path: Path) -> Topic:
    return Topic(spark, tmp_path)


def encode(*messages: Iterable[Any], **options: Any) -> list[bytes]:
    """Return the frames of a stream."""
    encoder = jr.PatchEncoder(jr.PatchOptions(**options))
    return [encoder.encode_frame(map(operation, message)) for message in messages]


def patch(number: int, size: int = 3) -> list[Any]:
    """Return a patch of so many statements; some terms are those of other patches."""
    return make_operations(1, size, seed=number)


def join(lists: Iterable[list[Any]]) -> list[Any]:
    return list(chain.from_iterable(lists))


def expected(file: str, operations: list[Any]) -> list[tuple[Any, ...]]:
    return [(file, *(row[name] for name in COLUMNS)) for row in rows_of(operations)]


class TestState:
    def test_streams_go_on_in_later_batches_and_after_a_restart(self, topic: Topic) -> None:
        keys = [(0, b"k"), (0, None), (1, b"k")]
        patches = {key: [patch(5 * at + n) for n in range(5)] for at, key in enumerate(keys)}
        frames = {key: encode(*each) for key, each in patches.items()}
        batches = []
        for numbers in ([0, 1], [2], [3, 4]):
            topic.send(*((*key, n, frames[key][n]) for key in keys for n in numbers))
            if numbers != [0, 1]:
                # Two batches, and then one of a query that was started again.
                batches += topic.read()
        assert len(batches) == 3
        for key, name in zip(keys, ["t/0/k", "t/0/(null)", "t/1/k"], strict=True):
            got = [[row for row in batch if row[0] == name] for batch in batches]
            assert join(got) == expected(name, join(patches[key]))
            assert [{row[1] for row in batch} for batch in got] == [{0, 1}, {2}, {3, 4}]

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
        """As after a kill: with the state that was before it."""
        patches = [patch(n) for n in range(3)]
        for at, frame in enumerate(encode(*patches)[:2]):
            topic.send((0, b"k", at, frame))
        first, second = topic.read()
        for name in ("1", ".1.crc"):
            (topic.folder / "checkpoint" / "commits" / name).unlink()
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
            with pytest.raises(Exception, match=r"t/0/k, offset 1: .*'restart'.*frame 1, row 0"):
                topic.read(on_repeated_options=again)
        else:
            batches = topic.read(on_repeated_options=again)
            assert join(batches) == expected("t/0/k", one + two)


class TestWholePatches:
    @pytest.mark.parametrize("size", [3, 60])
    def test_a_patch_comes_when_it_has_ended(self, topic: Topic, size: int) -> None:
        operations = join(patch(n, size) for n in range(4))
        ends = [n + 1 for n, operation in enumerate(operations) if operation == ("END",)]
        # Patches end in the middle of a frame, go over several frames, or end with one.
        cuts = [2, ends[0] + 1, ends[0] + 2, ends[1] + 3, ends[2], ends[2] + 4, ends[3]]
        parts = [operations[a:b] for a, b in zip([0, *cuts], cuts, strict=False)]
        for at, frame in enumerate(encode(*parts)):
            topic.send((0, b"k", at, frame))
        batches = topic.read()
        assert join(batches) == expected("t/0/k", operations)
        assert [{row[1] for row in batch} for batch in batches] == [
            set(),
            {0},
            set(),
            {1},
            {2},
            set(),
            {3},
        ]

    def test_rows_come_at_once_where_that_is_wanted(self, topic: Topic) -> None:
        operations = patch(0)
        frames = encode(operations[:3], operations[3:5], operations[5:])
        topic.send((0, b"k", 0, frames[0]))
        assert topic.read() == [[]]
        # The first frame waits in the state of the query.
        topic.send((0, b"k", 1, frames[1]))
        topic.send((0, b"k", 2, frames[2]))
        batches = topic.read(whole_patches=False)
        assert [len(batch) for batch in batches] == [5, 3]
        assert join(batches) == expected("t/0/k", operations)

    def test_a_flat_stream_comes_by_transactions(self, topic: Topic) -> None:
        operations = [each for n in range(2) for each in patch(n)[1:-1]]
        frames = encode(operations[:2], operations[2:7], operations[7:], stream_type="FLAT")
        for at, frame in enumerate(frames):
            topic.send((0, b"k", at, frame))
        batches = topic.read()
        assert [[row[2] for row in batch] for batch in batches] == [[], [0] * 6, [1] * 6]
        assert join(batches) == expected("t/0/k", operations)

    def test_a_patch_without_an_end_has_a_limit(self, topic: Topic) -> None:
        header = [("H", "by", ("iri", "urn:me"))]
        topic.send(*((0, b"k", at, each) for at, each in enumerate(encode(*[header] * 9))))
        with pytest.raises(Exception, match=r"t/0/k, offset 5: .* more than 5 operations .limit"):
            topic.read(limits=jr.Limits(max_held_operations=5))


class TestErrors:
    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (b"\xff\xff", r"stream t/0/k, offset 4: .*cut off .byte 0, frame 1"),
            (None, "stream t/0/k, offset 4: the frame is null"),
        ],
    )
    def test_a_bad_frame_is_named(self, topic: Topic, frame: bytes | None, message: str) -> None:
        topic.send((0, b"k", 3, encode(patch(0))[0]))
        assert len(topic.read()) == 1
        topic.send((0, b"k", 4, frame))
        for _ in range(2):
            with pytest.raises(Exception, match=message):
                topic.read()

    def test_a_stream_without_its_first_frame(self, topic: Topic) -> None:
        topic.send((0, b"k", 7, encode(patch(0), patch(1))[1]))
        with pytest.raises(Exception, match=r"t/0/k, offset 7: .*option startingOffsets"):
            topic.read()

    def test_a_null_offset(self, topic: Topic) -> None:
        topic.send((0, b"k", None, encode(patch(0))[0]))
        with pytest.raises(Exception, match="the column 'offset' of a frame is null"):
            topic.read()

    @pytest.mark.parametrize(
        ("columns", "arguments", "message"),
        [
            ("key string, offset long, value binary", {}, "no column 'topic': .* key='file'"),
            ("file string, offset long, value string", {"key": "file"}, "'value' .* be binary"),
            ("file string, offset string, value binary", {"key": "file"}, "'offset' .* be bigint"),
            ("file string, value binary", {"key": "file"}, "missing: offset"),
            ("offset long, value binary", {"key": "file"}, "no column 'file'"),
            ("offset long, value binary", {"key": ()}, "the key has no column"),
            (KAFKA, {"on_repeated_options": "ignore"}, "on_repeated_options is one of"),
        ],
    )
    def test_arguments_are_checked(
        self, spark: SparkSession, tmp_path: Path, columns: str, arguments: Any, message: str
    ) -> None:
        from jelly_rdflib.spark import read_frames

        with pytest.raises(ValueError, match=message):
            read_frames(spark.readStream.schema(columns).parquet(str(tmp_path)), **arguments)

    def test_a_table_is_refused(self, spark: SparkSession) -> None:
        from jelly_rdflib.spark import read_frames

        with pytest.raises(ValueError, match="takes a stream"):
            read_frames(spark.createDataFrame([], KAFKA))


class TestNames:
    def test_no_two_streams_have_the_same_name(self) -> None:
        from jelly_rdflib.spark.kafka import _name_of

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

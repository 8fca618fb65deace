"""Reads streams of changes from Kafka topics in Structured Streaming, and writes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from struct import Struct
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jelly_rdflib.errors import LimitError
from jelly_rdflib.live.address import Address
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions, as_limits
from jelly_rdflib.spark.frames import KAFKA_KEY, check_key, check_values, encode_frames
from jelly_rdflib.spark.stream_decoder import NEW, StreamDecoder, StreamState

if TYPE_CHECKING:
    import pyarrow as pa
    from pandas import DataFrame as PandasFrame
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.state import GroupState

# The state of a stream between batches: the offset of its last frame, the number of rows returned
# so far, the frames whose rows are held back, and the decoder's state before these frames. The
# frames are packed into one value, `held`, since Spark 4.2 fails on arrays in a state.
_STATE = (
    "offset bigint, returned bigint, held binary, checkpoint binary, seq bigint, patch bigint,"
    " next_txn bigint, txn bigint, implicit_txn bigint"
)
# What precedes each frame in `held`: its offset and its size.
_FRAME = Struct("<qI")


def read_frames(
    frames: DataFrame,
    column: str = "value",
    *,
    key: str | Iterable[str] = KAFKA_KEY,
    order: str = "offset",
    whole_patches: bool = True,
    limits: Limits | None = None,
    on_repeated_options: RepeatedOptions = "error",
) -> DataFrame:
    """Decode a stream of bare Jelly-Patch frames into a stream of changes.

    The default columns are those of ``spark.readStream.format("kafka")``. Between batches, and
    when the query is restarted from its checkpoint, Spark keeps the state of each stream's
    decoder: its lookups (a few KB), the counters of patches, transactions and rows, and the last
    offset. A frame whose offset is not greater than the last one was delivered twice, and is
    skipped. Lost frames are not always noticed; see `decode_frames`.

    Args:
        frames: A streaming DataFrame with a row for each frame.
        column: The binary column of the frames.
        key: The column or columns that identify streams; see `decode_frames`.
        order: The integer column that orders the frames of a stream. The frames of a batch may
            arrive in any order, but none may belong before the frames of an earlier batch.
        whole_patches: Whether a batch contains only whole patches. A patch that has not ended with
            the batch is kept as frames in the state until its END arrives. A FLAT stream is one
            patch: there a batch contains whole transactions. False: all rows are returned at once,
            and a patch may continue in the next batch.
        limits: The limits of the input. ``max_held_operations`` bounds a patch that is kept.
        on_repeated_options: How to handle a frame that repeats the options; see `decode_frames`.

    Returns:
        A streaming table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`. ``file`` is the
        name of the stream: the key's percent-encoded values, separated by ``/``, such as
        ``lamps/0/kitchen``; null becomes ``(null)``. ``patch``, ``txn`` and ``seq`` continue across
        batches. The output mode of the query is ``append``. A function for ``foreachBatch`` must
        compute each batch as a whole, even a batch that its table already has, since Spark ends
        the query if a batch has written no states.

    Raises:
        ValueError: The DataFrame is not a stream, or a column is missing or of another type.
        StreamingQueryException: Raised by the running query: a frame breaks a rule, or a stream's
            first frame is missing; the message names the stream, the offset, the frame and the
            row.

    Examples:
        >>> schema = "topic string, partition int, key binary, offset long, value binary"
        >>> messages = spark.readStream.schema(schema).parquet(".")
        >>> read_frames(messages, on_repeated_options="restart").columns[:5]
        ['file', 'patch', 'txn', 'seq', 'op']
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import BinaryType, StructType

    from jelly_rdflib.arrow import OPERATION_COLUMNS
    from jelly_rdflib.spark.kinds import OPERATIONS, check_columns, check_names

    keys = check_key(key, frames)
    if not frames.isStreaming:
        raise ValueError("read_frames needs a stream (spark.readStream); decode_frames a table")
    if not keys:
        raise ValueError("the key has no column: name one or more that tell streams apart")
    check_names(keys, frames.columns)
    needed = StructType().add(order, "long").add(column, "binary")
    check_columns(frames.schema, needed, "the frames", needed=needed.names)
    accepted = as_limits(limits)

    def make_decoder(stream: str, state: StreamState) -> StreamDecoder:
        return StreamDecoder(
            stream, OPERATION_COLUMNS, accepted, on_repeated_options, file=stream, state=state
        )

    # Check the choice here, so that an invalid one fails before any task starts.
    make_decoder("", NEW)

    def read(
        values: tuple[Any, ...], tables: Iterator[PandasFrame], saved: GroupState
    ) -> Iterator[PandasFrame]:
        check_values(values, keys)
        stream = _name_of(values)
        nothing = (None, 0, b"", NEW.checkpoint, *NEW.place)
        last, returned, held, checkpoint, *rest = saved.getOption or nothing
        place: Any = tuple(rest)
        start = StreamState(checkpoint and bytes(checkpoint), place)
        decoder = make_decoder(stream, start)
        rows = _Rows(decoder.count, returned)
        came = (each for table in tables for each in zip(table[order], table[column], strict=True))
        kept: list[tuple[int, bytes]] = []
        end = decoder.count
        for offset, frame in chain(_unpack(held), _once(came, last)):
            before, last = decoder.save(), offset
            data = None if frame is None else memoryview(frame)
            rows.add(decoder.decode(f"{order} {offset}", data))
            if decoder.end > end:
                start, kept = before, []
            kept.append((offset, frame))
            end = decoder.end if whole_patches else decoder.count
            if decoder.count - end > accepted.max_held_operations:
                raise LimitError(
                    f"stream {stream}, {order} {offset}: a patch has more than"
                    f" {accepted.max_held_operations} operations",
                    limit="max_held_operations",
                    value=accepted.max_held_operations,
                )
            yield from rows.drain(end)
        rows.add(decoder.flush())
        yield from rows.drain(end)
        if end == decoder.count:
            start, kept = decoder.save(), []
        saved.update((last, end, _pack(kept), start.checkpoint, *start.place))

    names = {name: frames.schema[name].dataType for name in keys}
    # Group by strings, since integer columns of pandas can't have nulls.
    texts = {
        name: F.col(name).cast("string") for name, kind in names.items() if kind != BinaryType()
    }
    no_order = F.raise_error(F.lit(f"the column {order!r} of a frame is null"))
    rows = frames.withColumns(texts | {order: F.coalesce(F.col(order).cast("long"), no_order)})
    # Spark has a newer method, transformWithState, but that needs the package protobuf and a
    # RocksDB state store. This method needs neither, and also works with RocksDB.
    return (
        rows.select(*keys, order, column)
        .groupBy(*keys)
        .applyInPandasWithState(read, OPERATIONS, _STATE, "append", "NoTimeout")
    )


def check_topic(messages: DataFrame, url: str, **settings: Any) -> DataFrame:
    """Return a stream of messages that ends with an error if its topic was deleted and recreated.

    Spark's source for Kafka identifies topics by name: if the new topic has more messages than
    were read, the source would continue in the middle of it. So before each batch the driver asks
    for the id that Kafka gives each topic, and the checkpoint stores the id. If the topic is
    recreated while a batch is being read, this batch is still returned before the error.

    Args:
        messages: A streaming DataFrame, from ``spark.readStream.format("kafka")``.
        url: The address of the topic: ``kafka://host:port/topic``. Call this once for each of
        several topics.
        settings: Settings of the client (librdkafka), such as passwords; the checkpoint does not
            store them.

    Returns:
        A streaming DataFrame with the same rows. The driver needs the extra ``kafka``.

    Raises:
        StreamingQueryException: Raised by the running query: the topic was deleted and
            recreated, or is compacted.
    """
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

    from jelly_rdflib.live.kafka.client import KafkaClient

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self) -> None:
            self.client = KafkaClient(Address(url, settings), {})

        def __getstate__(self) -> dict[str, Any]:
            # Spark sends this object to tasks. They don't use the client, which can't be pickled.
            return {}

        def initialOffset(self) -> dict[str, str]:
            return {}

        def prepareForTriggerAvailableNow(self) -> None:
            pass

        def latestOffset(self, start: dict[str, str], limit: object) -> dict[str, str]:
            found = {"topic": self.client.ask_id()}
            if start not in ({}, found):
                what = "the topic was deleted and recreated: start with a new checkpoint"
                raise ValueError(f"{self.client.url}: {what}")
            return found

        def partitions(self, start: object, end: object) -> list[Any]:
            return []

        def read(self, partition: object) -> Iterator[Any]:
            return iter(())

    class JellyTopic(DataSource):
        def streamReader(self, schema: object) -> Reader:
            return Reader()

    spark = messages.sparkSession
    spark.dataSource.register(JellyTopic)
    return messages.union(spark.readStream.format(JellyTopic.name()).schema(messages.schema).load())


class _Rows:
    """The rows of a stream from row ``first`` on; the rows before row ``taken`` were returned."""

    def __init__(self, first: int, taken: int) -> None:
        self._first = first
        self._taken = taken
        self._batches: list[pa.RecordBatch] = []

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Add the next rows."""
        self._batches += batches

    def drain(self, end: int) -> Iterator[PandasFrame]:
        """Yield and discard the available rows before number ``end``."""
        import pandas as pd
        import pyarrow as pa

        # Spark's own code would cause this warning in each batch.
        warnings.filterwarnings("ignore", "The behavior of DataFrame concat", FutureWarning)
        end = min(end, self._first + sum(batch.num_rows for batch in self._batches))
        if end > self._taken:
            table = pa.Table.from_batches(self._batches)
            taken = table.slice(self._taken - self._first, end - self._taken)
            # Use this type, since pandas's other integers can't be null.
            yield taken.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
            self._batches = table.slice(end - self._first).to_batches()
            self._first = self._taken = end


def _pack(frames: Iterable[tuple[int, bytes]]) -> bytes:
    """Return frames and their offsets as bytes, to store them in a state."""
    return b"".join(_FRAME.pack(offset, len(frame)) + frame for offset, frame in frames)


def _unpack(held: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the frames that `_pack` has packed."""
    start = 0
    while start < len(held):
        offset, size = _FRAME.unpack_from(held, start)
        start += _FRAME.size + size
        yield offset, held[start - size : start]


def _once(frames: Iterable[tuple[int, bytes]], last: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the distinct frames after the offset ``last``, in order."""
    for offset, frame in sorted(frames, key=itemgetter(0)):
        if last is None or offset > last:
            last = int(offset)
            yield last, frame


def _name_of(key: tuple[str | bytes | None, ...]) -> str:
    """Return the name of a stream: the column ``file`` of its rows."""
    # Encode "/" except in the last value, so that no two keys have the same name.
    safe = [":"] * (len(key) - 1) + ["/:"]
    return "/".join(
        "(null)" if value is None else quote(value, safe=kept)
        for value, kept in zip(key, safe, strict=True)
    )


def write_frames(
    changes: DataFrame,
    *,
    key: str = "file",
    order: str | Iterable[str] = "seq",
    options: PatchOptions | None = None,
) -> DataFrame:
    """Encode changes as Kafka messages: bare Jelly-Patch frames, with one stream for each key.

    Write the result with ``.write.format("kafka")`` and the option ``topic``. Messages with the
    same key go to the same partition of the topic, in order. Each call makes new streams, and a
    failed task is retried and sends its messages again, as a new stream. So read them with
    ``on_repeated_options="restart"``.

    Args:
        changes: A table of changes; see `encode_frames`. It must not be a streaming DataFrame; for
            such a stream use ``foreachBatch``, and pass each batch.
        key: The column that identifies streams. Its value, as a string, is the messages' key.
        order: The column or columns that order the operations of a stream.
        options: The options of the streams; see `encode_frames`. ``frame_bytes`` must be less than
            the broker's setting ``max.message.bytes``, which is 1,048,588 by default.

    Returns:
        A DataFrame with the columns ``key`` and ``value``, both binary.

    Raises:
        ValueError, PythonException: As for `encode_frames`.

    Examples:
        >>> rows = [("a", 0, "A", "<urn:s>", "<urn:p>", "<urn:o>")]
        >>> schema = "file string, seq long, op string, s string, p string, o string"
        >>> messages = write_frames(spark.createDataFrame(rows, schema))
        >>> [bytes(row.key) for row in messages.collect()]
        [b'a']
    """
    from pyspark.sql import functions as F

    frames = encode_frames(changes, key=key, order=order, options=options)
    return frames.select(F.col(key).cast("string").cast("binary").alias("key"), "value")

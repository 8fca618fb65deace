"""Converts columns of bare frames, as from Kafka, to operations and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

KAFKA_KEY = ("topic", "partition", "key")
_NEVER_NULL = ("topic", "partition")
OPERATION_COLUMNS = ("patch", "txn", "seq", "op", "s", "p", "o", "g", "name")
# Larger batches of Arrow are not faster.
MAX_ROWS = 1 << 14
_NO_OPTIONS = (
    ". No frame before it has the stream's options: the stream's first frames were deleted by the"
    " queue's retention, or were in an earlier batch (of foreachBatch, or of a range of offsets),"
    " or this is no Jelly-Patch"
)

_Key: TypeAlias = tuple[Any, ...]


def decode_frames(
    frames: DataFrame,
    column: str = "value",
    *,
    key: str | Iterable[str] = KAFKA_KEY,
    order: str | Iterable[str] = "offset",
    limits: Limits | None = None,
    on_repeated_options: RepeatedOptions = "error",
) -> DataFrame:
    """Decode bare frames of Jelly-Patch to operations.

    The frames of one stream refer to one another, so all of them go to one task, from the first
    frame on, in their order. Streams are decoded in parallel. The default columns are those of
    Spark's source for Kafka.

    A lost frame in the middle of a stream is not always noticed, as Kafka's offsets have gaps
    anyway. The lookups then lack the entries of the lost frame. An id that was never set is an
    error; but an id with an older entry gives that older term, and a term that the next frame
    repeats from the lost frame's last row is wrong, too. If frames may be lost, let the producer
    make each message a stream, with a `jelly_rdflib.PatchEncoder` of its own, and decode with
    ``"restart"``.

    Args:
        frames: A row for each frame; not a streaming DataFrame.
        column: The binary column of the frames.
        key: The column or columns that identify streams. Rows with the same values belong to one
            stream, and nulls are the same; but columns called ``topic`` and ``partition`` must have
            no null. So Kafka's messages without a key are one stream of their partition.
        order: The column or columns that order the frames of a stream.
        limits: The limits of the input.
        on_repeated_options: The meaning of a frame that repeats the stream's options, see
            `jelly_rdflib.PatchDecoder`. ``"restart"`` is for producers that write options only when
            they start, or that make each message a stream; ``"continue"`` for producers that repeat
            options and go on. No frame tells which one is right, so it is an error by default.

    Returns:
        A DataFrame of the key's columns and of ``patch``, ``txn``, ``seq``, ``op``, ``s``, ``p``,
        ``o``, ``g`` and ``name``. ``patch``, ``txn`` and ``seq`` count the rows of the same key,
        across starts of new streams. A patch has an END if the frames have it; an open last
        transaction is no error.

    Raises:
        ValueError: A column does not exist; the key has a column that operations have too; or the
            DataFrame is a stream.
        PythonException: By Spark: a frame breaks a rule, or a stream's first frame is missing; the
            message names the stream.

    Examples:
        >>> from rdflib import URIRef
        >>> import jelly_rdflib as jr
        >>> frame = jr.PatchEncoder().encode_frame(
        ...     [(jr.Op.A, URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"), None)]
        ... )
        >>> schema = "topic string, partition int, key binary, offset long, value binary"
        >>> frames = spark.createDataFrame([("changes", 0, None, 0, frame)], schema)
        >>> decode_frames(frames).select("partition", "op", "s").collect()
        [Row(partition=0, op='A', s='<urn:s>')]
    """
    from pyspark.sql.types import BinaryType, StructType

    from jelly_rdflib.spark.kinds import OPERATIONS

    keys, orders = _names(key), _names(order)
    absent = [name for name in keys if name not in frames.columns]
    if absent and tuple(keys) == KAFKA_KEY:
        raise ValueError(
            f"there is no column {absent[0]!r}: without key=, Kafka's columns topic, partition and"
            " key identify streams; give the columns of this table by key=, such as key='file' for"
            " frames of encode_frames()"
        )
    _check_columns(frames, keys, [column, *orders], taken=OPERATION_COLUMNS)
    if not isinstance(frames.schema[column].dataType, BinaryType):
        raise ValueError(f"the column {column!r} is to be binary: a frame in each row")
    schema = StructType(
        [
            *(frames.schema[name] for name in keys),
            *(OPERATIONS[name] for name in OPERATION_COLUMNS),
        ]
    )
    accepted = limits or Limits()
    # An invalid choice is an error at once, and not in a task.
    _make_decoder(accepted, on_repeated_options)

    def make_coder(key: _Key) -> _Decoder:
        _check_key(key, keys)
        return _Decoder(key, accepted, on_repeated_options)

    return _convert(frames, keys, orders, [column], schema, make_coder)


def _names(columns: str | Iterable[str]) -> list[str]:
    return [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))


def _check_columns(
    table: DataFrame, keys: list[str], others: list[str], *, taken: Iterable[str]
) -> None:
    """Check that the columns exist, and that the result has no second column of a key's name."""
    if table.isStreaming:
        raise ValueError(
            "frames of a streaming DataFrame can't be decoded or encoded: the frames of one"
            " micro-batch refer to those before it; store the frames first"
        )
    if not keys:
        raise ValueError("the key has no column: name one or more that tell streams apart")
    for name in (*others, *keys):
        if name not in table.columns:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(table.columns)}")
    for name in keys:
        if name in taken:
            raise ValueError(
                f"the key can't have the column {name!r}: the result has a column of that name"
            )


def _convert(
    table: DataFrame,
    keys: list[str],
    orders: list[str],
    columns: Sequence[str],
    schema: StructType,
    make_coder: Callable[[_Key], _Decoder | _Encoder],
) -> DataFrame:
    """Convert these columns of each stream, in its order; the result starts with the key."""

    def convert(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        current: _Key = ()
        fields: list[pa.Field] = []
        coder: _Decoder | _Encoder | None = None
        for record_batch in record_batches:
            fields = list(record_batch.schema)[: len(keys)]
            for key, run in _runs(record_batch, len(keys)):
                if coder is None or key != current:
                    if coder is not None:
                        yield from _with_key(coder.finish(), current, fields)
                    current, coder = key, make_coder(key)
                yield from _with_key(coder.convert(run), key, fields)
        if coder is not None:
            yield from _with_key(coder.finish(), current, fields)

    return (
        table.select(*dict.fromkeys((*keys, *columns, *orders)))
        .repartition(*keys)
        .sortWithinPartitions(*keys, *orders)
        .select(*keys, *columns)
        .mapInArrow(convert, schema)
    )


def _runs(record_batch: pa.RecordBatch, key_size: int) -> Iterator[tuple[_Key, pa.RecordBatch]]:
    """Cut a record batch where its key changes, and remove the key: its first columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = record_batch.columns[:key_size]
    rest = record_batch.select(list(range(key_size, record_batch.num_columns)))
    ends: set[int] = set()
    for column in columns:
        if pa.types.is_nested(column.type):
            # Arrow can't compare them.
            values = column.to_pylist()
            ends.update(i for i in range(1, len(values)) if values[i] != values[i - 1])
            ends.add(len(values))
        else:
            ends.update(pc.run_end_encode(column).run_ends.to_pylist())
    start = 0
    for end in sorted(ends):
        yield tuple(column[start].as_py() for column in columns), rest.slice(start, end - start)
        start = end


def _check_key(key: _Key, names: list[str]) -> None:
    for name, value in zip(names, key, strict=True):
        if value is None and name in _NEVER_NULL:
            raise ValueError(
                f"the column {name!r} is null, which no message of Kafka has: give the columns that"
                " identify streams by key="
            )


def _with_key(
    record_batches: Iterable[pa.RecordBatch], key: _Key, fields: list[pa.Field]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for record_batch in record_batches:
        count = record_batch.num_rows
        columns = [
            pa.repeat(pa.scalar(value, field.type), count)
            for value, field in zip(key, fields, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(
            [*columns, *record_batch.columns],
            names=[*(field.name for field in fields), *record_batch.schema.names],
        )


def _name_of(key: _Key) -> str:
    return repr(key[0] if len(key) == 1 else key)


def _make_decoder(limits: Limits, on_repeated_options: RepeatedOptions) -> PatchFrameDecoder:
    factory = make_node_factory(False, limits)
    return PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)


class _Decoder:
    """Decodes the frames of one stream."""

    def __init__(self, key: _Key, limits: Limits, on_repeated_options: RepeatedOptions) -> None:
        from jelly_rdflib.arrow import ArrowRows, arrow_schema

        self._stream = _name_of(key)
        self._decoder = _make_decoder(limits, on_repeated_options)
        schema = arrow_schema(OPERATION_COLUMNS)
        self._rows = ArrowRows(schema, limits=limits, max_rows=MAX_ROWS)
        self._number = 0

    def convert(self, run: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        from jelly_rdflib.errors import DecodeError

        for frame in run.column(0):
            if not frame.is_valid:
                raise DecodeError(f"stream {self._stream}, frame {self._number}: it is null")
            try:
                batch = self._decoder.decode_frame(memoryview(frame.as_buffer()).cast("B"))
            except DecodeError as error:
                more = "" if self._decoder.found_options else _NO_OPTIONS
                raise DecodeError(f"stream {self._stream}: {error}{more}") from error
            yield from self._rows.add(batch)
            self._number += 1

    def finish(self) -> Iterator[pa.RecordBatch]:
        return self._rows.flush()


def encode_frames(
    operations: DataFrame,
    *,
    key: str | Iterable[str] = "file",
    order: str | Iterable[str] = "seq",
    options: PatchOptions | None = None,
) -> DataFrame:
    """Encode operations to bare frames of Jelly-Patch, a stream for each key.

    Args:
        operations: A row for each operation, with ``op``, ``s``, ``p``, ``o``, and for graphs,
            headers and prefixes ``g`` and ``name``; not a streaming DataFrame.
        key: The column or columns that identify streams.
        order: The column or columns that order the operations of a stream.
        options: The streams' options. ``frame_rows`` and ``frame_bytes`` limit the frames; in a
            FRAME stream each patch is a frame.

    Returns:
        A DataFrame of the key's columns, ``offset``, which numbers the frames of a stream from 0,
        and ``value``, the frame: the input of `decode_frames` with the same key.

    Raises:
        ValueError: A column does not exist; the key has a column ``offset`` or ``value``; or the
            DataFrame is a stream.
        PythonException: By Spark: a row is no operation, or can't be expressed with the options.

    Examples:
        >>> rows = [("a", 0, "A", "<urn:s>", "<urn:p>", "<urn:o>")]
        >>> schema = "file string, seq long, op string, s string, p string, o string"
        >>> frames = encode_frames(spark.createDataFrame(rows, schema))
        >>> decode_frames(frames, key="file").select("op", "o").collect()
        [Row(op='A', o='<urn:o>'), Row(op='END', o=None)]
    """
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    keys, orders = _names(key), _names(order)
    _check_columns(operations, keys, ["op", "s", "p", "o", *orders], taken=("offset", "value"))
    used = [name for name in ("op", "s", "p", "o", "g", "name") if name in operations.columns]
    schema = StructType(
        [
            *(operations.schema[name] for name in keys),
            StructField("offset", LongType()),
            StructField("value", BinaryType()),
        ]
    )
    chosen = options or PatchOptions()

    def make_coder(key: _Key) -> _Encoder:
        return _Encoder(key, chosen)

    return _convert(operations, keys, orders, used, schema, make_coder)


class _Encoder:
    """Encodes the operations of one stream."""

    def __init__(self, key: _Key, options: PatchOptions) -> None:
        from jelly_rdflib.streams.writing import PatchWriter

        self._stream = _name_of(key)
        self._writer = PatchWriter(self, options)
        self._frames: list[bytes] = []
        self._count = 0

    def write(self, data: bytes) -> int:
        """Take a delimited frame from the writer, and remove its length: a varint."""
        size = 0
        while data[size] >= 0x80:
            size += 1
        self._frames.append(data[size + 1 :])
        return len(data)

    def convert(self, run: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        from jelly_rdflib.arrow import read_record_batches
        from jelly_rdflib.errors import EncodeError

        try:
            for batch in read_record_batches([run]):
                self._writer.write_all(batch)
        except EncodeError as error:
            raise EncodeError(f"stream {self._stream}: {error}") from error
        return self._take()

    def finish(self) -> Iterator[pa.RecordBatch]:
        self._writer.close()
        return self._take()

    def _take(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        if self._frames:
            start = self._count
            self._count += len(self._frames)
            offsets = pa.array(range(start, self._count), pa.int64())
            values = pa.array(self._frames, pa.binary())
            self._frames = []
            yield pa.RecordBatch.from_arrays([offsets, values], names=["offset", "value"])

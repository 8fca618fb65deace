"""Columns of bare frames, as they come from Kafka, to operations and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

KAFKA_KEY = ("topic", "partition", "key")
_NEVER_NULL = ("topic", "partition")
OPERATION_COLUMNS = ("patch", "txn", "seq", "op", "s", "p", "o", "g", "name")
# More rows than that in a batch of Arrow make nothing faster.
MAX_ROWS = 1 << 14

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
    one on, in their order. Streams are decoded side by side. By default the columns are those of
    Spark's source for Kafka.

    A lost frame in the middle of a stream is not noticed by itself: Kafka's offsets have gaps
    anyway. What it has put into the lookups is missing then. An id that was never set is an error;
    but one that has another entry gives that other term, and what the next frame repeats of the
    lost one's last row is wrong, too. Where frames may be lost, let the producer make each message
    a stream, with a `jelly_rdflib.PatchEncoder` of its own, and decode with ``"restart"``.

    Args:
        frames: A row for each frame; not a streaming DataFrame.
        column: The column that has the frames, binary.
        key: The column or columns that tell streams apart. Rows with the same values are of one
            stream, and nulls are the same; but there is none in columns called ``topic`` and
            ``partition``. So Kafka's messages without a key are one stream of their partition.
        order: The column or columns that tell the order in a stream.
        limits: What to accept.
        on_repeated_options: What a frame means that has the stream's options again, see
            `jelly_rdflib.PatchDecoder`. ``"restart"`` is for producers that write options only when
            they start, or that make each message a stream; ``"continue"`` for those that repeat
            them and go on. Nothing in a frame tells which it is, so it is an error by default.

    Returns:
        A DataFrame of the key's columns and of ``patch``, ``txn``, ``seq``, ``op``, ``s``, ``p``,
        ``o``, ``g`` and ``name``. ``patch``, ``txn`` and ``seq`` count in what has the same key,
        also where a new stream starts. A patch's END is there where the frames say so; that the
        last transaction is open is no error.

    Raises:
        ValueError: There is no such column; the key has one that operations have too; or the
            DataFrame is a stream.
        PythonException: By Spark: a frame breaks a rule, or a stream's first frame is not there;
            the message names the stream.

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

    from jelly_rdflib.spark.schema import OPERATIONS

    keys, orders = _names(key), _names(order)
    absent = [name for name in keys if name not in frames.columns]
    if absent and tuple(keys) == KAFKA_KEY:
        raise ValueError(
            f"there is no column {absent[0]!r}: without key=, streams are told apart by Kafka's"
            " columns topic, partition and key; say what tells them apart here, as key='file' for"
            " what encode_frames() makes"
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
    # Here, so that what is no choice is told at once.
    _make_decoder(accepted, on_repeated_options)

    def decode(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _decoded(record_batches, len(keys), accepted, on_repeated_options)

    return _streams(frames, keys, orders, [column]).mapInArrow(decode, schema)


def _names(columns: str | Iterable[str]) -> list[str]:
    return [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))


def _check_columns(
    table: DataFrame, keys: list[str], others: list[str], *, taken: Iterable[str]
) -> None:
    """Check that there are columns, and that the result can have the key's beside its own."""
    if table.isStreaming:
        raise ValueError(
            "frames of a streaming DataFrame can't be decoded or encoded: what comes in one"
            " micro-batch refers to those before it; store the frames first"
        )
    if not keys:
        raise ValueError("the key has no column: name one or more that tell streams apart")
    for name in (*others, *keys):
        if name not in table.columns:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(table.columns)}")
    for name in keys:
        if name in taken:
            raise ValueError(
                f"the key can't have the column {name!r}: what is made has one of that name"
            )


def _streams(
    table: DataFrame, keys: list[str], orders: list[str], columns: Sequence[str]
) -> DataFrame:
    """Bring each stream together, in its order: the columns of the key, and then these."""
    return (
        table.select(*dict.fromkeys((*keys, *columns, *orders)))
        .repartition(*keys)
        .sortWithinPartitions(*keys, *orders)
        .select(*keys, *columns)
    )


def _make_decoder(limits: Limits, on_repeated_options: RepeatedOptions) -> PatchFrameDecoder:
    factory = make_node_factory(False, limits)
    return PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)


def _decoded(
    record_batches: Iterator[pa.RecordBatch],
    key_size: int,
    limits: Limits,
    on_repeated_options: RepeatedOptions,
) -> Iterator[pa.RecordBatch]:
    from jelly_rdflib.arrow import ArrowRows, arrow_schema
    from jelly_rdflib.errors import DecodeError

    schema = arrow_schema(OPERATION_COLUMNS)
    current: _Key | None = None
    rows = decoder = None
    number = 0
    for record_batch in record_batches:
        fields = list(record_batch.schema)[:key_size]
        *key_columns, frames = record_batch.columns
        keys = zip(*(column.to_pylist() for column in key_columns), strict=True)
        for key, frame in zip(keys, frames, strict=True):
            if key != current:
                if rows is not None and current is not None:
                    yield from _with_key(rows.flush(), current, fields)
                _check_key(key, fields)
                current, number = key, 0
                rows = ArrowRows(schema, limits=limits, max_rows=MAX_ROWS)
                decoder = _make_decoder(limits, on_repeated_options)
            assert rows is not None
            assert decoder is not None
            if not frame.is_valid:
                raise DecodeError(f"stream {_show(key)}, frame {number}: it is null")
            try:
                batch = decoder.decode_frame(memoryview(frame.as_buffer()).cast("B"))
            except DecodeError as error:
                more = "" if decoder.found_options else _NO_OPTIONS
                raise DecodeError(f"stream {_show(key)}: {error}{more}") from error
            yield from _with_key(rows.add(batch), key, fields)
            number += 1
    if rows is not None and current is not None:
        yield from _with_key(rows.flush(), current, fields)


_NO_OPTIONS = (
    ". No frame before it has the stream's options: the stream's first frames were deleted by the"
    " queue's retention, or were in an earlier batch (of foreachBatch, or of a range of offsets),"
    " or this is no Jelly-Patch"
)


def _check_key(key: _Key, fields: list[pa.Field]) -> None:
    for field, value in zip(fields, key, strict=True):
        if value is None and field.name in _NEVER_NULL:
            raise ValueError(
                f"the column {field.name!r} is null, which no message of Kafka has: what tells"
                " streams apart without it is to be said by key="
            )


def _show(key: _Key) -> str:
    return repr(key[0] if len(key) == 1 else key)


def _with_key(
    record_batches: Iterable[pa.RecordBatch], key: _Key, fields: list[pa.Field]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for record_batch in record_batches:
        yield pa.RecordBatch.from_arrays(
            [*_key_columns(key, fields, record_batch.num_rows), *record_batch.columns],
            names=[*(field.name for field in fields), *record_batch.schema.names],
        )


def _key_columns(key: _Key, fields: list[pa.Field], count: int) -> Iterator[pa.Array]:
    import pyarrow as pa

    for value, field in zip(key, fields, strict=True):
        yield pa.repeat(pa.scalar(value, field.type), count)


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
        key: The column or columns that tell streams apart.
        order: The column or columns that tell the order in a stream.
        options: The streams' options. ``frame_rows`` and ``frame_bytes`` say where frames are cut;
            in a FRAME stream each patch is one.

    Returns:
        A DataFrame of the key's columns, ``offset``, which numbers the frames of a stream from 0,
        and ``value``, the frame: what `decode_frames` takes with the same key.

    Raises:
        ValueError: There is no such column; the key has one called ``offset`` or ``value``; or the
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

    def encode(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _encoded(record_batches, len(keys), chosen)

    return _streams(operations, keys, orders, used).mapInArrow(encode, schema)


class _Frames:
    """What a writer writes to: it takes delimited frames, and gives bare ones."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.count = 0

    def write(self, data: bytes) -> int:
        size = 0
        while data[size] >= 0x80:
            size += 1
        self.frames.append(data[size + 1 :])
        return len(data)

    def take(self, key: _Key, fields: list[pa.Field]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        count = len(self.frames)
        if count == 0:
            return
        yield pa.RecordBatch.from_arrays(
            [
                *_key_columns(key, fields, count),
                pa.array(range(self.count, self.count + count), pa.int64()),
                pa.array(self.frames, pa.binary()),
            ],
            names=[*(field.name for field in fields), "offset", "value"],
        )
        self.count += count
        self.frames = []


def _encoded(
    record_batches: Iterator[pa.RecordBatch], key_size: int, options: PatchOptions
) -> Iterator[pa.RecordBatch]:
    from jelly_rdflib.arrow import read_record_batches
    from jelly_rdflib.errors import EncodeError
    from jelly_rdflib.streams.writing import PatchWriter

    current: _Key | None = None
    writer = sink = None
    for record_batch in record_batches:
        fields = list(record_batch.schema)[:key_size]
        for key, run in _runs(record_batch, key_size):
            if key != current:
                if writer is not None and sink is not None and current is not None:
                    writer.close()
                    yield from sink.take(current, fields)
                current = key
                sink = _Frames()
                writer = PatchWriter(sink, options)
            assert writer is not None
            assert sink is not None
            try:
                for batch in read_record_batches([run]):
                    writer.write_all(batch)
            except EncodeError as error:
                raise EncodeError(f"stream {_show(key)}: {error}") from error
            yield from sink.take(key, fields)
    if writer is not None and sink is not None and current is not None:
        writer.close()
        yield from sink.take(current, fields)


def _runs(record_batch: pa.RecordBatch, key_size: int) -> Iterator[tuple[_Key, pa.RecordBatch]]:
    """Cut a record batch where its key changes, and take off the key: its first columns."""
    import pyarrow.compute as pc

    columns = record_batch.columns[:key_size]
    operations = record_batch.select(list(range(key_size, record_batch.num_columns)))
    ends: set[int] = set()
    for column in columns:
        ends.update(pc.run_end_encode(column).run_ends.to_pylist())
    start = 0
    for end in sorted(ends):
        key = tuple(column[start].as_py() for column in columns)
        yield key, operations.slice(start, end - start)
        start = end

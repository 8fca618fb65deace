"""Columns of bare frames, as they come from Kafka, to operations and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from jelly_rdflib.options import Limits, PatchOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["decode_frames", "encode_frames"]

OPERATION_COLUMNS = ("patch", "txn", "seq", "op", "s", "p", "o", "g", "name")
# More rows than that in a batch of Arrow make nothing faster.
MAX_ROWS = 1 << 14


def decode_frames(
    frames: DataFrame,
    column: str = "value",
    *,
    key: str = "key",
    order: str | Iterable[str] = "offset",
    limits: Limits | None = None,
) -> DataFrame:
    """Decode bare frames of Jelly-Patch to operations.

    The frames of one stream refer to one another, so all of them go to one task, from the first
    one on, in their order. Streams are decoded side by side.

    Args:
        frames: A row for each frame; not a streaming DataFrame.
        column: The column that has the frames, binary.
        key: The column that tells streams apart.
        order: The column or columns that tell the order in a stream.
        limits: What to accept.

    Returns:
        A DataFrame of the key and of ``patch``, ``txn``, ``seq``, ``op``, ``s``, ``p``, ``o``,
        ``g`` and ``name``; ``patch``, ``txn`` and ``seq`` count in the stream. A patch's END is
        there where the frames say so; that the last transaction is open is no error.

    Raises:
        ValueError: There is no such column; or the DataFrame is a stream.
        PythonException: By Spark: a frame breaks a rule; the message names the stream.

    Examples:
        >>> from rdflib import URIRef
        >>> import jelly_rdflib as jr
        >>> frame = jr.PatchEncoder().encode_frame(
        ...     [(jr.Op.A, URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o"), None)]
        ... )
        >>> schema = "key string, offset long, value binary"
        >>> frames = spark.createDataFrame([("a", 0, frame)], schema)
        >>> decode_frames(frames).select("key", "op", "s").collect()
        [Row(key='a', op='A', s='<urn:s>')]
    """
    from pyspark.sql.types import BinaryType, StructField, StructType

    from jelly_rdflib.spark.schema import OPERATIONS

    keys = [order] if isinstance(order, str) else list(order)
    _check_columns(frames, [column, key, *keys])
    if not isinstance(frames.schema[column].dataType, BinaryType):
        raise ValueError(f"the column {column!r} is to be binary: a frame in each row")
    if key in OPERATION_COLUMNS:
        raise ValueError(f"the key can't be called {key!r}: operations have a column of that name")
    schema = StructType(
        [
            StructField(key, frames.schema[key].dataType),
            *(OPERATIONS[name] for name in OPERATION_COLUMNS),
        ]
    )
    accepted = limits or Limits()

    def decode(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _decoded(record_batches, accepted)

    sorted_frames = (
        frames.select(*dict.fromkeys((key, column, *keys)))
        .repartition(key)
        .sortWithinPartitions(key, *keys)
        .select(key, column)
    )
    return sorted_frames.mapInArrow(decode, schema)


def _check_columns(table: DataFrame, names: list[str]) -> None:
    if table.isStreaming:
        raise ValueError(
            "frames of a streaming DataFrame can't be decoded or encoded: what comes in one"
            " micro-batch refers to those before it; store the frames first"
        )
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}; there are {', '.join(table.columns)}")


def _decoded(record_batches: Iterator[pa.RecordBatch], limits: Limits) -> Iterator[pa.RecordBatch]:
    from jelly_rdflib.arrow import ArrowRows, arrow_schema
    from jelly_rdflib.errors import DecodeError
    from jelly_rdflib.index import make_decoder

    schema = arrow_schema(OPERATION_COLUMNS)
    current: Any = _NO_KEY
    rows = decoder = None
    number = 0
    for record_batch in record_batches:
        field = record_batch.schema.field(0)
        keys = record_batch.column(0).to_pylist()
        frames = record_batch.column(1)
        for each, frame in zip(keys, frames, strict=True):
            if current is _NO_KEY or each != current:
                if rows is not None:
                    yield from _with_key(rows.flush(), current, field)
                current, number = each, 0
                rows = ArrowRows(schema, limits=limits, max_rows=MAX_ROWS)
                decoder = make_decoder(is_statements=False, limits=limits)
            assert rows is not None
            assert decoder is not None
            if not frame.is_valid:
                raise DecodeError(f"stream {current!r}, frame {number}: it is null")
            try:
                batch = decoder.decode_frame(memoryview(frame.as_buffer()).cast("B"))
            except DecodeError as error:
                raise DecodeError(f"stream {current!r}: {error}") from error
            yield from _with_key(rows.add(batch), current, field)
            number += 1
    if rows is not None:
        yield from _with_key(rows.flush(), current, field)


_NO_KEY = object()


def _with_key(
    record_batches: Iterable[pa.RecordBatch], key: Any, field: pa.Field
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for record_batch in record_batches:
        column = pa.repeat(pa.scalar(key, field.type), record_batch.num_rows)
        names = [field.name, *record_batch.schema.names]
        yield pa.RecordBatch.from_arrays([column, *record_batch.columns], names=names)


def encode_frames(
    operations: DataFrame,
    *,
    key: str = "file",
    order: str | Iterable[str] = "seq",
    options: PatchOptions | None = None,
) -> DataFrame:
    """Encode operations to bare frames of Jelly-Patch, a stream for each key.

    Args:
        operations: A row for each operation, with ``op``, ``s``, ``p``, ``o``, and for graphs,
            headers and prefixes ``g`` and ``name``; not a streaming DataFrame.
        key: The column that tells streams apart.
        order: The column or columns that tell the order in a stream.
        options: The streams' options. ``frame_rows`` and ``frame_bytes`` say where frames are cut;
            in a FRAME stream each patch is one.

    Returns:
        A DataFrame of the key, ``offset``, which numbers the frames of a stream from 0, and
        ``value``, the frame: what `decode_frames` takes.

    Raises:
        ValueError: There is no such column; or the DataFrame is a stream.
        PythonException: By Spark: a row is no operation, or can't be expressed with the options.

    Examples:
        >>> rows = [("a", 0, "A", "<urn:s>", "<urn:p>", "<urn:o>")]
        >>> schema = "file string, seq long, op string, s string, p string, o string"
        >>> frames = encode_frames(spark.createDataFrame(rows, schema))
        >>> decode_frames(frames, key="file").select("op", "o").collect()
        [Row(op='A', o='<urn:o>'), Row(op='END', o=None)]
    """
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    keys = [order] if isinstance(order, str) else list(order)
    _check_columns(operations, [key, *keys, "op", "s", "p", "o"])
    used = [name for name in ("op", "s", "p", "o", "g", "name") if name in operations.columns]
    schema = StructType(
        [
            StructField(key, operations.schema[key].dataType),
            StructField("offset", LongType()),
            StructField("value", BinaryType()),
        ]
    )
    chosen = options or PatchOptions()

    def encode(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _encoded(record_batches, chosen)

    sorted_operations = (
        operations.select(*dict.fromkeys((key, *used, *keys)))
        .repartition(key)
        .sortWithinPartitions(key, *keys)
        .select(key, *used)
    )
    return sorted_operations.mapInArrow(encode, schema)


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

    def take(self, key: Any, field: pa.Field) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        count = len(self.frames)
        if count == 0:
            return
        yield pa.RecordBatch.from_arrays(
            [
                pa.repeat(pa.scalar(key, field.type), count),
                pa.array(range(self.count, self.count + count), pa.int64()),
                pa.array(self.frames, pa.binary()),
            ],
            names=[field.name, "offset", "value"],
        )
        self.count += count
        self.frames = []


def _encoded(
    record_batches: Iterator[pa.RecordBatch], options: PatchOptions
) -> Iterator[pa.RecordBatch]:
    from jelly_rdflib.arrow import read_record_batches
    from jelly_rdflib.errors import EncodeError
    from jelly_rdflib.patch_writer import PatchWriter

    current: Any = _NO_KEY
    writer = sink = None
    for record_batch in record_batches:
        field = record_batch.schema.field(0)
        for key, run in _runs(record_batch):
            if current is _NO_KEY or key != current:
                if writer is not None and sink is not None:
                    writer.close()
                    yield from sink.take(current, field)
                current = key
                sink = _Frames()
                writer = PatchWriter(sink, options)
            assert writer is not None
            assert sink is not None
            try:
                for batch in read_record_batches([run]):
                    writer.write_all(batch)
            except EncodeError as error:
                raise EncodeError(f"stream {current!r}: {error}") from error
            yield from sink.take(current, field)
    if writer is not None and sink is not None:
        writer.close()
        yield from sink.take(current, field)


def _runs(record_batch: pa.RecordBatch) -> Iterator[tuple[Any, pa.RecordBatch]]:
    """Cut a record batch where its key changes."""
    import pyarrow.compute as pc

    keys = record_batch.column(0)
    encoded = pc.run_end_encode(keys)
    start = 0
    for key, end in zip(encoded.values.to_pylist(), encoded.run_ends.to_pylist(), strict=True):
        yield key, record_batch.slice(start, end - start)
        start = end

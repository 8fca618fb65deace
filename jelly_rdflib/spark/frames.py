"""Converts columns of bare frames, as from Kafka, to operations and back."""

# pyarrow generates the functions of its module `compute` when it is imported.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count, groupby, islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions, as_limits
from jelly_rdflib.spark.stream_decoder import StreamDecoder
from jelly_rdflib.streams.writing import PatchWriter

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

KAFKA_KEY = ("topic", "partition", "key")
_NEVER_NULL = ("topic", "partition")
OPERATION_COLUMNS = ("patch", "txn", "seq", "op", "s", "p", "o", "g", "name")

# The values of a stream's key; and a function that takes a stream's name, for messages, and rows.
_Key: TypeAlias = "tuple[pa.Scalar, ...]"
_Coder: TypeAlias = "Callable[[str, Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]"


def decode_frames(
    frames: DataFrame,
    column: str = "value",
    *,
    key: str | Iterable[str] = KAFKA_KEY,
    order: str | Iterable[str] = "offset",
    limits: Limits | None = None,
    on_repeated_options: RepeatedOptions = "error",
) -> DataFrame:
    """Decode bare Jelly-Patch frames into operations.

    The frames of one stream refer to one another, so all of them go to one task, from the first
    frame on, in order. Streams are decoded in parallel. The default columns are those of
    Spark's source for Kafka.

    A lost frame in the middle of a stream is not always noticed, as Kafka's offsets have gaps
    anyway. After a loss the lookups lack the entries of the lost frame. An id that was never set
    is an error; but an id that was set earlier gives the earlier term, which is wrong. A term that
    the next frame repeats from the lost frame's last row is wrong, too. If frames may be lost, let
    the producer make each message a stream, with its own `jelly_rdflib.PatchEncoder`, and decode
    with ``"restart"``.

    Args:
        frames: A row for each frame. For a streaming DataFrame use `read_frames` instead.
        column: The binary column of the frames.
        key: The column or columns that identify streams. Rows with the same values belong to one
            stream, and nulls count as the same value; but columns called ``topic`` and
            ``partition`` must not contain nulls. So Kafka's messages without a key are one stream
            per partition.
        order: The column or columns that order the frames of a stream.
        limits: The limits of the input.
        on_repeated_options: The meaning of a frame that repeats the stream's options, see
            `jelly_rdflib.PatchDecoder`. ``"restart"`` is for producers that write options only when
            they start, or that make each message a stream; ``"continue"`` is for producers that
            repeat options within a stream. A frame can't show which of the two is right, so by
            default it is an error.

    Returns:
        A DataFrame of the key's columns and of ``patch``, ``txn``, ``seq``, ``op``, ``s``, ``p``,
        ``o``, ``g`` and ``name``. ``patch``, ``txn`` and ``seq`` continue for the same key,
        even if a new stream starts there. A patch has an END if the frames have it. An unfinished
        last transaction is not an error.

    Raises:
        ValueError: A column does not exist; the key has a column that operations also have; or the
            DataFrame is a stream.
        PythonException: Raised by Spark: a frame breaks a rule, or a stream's first frame is
            missing; the message names the stream, the frame and the value by which it is ordered.

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

    keys, orders = check_key(key, frames), names_of(order)
    accepted = as_limits(limits)

    def make_decoder(stream: str) -> StreamDecoder:
        return StreamDecoder(stream, OPERATION_COLUMNS, accepted, on_repeated_options)

    # Check the choice here, so that an invalid one fails before any task starts.
    make_decoder("")

    def decode(stream: str, runs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        decoder = make_decoder(stream)
        for run in runs:
            for frame, *place in zip(*run.columns, strict=True):
                at = ", ".join(map("{} {}".format, orders, place))
                data = memoryview(frame.as_buffer()).cast("B") if frame.is_valid else None
                yield from decoder.decode(at, data)
        yield from decoder.flush()

    schema = StructType([OPERATIONS[name] for name in OPERATION_COLUMNS])
    decoded = _convert(frames, keys, orders, [column, *orders], schema, decode)
    if not isinstance(frames.schema[column].dataType, BinaryType):
        raise ValueError(f"the column {column!r} must be binary: a frame in each row")
    return decoded


def names_of(columns: str | Iterable[str]) -> list[str]:
    """Return the distinct names of one or more columns."""
    return [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))


def check_key(key: str | Iterable[str], frames: DataFrame) -> list[str]:
    """Return a key's columns; raise a ValueError if they are Kafka's and ``frames`` lacks one."""
    absent = [name for name in KAFKA_KEY if name not in frames.columns]
    if absent and names_of(key) == list(KAFKA_KEY):
        raise ValueError(
            f"there is no column {absent[0]!r}: without key=, Kafka's columns topic, partition and"
            " key identify streams; give the columns of this table by key=, such as key='file' for"
            " frames of encode_frames()"
        )
    return names_of(key)


def check_values(values: Iterable[object], names: Iterable[str]) -> None:
    """Raise a ValueError if the values of a key can't come from Kafka."""
    for name, value in zip(names, values, strict=True):
        if value is None and name in _NEVER_NULL:
            raise ValueError(
                f"the column {name!r} is null, which no Kafka message has: give the columns that"
                " identify streams with key="
            )


def _convert(
    table: DataFrame,
    key: str | Iterable[str],
    order: str | Iterable[str],
    columns: list[str],
    schema: StructType,
    code: _Coder,
) -> DataFrame:
    """Convert each stream's ``columns``, in order, into rows of its key and of the ``schema``."""
    from pyspark.sql.types import StructType

    from jelly_rdflib.spark.kinds import check_names

    keys, orders = names_of(key), names_of(order)
    if table.isStreaming:
        raise ValueError(
            "a streaming DataFrame comes in batches, which refer to earlier ones: read_frames()"
            " decodes it, and write_frames() encodes each batch of foreachBatch()"
        )
    if not keys:
        raise ValueError("the key has no columns: name those that identify streams")
    check_names((*columns, *orders, *keys), table.columns)
    for name in keys:
        if name in schema.names:
            raise ValueError(
                f"the key can't have the column {name!r}: the result has a column of that name"
            )

    result = StructType([*(table.schema[name] for name in keys), *schema])

    def convert(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        runs = (run for each in record_batches for run in _runs(each, len(keys)))
        for key, of_key in groupby(runs, key=lambda run: run[0]):
            for made in code(_name_of(key, keys), (run for _, run in of_key)):
                # The key is repeated in each row.
                values = [pa.repeat(value, made.num_rows) for value in key]
                yield pa.RecordBatch.from_arrays([*values, *made.columns], result.names)

    return (
        table.select(*dict.fromkeys((*keys, *columns, *orders)))
        .repartition(*keys)
        .sortWithinPartitions(*keys, *orders)
        .select(*keys, *columns)
        .mapInArrow(convert, result)
    )


def _runs(record_batch: pa.RecordBatch, key_size: int) -> Iterator[tuple[_Key, pa.RecordBatch]]:
    """Cut a record batch where its key changes, and remove the key: its first columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = record_batch.columns[:key_size]
    rest = record_batch.select(range(key_size, record_batch.num_columns))
    ends = {0, record_batch.num_rows}
    for column in columns:
        if pa.types.is_nested(column.type):
            # Arrow can't compare nested values.
            values = column.to_pylist()
            ends.update(i for i in range(1, len(values)) if values[i] != values[i - 1])
        else:
            ends.update(pc.run_end_encode(column).run_ends.to_pylist())
    for start, end in pairwise(sorted(ends)):
        yield tuple(column[start] for column in columns), rest.slice(start, end - start)


def _name_of(key: _Key, names: list[str]) -> str:
    """Return a stream's name for messages; raise a ValueError if its key can't come from Kafka."""
    values = tuple(value.as_py() for value in key)
    check_values(values, names)
    return repr(values[0] if len(values) == 1 else values)


def encode_frames(
    operations: DataFrame,
    *,
    key: str | Iterable[str] = "file",
    order: str | Iterable[str] = "seq",
    options: PatchOptions | None = None,
) -> DataFrame:
    """Encode operations as bare Jelly-Patch frames, with one stream for each key.

    Args:
        operations: A row for each operation, with ``op``, ``s``, ``p``, ``o``; with ``g`` if there
            are graphs, and with ``name`` if there are headers or prefixes. It must not be a
            streaming DataFrame.
        key: The column or columns that identify streams.
        order: The column or columns that order the operations of a stream.
        options: The streams' options. ``frame_rows`` and ``frame_bytes`` limit the frames; in a
            FRAME stream each patch is a frame.

    Returns:
        A DataFrame with the key's columns, ``offset``, which numbers the frames of a stream from
        0, and ``value``, the frame. `decode_frames` can read it with the same key.

    Raises:
        ValueError: A column does not exist; the key has a column ``offset`` or ``value``; or the
            DataFrame is a stream.
        PythonException: Raised by Spark: a row is not an operation, or can't be expressed with the
            options.

    Examples:
        >>> rows = [("a", 0, "A", "<urn:s>", "<urn:p>", "<urn:o>")]
        >>> schema = "file string, seq long, op string, s string, p string, o string"
        >>> frames = encode_frames(spark.createDataFrame(rows, schema))
        >>> decode_frames(frames, key="file").select("op", "o").collect()
        [Row(op='A', o='<urn:o>'), Row(op='END', o=None)]
    """
    from pyspark.sql.types import StructType

    # Spark's column names are not case-sensitive.
    optional = [name for name in operations.columns if name.lower() in ("g", "name")]
    schema = StructType().add("offset", "long").add("value", "binary")

    def encode(stream: str, runs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from jelly_rdflib.arrow import read_record_batches

        made = _Frames()
        writer = PatchWriter(made, replace(options or PatchOptions(), delimited=True))
        encoder: Any = writer.encoder
        encoder.leave_lengths_out()
        numbers = count()

        def drain() -> pa.RecordBatch:
            offsets = pa.array(islice(numbers, len(made)), pa.int64())
            values = pa.array(made, pa.binary())
            made.clear()
            return pa.RecordBatch.from_arrays([offsets, values], ["offset", "value"])

        named = (run.rename_columns(list(map(str.lower, run.schema.names))) for run in runs)
        try:
            for batch in read_record_batches(named):
                writer.write_all(batch)
                yield drain()
        except EncodeError as error:
            message = f"stream {stream}: {error}"
            raise EncodeError(message, needs=error.needs, rule=error.rule) from error
        writer.close()
        yield drain()

    return _convert(operations, key, order, ["op", "s", "p", "o", *optional], schema, encode)


class _Frames(list[bytes]):
    """A destination that collects frames."""

    def write(self, frame: bytes) -> None:
        self.append(frame)

"""Frames to operations and back, as a task computes them: in this process, without a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

import pytest
from rdflib import XSD, URIRef

pytest.importorskip("pyspark")
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

import jelly_rdflib as jr
from jelly_rdflib.spark import decode_frames, encode_frames, frames, stream_decoder

P = URIRef("urn:p")
TYPES: dict[str, Any] = {"part": LongType(), "offset": LongType(), "seq": LongType()}
KAFKA = ("topic", "partition", "offset", "key", "value")


def schema_of(*names: str) -> StructType:
    binary = {"key": BinaryType(), "value": BinaryType()}
    schema = StructType()
    for name in names:
        schema.add(name, binary.get(name) or TYPES.get(name) or StringType())
    return schema


class Table:
    """Stands in for a DataFrame of one partition, which comes in record batches of 7 rows."""

    def __init__(self, rows: Iterable[tuple], schema: StructType, *, stream: bool = False) -> None:
        self.rows = list(rows)
        self.schema = schema
        self.columns = schema.names
        self.isStreaming = stream
        self.sizes: list[int] = []

    def _values(self, names: Iterable[str]) -> list[tuple]:
        places = [self.columns.index(name) for name in names]
        return [tuple(row[place] for place in places) for row in self.rows]

    def select(self, *names: str) -> Table:
        return Table(self._values(names), StructType([self.schema[name] for name in names]))

    def repartition(self, *names: str) -> Table:
        assert names
        return self

    def sortWithinPartitions(self, *names: str) -> Table:
        keys = [[(value is not None, value) for value in row] for row in self._values(names)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return Table((self.rows[number] for number in order), self.schema)

    def mapInArrow(
        self, convert: Callable[[Iterator[Any]], Iterator[Any]], schema: StructType
    ) -> Table:
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        table = pa.table(list(map(list, columns)), to_arrow_schema(self.schema))
        made = list(convert(iter(table.to_batches(max_chunksize=7))))
        assert {tuple(each.schema.names) for each in made} <= {tuple(schema.names)}
        result = Table((tuple(row.values()) for each in made for row in each.to_pylist()), schema)
        result.sizes = [each.num_rows for each in made]
        return result


def frames_of(name: str, count: int, rows: int = 1) -> list[bytes]:
    """Return the frames of a stream; each row has another subject."""
    encoder = jr.PatchEncoder()
    return [
        encoder.encode_frame(
            (jr.Op.A, URIRef(f"urn:{name}-{frame}-{row}"), P, P, None) for row in range(rows)
        )
        for frame in range(count)
    ]


def kafka(*values: bytes | None) -> Any:
    """Return the messages of a partition, the last one first."""
    rows = [("t", "0", offset, b"k", value) for offset, value in enumerate(values)]
    return Table(rows[::-1], schema_of(*KAFKA))


def subjects(table: Any) -> list[str]:
    return [s for (s,) in table.select("s").rows]


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
    """Terms that a decoder accepts may be too long as text: each triple quotes one twice."""
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


def test_what_is_said_of_options() -> None:
    one, two = frames_of("a", 2), frames_of("b", 1)
    with pytest.raises(jr.DecodeError, match="retention"):
        decode_frames(kafka(*one[1:]))
    with pytest.raises(jr.DecodeError, match="on_repeated_options='restart'") as caught:
        decode_frames(kafka(*one, *two))
    # The stream has options.
    assert "retention" not in str(caught.value)


def test_a_stream_of_spark_is_refused() -> None:
    table: Any = Table([], schema_of(*KAFKA), stream=True)
    with pytest.raises(ValueError, match=r"read_frames.* decodes it"):
        decode_frames(table)


def operations(files: int, rows: int) -> list[tuple]:
    return [
        # Literals stay as they are written.
        (f"{file}", seq, "A", f"<urn:{file}-{seq}>", "<urn:p>", f'"0{seq}"^^<{XSD.integer}>')
        for file in range(files)
        for seq in range(rows)
    ]


COLUMNS = ("file", "seq", "op", "s", "p", "o")


@pytest.mark.parametrize("options", [None, jr.PatchOptions(frame_rows=9)], ids=repr)
def test_frames_are_numbered_from_0_in_each_stream(options: jr.PatchOptions | None) -> None:
    rows = operations(3, 40)
    table: Any = Table(rows[::-1], schema_of(*COLUMNS))
    encoded: Any = encode_frames(table, options=options)
    assert encoded.columns == ["file", "offset", "value"]
    for _, each in groupby(encoded.rows, key=lambda row: row[0]):
        offsets = [row[1] for row in each]
        assert offsets == list(range(len(offsets)))
        assert (len(offsets) > 5) == (options is not None)
    again: Any = decode_frames(Table(encoded.rows[::-1], encoded.schema), key="file")
    assert [row for row in again.select(*COLUMNS).rows if row[2] != "END"] == rows


def test_a_row_that_is_no_operation_names_its_stream() -> None:
    rows = operations(2, 2)
    rows[3] = (*rows[3][:5], "no term")
    table: Any = Table(rows, schema_of(*COLUMNS))
    with pytest.raises(jr.EncodeError, match=r"^stream '1': .*'no term' is no term"):
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


def test_lengths_of_frames_are_removed() -> None:
    made = frames._Frames()
    sizes = [1, 126, 127, 128, 129, 255, 256, 16_383, 16_384, 16_512]
    for size in sizes:
        low, high = size & 0x7F, size >> 7
        length = [low] if not high else [low | 0x80, high]
        if high >= 0x80:
            length[1:] = [high & 0x7F | 0x80, high >> 7]
        made.write(bytes(length) + bytes([9]) * size)
    assert made == [bytes([9]) * size for size in sizes]

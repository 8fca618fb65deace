"""Computes a table in this process, without a session, with a task's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

# All other columns are text.
TYPES: dict[str, Any] = {
    **dict.fromkeys(("part", "offset", "seq", "length"), LongType()),
    **dict.fromkeys(("key", "value", "content"), BinaryType()),
}


def schema_of(*names: str) -> StructType:
    schema = StructType()
    for name in names:
        schema.add(name, TYPES.get(name) or StringType())
    return schema


class Table:
    """Stands in for a DataFrame of one partition that comes in record batches of 7 rows."""

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

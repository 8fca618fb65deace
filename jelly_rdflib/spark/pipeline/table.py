"""The tables of pipelines: tables of changes, and tables of quads."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

_TEXT, _NUMBER = StringType(), LongType()

QUAD = ("s", "p", "o", "g")
"""The columns of a quad."""

QUADS = StructType([StructField(name, _TEXT, name == "g") for name in QUAD])
"""A table of quads: terms in N-Triples syntax; ``g`` is null in the default graph."""

CHANGES = StructType(
    [
        StructField("file", _TEXT),
        StructField("patch", _NUMBER),
        StructField("txn", _NUMBER),
        StructField("seq", _NUMBER),
        StructField("op", _TEXT),
        *(StructField(name, _TEXT) for name in QUAD),
        StructField("name", _TEXT),
    ]
)
"""A table of changes: a row for each operation, as ``spark.read.format("jelly-patch")`` has it."""


MARKS = "H,PA,PD,TX,TC,TA,END"
"""All operations except those on statements, as a value of a source's option ``op``."""

_MARK_COLUMNS = ("file", "patch", "txn", "seq", "op", "o", "g", "name")


def check_changes(changes: DataFrame) -> DataFrame:
    """Check a table of changes; its numbers become longs.

    Raises:
        ValueError: A column is missing, or has another type.
    """
    return _check(changes, CHANGES, "a table of changes")


def check_marks(marks: DataFrame) -> DataFrame:
    """Check a table of marks, and drop operations on statements.

    Raises:
        ValueError: A column is missing, or has another type.
    """
    schema = StructType([field for field in CHANGES if field.name in _MARK_COLUMNS])
    return _check(marks, schema, "a table of marks").where(F.col("op").isin(MARKS.split(",")))


def check_quads(quads: DataFrame, what: str) -> DataFrame:
    """Check a table of quads, and drop its other columns.

    Args:
        quads: The table.
        what: The name of the table in messages.

    Raises:
        ValueError: A column is missing, or has another type.
    """
    return _check(quads, QUADS, what).select(*QUAD)


def _check(table: DataFrame, schema: StructType, what: str) -> DataFrame:
    missing = [field.name for field in schema if field.name not in table.columns]
    if missing:
        raise ValueError(f"{what} has the columns {_list(schema.names)}; missing: {_list(missing)}")
    types = {field.name: field.dataType for field in table.schema}
    for field in schema:
        found = types[field.name]
        if isinstance(found, StructType):
            raise ValueError(
                f"the column {field.name} of {what} is to be {field.dataType.simpleString()}, but"
                " is a struct: read the terms as text (terms='string')"
            )
        if field.dataType == _NUMBER and found.simpleString() in ("int", "smallint", "tinyint"):
            table = table.withColumn(field.name, F.col(field.name).cast(_NUMBER))
        elif found != field.dataType:
            raise ValueError(
                f"the column {field.name} of {what} is to be {field.dataType.simpleString()}, but"
                f" is {found.simpleString()}"
            )
    return table


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def is_statement() -> Column:
    """Return whether a row of changes adds or deletes a statement."""
    return F.col("op").isin("A", "D")


def header_key() -> Column:
    """Return the normalized key of a header, see `jelly_rdflib.headers.header_key`."""
    lower = F.lower("name")
    return F.when(lower == "previous", "prev").otherwise(lower)


def same_quad(left: DataFrame, right: DataFrame) -> Column:
    """Return whether rows of two tables have the same quad; the default graph equals itself."""
    condition = left["g"].eqNullSafe(right["g"])
    for name in ("s", "p", "o"):
        condition &= left[name] == right[name]
    return condition


def make_patch(operations: DataFrame, name: str) -> DataFrame:
    """Make a table of changes with one patch.

    Args:
        operations: A table with the columns ``seq`` and ``op``; other missing columns become null.
        name: The value of the column ``file``.
    """
    given = {"file": F.lit(name), "patch": F.lit(0), "txn": F.lit(0)}
    given |= {column: F.col(column) for column in operations.columns}
    return operations.select(
        *(
            given.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name)
            for field in CHANGES
        )
    )

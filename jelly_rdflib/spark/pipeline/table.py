"""The tables of pipelines: tables of changes, and tables of quads."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from jelly_rdflib.spark.kinds import OPERATIONS, check_columns

QUAD = ("s", "p", "o", "g")
"""The columns of a quad."""

QUADS = StructType([StructField(name, StringType(), name == "g") for name in QUAD])
"""A table of quads: terms in N-Triples syntax; ``g`` is null in the default graph."""

CHANGES = OPERATIONS
"""A table of changes: a row for each operation, as from ``spark.read.format("jelly-patch")``."""


MARKS = "H,PA,PD,TX,TC,TA,END"
"""All operations except those on statements, as a value of a source's option ``op``."""

_MARK_COLUMNS = ("file", "patch", "txn", "seq", "op", "o", "g", "name")


def check_changes(changes: DataFrame, *, stream_too: bool = False) -> DataFrame:
    """Check a table of changes, and cast its numbers to longs.

    Raise a ValueError if a column is missing or has another type, or if this is a stream and
    ``stream_too`` is false.
    """
    return _check(changes, CHANGES, "a table of changes", stream_too=stream_too)


def check_marks(marks: DataFrame) -> DataFrame:
    """Check a table of marks as `check_changes` does, and drop operations on statements."""
    schema = StructType([CHANGES[name] for name in _MARK_COLUMNS])
    return _check(marks, schema, "a table of marks").where(F.col("op").isin(MARKS.split(",")))


def check_quads(quads: DataFrame, what: str) -> DataFrame:
    """Check a table of quads as `check_changes` does, and drop its other columns.

    ``what`` names the table in messages.
    """
    if "op" in getattr(quads, "columns", ()):
        raise ValueError(f"{what} has operations, not quads: replay() converts them to quads")
    return _check(quads, QUADS, what).select(*QUAD)


def _check(
    table: DataFrame, schema: StructType, what: str, *, stream_too: bool = False
) -> DataFrame:
    if not hasattr(table, "schema"):
        given = type(table).__name__
        raise TypeError(f"{what} must be a DataFrame, not {given}: spark.read.format(…).load(…)")
    if table.isStreaming and not stream_too:
        raise ValueError(f"{what} must not be a stream: maintain() applies streams of changes")
    check_columns(table.schema, schema, what, needed=schema.names)
    return table.withColumns(
        {field.name: F.col(field.name).cast(field.dataType) for field in schema}
    )


def is_statement() -> Column:
    """Return whether a row of changes adds or deletes a statement."""
    return F.col("op").isin("A", "D")


def header_key_column() -> Column:
    """Return the normalized key of a header, see `jelly_rdflib.headers.header_key`."""
    lower = F.lower("name")
    return F.when(lower == "previous", "prev").otherwise(lower)


def make_patch(operations: DataFrame, name: str) -> DataFrame:
    """Make a table of changes with one patch; the column ``file`` contains the name.

    The operations must have the columns ``seq`` and ``op``; other missing columns become null.
    """
    made = {column: F.col(column) for column in operations.columns}
    made |= {"file": F.lit(name), "patch": F.lit(1), "txn": F.lit(1)}
    columns = {
        field.name: made.get(field.name, F.lit(None)).cast(field.dataType) for field in CHANGES
    }
    return operations.select(*(column.alias(name) for name, column in columns.items()))

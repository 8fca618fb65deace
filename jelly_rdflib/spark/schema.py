"""The columns of the data sources."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

from jelly_rdflib.arrow import OPERATION_COLUMNS, STATEMENT_COLUMNS, arrow_schema

OPERATIONS = from_arrow_schema(arrow_schema(OPERATION_COLUMNS))
"""The columns of `jelly-patch` and `rdf-patch`: a row for each operation."""

STATEMENTS = from_arrow_schema(arrow_schema(STATEMENT_COLUMNS))
"""The columns of `jelly`: a row for each statement."""

CORRUPT = "_corrupt"
"""The column that describes errors, in the mode PERMISSIVE."""
CORRUPT_TYPE = StructType(
    [
        StructField("file", StringType()),
        StructField("offset", LongType()),
        StructField("reason", StringType()),
    ]
)


def with_structs(schema: StructType) -> StructType:
    """Return a schema in which terms are structs."""
    return from_arrow_schema(arrow_schema(schema.names, terms="struct"))


def check_schema(given: StructType, whole: StructType) -> None:
    """Check the schema of a query: some of the columns, in any order.

    Raises:
        ValueError: A column does not exist, or has another type.
    """
    types: dict[str, DataType] = {field.name: field.dataType for field in whole}
    for field in given:
        expected = types.get(field.name)
        if expected is None:
            raise ValueError(f"there is no column {field.name!r}; there are {', '.join(types)}")
        if field.dataType != expected:
            raise ValueError(
                f"the column {field.name!r} is {expected.simpleString()}, not"
                f" {field.dataType.simpleString()}"
            )


def check_written(given: StructType, needed: Iterable[str], known: StructType, format: str) -> None:
    """Check the schema of a table to be written.

    Raises:
        ValueError: A column is missing, or has another type.
    """
    types = {field.name: field.dataType for field in given}
    missing = [name for name in needed if name not in types]
    if missing:
        raise ValueError(
            f"to write {format} there must be the columns {', '.join(needed)}; missing:"
            f" {', '.join(missing)}"
        )
    for field in known:
        found = types.get(field.name)
        if found is None or found == field.dataType:
            continue
        if isinstance(found, StructType):
            raise ValueError(
                f"the column {field.name!r} has structs: terms are written as strings, in N-Triples"
            )
        if field.dataType == StringType() or found.simpleString() not in (
            "int",
            "smallint",
            "tinyint",
        ):
            raise ValueError(
                f"the column {field.name!r} is to be {field.dataType.simpleString()}, not"
                f" {found.simpleString()}"
            )

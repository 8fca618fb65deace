"""The columns of the data sources."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

from jelly_rdflib.core.arrow import TERM_COLUMNS

_TEXT, _NUMBER = StringType(), LongType()

OPERATIONS = StructType(
    [
        StructField("file", _TEXT),
        StructField("patch", _NUMBER),
        StructField("txn", _NUMBER),
        StructField("seq", _NUMBER),
        StructField("op", _TEXT),
        *(StructField(name, _TEXT) for name in TERM_COLUMNS),
        StructField("name", _TEXT),
    ]
)
"""What `jelly-patch` and `rdf-patch` give: a row for each operation."""

STATEMENTS = StructType(
    [
        StructField("file", _TEXT),
        StructField("frame", _NUMBER),
        StructField("seq", _NUMBER),
        *(StructField(name, _TEXT) for name in TERM_COLUMNS),
    ]
)
"""What `jelly` gives: a row for each statement."""

TERM = StructType([StructField(name, _TEXT) for name in ("kind", "value", "datatype", "lang")])

CORRUPT = "_corrupt"
"""The column that tells of damage, where reading is PERMISSIVE."""
CORRUPT_TYPE = StructType(
    [StructField("file", _TEXT), StructField("offset", _NUMBER), StructField("reason", _TEXT)]
)


def with_structs(schema: StructType) -> StructType:
    """Return a schema in which terms are structs."""
    return StructType(
        [
            StructField(field.name, TERM if field.name in TERM_COLUMNS else field.dataType)
            for field in schema
        ]
    )


def check_schema(given: StructType, whole: StructType) -> None:
    """Check the schema that a reader is given: some of the columns, in any order.

    Raises:
        ValueError: There is no such column, or it is of another type.
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
    """Check the schema of what is to be written.

    Raises:
        ValueError: A column is missing, or is of another type.
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
        if field.dataType == _TEXT or found.simpleString() not in ("int", "smallint", "tinyint"):
            raise ValueError(
                f"the column {field.name!r} is to be {field.dataType.simpleString()}, not"
                f" {found.simpleString()}"
            )

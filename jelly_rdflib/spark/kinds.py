"""The data sources: names, columns and files of each."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

from jelly_rdflib.arrow import OPERATION_COLUMNS, STATEMENT_COLUMNS, arrow_schema
from jelly_rdflib.spark.read_options import PERMISSIVE, ReadOptions

OPERATIONS: StructType = from_arrow_schema(arrow_schema(OPERATION_COLUMNS))
"""The columns of `jelly-patch` and `rdf-patch`: a row for each operation."""

STATEMENTS: StructType = from_arrow_schema(arrow_schema(STATEMENT_COLUMNS))
"""The columns of `jelly`: a row for each statement."""

CORRUPT = "_corrupt"
"""The column that describes errors, in the mode PERMISSIVE."""
_CORRUPT_TYPE = StructType(
    [
        StructField("file", StringType()),
        StructField("offset", LongType()),
        StructField("reason", StringType()),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A format of a data source.

    Args:
        name: The name of the format for Spark.
        format: The name of the format.
        extension: The extension of written files.
        is_statements: Whether rows are statements, and not operations.
        has_frames: Whether files have frames, which can be read in parts, and options.
    """

    name: str
    format: str
    extension: str
    is_statements: bool = False
    has_frames: bool = True

    @property
    def schema(self) -> StructType:
        """All columns."""
        return STATEMENTS if self.is_statements else OPERATIONS

    def schema_for(self, options: ReadOptions) -> StructType:
        """Return the columns of a reader with these options."""
        schema = from_arrow_schema(arrow_schema(self.schema.names, terms=options.terms))
        if options.mode != PERMISSIVE:
            return schema
        return StructType([*schema.fields, StructField(CORRUPT, _CORRUPT_TYPE)])

    def check_written(self, given: StructType) -> None:
        """Check the columns of a table to be written.

        Raises:
            ValueError: A column is missing, or has another type.
        """
        needed = ("s", "p", "o") if self.is_statements else ("op", "s", "p", "o")
        types = {field.name: field.dataType for field in given}
        missing = [name for name in needed if name not in types]
        if missing:
            raise ValueError(
                f"to write {self.name} there must be the columns {', '.join(needed)}; missing:"
                f" {', '.join(missing)}"
            )
        for field in self.schema:
            found = types.get(field.name)
            if found is None or found == field.dataType:
                continue
            if isinstance(found, StructType):
                raise ValueError(
                    f"the column {field.name!r} has structs: terms are written as strings, in"
                    " N-Triples"
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


JELLY_PATCH = Kind(name="jelly-patch", format="jelly-patch", extension="jellyp")
RDF_PATCH = Kind(name="rdf-patch", format="rdf-patch", extension="rdfp", has_frames=False)
JELLY = Kind(name="jelly", format="jelly-rdf", extension="jelly", is_statements=True)


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

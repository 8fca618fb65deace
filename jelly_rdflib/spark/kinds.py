"""The kinds of data sources: their names, columns and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import LongType, StructType

from jelly_rdflib.arrow import OPERATION_COLUMNS, STATEMENT_COLUMNS, arrow_schema
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats import guess_by_name
from jelly_rdflib.spark.options import PERMISSIVE, ReadOptions
from jelly_rdflib.types import ChangeFormat, JellyFormat

OPERATIONS: StructType = from_arrow_schema(arrow_schema(OPERATION_COLUMNS))
"""The columns of `jelly-patch` and `rdf-patch`: a row for each operation."""

STATEMENTS: StructType = from_arrow_schema(arrow_schema(STATEMENT_COLUMNS))
"""The columns of `jelly`: a row for each statement."""

# The metadata key that marks columns from folder names; writers leave these columns out.
FOLDER = "jelly_rdflib.folder"
# The type of the column that describes errors, in the mode PERMISSIVE.
_CORRUPT_TYPE = StructType().add("file", "string").add("offset", "long").add("reason", "string")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A format of a data source, with its names in Spark and in `jelly_rdflib.formats`.

    Files with frames can be read in parts, and have options.
    """

    name: str
    format: ChangeFormat | JellyFormat
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
        if options.corrupt in schema.names:
            raise ValueError(f"columnNameOfCorruptRecord: {options.corrupt!r} is already a column")
        return schema.add(options.corrupt, _CORRUPT_TYPE) if options.mode == PERMISSIVE else schema

    def explain(self, error: DecodeError, path: str) -> None:
        """Add a file's path to an error, and advice if its name suggests another format."""
        error.source = path
        found = guess_by_name(path)
        names = {each.format: each.name for each in (JELLY_PATCH, RDF_PATCH, JELLY)}
        if found is None:
            advice = f'.option("pathGlobFilter", "*.{self.extension}") leaves out other files'
        elif found.name != self.format and found.name in names:
            advice = f'.format("{names[found.name]}") reads files of this name'
        else:
            return
        error.message = f"{re.split('; is the input|: use read_', error.message)[0]}: {advice}"


JELLY_PATCH = Kind(name="jelly-patch", format="jelly-patch", extension="jellyp")
RDF_PATCH = Kind(name="rdf-patch", format="rdf-patch", extension="rdfp", has_frames=False)
JELLY = Kind(name="jelly", format="jelly-rdf", extension="jelly", is_statements=True)


def describes_errors(schema: StructType) -> bool:
    """Return whether a table has the column that describes errors, whatever its name."""
    return _CORRUPT_TYPE.simpleString() in (field.dataType.simpleString() for field in schema)


def check_names(names: Iterable[str], columns: Iterable[str]) -> None:
    """Check that the names are columns; a ValueError names the first that is not."""
    for name in names:
        if name not in columns:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(columns)}")


def check_columns(
    given: StructType,
    expected: StructType,
    what: str,
    *,
    needed: Iterable[str] = (),
    is_exact: bool = False,
) -> None:
    """Check that a table has the needed columns, and that the expected columns have their types.

    Otherwise raise a ValueError; ``what`` names the table in the message. Expected columns that
    are not needed may be missing. Unless ``is_exact``, a column of longs may have a smaller
    integer type.
    """
    missing = [name for name in needed if name not in given.names]
    if missing:
        raise ValueError(
            f"{what} needs the columns {', '.join(needed)}; missing: {', '.join(missing)}"
        )
    for field in expected:
        if field.name not in given.names:
            continue
        found, kind = given[field.name].dataType, field.dataType
        smaller = () if is_exact or kind != LongType() else ("int", "smallint", "tinyint")
        if found != kind and found.simpleString() not in smaller:
            hint = ": terms must be text (terms='string')" if isinstance(found, StructType) else ""
            raise ValueError(
                f"the column {field.name!r} of {what} must be {kind.simpleString()}, but is"
                f" {found.simpleString()}{hint}"
            )

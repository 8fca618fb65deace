"""The properties of each data source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StructField, StructType

from jelly_rdflib.options import PatchOptions, PhysicalStreamType, StreamOptions
from jelly_rdflib.spark.read_options import PERMISSIVE, ReadOptions
from jelly_rdflib.spark.schema import CORRUPT, CORRUPT_TYPE, OPERATIONS, STATEMENTS, with_structs


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A format of a data source.

    Args:
        name: The name of the format for Spark.
        encoding: The name of the encoding.
        extension: The extension of written files.
        schema: The columns.
        needed: The columns that a written table must have.
        is_statements: Whether rows are statements, and not operations.
        has_frames: Whether files have frames, which can be read in parts, and options.
    """

    name: str
    encoding: str
    extension: str
    schema: StructType
    needed: tuple[str, ...]
    is_statements: bool = False
    has_frames: bool = True

    def schema_for(self, options: ReadOptions) -> StructType:
        """Return the columns of a reader with these options."""
        schema = with_structs(self.schema) if options.terms == "struct" else self.schema
        if options.mode != PERMISSIVE:
            return schema
        return StructType([*schema.fields, StructField(CORRUPT, CORRUPT_TYPE)])

    def statement_type(self, options: Any) -> str:
        """Return whether a stream with these options has triples or quads."""
        if isinstance(options, PatchOptions):
            return options.statement_type.name
        assert isinstance(options, StreamOptions)
        return "TRIPLES" if options.physical_type == PhysicalStreamType.TRIPLES else "QUADS"


JELLY_PATCH = Kind(
    name="jelly-patch",
    encoding="jelly-patch",
    extension="jellyp",
    schema=OPERATIONS,
    needed=("op", "s", "p", "o"),
)
RDF_PATCH = Kind(
    name="rdf-patch",
    encoding="rdf-patch",
    extension="rdfp",
    schema=OPERATIONS,
    needed=("op", "s", "p", "o"),
    has_frames=False,
)
JELLY = Kind(
    name="jelly",
    encoding="jelly-rdf",
    extension="jelly",
    schema=STATEMENTS,
    needed=("s", "p", "o"),
    is_statements=True,
)

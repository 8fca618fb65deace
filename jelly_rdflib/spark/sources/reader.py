"""Reads the files of a query as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.spark.filters import Filters
from jelly_rdflib.spark.kinds import CORRUPT, Kind, check_schema
from jelly_rdflib.spark.partitions import FilePart, FilePartition, check_files, plan
from jelly_rdflib.spark.paths import find_files
from jelly_rdflib.spark.read_options import FAILFAST, PERMISSIVE, ReadOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter


class RowsReader:
    """Base of the readers: finds and plans files on the driver, and reads them on executors.

    Args:
        kind: The format of the files.
        options: The options of the user.
        schema: The wanted columns.
        paths: Files, folders and globs.

    Attributes:
        filters: The conditions of the wanted rows.
    """

    def __init__(
        self, kind: Kind, options: ReadOptions, schema: StructType, paths: list[str]
    ) -> None:
        check_schema(schema, kind.schema_for(options))
        if kind.is_statements and options.ops is not None:
            raise ValueError(f"the option op is for operations; {kind.name} has statements")
        self.kind = kind
        self.options = options
        self.schema = schema
        self.paths = paths
        self.filters = Filters.of(options)

    def find_files(self) -> list[str]:
        """Return the current files of the paths."""
        options = self.options
        return find_files(self.paths, pattern=options.pattern, is_recursive=options.is_recursive)

    def plan(self, files: list[str]) -> list[InputPartition]:
        """Check files, and distribute them to partitions.

        Raises:
            DecodeError: A file does not go with the others; or, in the mode FAILFAST, it is empty
                or of another format.
        """
        check_files(files, self.kind, self.options)
        return list(plan(files, self.kind, self.options))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the files of a partition, or parts of files.

        Raises:
            DecodeError: A file breaks a rule, in the mode FAILFAST.
        """
        # Without files, Spark reads a partition of its own.
        if isinstance(partition, FilePartition):
            for part in partition.parts:
                yield from self._read_file(part)

    def _read_file(self, part: FilePart) -> Iterator[pa.RecordBatch]:
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(self.schema, timezone="UTC")
        try:
            for record_batch in self._rows(part, schema):
                yield (
                    record_batch if CORRUPT not in schema.names else _widened(record_batch, schema)
                )
        except DecodeError as error:
            if self.options.mode == FAILFAST:
                raise DecodeError(f"{part.path}: {error}") from error
            if self.options.mode == PERMISSIVE and CORRUPT in schema.names:
                yield _corrupt_row(schema, part.path, error)

    def _rows(self, part: FilePart, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from jelly_rdflib.arrow import ArrowRows
        from jelly_rdflib.streams.index import read_part
        from jelly_rdflib.streams.reading import read_batches

        limits = self.options.limits
        rows = ArrowRows(
            pa.schema([field for field in schema if field.name != CORRUPT]),
            is_statements=self.kind.is_statements,
            filter=self.filters.make(limits, is_statements=self.kind.is_statements),
            file=part.path,
            place=None if part.part is None else part.part.place,
            limits=limits,
        )
        if part.part is None:
            batches: Any = read_batches(part.path, limits=limits, format=self.kind.format)
        else:
            batches = read_part(
                part.path, part.part, is_statements=self.kind.is_statements, limits=limits
            )
        try:
            yield from rows.convert(batches)
        finally:
            batches.close()


def _widened(record_batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Add the column that describes errors; it is null in rows without an error."""
    import pyarrow as pa

    count = record_batch.num_rows
    arrays = [
        pa.nulls(count, field.type) if field.name == CORRUPT else record_batch.column(field.name)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _corrupt_row(schema: pa.Schema, path: str, error: DecodeError) -> pa.RecordBatch:
    import pyarrow as pa

    row: dict[str, Any] = {
        CORRUPT: {"file": path, "offset": error.offset, "reason": str(error)},
        "file": path,
    }
    return pa.RecordBatch.from_pylist([row], schema=schema)


class FilesReader(RowsReader, DataSourceReader):
    """Reads the files that exist when a query starts."""

    def partitions(self) -> list[InputPartition]:
        """Distribute the files to partitions."""
        return self.plan([file for file in self.find_files() if self.filters.wants_file(file)])


class FilteringFilesReader(FilesReader):
    """Reads files, and takes over filters from Spark.

    It is a class of its own, and users must choose it: Spark (up to 4.3 at least) reuses a reader
    with the filters of one query for the next query over the same DataFrame, which then misses
    rows.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Take over filters on terms, codes and files; return the other filters."""
        return self.filters.take(filters, columns=self.schema.names, terms=self.options.terms)

"""Reads files as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.spark.filters import Filters
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.partitions import (
    FilePart,
    FilePartition,
    check_files,
    file_error,
    plan,
)
from jelly_rdflib.spark.paths import find_files
from jelly_rdflib.spark.read_options import FAILFAST, PERMISSIVE, ReadOptions
from jelly_rdflib.spark.schema import CORRUPT, check_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter


class RowsReader:
    """Makes the rows of files. It goes to the executors, so it holds nothing but what it says.

    Args:
        kind: What the files are.
        options: What the user asks for.
        schema: The columns that are wanted.
        filters: Which rows are.
    """

    def __init__(
        self, kind: Kind, options: ReadOptions, schema: StructType, filters: Filters
    ) -> None:
        check_schema(schema, kind.schema_for(options))
        if kind.is_statements and options.ops is not None:
            raise ValueError(f"the option op is for operations; {kind.name} has statements")
        self.kind = kind
        self.options = options
        self.schema = schema
        self.filters = filters

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read a partition's files, or parts of files.

        Raises:
            DecodeError: A file breaks a rule, in the mode FAILFAST.
        """
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
                raise file_error(part.path, error) from error
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
            batches: Any = read_batches(part.path, limits=limits, format=self.kind.encoding)
        else:
            batches = read_part(
                part.path, part.part, is_statements=self.kind.is_statements, limits=limits
            )
        try:
            yield from rows.convert(batches)
        finally:
            batches.close()


def _widened(record_batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Add the column that tells of damage, where there is none."""
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


class FilesReader(DataSourceReader):
    """Reads files. The driver plans, and executors read.

    Args:
        kind: What the files are.
        options: What the user asks for.
        schema: The columns that are wanted.
        paths: Files, folders and globs.
    """

    def __init__(
        self, kind: Kind, options: ReadOptions, schema: StructType, paths: list[str]
    ) -> None:
        self._rows = RowsReader(kind, options, schema, Filters.of(options))
        self._paths = paths

    def partitions(self) -> list[InputPartition]:
        """Share the files out.

        Raises:
            FileNotFoundError, ValueError: As by `find_files`.
            DecodeError: A file does not go with the others; or, in the mode FAILFAST, it is empty
                or not of the format.
        """
        rows = self._rows
        options = rows.options
        files = find_files(self._paths, pattern=options.pattern, is_recursive=options.is_recursive)
        files = [file for file in files if rows.filters.wants_file(file)]
        check_files(files, rows.kind, options)
        return list(plan(files, rows.kind, options))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read a partition."""
        return self._rows.read(partition)


class FilteringFilesReader(FilesReader):
    """Reads files, and takes filters over from Spark.

    It is a class of its own since Spark (up to 4.3 at least) keeps what a reader becomes by a
    query's filters for all queries over the same DataFrame, and so gives wrong rows for the next
    one: who asks for this must know.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Take over filters on terms, codes and files; return the others."""
        return self._rows.filters.take(
            filters, columns=self._rows.schema.names, terms=self._rows.options.terms
        )

"""The data sources, as in Spark's Python Data Source API."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.paths import paths_of
from jelly_rdflib.spark.sources.reader import FilesReader, FilteringFilesReader, FolderReader
from jelly_rdflib.spark.sources.writer import FolderStreamWriter, FolderWriter


class FileSource(DataSource):
    """Files of one format. Spark makes an instance for each use of the format."""

    kind: ClassVar[Kind]

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return cls.kind.name

    def schema(self) -> StructType:
        """Return all columns, for a user who does not choose."""
        return self.kind.schema_for(ReadOptions.of(self.options))

    def reader(self, schema: StructType) -> FilesReader:
        """Return a reader of files."""
        options = ReadOptions.of(self.options)
        reader = FilteringFilesReader if options.push_filters else FilesReader
        return reader(self.kind, options, schema, paths_of(self.options, self.kind.name))

    def streamReader(self, schema: StructType) -> FolderReader:
        """Return a reader of new files of a folder."""
        options = ReadOptions.of(self.options)
        return FolderReader(self.kind, options, schema, paths_of(self.options, self.kind.name))

    def writer(self, schema: StructType, overwrite: bool) -> FolderWriter:
        """Return a writer of a file for each partition."""
        return FolderWriter(self.kind, self.options, schema, overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> FolderStreamWriter:
        """Return a writer of a file for each partition of each micro-batch."""
        return FolderStreamWriter(self.kind, self.options, schema, overwrite=overwrite)


# ``jelly-patch`` and ``rdf-patch`` have a row for each operation, ``jelly`` for each statement.
SOURCES: list[type[DataSource]] = [
    type(kind.name, (FileSource,), {"kind": kind}) for kind in (JELLY_PATCH, RDF_PATCH, JELLY)
]

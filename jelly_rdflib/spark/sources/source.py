"""The data sources, as in Spark's Python Data Source API."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.paths import paths_of
from jelly_rdflib.spark.read_options import ReadOptions

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )


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

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of files."""
        from jelly_rdflib.spark.sources.reader import FilesReader, FilteringFilesReader

        options = ReadOptions.of(self.options)
        reader = FilteringFilesReader if options.push_filters else FilesReader
        return reader(self.kind, options, schema, paths_of(self.options, self.kind.name))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a reader of new files of a folder."""
        from jelly_rdflib.spark.sources.stream_reader import FolderReader

        options = ReadOptions.of(self.options)
        return FolderReader(self.kind, options, schema, paths_of(self.options, self.kind.name))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Return a writer of a file for each partition."""
        from jelly_rdflib.spark.sources.writer import FolderWriter

        return FolderWriter(self.kind, self.options, schema, overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        """Return a writer of a file for each partition of each micro-batch."""
        from jelly_rdflib.spark.sources.writer import FolderStreamWriter

        return FolderStreamWriter(self.kind, self.options, schema, overwrite=overwrite)


class JellyPatchSource(FileSource):
    """``jelly-patch``: a row for each operation of Jelly-Patch files."""

    kind = JELLY_PATCH


class RdfPatchSource(FileSource):
    """``rdf-patch``: a row for each operation of RDF Patch text."""

    kind = RDF_PATCH


class JellySource(FileSource):
    """``jelly``: a row for each statement of Jelly-RDF files."""

    kind = JELLY


SOURCES = (JellyPatchSource, RdfPatchSource, JellySource)

"""The data sources, as classes of Spark's Python Data Source API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from jelly_rdflib.spark.connections import check_no_secrets, take_settings
from jelly_rdflib.spark.kinds import FOLDER, JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.options import ReadOptions, options_of_table
from jelly_rdflib.spark.paths import paths_of
from jelly_rdflib.spark.planning import THIS_MACHINE, Cluster
from jelly_rdflib.spark.sources.reader import (
    FilesReader,
    FilteringFilesReader,
    FolderReader,
    RowsReader,
)
from jelly_rdflib.spark.sources.writer import FolderStreamWriter, FolderWriter
from jelly_rdflib.spark.storage import Storage

_Reader = TypeVar("_Reader", bound=RowsReader)

TABLE = "jelly_rdflib.table"
"""The key of the table's options in the metadata of its first column."""


class FileSource(DataSource):
    """Files of one format. Spark makes an instance for each use of the format.

    Spark passes the options of a catalog table only to ``schema``, when the table is created. A
    query gets the columns with their metadata, so the options are stored in the metadata of the
    first column.
    """

    kind: ClassVar[Kind]
    settings: ClassVar[Mapping[str, str]] = {}
    """The settings of the session for access to stores."""
    cluster: ClassVar[Cluster]

    def __repr__(self) -> str:
        return f"<FileSource of {self.kind.name}>"

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return cls.kind.name

    def schema(self) -> StructType:
        """Return all columns, for a user who gives no schema; the folders' columns come last."""
        table = options_of_table(self.options)
        check_no_secrets(table or {})
        reader = self._open(RowsReader, self.options if table is None else table, None)
        schema = reader.schema
        for name in reader.folder_names():
            schema.add(name, "string", metadata={FOLDER: True})
        if table is not None:
            schema[0].metadata = {TABLE: table}
            # Mark this table by a column that can't be null: in a table that Spark makes from a
            # query, all columns can be null.
            schema[0].nullable = False
        return schema

    def reader(self, schema: StructType) -> FilesReader:
        """Return a reader of files."""
        options = self._options(schema)
        filters = ReadOptions.of(take_settings(options)[1]).push_filters
        return self._open(FilteringFilesReader if filters else FilesReader, options, schema)

    def streamReader(self, schema: StructType) -> FolderReader:
        """Return a reader of new files in a folder."""
        return self._open(FolderReader, self._options(schema), schema)

    def _open(
        self, reader: type[_Reader], options: Mapping[str, str], schema: StructType | None
    ) -> _Reader:
        """Make a reader, by default of all columns except those from folder names."""
        settings, options = take_settings(options)
        made = ReadOptions.of(options)
        paths = paths_of(options, self.kind.name)
        storage = Storage.of({**self.settings, **settings})
        schema = schema or self.kind.schema_for(made)
        return reader(self.kind, made, schema, paths, storage, self.cluster)

    def _options(self, schema: StructType) -> Mapping[str, str]:
        """Return the options of a reader; if it has no path, add those of its table."""
        if self.options.keys() & {"path", "paths"}:
            return self.options
        table: Mapping[str, str] = schema[0].metadata.get(TABLE, {}) if schema.fields else {}
        if table and schema[0].nullable:
            raise ValueError(
                "this table was made by saveAsTable, which makes it use the files of its source"
                f" table: drop it, and CREATE TABLE … USING `{self.name()}` LOCATION path"
            )
        return {**table, **self.options}

    def writer(self, schema: StructType, overwrite: bool) -> FolderWriter:
        """Return a writer that makes a file for each partition."""
        return FolderWriter(
            self.kind, self.options, schema, overwrite=overwrite, settings=self.settings
        )

    def streamWriter(self, schema: StructType, overwrite: bool) -> FolderStreamWriter:
        """Return a writer that makes a file for each partition of each micro-batch."""
        return FolderStreamWriter(
            self.kind, self.options, schema, overwrite=overwrite, settings=self.settings
        )


def make_sources(
    settings: Mapping[str, str], cluster: Cluster = THIS_MACHINE
) -> list[type[DataSource]]:
    """Make the sources of a session, with its settings for stores, and its cluster.

    ``jelly-patch`` and ``rdf-patch`` have a row for each operation, ``jelly`` has one for each
    statement.
    """
    return [
        type(kind.name, (FileSource,), {"kind": kind, "settings": settings, "cluster": cluster})
        for kind in (JELLY_PATCH, RDF_PATCH, JELLY)
    ]

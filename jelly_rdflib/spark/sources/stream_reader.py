"""Reads files as they come into a folder, each exactly once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from jelly_rdflib.spark.filters import Filters
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.partitions import check_files, plan
from jelly_rdflib.spark.paths import find_files
from jelly_rdflib.spark.read_options import ReadOptions
from jelly_rdflib.spark.sources.reader import RowsReader

if TYPE_CHECKING:
    import pyarrow as pa

# A file that is older than the newest one by more than this is taken for one that was read: else
# all files that ever were would have to be remembered.
MAX_AGE = 7 * 24 * 3600 * 10**9


class FolderReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads files as they come into a folder.

    An offset tells which files have been read: those of the last seven days by name, by the newest
    file's time, and all before. What a batch reads is what its end has and its start has not, so
    that it is the same whenever it is asked for, also after a restart.

    Args:
        kind: What the files are.
        options: What the user asks for.
        schema: The columns that are wanted.
        paths: Folders, globs of folders or of files.
    """

    def __init__(
        self, kind: Kind, options: ReadOptions, schema: StructType, paths: list[str]
    ) -> None:
        self._rows = RowsReader(kind, options, schema, Filters.of(options))
        self._paths = paths
        self._only: set[str] | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset at which nothing has been read."""
        return {"before": 0, "files": {}}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return how many files a micro-batch has at the most."""
        max_files = self._rows.options.max_files
        return ReadAllAvailable() if max_files is None else ReadMaxFiles(max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        """Note which files there are: others are not read by this query."""
        self._only = {path for path, _ in self._list()}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the offset at which files that are new are read, as many as the limit allows."""
        seen: dict[str, int] = start["files"]
        new = [
            (modified, path)
            for path, modified in self._list()
            if path not in seen
            and modified >= start["before"]
            and (self._only is None or path in self._only)
        ]
        new.sort()
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        if not new:
            return start
        newest = max(max(seen.values(), default=0), new[-1][0])
        before = max(start["before"], newest - MAX_AGE)
        files = {path: modified for path, modified in seen.items() if modified >= before}
        files |= {path: modified for modified, path in new}
        return {"before": before, "files": files}

    def _list(self) -> Iterator[tuple[str, int]]:
        """Give the files that there are now, and when each was modified."""
        options = self._rows.options
        for path in find_files(
            self._paths, pattern=options.pattern, is_recursive=options.is_recursive
        ):
            # It may be gone since the folder was listed.
            with suppress(FileNotFoundError):
                yield path, os.stat(path).st_mtime_ns

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Share out the files between two offsets."""
        new = [
            (modified, path)
            for path, modified in end["files"].items()
            if path not in start["files"]
        ]
        files = [path for _, path in sorted(new)]
        rows = self._rows
        check_files(files, rows.kind, rows.options)
        return list(plan(files, rows.kind, rows.options))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read a partition."""
        return self._rows.read(partition)

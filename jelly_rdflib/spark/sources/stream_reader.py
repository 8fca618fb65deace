"""Reads new files of a folder, each exactly once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.read_options import ReadOptions
from jelly_rdflib.spark.sources.reader import RowsReader

# In nanoseconds. A file that is older than the newest one by more than this counts as read, so that
# an offset need not list all files that ever existed.
MAX_AGE = 7 * 24 * 3600 * 10**9


class FolderReader(RowsReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads new files of folders, as a stream.

    An offset lists the files that were read: those of the seven days before the newest file by
    name, and the time before which all files count as read. A batch reads the files that its end
    lists and its start does not. So it reads the same files whenever Spark asks for it, also after
    a restart.
    """

    def __init__(
        self, kind: Kind, options: ReadOptions, schema: StructType, paths: list[str]
    ) -> None:
        super().__init__(kind, options, schema, paths)
        self._only: set[str] | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset before the first file."""
        return {"before": 0, "files": {}}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the largest number of files of a micro-batch."""
        max_files = self.options.max_files
        return ReadAllAvailable() if max_files is None else ReadMaxFiles(max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        """Fix the files that this query reads: those that exist now."""
        self._only = {path for path, _ in self._list()}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the offset after the next new files, as many as the limit allows."""
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
        """Yield the current files, and the time when each was modified."""
        for path in self.find_files():
            # A file may be deleted after the folder was listed.
            with suppress(FileNotFoundError):
                yield path, os.stat(path).st_mtime_ns

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Distribute the files between two offsets to partitions."""
        new = [
            (modified, path)
            for path, modified in end["files"].items()
            if path not in start["files"]
        ]
        return self.plan([path for _, path in sorted(new)])

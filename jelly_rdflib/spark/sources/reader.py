"""Reads files as rows: those that exist when a query starts, or new ones as a stream."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType
from rdflib.term import URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.log import LogEntry, PatchLog
from jelly_rdflib.log.versions import Point, check_log_id
from jelly_rdflib.spark.filters import Conditions
from jelly_rdflib.spark.kinds import Kind, check_columns, check_names
from jelly_rdflib.spark.options import PERMISSIVE, ReadOptions
from jelly_rdflib.spark.paths import base_of, find_files, folder_names, folder_values
from jelly_rdflib.spark.planning import THIS_MACHINE, Cluster
from jelly_rdflib.spark.sources.partitions import FilePartition, is_patch, opened, plan
from jelly_rdflib.spark.sources.rows import RowMaker
from jelly_rdflib.spark.storage import Entry, Storage
from jelly_rdflib.streams.index import FilePart

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter


# The time of a log's files in offsets: their real times don't count, since the position in the log
# shows whether a file is new.
_IN_LOG = -1
_ANEW = "; restore it as it was, or start again with a new checkpoint"


class RowsReader:
    """The base of readers: the driver finds and distributes the files, and executors read them."""

    def __init__(
        self,
        kind: Kind,
        options: ReadOptions,
        schema: StructType,
        paths: list[str],
        storage: Storage | None = None,
        cluster: Cluster = THIS_MACHINE,
    ) -> None:
        self.storage = storage or Storage()
        self.cluster = cluster
        self.bases = [] if options.is_recursive else [base_of(path, self.storage) for path in paths]
        self.paths = paths
        self.options = options
        whole = kind.schema_for(options)
        self.columns = whole.names
        if not set(schema.names).issubset(self.columns):
            check_names(schema.names, [*self.columns, *self.folder_names()])
        check_columns(schema, whole, f"a table of {kind.name}", is_exact=True)
        if kind.is_statements and options.ops is not None:
            raise ValueError(f"the option op is for operations; {kind.name} has statements")
        self.kind = kind
        self.schema = schema
        self.filters = Conditions.of(options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.kind.name}: {', '.join(self.paths)}>"

    def find_files(
        self, list_patches: Callable[[PatchLog], list[LogEntry]] = PatchLog.patches
    ) -> list[Entry]:
        """Return the current files; for logs, the files of the patches from ``list_patches``."""
        options = self.options
        files = find_files(
            self.paths,
            self.storage,
            pattern=options.pattern,
            is_recursive=options.is_recursive,
            list_patches=list_patches,
        )
        after, before = options.modified_after, options.modified_before
        if after is None and before is None:
            return files
        return [
            file
            for file in files
            if (
                is_patch(file.path)
                if file.is_missing
                else (after is None or file.modified > after * 1e9)
                and (before is None or file.modified < before * 1e9)
            )
        ]

    def folder_names(self) -> list[str]:
        """Return the keys of folders ``key=value``; raise a ValueError if files differ in them."""
        names = folder_names((file.path for file in self.find_files()), self.bases)
        columns = {column.lower() for column in self.columns}
        for name in names:
            if name.lower() in columns:
                raise ValueError(
                    f"folders {name}=… have the name of a column: rename them, or read the files"
                    " without the folders' columns, with recursiveFileLookup=true"
                )
        return names

    def plan(self, files: list[Entry]) -> list[InputPartition]:
        """Distribute files to partitions."""
        return list(plan(files, self.storage, self.kind, self.options, self.cluster))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the files of a partition, or parts of files."""
        # If there are no files, Spark passes an empty partition.
        if isinstance(partition, FilePartition):
            for path, part in partition.parts:
                yield from self._read_file(path, part, partition.first)

    def _read_file(
        self, path: str, part: FilePart | None, first: tuple[str, str] | None
    ) -> Iterator[pa.RecordBatch]:
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(self.schema, timezone="UTC")
        maker = RowMaker(self.kind, self.options, self.filters, schema)
        place = None if part is None else part.place
        batches = opened(path, self.storage, self.kind, self.options, part)
        try:
            yield from maker.rows(path, batches, self._constants(path, schema), place, first)
        except FileNotFoundError:
            if is_patch(path) or not self.options.ignores_missing:
                raise

    def _constants(self, path: str, schema: pa.Schema) -> dict[str, pa.Scalar]:
        """Return the values of the columns that come from folder names."""
        import pyarrow as pa

        values = folder_values(path, self.bases)
        made = {}
        for field in schema:
            if field.name not in self.columns:
                if field.name not in values:
                    raise ValueError(f"{path}: the file is in no folder {field.name}=…")
                try:
                    text = pa.scalar(values[field.name], pa.string())
                    made[field.name] = text.cast(field.type)
                except pa.ArrowException as error:
                    raise ValueError(f"{path}: the folder {field.name}=…: {error}") from None
        return made


class FilesReader(RowsReader, DataSourceReader):
    """Reads the files that exist when a query starts."""

    def partitions(self) -> list[InputPartition]:
        """Distribute the files to partitions."""
        return self.plan([each for each in self.find_files() if self.filters.wants_file(each.path)])


class FilteringFilesReader(FilesReader):
    """Reads files, and takes over filters from Spark.

    This is a separate class, used only with ``pushFilters=true``, since Spark (up to 4.3 at least)
    reuses a reader with the filters of one query for the next query over the same DataFrame, which
    then misses rows.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Take over filters on terms, operation codes and files; return the other filters."""
        if self.options.mode == PERMISSIVE:
            # Take over no filters: a row that describes an error has nulls in these columns, and
            # only Spark's own filters reject it.
            return filters
        return self.filters.push(filters, columns=self.schema.names, terms=self.options.terms)


class FolderReader(RowsReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads new files of folders, as a stream.

    Spark stores each offset, and a source in Python can't store anything elsewhere. So an offset
    lists files that were read, by name and time: the files of its own batch, and the files of the
    last hour (``maxFileDelay``) before the newest file. It also contains the time before which all
    files count as read. A batch reads the files that are listed in the offset at its end, but not
    in the offset at its start. So it reads the same files whenever Spark asks for it, even after a
    restart.

    While the query runs, this object remembers the names of the files of seven days
    (``maxFileAge``). So it finds a file that appears with an older time than the offset's; after a
    restart such a file can't be found.

    The patches of a log have an order, whatever the times of their files. So an offset contains the
    id of each log, and the version and the id of the last patch that was read, which the next patch
    must follow.
    """

    # The files that this query reads, and for each log the last version; None: there is no limit.
    _only: set[str] | None = None
    _ends: dict[str, int]
    # The entries of the last offset's files, by path; empty after a restart.
    _found: Mapping[str, Entry] = {}
    # The times of the files that count as read, by path; None until the folder is first listed.
    _read: dict[str, int] | None = None
    # The times of files that were found to have replaced damaged ones, when their batch was read
    # again after a restart.
    _mended: Mapping[str, int] = {}
    # The offset's entries for logs that are not listed yet.
    _logs: dict[str, list[Any]]
    # For each listed patch, by its file: its log, and the log's entry in an offset after the
    # patch.
    _patches: dict[str, tuple[str, list[Any]]]

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset before the first file."""
        return {"paths": self.paths, "before": 0, "files": {}, "logs": {}}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return how many files, or how many bytes of files, a micro-batch may have."""
        if self.options.max_bytes is not None:
            return ReadMaxBytes(self.options.max_bytes)
        max_files = self.options.max_files
        return ReadAllAvailable() if max_files is None else ReadMaxFiles(max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        """Record the input of this query: the files that exist now, and the versions of logs."""
        self._ends = {}

        def note(log: PatchLog) -> list[LogEntry]:
            # Record the version instead of the files, since a squash replaces the files.
            self._ends[log.location] = log.version
            return []

        self._only = {file.path for file in self.find_files(note)}

    def _list_patches(self, log: PatchLog) -> list[LogEntry]:
        """Return the patches of a log after the last one that was read."""
        place = log.location
        id, version, last = self._logs.pop(place, ("", 0, None))
        try:
            check_log_id(id, log.log_id, "the log")
            entries = log.patches(Point(version, URIRef(last)) if last else None)
        except LogError as error:
            read = f"the stream has read version {version}: " if last else ""
            raise LogError(f"{place}: {read}{error}{_ANEW if last else ''}") from None
        if self._only is not None:
            entries = [entry for entry in entries if entry.version <= self._ends.get(place, 0)]
        for entry in entries:
            point = [log.log_id, entry.version, str(entry.id)]
            self._patches[entry.location] = place, point
        return entries

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the offset after as many new files as the limit allows."""
        if start["paths"] != self.paths:
            of = f"for {', '.join(start['paths'])}, not for {', '.join(self.paths)}"
            raise ValueError(f"the checkpoint is {of}: use another one")
        before: int = start["before"]
        known = start["files"] | {p: t for p, t in self._mended.items() if p in start["files"]}
        self._logs, self._patches = dict(start["logs"]), {}
        late, new = self._find_new(before, known)
        for log in self._logs:
            raise LogError(f"{log}: the stream has read this log, which is no longer a log{_ANEW}")
        count = len(new)
        if isinstance(limit, ReadMaxFiles):
            count = limit.max_files
        elif isinstance(limit, ReadMaxBytes):
            sums = accumulate(file.size for file in new)
            # Take at least one file: a file that is larger than the limit is a batch by itself.
            count = max(1, sum(total <= limit.max_bytes for total in sums))
        # Take all late files, since the next offset could not record that one is left.
        taken, left = [*late, *new[:count]], new[count:]
        if not taken:
            return start if known == start["files"] else {**start, "files": known}
        # Ignore times in the future, which would make all files of today late.
        newest = min(max(file.modified for file in taken), time.time_ns())
        ends = [newest - self.options.max_delay * 10**9, *(file.modified for file in left)]
        before = max(before, min(ends))
        files = {path: when for path, when in known.items() if when >= before}
        files |= {file.path: file.modified for file in taken}
        self._found = {file.path: file for file in taken}
        read = (self._patches[path] for path in self._found if path in self._patches)
        return {**start, "before": before, "files": files, "logs": start["logs"] | dict(read)}

    def _find_new(self, before: int, files: dict[str, int]) -> tuple[list[Entry], list[Entry]]:
        """Return the unread files in order: those older than the offset, and the others."""
        found = self.find_files(self._list_patches)
        # Don't skip the missing file of a patch: reading it must fail.
        patches = [file._replace(modified=_IN_LOG) for file in found if file.path in self._patches]
        there = [file for file in found if not (file.is_missing or file.path in self._patches)]
        there = [file for file in there if self._only is None or file.path in self._only]
        if self._read is None:
            self._read = {file.path: file.modified for file in there if file.modified < before}
        oldest = before - (self.options.max_age - self.options.max_delay) * 10**9
        read = {**self._read, **files}
        for file in there:
            if read.get(file.path, file.modified) != file.modified:
                what = "this file was replaced or changed after the stream had read it"
                raise ValueError(f"{file.path}: {what}: give a new file its own name{_ANEW}")
        self._read = {path: when for path, when in read.items() if when >= oldest}
        new = [file for file in there if file.path not in self._read and file.modified >= oldest]
        new.sort(key=lambda file: (file.modified, file.path), reverse=self.options.latest_first)
        late = [file for file in new if file.modified < before]
        return late, patches + [file for file in new if file.modified >= before]

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plan partitions for the files between two offsets, the oldest files first."""
        files: dict[str, int] = end["files"]
        new = files.keys() - start["files"].keys()
        paths = sorted(new, key=lambda path: (files[path], path))
        found = [self._found.get(path) or self._find(path) for path in paths]
        times = {file.path: file.modified for file in found if not file.is_missing}
        self._mended = {p: time for p, time in times.items() if files[p] not in (_IN_LOG, time)}
        return self.plan(found)

    def _find(self, path: str) -> Entry:
        return self.storage.at(path).find(path) or Entry(path)

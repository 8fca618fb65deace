"""Writes a file for each partition, and makes all files visible at the end."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import chain
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructField, StructType

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.spark.connections import take_settings
from jelly_rdflib.spark.kinds import FOLDER, OPERATIONS, STATEMENTS, Kind, check_columns
from jelly_rdflib.spark.options import WriteOptions
from jelly_rdflib.spark.paths import check_no_log
from jelly_rdflib.spark.sources.sorting import in_order
from jelly_rdflib.spark.storage import Entry, Machine, Storage, Store, full_path
from jelly_rdflib.streams.destination import compressed

if TYPE_CHECKING:
    import pyarrow as pa

SUCCESS = "_SUCCESS"
NO_SETTINGS: Mapping[str, str] = {}
CUT_TRANSACTION = (
    "; a transaction must be in one partition, but a long file may have been read in parts:"
    ' repartition("file") brings the parts together'
)


@dataclass(frozen=True)
class WrittenFile(WriterCommitMessage):
    """The temporary path of a partition's file; None for a partition without rows."""

    path: str | None
    partition: int


class PartitionWriter:
    """The base of writers: executors write temporary files, and the driver renames them.

    The names of the files contain the name of the job. A store that can't rename, such as S3,
    copies the files; there, too, each file appears as a whole.
    """

    # Whether this writes micro-batches: each one creates the temporary folder, then deletes it.
    _is_stream = False

    def __init__(
        self,
        kind: Kind,
        options: Mapping[str, str],
        schema: StructType,
        job: str,
        settings: Mapping[str, str],
    ) -> None:
        # Spark's column names are not case-sensitive.
        columns = StructType([StructField(each.name.lower(), each.dataType) for each in schema])
        self._kind, self._known = kind, {*OPERATIONS.names, *STATEMENTS.names}
        for each in schema:
            if each.name.lower() not in self._known and FOLDER not in each.metadata:
                raise ValueError(f"{kind.name} has no column {each.name!r}: rename it, or drop it")
        needed = ("s", "p", "o") if kind.is_statements else ("op", "s", "p", "o")
        check_columns(columns, kind.schema, f"a table of {kind.name}", needed=needed)
        own, given = take_settings(options)
        self._options = WriteOptions.of(given, kind)
        self._job = job
        self._storage = Storage.of({**settings, **own})
        self._folder = full_path(options["path"])
        # Readers of the folder skip names that start with "_".
        self._temporary = os.path.join(self._folder, f"_temporary-{job}")
        self._suffix = f"{kind.extension}{self._options.suffix}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._kind.name}: {self._folder}>"

    @property
    def _place(self) -> Machine | Store:
        return self._storage.at(self._folder)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write a partition, in the order of ``file`` and ``seq``.

        Raise an EncodeError if a row is not an operation, or can't be expressed with the options.
        """
        from pyspark import TaskContext

        from jelly_rdflib.arrow import write_arrow

        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        ordered = in_order(map(self._named, iterator), sort_bytes=self._options.sort_bytes)
        rows = (record_batch for record_batch in ordered if record_batch.num_rows > 0)
        first = next(rows, None)
        if first is None:
            return WrittenFile(None, partition)
        place = self._place
        # Each attempt at a task has its own file.
        name = f"part-{partition:05d}-{uuid.uuid4().hex}.{self._suffix}"
        path = os.path.join(self._temporary, name)
        if self._is_stream:
            place.make_folder(self._temporary)
        try:
            with place.create(path) as raw, compressed(raw, path) as file:
                write_arrow(
                    chain([first], rows),
                    file,
                    options=self._options.stream,
                    format=self._kind.format,
                )
        except BaseException as error:
            # Delete the file: Spark tries a failed task again, with another file.
            place.delete(Entry(path))
            if not isinstance(error, EncodeError):
                raise
            hint = "" if error.rule is None else CUT_TRANSACTION
            raise EncodeError(
                f"partition {partition} can't be written as {self._kind.name}: {error}{hint}"
            ) from error
        return WrittenFile(path, partition)

    def _named(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        rows = rows.rename_columns([name.lower() for name in rows.schema.names])
        return rows.select([name for name in rows.schema.names if name in self._known])

    def _publish(self, messages: Sequence[WriterCommitMessage | None], job: str) -> None:
        """Rename the temporary files, which makes them visible."""
        for message in messages:
            assert isinstance(message, WrittenFile)
            if message.path is not None:
                name = f"part-{message.partition:05d}-{job}.{self._suffix}"
                self._place.move(message.path, os.path.join(self._folder, name))
        self._delete_temporary()

    def _delete_published(self, job: str) -> None:
        """Delete the files of a job that have become visible."""
        place, folder = self._place, self._folder
        for entry in place.list(folder) if place.find(folder) is not None else ():
            if fnmatch(os.path.basename(entry.path), f"*-{job}.*"):
                place.delete(entry)

    def _delete_temporary(self) -> None:
        with suppress(OSError):
            self._place.delete(Entry(self._temporary, is_folder=True))

    def _touch(self, path: str) -> None:
        self._place.make_folder(os.path.dirname(path))
        self._place.create(path).close()

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int | None = None) -> None:
        """Delete the files of the job, and the folder if it is local and empty."""
        self._delete_temporary()
        with suppress(OSError):
            # A commit may have been interrupted: delete the files that it published. The files of a
            # stream are kept, since their names also include a batch number.
            self._delete_published(self._job)
            if not self._place.is_remote:
                os.rmdir(self._folder)


class FolderWriter(PartitionWriter, DataSourceArrowWriter):
    """Writes a table to a folder; with ``overwrite`` the old files are deleted."""

    def __init__(
        self,
        kind: Kind,
        options: Mapping[str, str],
        schema: StructType,
        *,
        overwrite: bool,
        settings: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        if "path" not in options:
            raise ValueError(
                f"writing {kind.name} needs a path, which Spark does not pass on for"
                " saveAsTable, INSERT INTO and CREATE TABLE … AS SELECT: write files with"
                f' .write.format("{kind.name}").mode("append").save(path), then make a table of'
                f" them with CREATE TABLE … USING `{kind.name}` LOCATION path"
            )
        super().__init__(kind, options, schema, uuid.uuid4().hex, settings)
        check_no_log(self._place, self._folder)
        found = self._place.find(self._folder)
        if found is not None and not found.is_folder:
            raise NotADirectoryError(f"{self._folder}: this is a file; files go into a folder")
        self._overwrite = overwrite
        # Create the folder here, not in a task: it is deleted if the job fails, and a task that is
        # still running then must not recreate it.
        self._place.make_folder(self._temporary)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Delete the files to be replaced, and make the new files visible."""
        place, folder = self._place, self._folder
        if self._overwrite and place.find(folder) is not None:
            for entry in place.list(folder):
                # Keep temporary folders: the new files are still in one.
                is_kept = os.path.basename(entry.path).startswith("_temporary")
                if not (entry.is_folder and is_kept):
                    place.delete(entry)
        self._publish(messages, self._job)
        self._touch(os.path.join(folder, SUCCESS))


class FolderStreamWriter(PartitionWriter, DataSourceStreamArrowWriter):
    """Writes the micro-batches of a stream to a folder, each exactly once.

    If Spark was killed, it repeats the last batch. Files in the folder ``_committed`` name the
    batches whose files are visible, so that these batches are not written again.
    """

    _is_stream = True

    def __init__(
        self,
        kind: Kind,
        options: Mapping[str, str],
        schema: StructType,
        *,
        overwrite: bool,
        settings: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        if overwrite:
            raise ValueError(f"a stream of {kind.name} is written in the output mode append only")
        for option in ("path", "checkpointLocation"):
            if option not in options:
                raise ValueError(f"writing a stream of {kind.name} needs the option {option}")
        # Each checkpoint numbers its batches from 0, so its path makes the job's name unique.
        checkpoint = options["checkpointLocation"].rstrip("/").encode()
        job = hashlib.blake2b(checkpoint, digest_size=8).hexdigest()
        super().__init__(kind, options, schema, job, settings)
        # Spark makes a writer for each step, also to abort while a store can't be reached. In a
        # store there may only be the copy of a log, and a stream deletes none of its files.
        if not self._place.is_remote:
            check_no_log(self._place, self._folder)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Make the files of a batch visible, unless they already are."""
        job = f"{self._job}-{batchId:010d}"
        mark = os.path.join(self._folder, "_committed", job)
        if self._place.find(mark) is not None:
            self._delete_temporary()
            return
        # An earlier attempt may have been killed after it made some files visible: delete these.
        self._delete_published(job)
        self._publish(messages, job)
        self._touch(mark)

"""Writes a file for each partition, and makes all files visible at the end."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.paths import local_path
from jelly_rdflib.spark.sorting import in_order
from jelly_rdflib.spark.write_options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

SUCCESS = "_SUCCESS"
CUT_TRANSACTION = (
    "; a transaction must be in one partition, which is not so if a long file was read in parts:"
    ' repartition("file") brings the parts together'
)


@dataclass(frozen=True)
class WrittenFile(WriterCommitMessage):
    """A file that a task has written: its temporary path and the number of the partition.

    A partition without rows has no file: ``path`` is None.
    """

    path: str | None
    partition: int


class PartitionWriter:
    """Base of the writers: executors write temporary files, and the driver renames them.

    Args:
        kind: The format to write.
        options: The options of the user.
        schema: The columns of the rows.
        job: The name of the job, in the names of its files.
    """

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, job: str
    ) -> None:
        kind.check_written(schema)
        self._kind = kind
        self._options = WriteOptions.of(options, kind)
        self._job = job
        self._folder = local_path(options["path"])
        # Readers of the folder skip names that start with "_".
        self._temporary = os.path.join(self._folder, f"_temporary-{job}")
        self._suffix = f"{kind.extension}{self._options.suffix}"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write a partition, in the order of ``file`` and ``seq``; an error leaves no file.

        Raises:
            EncodeError: A row is no operation, or can't be expressed with the options.
        """
        from pyspark import TaskContext

        from jelly_rdflib.arrow import write_arrow

        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        ordered = in_order(iterator, sort_bytes=self._options.sort_bytes)
        rows = (record_batch for record_batch in ordered if record_batch.num_rows > 0)
        first = next(rows, None)
        if first is None:
            return WrittenFile(None, partition)
        os.makedirs(self._temporary, exist_ok=True)
        # Each attempt at a task has a file of its own.
        name = f"part-{partition:05d}-{uuid.uuid4().hex}.{self._suffix}"
        path = os.path.join(self._temporary, name)
        try:
            write_arrow(
                chain([first], rows), path, options=self._options.stream, format=self._kind.format
            )
        except BaseException as error:
            if os.path.exists(path):
                os.unlink(path)
            if isinstance(error, EncodeError):
                hint = CUT_TRANSACTION if "transaction" in str(error) else ""
                raise EncodeError(
                    f"partition {partition} can't be written as {self._kind.name}: {error}{hint}"
                ) from error
            raise
        return WrittenFile(path, partition)

    def _publish(self, messages: Sequence[WriterCommitMessage | None], job: str) -> None:
        """Rename the temporary files, which makes them visible."""
        for message in messages:
            assert isinstance(message, WrittenFile)
            if message.path is not None:
                name = f"part-{message.partition:05d}-{job}.{self._suffix}"
                os.replace(message.path, os.path.join(self._folder, name))
        self._delete_temporary()

    def _delete_temporary(self) -> None:
        shutil.rmtree(self._temporary, ignore_errors=True)


class FolderWriter(PartitionWriter, DataSourceArrowWriter):
    """Writes a table to a folder; with ``overwrite`` the old files are deleted."""

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, *, overwrite: bool
    ) -> None:
        if "path" not in options:
            raise ValueError(f"to write {kind.name} there must be a path: .save(path)")
        super().__init__(kind, options, schema, uuid.uuid4().hex)
        if os.path.exists(self._folder) and not os.path.isdir(self._folder):
            raise NotADirectoryError(f"{self._folder}: this is a file; files go into a folder")
        self._overwrite = overwrite

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Delete the files to be replaced, and make the new files visible."""
        os.makedirs(self._folder, exist_ok=True)
        if self._overwrite:
            # The new files are still in the temporary folder.
            for name in os.listdir(self._folder):
                if not name.startswith("_temporary"):
                    _remove(os.path.join(self._folder, name))
        self._publish(messages, self._job)
        with open(os.path.join(self._folder, SUCCESS), "wb"):
            pass

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Delete the temporary files."""
        self._delete_temporary()
        if os.path.isdir(self._folder) and not os.listdir(self._folder):
            os.rmdir(self._folder)


class FolderStreamWriter(PartitionWriter, DataSourceStreamArrowWriter):
    """Writes the micro-batches of a stream to a folder, each exactly once.

    After it was killed, Spark repeats the last batch. Files in the folder ``_committed`` list the
    batches whose files are visible: such a batch is not written again.
    """

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, *, overwrite: bool
    ) -> None:
        if overwrite:
            raise ValueError(f"a stream of {kind.name} is written in the output mode append only")
        for option in ("path", "checkpointLocation"):
            if option not in options:
                raise ValueError(f"to write a stream of {kind.name} there must be a {option}")
        # Batches are numbered for each checkpoint.
        checkpoint = options["checkpointLocation"].rstrip("/").encode()
        super().__init__(
            kind, options, schema, hashlib.blake2b(checkpoint, digest_size=8).hexdigest()
        )

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Make the files of a batch visible, unless they already are."""
        job = f"{self._job}-{batchId:010d}"
        marks = os.path.join(self._folder, "_committed")
        os.makedirs(marks, exist_ok=True)
        mark = os.path.join(marks, job)
        if os.path.exists(mark):
            self._delete_temporary()
            return
        # A killed attempt may have made some files visible.
        for name in os.listdir(self._folder):
            if f"-{job}." in name:
                os.unlink(os.path.join(self._folder, name))
        self._publish(messages, job)
        with open(mark, "wb"):
            pass

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Delete the temporary files."""
        self._delete_temporary()


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)

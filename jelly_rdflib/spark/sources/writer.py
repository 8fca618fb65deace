"""Writes a file for each partition, and makes all of them visible at the end."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.paths import local_path
from jelly_rdflib.spark.schema import check_written
from jelly_rdflib.spark.sorting import in_order
from jelly_rdflib.spark.write_options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

SUCCESS = "_SUCCESS"
CUT_TRANSACTION = (
    "; a transaction must be whole in its partition, which it is not where a long file was read in"
    ' parts: repartition("file") brings them together'
)


@dataclass(frozen=True)
class WrittenFile(WriterCommitMessage):
    """A file that a task has written: its temporary path and the number of the partition.

    A partition without rows has no file: ``path`` is None.
    """

    path: str | None
    partition: int


class FileWriter:
    """Writes a partition's rows to a temporary file. It goes to the executors.

    Args:
        kind: What is written.
        options: How.
        folder: Where temporary files are.
    """

    def __init__(self, kind: Kind, options: WriteOptions, folder: str) -> None:
        self.kind = kind
        self.options = options
        self.folder = folder

    def write(self, record_batches: Iterable[pa.RecordBatch]) -> WrittenFile:
        """Write rows, in the order of ``file`` and ``seq``; a failure leaves no file.

        Raises:
            EncodeError: A row is no operation, or can't be expressed with the options.
        """
        from pyspark import TaskContext

        from jelly_rdflib.arrow import write_arrow

        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        rows = _without_empty(in_order(record_batches, sort_bytes=self.options.sort_bytes))
        first = next(rows, None)
        if first is None:
            return WrittenFile(None, partition)
        os.makedirs(self.folder, exist_ok=True)
        # Another attempt at the same task has another name.
        name = f"part-{partition:05d}-{uuid.uuid4().hex}.{self.kind.extension}{self.options.suffix}"
        path = os.path.join(self.folder, name)
        try:
            write_arrow(
                _chain(first, rows), path, options=self.options.stream, format=self.kind.encoding
            )
        except BaseException as error:
            if os.path.exists(path):
                os.unlink(path)
            if isinstance(error, EncodeError):
                hint = CUT_TRANSACTION if "transaction" in str(error) else ""
                raise EncodeError(
                    f"partition {partition} can't be written as {self.kind.name}: {error}{hint}"
                ) from error
            raise
        return WrittenFile(path, partition)

    def final_name(self, written: WrittenFile, job: str) -> str:
        """Return the name under which a file is made visible."""
        suffix = f"{self.kind.extension}{self.options.suffix}"
        return f"part-{written.partition:05d}-{job}.{suffix}"


def _without_empty(record_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return (record_batch for record_batch in record_batches if record_batch.num_rows > 0)


def _chain(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


class FolderWriter(DataSourceArrowWriter):
    """Writes a folder of files: executors write temporary files, and the driver renames them.

    Args:
        kind: What is written.
        options: Those of the data source.
        schema: The columns of what is written.
        overwrite: Whether what is in the folder is replaced.
    """

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, *, overwrite: bool
    ) -> None:
        check_written(schema, kind.needed, kind.schema, kind.name)
        if "path" not in options:
            raise ValueError(f"to write {kind.name} there must be a path: .save(path)")
        self._folder = local_path(options["path"])
        if os.path.exists(self._folder) and not os.path.isdir(self._folder):
            raise NotADirectoryError(f"{self._folder}: this is a file; files go into a folder")
        self._overwrite = overwrite
        self._job = uuid.uuid4().hex
        # Readers of the folder don't see it.
        self._temporary = os.path.join(self._folder, f"_temporary-{self._job}")
        self._files = FileWriter(kind, WriteOptions.of(options, kind), self._temporary)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write a partition."""
        return self._files.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Make the files visible, after those that they replace are gone."""
        os.makedirs(self._folder, exist_ok=True)
        if self._overwrite:
            # No more than what was there before: the new files are still hidden.
            for name in os.listdir(self._folder):
                if not name.startswith("_temporary"):
                    _remove(os.path.join(self._folder, name))
        for message in messages:
            assert isinstance(message, WrittenFile)
            if message.path is not None:
                name = self._files.final_name(message, self._job)
                os.replace(message.path, os.path.join(self._folder, name))
        shutil.rmtree(self._temporary, ignore_errors=True)
        with open(os.path.join(self._folder, SUCCESS), "wb"):
            pass

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Take away what was written."""
        shutil.rmtree(self._temporary, ignore_errors=True)
        if os.path.isdir(self._folder) and not os.listdir(self._folder):
            os.rmdir(self._folder)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)

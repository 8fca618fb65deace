"""Writes a file for each partition, and makes all files visible at the end."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.spark.kinds import Kind, check_columns
from jelly_rdflib.spark.options import WriteOptions
from jelly_rdflib.spark.paths import local_path
from jelly_rdflib.spark.sources.sorting import in_order

if TYPE_CHECKING:
    import pyarrow as pa

SUCCESS = "_SUCCESS"
CUT_TRANSACTION = (
    "; a transaction must be in one partition, which is not so if a long file was read in parts:"
    ' repartition("file") brings the parts together'
)


@dataclass(frozen=True)
class WrittenFile(WriterCommitMessage):
    """The temporary path of a partition's file; None for a partition without rows."""

    path: Path | None
    partition: int


class PartitionWriter:
    """Base of the writers: executors write temporary files, and the driver renames them.

    The names of the files have the name of the job.
    """

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, job: str
    ) -> None:
        needed = ("s", "p", "o") if kind.is_statements else ("op", "s", "p", "o")
        check_columns(schema, kind.schema, f"a table of {kind.name}", needed=needed)
        self._kind = kind
        self._options = WriteOptions.of(options, kind)
        self._job = job
        self._folder = Path(local_path(options["path"]))
        # Readers of the folder skip names that start with "_".
        self._temporary = self._folder / f"_temporary-{job}"
        self._suffix = f"{kind.extension}{self._options.suffix}"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write a partition, in the order of ``file`` and ``seq``.

        An EncodeError if a row is no operation, or can't be expressed with the options.
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
        self._temporary.mkdir(parents=True, exist_ok=True)
        # Each attempt at a task has a file of its own.
        path = self._temporary / f"part-{partition:05d}-{uuid.uuid4().hex}.{self._suffix}"
        try:
            write_arrow(
                chain([first], rows), path, options=self._options.stream, format=self._kind.format
            )
        except BaseException as error:
            # Spark tries a failed task again, with another file.
            path.unlink(missing_ok=True)
            if not isinstance(error, EncodeError):
                raise
            hint = CUT_TRANSACTION if "transaction" in str(error) else ""
            raise EncodeError(
                f"partition {partition} can't be written as {self._kind.name}: {error}{hint}"
            ) from error
        return WrittenFile(path, partition)

    def _publish(self, messages: Sequence[WriterCommitMessage | None], job: str) -> None:
        """Rename the temporary files, which makes them visible."""
        for message in messages:
            assert isinstance(message, WrittenFile)
            if message.path is not None:
                name = f"part-{message.partition:05d}-{job}.{self._suffix}"
                message.path.replace(self._folder / name)
        self._delete_temporary()

    def _delete_temporary(self) -> None:
        shutil.rmtree(self._temporary, ignore_errors=True)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int | None = None) -> None:
        """Delete the temporary files, and the folder if it is empty."""
        self._delete_temporary()
        with suppress(OSError):
            self._folder.rmdir()


class FolderWriter(PartitionWriter, DataSourceArrowWriter):
    """Writes a table to a folder; with ``overwrite`` the old files are deleted."""

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, *, overwrite: bool
    ) -> None:
        if "path" not in options:
            raise ValueError(f"to write {kind.name} there must be a path: .save(path)")
        super().__init__(kind, options, schema, uuid.uuid4().hex)
        if self._folder.exists() and not self._folder.is_dir():
            raise NotADirectoryError(f"{self._folder}: this is a file; files go into a folder")
        self._overwrite = overwrite

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Delete the files to be replaced, and make the new files visible."""
        self._folder.mkdir(parents=True, exist_ok=True)
        # The new files are still in the temporary folder.
        for path in self._folder.iterdir() if self._overwrite else ():
            if path.is_dir() and not path.is_symlink():
                if not path.name.startswith("_temporary"):
                    shutil.rmtree(path)
            else:
                path.unlink()
        self._publish(messages, self._job)
        (self._folder / SUCCESS).touch()


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
        mark = self._folder / "_committed" / job
        if mark.exists():
            self._delete_temporary()
            return
        mark.parent.mkdir(parents=True, exist_ok=True)
        # A killed attempt may have made some files visible.
        for path in self._folder.glob(f"*-{job}.*"):
            path.unlink()
        self._publish(messages, job)
        mark.touch()

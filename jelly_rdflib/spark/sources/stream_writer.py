"""Writes the files of each micro-batch exactly once."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.paths import local_path
from jelly_rdflib.spark.schema import check_written
from jelly_rdflib.spark.sources.writer import FileWriter, WrittenFile
from jelly_rdflib.spark.write_options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa


class FolderStreamWriter(DataSourceStreamArrowWriter):
    """Writes the files of a stream's micro-batches to a folder.

    A batch that was made visible as a whole is not written again: Spark asks for the last one again
    after it was killed. Which batches those are is told by files in the folder ``_committed``.

    Args:
        kind: What is written.
        options: Those of the data source.
        schema: The columns of what is written.
        overwrite: Whether each batch is to replace what is there: that can't be.
    """

    def __init__(
        self, kind: Kind, options: Mapping[str, str], schema: StructType, *, overwrite: bool
    ) -> None:
        check_written(schema, kind.needed, kind.schema, kind.name)
        if overwrite:
            raise ValueError(f"a stream of {kind.name} is written in the output mode append only")
        for option in ("path", "checkpointLocation"):
            if option not in options:
                raise ValueError(f"to write a stream of {kind.name} there must be a {option}")
        self._folder = local_path(options["path"])
        # Streams with checkpoints of their own count their batches by themselves.
        self._query = hashlib.blake2b(
            options["checkpointLocation"].rstrip("/").encode(), digest_size=8
        ).hexdigest()
        self._temporary = os.path.join(self._folder, f"_temporary-{self._query}")
        self._files = FileWriter(kind, WriteOptions.of(options, kind), self._temporary)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write a partition of a batch."""
        return self._files.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Make the batch's files visible, unless they are already."""
        marks = os.path.join(self._folder, "_committed")
        mark = os.path.join(marks, f"{self._query}-{batchId:010d}")
        os.makedirs(marks, exist_ok=True)
        if not os.path.exists(mark):
            job = f"{self._query}-{batchId:010d}"
            # Of an attempt that was killed on the way.
            for name in os.listdir(self._folder):
                if f"-{job}." in name:
                    os.unlink(os.path.join(self._folder, name))
            for message in messages:
                assert isinstance(message, WrittenFile)
                if message.path is not None:
                    name = self._files.final_name(message, job)
                    os.replace(message.path, os.path.join(self._folder, name))
            with open(mark, "wb"):
                pass
        shutil.rmtree(self._temporary, ignore_errors=True)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Take away what was written."""
        shutil.rmtree(self._temporary, ignore_errors=True)

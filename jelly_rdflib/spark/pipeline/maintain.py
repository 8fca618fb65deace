"""A Parquet table of the current quads, kept up to date from a stream of patches."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.last import last_operations
from jelly_rdflib.spark.pipeline.order import order_changes
from jelly_rdflib.spark.pipeline.quad_table import QuadTable
from jelly_rdflib.spark.pipeline.storage import Storage
from jelly_rdflib.spark.pipeline.table import check_changes


def maintain(
    stream: DataFrame,
    table_path: str,
    checkpoint: str,
    *,
    order_by: str | None = None,
    buckets: int = 32,
    retention: float = 3600,
    trigger: Mapping[str, Any] | None = None,
) -> StreamingQuery:
    """Keep a table of the current quads up to date, with each patch of a stream exactly once.

    Each batch of the stream makes a new version of the table, which is there as a whole or not at
    all, whenever this is stopped or killed. Started again with the same checkpoint, it goes on
    where it was. `read_maintained` reads the table at any time.

    The patches of a batch are ordered as by `replay`; the first of them must come after the last
    patch of the batches before. So a file may come in no batch before those that the chain has
    before it. A file is in one batch as a whole.

    The table is plain Parquet. Its quads lie in buckets by a hash, and a batch writes those anew in
    which it changes something. Earlier versions stay for those who still read them. One query at a
    time may write to a table.

    Args:
        stream: A streaming table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        table_path: The folder of the table. It is made if it is not there. It may be in any file
            system that Spark knows and that has an atomic rename, as have local disks and HDFS.
        checkpoint: The folder where Spark keeps how far the stream came. It belongs to this table.
        order_by: As for `replay`: a column in place of the chain. Then batches come after one
            another as they are.
        buckets: The number of buckets of a table that is made. More make batches of a few quads
            cheaper, and more files.
        retention: How long a version can be read after the next one took its place, in seconds.
        trigger: What ``DataStreamWriter.trigger`` takes: ``{"availableNow": True}`` takes what is
            there and ends. By default a batch starts as soon as there is something.

    Returns:
        The query, started. It ends with an error if patches are not one chain: nothing of that
        batch is in the table.

    Raises:
        ValueError: The table is no stream, a column is missing or of another type, or a number is
            out of range.
        LogError: The folder has something else.

    Examples:
        >>> import tempfile
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> folder = tempfile.mkdtemp()
        >>> row = ("f", 0, 0, 0, "A", "<urn:s>", "<urn:p>", '"o"', None, None)
        >>> spark.createDataFrame([row], CHANGES).write.parquet(f"{folder}/changes")
        >>> stream = spark.readStream.schema(CHANGES).parquet(f"{folder}/changes")
        >>> query = maintain(
        ...     stream, f"{folder}/quads", f"{folder}/checkpoint", trigger={"availableNow": True}
        ... )
        >>> query.awaitTermination()
        >>> read_maintained(spark, f"{folder}/quads").count()
        1
    """
    if not stream.isStreaming:
        raise ValueError("maintain takes a stream: made by spark.readStream, not by spark.read")
    if buckets < 1 or retention < 0:
        raise ValueError("a table has one bucket or more, and retention is 0 or more seconds")
    stream = check_changes(stream)
    QuadTable(stream.sparkSession, table_path).create(buckets, time.time())
    upkeep = _Upkeep(stream.sparkSession, table_path, checkpoint, order_by, retention)
    writer = stream.writeStream.foreachBatch(upkeep.take).option("checkpointLocation", checkpoint)
    if trigger is not None:
        writer = writer.trigger(**trigger)
    return writer.start()


def read_maintained(spark: SparkSession, table_path: str) -> DataFrame:
    """Read the quads of a table that `maintain` keeps up to date, or has kept.

    Args:
        spark: The session.
        table_path: The folder of the table.

    Returns:
        A table of quads: those of the version that is the newest now. It stays that version.

    Raises:
        FileNotFoundError: There is no such table.
        LogError: It is damaged.
    """
    table = QuadTable(spark, table_path)
    return table.quads(table.last_commit())


class _Upkeep:
    """Takes batches into a table."""

    def __init__(
        self,
        spark: SparkSession,
        table_path: str,
        checkpoint: str,
        order_by: str | None,
        retention: float,
    ) -> None:
        self._path = table_path
        self._table = QuadTable(spark, table_path)
        self._checkpoint = Storage(spark, checkpoint)
        self._order_by = order_by
        self._retention = retention

    def take(self, changes: DataFrame, batch: int) -> None:
        """Take a batch, if it is not in the table already."""
        commit = self._table.last_commit()
        query = self._query()
        if commit.query not in (None, query):
            raise LogError(
                f"the table {self._path} was made by another query: go on with its checkpoint, or"
                " begin another table"
            )
        if batch <= commit.batch:
            # It was killed after the commit, before Spark took note that the batch was done.
            return
        root = Root(commit.head)
        ordered = order_changes(changes, order_by=self._order_by, root=root)
        folders = self._table.update(commit, last_operations(ordered))
        commit = replace(commit, batch=batch, query=query, folders=folders, time=time.time())
        if ordered.order is not None and ordered.order.runs:
            commit = replace(
                commit,
                version=commit.version + ordered.order.version,
                head=ordered.order.runs[-1].id,
            )
        self._table.commit(commit)
        self._table.delete_old(commit.time - self._retention)

    def _query(self) -> str:
        """Return the id of the query: it is the same as long as there is the checkpoint."""
        id: str = json.loads(self._checkpoint.read("metadata") or "{}")["id"]
        return id

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
from jelly_rdflib.spark.pipeline.order import order_changes
from jelly_rdflib.spark.pipeline.quad_table import QuadTable, Storage
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

    Each batch of the stream makes a new version of the table, completely or not at all, even if the
    process is stopped or killed. Started again with the same checkpoint, the query continues.
    `read_maintained` reads the table at any time.

    The patches of a batch are ordered as by `replay`; the first of them must come after the last
    patch of the batches before. So a file may come in no batch before those that the chain has
    before it. A file is in one batch as a whole.

    The table is plain Parquet. A hash distributes its quads to buckets, and a batch rewrites the
    buckets that it changes. Earlier versions stay for their readers. One query at a time may write
    to a table.

    Args:
        stream: A streaming table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        table_path: The folder of the table. It is created if it does not exist. It may be in any
            file system of Spark with an atomic rename, such as local disks and HDFS.
        checkpoint: The folder where Spark stores the stream's position. It belongs to this table.
        order_by: As for `replay`: a column in place of the chain. Then each batch comes after the
            batches before it, unchecked.
        buckets: The number of buckets of a new table. More buckets make batches of a few quads
            cheaper, but make more files.
        retention: The seconds for which a version can be read after the next one replaced it.
        trigger: The arguments of ``DataStreamWriter.trigger``: ``{"availableNow": True}`` reads the
            available patches and ends. By default a batch starts as soon as there are patches.

    Returns:
        The started query. It ends with an error if patches are not one chain: then the table has
        nothing of that batch.

    Raises:
        ValueError: The table is no stream, a column is missing or of another type, or a number is
            out of range.
        LogError: The folder is no such table.

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
    table = QuadTable(stream.sparkSession, table_path)
    table.create(buckets)
    positions = Storage(stream.sparkSession, checkpoint)

    def add_batch(changes: DataFrame, batch: int) -> None:
        """Add a batch, if it is not yet in the table."""
        commit = table.last_commit()
        # The id is constant for a checkpoint.
        query = json.loads(positions.read("metadata"))["id"]
        if commit.query not in (None, query):
            raise LogError(
                f"the table {table_path} was made by another query: go on with its checkpoint, or"
                " begin another table"
            )
        if batch <= commit.batch:
            # The process was killed after the commit, before Spark recorded the batch.
            return
        ordered = order_changes(changes, order_by=order_by, root=commit.head)
        folders = table.update(commit, ordered.last_operations())
        commit = replace(commit, batch=batch, query=query, folders=folders, time=time.time())
        if ordered.order is not None and ordered.order.runs:
            version = commit.version + ordered.order.version
            commit = replace(commit, version=version, head=ordered.order.runs[-1].id)
        table.commit(commit)
        table.delete_old(commit.time - retention)

    writer = stream.writeStream.foreachBatch(add_batch).option("checkpointLocation", checkpoint)
    if trigger is not None:
        writer = writer.trigger(**trigger)
    return writer.start()


def read_maintained(spark: SparkSession, table_path: str) -> DataFrame:
    """Read the quads of a table that `maintain` wrote.

    Args:
        spark: The session.
        table_path: The folder of the table.

    Returns:
        A table of the quads of the version that is now the newest. It stays at that version.

    Raises:
        FileNotFoundError: The table does not exist.
        LogError: The table is damaged.
    """
    table = QuadTable(spark, table_path)
    return table.quads(table.last_commit())

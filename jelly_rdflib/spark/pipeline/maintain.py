"""A Delta table of the current quads, kept up to date from a stream of patches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from jelly_rdflib.errors import LogError, PatchError
from jelly_rdflib.spark.kinds import describes_errors
from jelly_rdflib.spark.pipeline.chain import ANY, as_id, at_hand
from jelly_rdflib.spark.pipeline.net_changes import NetChanges, net_changes
from jelly_rdflib.spark.pipeline.order import order_changes
from jelly_rdflib.spark.pipeline.quad_table import QuadTable, TableState
from jelly_rdflib.spark.pipeline.table import CHANGES, check_changes

Sink: TypeAlias = Callable[[NetChanges, int], None]
"""A function of a batch's changes and the number of the batch."""

# A function of three arguments: a batch's table of changes, the batch's number, and whether the
# driver has the batch's rows.
_Writer: TypeAlias = Callable[[DataFrame, int, bool], None]


def maintain(
    stream: DataFrame,
    table: str | None,
    checkpoint: str,
    *,
    order_by: str | None = None,
    after: str | Callable[[], str | None] | None = None,
    sink: Sink | None = None,
    trigger: Mapping[str, Any] | None = None,
    deletion_vectors: bool = True,
) -> StreamingQuery:
    """Keep a table of the current quads up to date: apply each patch of a stream exactly once.

    The table is a Delta table with the columns ``s``, ``p``, ``o``, ``g``. Each batch of the stream
    creates a new version of it with one ``MERGE``, completely or not at all, even if the process is
    killed. To continue the query, restart it with the same checkpoint. `read_maintained` reads
    the table, and so does any program that reads Delta tables.

    The patches of a batch are ordered as by `replay`; the first of them must follow the last patch
    of the earlier batches. So a file must not be in an earlier batch than the files that precede
    it in the chain. A batch contains whole files.

    The session needs Delta Lake: the extra ``delta``, and the settings that its documentation
    names. With Spark Connect, the server needs both. There a process of the server writes the
    batches, and runs ``sink``, and ``after`` if that is a function. So these functions can't use a
    session or a DataFrame of this process, or change anything in its memory.

    Args:
        stream: A streaming table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        table: The folder of the table, or its name, as ``schema.table``. It is created if it does
            not exist. It may have more columns, which are null in new rows. None with ``sink``.
        checkpoint: The folder where Spark stores the stream's position. Use it for this table
            only.
        order_by: A column that orders the patches instead of the chain; see `replay`. Then
            nothing checks that a batch follows the batches before it.
        after: The id of the last patch in a table that another program has filled. It is used
            until this function has written its first batch to the table. With ``sink``, a function
            that returns the id of the last patch that was written.
        sink: A function that writes a batch's changes to a table of another kind, together with
            the id `NetChanges.head`, in one transaction. If the process was killed before Spark
            recorded a batch, the function gets the batch again, unless ``after`` returns the
            batch's ``head``.
        trigger: The arguments of ``DataStreamWriter.trigger``: ``{"availableNow": True}`` reads the
            available patches and ends. By default a batch starts as soon as there are patches.
        deletion_vectors: Whether a table that is created here has deletion vectors and is clustered
            by subject. Then a batch does not rewrite quads that it does not change, but programs
            that read the table must support version 3 of Delta's protocol, with deletion vectors.

    Returns:
        The started query. It fails if patches are not one chain, or if another query changes the
        table at the same time. Then the table contains nothing from the current batch.

    Raises:
        ValueError: The table of changes is not a stream, a column is missing or of another type,
            the folder contains something other than a Delta table of quads, or arguments can't be
            combined.
        RuntimeError: The session has no Delta Lake.

    Examples:
        >>> import tempfile
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> folder = tempfile.mkdtemp()
        >>> row = ("f", 1, 0, 0, "A", "<urn:s>", "<urn:p>", '"o"', None, None)
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
        raise ValueError("maintain needs a stream: made by spark.readStream, not by spark.read")
    if (table is None) == (sink is None):
        raise ValueError("maintain writes to a table or to a sink: give one of them")
    if after is not None and order_by is not None:
        raise ValueError("after is for the chain of patches, which order_by does not use")
    if sink is not None and order_by is None and not callable(after):
        raise ValueError(
            "a sink needs after=, a function that returns the id of the last patch in it, or"
            " order_by="
        )
    stream = check_changes(stream, stream_too=True)
    # Drop other columns: the driver fetches small batches, and does not need them.
    stream = stream.select(
        *(
            field.name
            for field in stream.schema
            if field.name in {*CHANGES.names, order_by} or describes_errors(StructType([field]))
        )
    )

    def start() -> str | None:
        head = after() if callable(after) else after
        return None if head is None else as_id(head)

    if table is not None:
        quads = QuadTable(stream.sparkSession, table)
        quads.create(deletion_vectors=deletion_vectors)
        write_batch = _table_writer(quads.name, checkpoint, order_by, start)
    else:
        assert sink is not None
        write_batch = _sink_writer(sink, order_by, start)

    def write_once(changes: DataFrame, batch: int) -> None:
        # A batch is read several times, and a stateful stream fails if a read is not complete.
        changes.persist()
        try:
            held, rows = at_hand(changes)
            write_batch(held, batch, rows is not None)
        finally:
            changes.unpersist()

    writer = stream.writeStream.foreachBatch(write_once).option("checkpointLocation", checkpoint)
    if trigger is not None:
        writer = writer.trigger(**trigger)
    return writer.start()


def _table_writer(
    name: str, checkpoint: str, order_by: str | None, start: Callable[[], str | None]
) -> _Writer:
    """Return a function that merges a batch into a table, unless the table already has it."""
    query: str | None = None

    def write_batch(changes: DataFrame, batch: int, is_small: bool) -> None:
        nonlocal query
        # With Spark Connect this function runs on the server, in its own session.
        spark = changes.sparkSession
        table = QuadTable(spark, name)
        delta_version, state = table.last()
        if state is None:
            state = TableState(head=start())
            if state.head is None and order_by is None and not table.quads().isEmpty():
                raise LogError(
                    f"the last patch in the table {name} is unknown: another program has"
                    " changed the table, or Delta has deleted that part of its history; give the"
                    " patch's id as after="
                )
        query = query or _query_id(spark, checkpoint)
        if state.query == query and batch <= state.batch:
            # The process was killed after the merge, before Spark recorded the batch. Only read
            # the batch: a stateful stream fails if it is not read.
            changes.count()
            return
        if order_by is not None and state.query not in (None, query):
            raise LogError(
                f"the table {name} was written by another query: continue with its checkpoint, or"
                " start a new table"
            )
        found = net_changes(changes, order_by, after=state.head)
        version = None if found.patches is None else (state.version or 0) + found.patches
        new_state = TableState(version, found.head, query, batch)
        # If the changes are few and short, so are the operations.
        table.merge(found.operations, delta_version, new_state, is_small=is_small)

    return write_batch


def _sink_writer(sink: Sink, order_by: str | None, start: Callable[[], str | None]) -> _Writer:
    """Return a function that passes a batch to a sink, unless the sink already has it."""

    def write_batch(changes: DataFrame, batch: int, _: bool) -> None:
        head = start()
        try:
            found = net_changes(changes, order_by, after=head)
        except PatchError:
            order = order_changes(changes, root=ANY).order
            if head is None or order is None or order.head != head:
                raise
            # The sink has this batch: the process was killed before Spark recorded it.
            return
        sink(found, batch)

    return write_batch


def _query_id(spark: SparkSession, checkpoint: str) -> str:
    """Return the id of the query that uses a checkpoint; this id never changes."""
    metadata = spark.read.schema("id string").json(f"{checkpoint.rstrip('/')}/metadata")
    return str(metadata.collect()[0].id)


def read_maintained(spark: SparkSession, table: str, version: int | str | None = None) -> DataFrame:
    """Read the quads of a table that `maintain` wrote.

    Args:
        spark: The session.
        table: The folder of the table, or its name, as ``schema.table``.
        version: The number of patches in the version to read, or the id of its last patch. A
            version ends with the last patch of a batch; `maintained_versions` lists them. By
            default the newest version.

    Returns:
        A table of quads.

    Raises:
        FileNotFoundError: The table does not exist.
        LogError: The table's history does not contain the version, or no longer does.
        RuntimeError: The session has no Delta Lake.
    """
    quads = QuadTable(spark, table)
    if version is None:
        return quads.quads()
    wanted = (
        F.col("head") == as_id(version) if isinstance(version, str) else F.col("version") == version
    )
    found = quads.states().where(wanted).orderBy(F.desc("delta_version")).first()
    if found is None:
        raise LogError(
            f"the table {table} has no version {version} in its history: see maintained_versions"
        )
    return quads.quads(found.delta_version)


def maintained_versions(spark: SparkSession, table: str) -> DataFrame:
    """List the versions of a table that `maintain` wrote, as far as Delta's history goes back.

    Args:
        spark: The session.
        table: The folder of the table, or its name, as ``schema.table``.

    Returns:
        A row for each batch, with the columns

        - ``delta_version``: its version for Delta's ``versionAsOf``;
        - ``timestamp``: the time of the commit;
        - ``version``: the number of patches up to its end, as for `replay`, or since the patch
          that was given as ``after``; null with ``order_by``;
        - ``head``: the id of its last patch;
        - ``query`` and ``batch``: the id of the query that wrote it, and its number in that query.

    Raises:
        FileNotFoundError: The table does not exist.
        RuntimeError: The session has no Delta Lake.
    """
    return QuadTable(spark, table).states()

"""Converts a table of quads that an earlier release kept, as Parquet, into a Delta table."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline.quad_table import QuadTable, State
from jelly_rdflib.spark.pipeline.table import QUADS

_FORMAT = "jelly-rdflib quads 1"
_COMMIT = (
    "format string, folders map<string, string>, version bigint, head string, query string,"
    " batch bigint"
)


def convert_maintained(spark: SparkSession, folder: str, table: str) -> None:
    """Convert a table that `maintain` of an earlier release wrote into a Delta table.

    The checkpoint goes on with the new table. The old one stays as it is.

    Args:
        spark: The session.
        folder: The folder of the old table.
        table: The folder of the new table, or its name, as ``schema.table``. It must not have any
            quads yet.

    Raises:
        LogError: The folder is no such table.
        ValueError: The new table exists, and has quads or other columns.
        RuntimeError: The session has no Delta Lake.
    """
    commits = spark.read.schema(_COMMIT).json(f"{folder}/commits/*.json")
    last = commits.orderBy(F.desc("batch")).first()
    if last is None or last.format != _FORMAT:
        raise LogError(f"{folder} is no table of quads of an earlier release")
    new = QuadTable(spark, table)
    new.create()
    version, state = new.last()
    if state is not None or not new.quads().isEmpty():
        raise ValueError(f"the table {table} has quads already")
    if last.batch < 0:
        return
    paths = [f"{folder}/{path}" for path in (last.folders or {}).values()]
    quads = spark.read.schema(QUADS).parquet(*paths) if paths else spark.createDataFrame([], QUADS)
    operations = quads.withColumn("op", F.lit("A"))
    new.merge(operations, version, State(last.version, last.head, last.query, last.batch))

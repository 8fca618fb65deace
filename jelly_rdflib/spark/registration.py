"""Registers the data sources with a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark: SparkSession) -> None:
    """Make the formats ``jelly-patch``, ``rdf-patch`` and ``jelly`` known to a session.

    Options of a reader choose rows: ``op`` (names of operations, separated by commas), and ``s``,
    ``p``, ``o``, ``g`` (a term, or ``null``). Other rows are never made.

    With the option ``pushFilters=true`` Spark hands over the conditions of `DataFrame.where` on the
    file, the operation or whole terms. Use it only if each DataFrame that is loaded so is used by
    one query, in one place of it: Spark, up to 4.3 at least, keeps the filters of one query for the
    next query over the same DataFrame, which then misses rows. For this option the session's
    ``spark.sql.python.filterPushdown.enabled`` is set.

    Args:
        spark: The session.

    Examples:
        >>> register(spark)
        >>> spark.conf.get("spark.sql.python.filterPushdown.enabled")
        'true'
    """
    from jelly_rdflib.spark.sources.source import SOURCES

    spark.conf.set(PUSHDOWN, "true")
    for source in SOURCES:
        spark.dataSource.register(source)

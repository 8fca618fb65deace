"""Finds the last operation on each quad, which decides whether the quad exists."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.order import ORDER, Ordered
from jelly_rdflib.spark.pipeline.table import QUAD, is_statement

IS_ADD = "_is_add"


def last_operations(
    ordered: Ordered, *, base: DataFrame | None = None, by: tuple[str, ...] = QUAD
) -> DataFrame:
    """Return a row for each quad, with the last operation on it.

    Args:
        ordered: The changes.
        base: The quads of version 0.
        by: The columns of a quad and, without a base, more columns: a row for each of their values.

    Returns:
        The columns of ``by``, `ORDER`, and `IS_ADD`: whether the operation is an add. For a quad
        that only the base has, `ORDER` is -1, or null if it is no number.
    """
    rows = ordered.changes.where(is_statement()).select(
        *by, ORDER, (F.col("op") == "A").alias(IS_ADD)
    )
    if base is not None:
        first = F.lit(-1 if ordered.is_numbered else None).cast(rows.schema[ORDER].dataType)
        rows = rows.unionByName(base.select(*by, first.alias(ORDER), F.lit(True).alias(IS_ADD)))
    groups = rows.groupBy(*by)
    if ordered.is_numbered:
        packed = F.shiftleft(ORDER, 1).bitwiseOR(F.col(IS_ADD).cast("long"))
        last = F.col("last")
        return groups.agg(F.max(packed).alias("last")).select(
            *by, F.shiftright(last, 1).alias(ORDER), ((last.bitwiseAND(1)) == 1).alias(IS_ADD)
        )
    return groups.agg(F.max(F.struct(ORDER, IS_ADD)).alias("last")).select(*by, "last.*")

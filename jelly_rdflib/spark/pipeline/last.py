"""The last operation of each quad: what makes it be there, or not."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.order import ORDER, Ordered
from jelly_rdflib.spark.pipeline.table import QUAD, is_statement

IS_ADD = "_is_add"


def last_operations(
    ordered: Ordered, *, base: DataFrame | None = None, by: tuple[str, ...] = QUAD
) -> DataFrame:
    """Return a row for each quad, with the last of its operations.

    Args:
        ordered: The changes.
        base: Quads that were there before.
        by: More columns than a quad's give a row for each quad and values of theirs. Not with a
            base.

    Returns:
        The columns of ``by``, `ORDER`, and `IS_ADD`: whether the operation is an add. Of a quad
        that only the base has, `ORDER` is -1, or null where it is no number.
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

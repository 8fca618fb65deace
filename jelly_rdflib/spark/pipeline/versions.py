"""Lists the versions of a dataset, and the patches that make them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.marks import open_marks
from jelly_rdflib.spark.pipeline.order import VERSION, number_rows
from jelly_rdflib.spark.pipeline.runs import order_patches
from jelly_rdflib.spark.pipeline.table import check_changes


def versions(changes: DataFrame, *, marks: DataFrame | None = None) -> DataFrame:
    """Return the patch of each version: the meaning of the numbers in a `history`.

    Args:
        changes: A table of changes, as for `jelly_rdflib.spark.pipeline.replay`. The first patch
            may come after a missing one.
        marks: As for `replay`.

    Returns:
        A row for each patch, with the columns ``version`` (from 1), ``file``, ``patch``, and its
        headers ``id`` and ``prev``. ``file`` and ``patch`` lead to other headers in ``changes``.

    Raises:
        PatchError, ValueError: As by `replay`.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("b", 0, 0, 0, "H", None, None, "<urn:2>", None, "id"),
        ...         ("b", 0, 0, 1, "H", None, None, "<urn:1>", None, "prev"),
        ...         ("a", 0, 0, 0, "H", None, None, "<urn:1>", None, "id"),
        ...     ],
        ...     CHANGES,
        ... )
        >>> versions(changes).orderBy("version").show()
        +-------+----+-----+-------+-------+
        |version|file|patch|     id|   prev|
        +-------+----+-----+-------+-------+
        |      1|   a|    0|<urn:1>|   NULL|
        |      2|   b|    0|<urn:2>|<urn:1>|
        +-------+----+-----+-------+-------+
        <BLANKLINE>
    """
    with open_marks(check_changes(changes), marks) as found:
        patches = found.patches()
        order = order_patches(patches, Root(is_any=True))
    numbered = number_rows(patches.withColumn("seq", F.lit(0)), order, order.version)
    return numbered.select(F.col(VERSION).alias("version"), "file", "patch", "id", "prev")

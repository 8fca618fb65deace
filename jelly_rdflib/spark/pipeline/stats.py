"""Counts operations in tables of changes."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.kinds import check_names
from jelly_rdflib.spark.pipeline.table import check_changes

_COUNTED = {
    "headers": "H",
    "prefixes_added": "PA",
    "prefixes_deleted": "PD",
    "added": "A",
    "deleted": "D",
    "committed": "TC",
    "aborted": "TA",
}


def stats(changes: DataFrame, by: Sequence[str] = ("file", "patch")) -> DataFrame:
    """Count operations, by patch or by other columns.

    This includes operations of aborted transactions: ``stats(effective(changes))`` excludes them.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        by: The columns to group by. Without columns there is one row for all changes; with
            ``["p"]`` there is a row for each predicate.

    Returns:
        The columns ``by``, then ``operations`` (of all kinds, except the ends of patches),
        ``headers``, ``prefixes_added``, ``prefixes_deleted``, ``added`` and ``deleted`` (operations
        on statements), ``committed`` and ``aborted`` (transactions).

    Raises:
        ValueError: A column is missing, or has another type.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 1, 0, 0, "TX", None, None, None, None, None),
        ...         ("f", 1, 0, 1, "A", "<urn:s>", "<urn:p>", '"o"', None, None),
        ...         ("f", 1, 0, 2, "TC", None, None, None, None, None),
        ...         ("f", 1, 0, 3, "END", None, None, None, None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> row = stats(changes).first()
        >>> row.file, row.patch, row.operations, row.added, row.committed
        ('f', 1, 3, 1, 1)
    """
    changes = check_changes(changes, stream_too=True)
    check_names(by, changes.columns)
    op = F.col("op")
    return changes.groupBy(*by).agg(
        F.count_if(op != "END").alias("operations"),
        *(F.count_if(op == code).alias(name) for name, code in _COUNTED.items()),
    )

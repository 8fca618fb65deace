"""Drops operations without effect."""

from __future__ import annotations

from pyspark.sql import DataFrame

from jelly_rdflib.spark.pipeline.marks import open_marks
from jelly_rdflib.spark.pipeline.table import check_changes


def effective(changes: DataFrame, *, marks: DataFrame | None = None) -> DataFrame:
    """Return the changes without the operations of aborted and of unfinished transactions.

    A transaction is unfinished if its file is cut off. The operations of a patch outside of
    transactions are a transaction of their own; it is unfinished if the patch has no ``END``. (If
    the table has no ``END`` at all, all patches count as whole.) All other operations stay, also
    headers and ends of patches.

    A call reads the marks of the changes once.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        marks: The same changes read with the source's option ``op`` set to `MARKS`, so that the
            source makes no rows of statements. By default ``changes`` are read twice.

    Returns:
        A table of the effective rows, with the same columns.

    Raises:
        ValueError: A column is missing, or has another type.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 0, 0, 0, "TX", None, None, None, None, None),
        ...         ("f", 0, 0, 1, "A", "<urn:s>", "<urn:p>", '"never"', None, None),
        ...         ("f", 0, 0, 2, "TA", None, None, None, None, None),
        ...         ("f", 0, 1, 3, "A", "<urn:s>", "<urn:p>", '"kept"', None, None),
        ...         ("f", 0, 1, 4, "END", None, None, None, None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> [row.op for row in effective(changes).orderBy("seq").collect()]
        ['A', 'END']
    """
    changes = check_changes(changes)
    with open_marks(changes, marks) as found:
        return found.known(found.effective(changes))

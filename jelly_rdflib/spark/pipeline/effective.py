"""Changes without what has no effect."""

from __future__ import annotations

from pyspark.sql import DataFrame

from jelly_rdflib.spark.pipeline.marks import open_marks
from jelly_rdflib.spark.pipeline.table import check_changes


def effective(changes: DataFrame, *, marks: DataFrame | None = None) -> DataFrame:
    """Return the changes without the operations of aborted and of unfinished transactions.

    A transaction is unfinished where its file is cut off. What stands outside of transactions is
    one of its own, in each patch; it is unfinished if the patch has no ``END``. (Where the table
    has no ``END`` at all, all patches are taken to be whole.) All else stays, headers and ends of
    patches too.

    The changes are read once when the function is called, but only their marks.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        marks: The same changes read apart, with the source's option ``op`` as `MARKS` has it, so
            that it makes no rows of statements. By default ``changes`` themselves are read twice.

    Returns:
        A part of its rows, in the same columns.

    Raises:
        ValueError: A column is missing, or is of another type.

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

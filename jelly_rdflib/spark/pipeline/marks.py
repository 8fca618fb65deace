"""Finds the patches and transactions of changes by their marks, and drops those without effect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import MAX_BROADCAST
from jelly_rdflib.spark.pipeline.table import check_changes, check_marks, header_key


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
    with open_marks(changes, marks) as found:
        return found.known(found.effective(found.changes))


class Marks:
    """The patches and transactions of a table of changes.

    A patch ends with an ``END``. If a patch has none, but others have, then its file is cut off,
    and its operations outside of transactions are as unfinished as a transaction without ``TC``. In
    a table without any ``END`` all patches count as whole, unless it has the column ``_corrupt``.
    """

    def __init__(
        self, changes: DataFrame, marks: DataFrame | None, transactions: DataFrame
    ) -> None:
        self.changes = changes
        self.marks = marks
        self._transactions = transactions
        self._patches = transactions.groupBy("file", "patch").agg(
            F.max("id")["o"].alias("id"),
            F.max("prev")["o"].alias("prev"),
            F.max("has_end").alias("is_whole"),
            F.max("is_bad").alias("has_bad"),
        )
        # Whether there is any END, any patch without END, any transaction without effect.
        flags = self._patches.agg(F.max("is_whole"), ~F.min("is_whole"), F.max("has_bad"))
        has_end, has_cut, has_bad = map(bool, flags.collect()[0])
        # A table in the mode PERMISSIVE comes from files, and has an END for each whole patch.
        self._has_ends = has_end or "_corrupt" in changes.columns
        self._has_cut = self._has_ends and has_cut
        self._has_bad = has_bad

    def patches(self) -> DataFrame:
        """Return a row for each patch: ``file``, ``patch``, and its headers ``id`` and ``prev``."""
        patches = self._patches.select("file", "patch", "id", "prev")
        if self._has_ends:
            return patches
        # Without END, a patch may have no mark.
        there = self.changes.select("file", "patch").distinct()
        return there.join(patches, ["file", "patch"], "left")

    def known(self, changes: DataFrame) -> DataFrame:
        """Return the changes without a last patch that is cut off before its first mark.

        Such a patch is unfinished, but `effective` can't see it.
        """
        if not self._has_ends:
            return changes
        last = self._transactions.groupBy("file").agg(F.max("patch").alias("_last"))
        return changes.join(last, "file").where("patch <= _last").select(*changes.columns)

    def effective(self, changes: DataFrame) -> DataFrame:
        """Return the changes without those of aborted and unfinished transactions."""
        if self._has_bad:
            bad = self._transactions.where("is_bad").select("file", "txn")
            changes = _without(changes, bad, "txn = _txn")
        if not self._has_cut:
            return changes
        cut = self._patches.where("not is_whole").select("file", "patch")
        good = self._transactions.where("has_start and not is_bad")
        good = good.join(cut, ["file", "patch"], "left_semi")
        good = good.select("file", "txn", F.lit(True).alias("_is_good"))
        marked = changes.join(good, ["file", "txn"], "left")
        unfinished = _without(marked, cut, "patch = _patch and _is_good is null")
        return unfinished.select(*changes.columns)


def _without(changes: DataFrame, left_out: DataFrame, condition: str) -> DataFrame:
    """Return the changes without those that meet a condition for a row of ``left_out``.

    In the condition its columns have a ``_`` before their names. Headers and END always stay.
    """
    # Both tables may come from the same one: renamed columns keep the join unambiguous.
    left_out = left_out.toDF(*(f"_{name}" for name in left_out.columns))
    found = left_out.limit(MAX_BROADCAST + 1).collect()
    if not found:
        return changes
    if len(found) <= MAX_BROADCAST:
        left_out = F.broadcast(changes.sparkSession.createDataFrame(found, left_out.schema))
    matches = F.expr(f"op not in ('H', 'END') and file = _file and {condition}")
    return changes.join(left_out, matches, "left_anti")


@contextmanager
def open_marks(changes: DataFrame, marks: DataFrame | None = None) -> Iterator[Marks]:
    """Check a table of changes and a table of its marks, and read the marks once.

    The tables of the result may be used after the block, but Spark then reads the marks again.
    """
    changes = check_changes(changes)
    marks = None if marks is None else check_marks(marks)
    op = F.col("op")

    def has(code: str) -> Column:
        return F.coalesce(F.max(op == code), F.lit(False))

    transactions = (
        (changes if marks is None else marks)
        .where(op.isin("H", "TX", "TC", "TA", "END"))
        .groupBy("file", "patch", "txn")
        .agg(
            _header("id"),
            _header("prev"),
            has("END").alias("has_end"),
            has("TX").alias("has_start"),
            (has("TA") | (has("TX") & ~has("TC"))).alias("is_bad"),
        )
    )
    transactions.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield Marks(changes, marks, transactions)
    finally:
        transactions.unpersist()


def _header(key: str) -> Column:
    """Return a group's last header of a key, and its place; ``prev`` precedes ``previous``."""
    is_it = (F.col("op") == "H") & (header_key() == key)
    is_first_choice = (F.lower("name") == key).alias("is_first_choice")
    return F.max(F.when(is_it, F.struct(is_first_choice, "seq", "o"))).alias(key)

"""Finds the patches and transactions of a table of changes, by its marks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.table import header_key

# The driver holds up to this number of aborted transactions, and sends them to all executors.
MAX_BROADCAST = 100_000

_CORRUPT = "_corrupt"
_TRANSACTION = ["file", "patch", "txn"]
_PATCH = ["file", "patch"]


class Marks:
    """The patches and transactions of a table of changes.

    A patch ends with an ``END``. If a patch has none, but others have, then its file is cut off,
    and its operations outside of transactions are as unfinished as a transaction without ``TC``. In
    a table without any ``END`` all patches count as whole, unless it has the column ``_corrupt``.

    Args:
        changes: The table.
        transactions: A row for each transaction and patch with a mark, see `open_marks`.
    """

    def __init__(self, changes: DataFrame, transactions: DataFrame) -> None:
        self._changes = changes
        self._transactions = transactions
        self._patches = transactions.groupBy(*_PATCH).agg(
            F.max("id")["o"].alias("id"),
            F.max("prev")["o"].alias("prev"),
            F.max("has_end").alias("is_whole"),
            F.max("is_bad").alias("has_bad"),
        )
        # Whether there is an END at all, a patch without END, a transaction without effect.
        row = self._patches.agg(
            F.max("is_whole"), F.min("is_whole") == F.lit(False), F.max("has_bad")
        ).collect()[0]
        has_end, has_cut, has_bad = map(bool, row)
        # A table in the mode PERMISSIVE comes from files, and has an END for each whole patch.
        self._has_ends = has_end or _CORRUPT in changes.columns
        self._has_cut = self._has_ends and has_cut
        self._has_bad = has_bad

    def patches(self) -> DataFrame:
        """Return a row for each patch: ``file``, ``patch``, and its headers ``id`` and ``prev``."""
        patches = self._patches.select(*_PATCH, "id", "prev")
        if self._has_ends:
            return patches
        # Without END, a patch may have no mark.
        there = self._changes.select(*_PATCH).distinct()
        return there.join(patches, _PATCH, "left")

    def known(self, changes: DataFrame) -> DataFrame:
        """Return the changes without a last patch that is cut off before its first mark.

        Such a patch is unfinished, but `effective` can't see it.
        """
        if not self._has_ends:
            return changes
        last = self._transactions.groupBy("file").agg(F.max("patch").alias("_last"))
        known = changes.join(last, "file").where(F.col("patch") <= F.col("_last"))
        return known.select(*changes.columns)

    def effective(self, changes: DataFrame) -> DataFrame:
        """Return the changes without those of aborted and unfinished transactions."""
        if self._has_bad:
            changes = _without(changes, self._transactions.where("is_bad"), ["file", "txn"])
        if not self._has_cut:
            return changes
        cut = self._patches.where(~F.col("is_whole")).select(*_PATCH)
        good = self._transactions.where("has_start and not is_bad")
        good = good.join(cut, _PATCH, "left_semi").select(*_TRANSACTION)
        inside = changes.where(_has_effect()).join(good, _TRANSACTION, "left_semi")
        return _without(changes, cut, _PATCH).unionByName(inside.select(*changes.columns))


def _has_effect() -> Column:
    """Return whether an operation belongs to a transaction; headers and END belong to a patch."""
    return ~F.col("op").isin("H", "END")


def _without(changes: DataFrame, left_out: DataFrame, keys: list[str]) -> DataFrame:
    """Return the changes without operations of the patches or transactions in another table."""
    # Renamed columns keep the join unambiguous: both may come from the same table.
    left_out = left_out.select(*(F.col(key).alias(f"_{key}") for key in keys)).distinct()
    found = left_out.limit(MAX_BROADCAST + 1).collect()
    if not found:
        return changes
    if len(found) <= MAX_BROADCAST:
        left_out = F.broadcast(changes.sparkSession.createDataFrame(found, left_out.schema))
    condition = _has_effect()
    for key in keys:
        condition &= F.col(key) == F.col(f"_{key}")
    return changes.join(left_out, condition, "left_anti")


@contextmanager
def open_marks(changes: DataFrame, marks: DataFrame | None = None) -> Iterator[Marks]:
    """Read the marks of a table of changes, once.

    Args:
        changes: The result of `check_changes`.
        marks: The result of `check_marks`, if the marks can be read separately.

    Returns:
        The marks. Their tables may be used after the block, but Spark then reads them again.
    """
    op = F.col("op")
    marks = changes if marks is None else marks
    marks = marks.where(op.isin("H", "TX", "TC", "TA", "END"))

    def has(code: str) -> Column:
        return F.coalesce(F.max(op == code), F.lit(False))

    transactions = marks.groupBy(*_TRANSACTION).agg(
        _header("id"),
        _header("prev"),
        has("END").alias("has_end"),
        has("TX").alias("has_start"),
        (has("TA") | (has("TX") & ~has("TC"))).alias("is_bad"),
    )
    transactions.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield Marks(changes, transactions)
    finally:
        transactions.unpersist()


def _header(key: str) -> Column:
    """Return a group's last header of a key, and its place; ``prev`` precedes ``previous``."""
    is_it = (F.col("op") == "H") & (header_key() == key)
    is_first_choice = (F.lower("name") == key).alias("is_first_choice")
    return F.max(F.when(is_it, F.struct(is_first_choice, "seq", "o"))).alias(key)

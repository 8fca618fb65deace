"""The patches and transactions of a table of changes: found by a few of its operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.table import header_key

# Of what the driver holds: fewer aborted transactions than these are sent to all executors.
MAX_BROADCAST = 100_000

_CORRUPT = "_corrupt"
_TRANSACTION = ["file", "patch", "txn"]
_PATCH = ["file", "patch"]


class Marks:
    """The patches and transactions of a table of changes.

    A patch ends with an ``END``. If one has none, in a table that has others, then its file is cut
    off, and what of it stands outside of transactions is as unfinished as a transaction without
    ``TC``. In a table without any ``END`` all patches are taken to be whole, unless it has the
    column ``_corrupt``.

    Args:
        changes: The table.
        transactions: A row for each transaction and patch that has an operation other than adds
            and deletes, see `open_marks`.
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
        # Is there an END at all, a patch without it, a transaction without effect?
        row = self._patches.agg(
            F.max("is_whole"), F.min("is_whole") == F.lit(False), F.max("has_bad")
        ).collect()[0]
        has_end, has_cut, has_bad = map(bool, row)
        # What is read as PERMISSIVE comes from files, and has an END for each whole patch.
        self._has_ends = has_end or _CORRUPT in changes.columns
        self._has_cut = self._has_ends and has_cut
        self._has_bad = has_bad

    def patches(self) -> DataFrame:
        """Return a row for each patch: ``file``, ``patch``, and its headers ``id`` and ``prev``."""
        patches = self._patches.select(*_PATCH, "id", "prev")
        if self._has_ends:
            return patches
        # Then only the operations themselves say which patches there are.
        there = self._changes.select(*_PATCH).distinct()
        return there.join(patches, _PATCH, "left")

    def known(self, changes: DataFrame) -> DataFrame:
        """Return the changes without what a cut off file has of a patch that has no mark.

        That is unfinished, but not known to `effective`.
        """
        if not self._has_ends:
            return changes
        last = self._transactions.groupBy("file").agg(F.max("patch").alias("_last"))
        known = changes.join(last, "file").where(F.col("patch") <= F.col("_last"))
        return known.select(*changes.columns)

    def effective(self, changes: DataFrame) -> DataFrame:
        """Return those of the changes that are in no aborted and no unfinished transaction."""
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
    """Is an operation one of a transaction, and not one that says something of its patch?"""
    return ~F.col("op").isin("H", "END")


def _without(changes: DataFrame, left_out: DataFrame, keys: list[str]) -> DataFrame:
    """Return the changes without the operations of what has the same keys."""
    # By other names, so that it is clear what is meant: it may be made of the same table.
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
    """Read, once, what a table of changes says of its patches and transactions.

    Args:
        changes: As `check_changes` returns it.
        marks: Those of them that are not on statements, as `check_marks` returns them, if they can
            be read by themselves.

    Returns:
        It; what it gives may be used after the block, but is then read anew.
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
    """Return the last of a group's headers of that key, and where it is.

    ``previous`` counts where there is no ``prev``.
    """
    is_it = (F.col("op") == "H") & (header_key() == key)
    is_first_choice = (F.lower("name") == key).alias("is_first_choice")
    return F.max(F.when(is_it, F.struct(is_first_choice, "seq", "o"))).alias(key)

"""Finds the patches and transactions of changes by their marks; drops aborted transactions."""

# pyarrow generates the functions of its module `compute` when it is imported.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.kinds import describes_errors
from jelly_rdflib.spark.pipeline.chain import MAX_BROADCAST, local_table
from jelly_rdflib.spark.pipeline.table import check_changes, check_marks, header_key_column


def effective(changes: DataFrame, *, marks: DataFrame | None = None) -> DataFrame:
    """Return the changes without the operations of aborted and of unfinished transactions.

    A transaction is unfinished if its file is cut off. The operations of a patch outside of
    transactions count as one transaction, which is unfinished if the patch has no ``END``. (If the
    table has no ``END`` at all, all patches count as whole.) All other operations are kept,
    including headers and ends of patches.

    A call reads the marks of the changes once. The driver holds about 170 bytes for each patch,
    and a number for each transaction without effect.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        marks: The same changes read with the source's option ``op`` set to `MARKS`, so that the
            source makes no rows for statements. By default ``changes`` are read twice.

    Returns:
        A table of the effective rows, with the same columns.

    Raises:
        ValueError: A column is missing or of another type, or a table is a stream.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 1, 0, 0, "TX", None, None, None, None, None),
        ...         ("f", 1, 0, 1, "A", "<urn:s>", "<urn:p>", '"never"', None, None),
        ...         ("f", 1, 0, 2, "TA", None, None, None, None, None),
        ...         ("f", 1, 1, 3, "A", "<urn:s>", "<urn:p>", '"kept"', None, None),
        ...         ("f", 1, 1, 4, "END", None, None, None, None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> [row.op for row in effective(changes).orderBy("seq").collect()]
        ['A', 'END']
    """
    found = Marks(changes, marks)
    return found.known(found.effective(found.changes))


class Marks:
    """The patches and transactions of a table of changes, whose marks are read once.

    A patch ends with an ``END``. If a patch has none, but others have one, its file is cut off,
    and its operations outside of transactions are unfinished, like a transaction without ``TC``.
    In a table without any ``END`` all patches count as whole, unless it has the column that
    describes errors.

    Args:
        changes, marks: As for `effective`. The attributes with these names are the checked tables.
    """

    def __init__(self, changes: DataFrame, marks: DataFrame | None) -> None:
        self.changes = check_changes(changes)
        self.marks = None if marks is None else check_marks(marks)
        self._transactions = _transactions(self.changes if self.marks is None else self.marks)
        # A row for each patch.
        self._patches = _patches(self._transactions).toArrow()
        is_whole = self._patches["is_whole"]
        # A table in the mode PERMISSIVE comes from files, and has an END for each whole patch.
        self._has_ends = describes_errors(changes.schema) or bool(pc.any(is_whole).as_py())

    def patches(self) -> pa.Table:
        """Return a row for each patch: ``file``, ``patch``, and its headers ``id`` and ``prev``.

        The rows are sorted by ``file`` and ``patch``.
        """
        patches = self._patches.select(["file", "patch", "id", "prev"])
        if not self._has_ends:
            # Look at all changes, since without END a patch may have no mark at all.
            there = self.changes.select("file", "patch").distinct().toArrow()
            patches = there.join(patches, ["file", "patch"], join_type="left outer")
        return patches.sort_by([("file", "ascending"), ("patch", "ascending")])

    def known(self, changes: DataFrame) -> DataFrame:
        """Return the changes without the last patch of a file, if it is cut off before any mark.

        Such a patch is unfinished, but `effective` can't find it, as it looks only at marks.
        """
        if not self._has_ends:
            return changes
        last = self._patches.group_by("file").aggregate([("patch", "max")])
        found = local_table(changes, last.rename_columns(["file", "_last"]))
        return changes.join(found, "file").where("patch <= _last").select(*changes.columns)

    def effective(self, changes: DataFrame) -> DataFrame:
        """Return the changes without those of aborted and unfinished transactions."""
        file, bad = (self._patches[name].combine_chunks() for name in ("file", "bad"))
        columns = [file.take(pc.list_parent_indices(bad)), pc.list_flatten(bad)]
        wrong = pa.table(columns, ["_file", "_txn"])
        if wrong.num_rows > 0:
            left_out = local_table(changes, wrong)
            if wrong.num_rows <= MAX_BROADCAST:
                left_out = F.broadcast(left_out)
            is_wrong = F.expr("op not in ('H', 'END') and file = _file and txn = _txn")
            changes = changes.join(left_out, is_wrong, "left_anti")
        if not self._has_ends:
            return changes
        cut = self._patches.filter(pc.invert(self._patches["is_whole"]))
        if cut.num_rows == 0:
            return changes
        # The committed transactions of a patch that is cut off are kept. Find them by joins, since
        # there may be millions, too many for the driver.
        places = local_table(changes, cut.select(["file", "patch"])).withColumn(
            "_is_cut", F.lit(True)
        )
        good = self._transactions.where("TX and TC and not TA").join(places, ["file", "patch"])
        good = good.select("file", "patch", "txn", F.lit(True).alias("_is_good"))
        found = changes.join(places, ["file", "patch"], "left")
        found = found.join(good, ["file", "patch", "txn"], "left")
        return found.where("op in ('H', 'END') or _is_cut is null or _is_good").select(
            *changes.columns
        )


def _transactions(marks: DataFrame) -> DataFrame:
    """Return a row for each transaction of each patch: its headers, and which marks it has."""
    op = F.col("op")
    return (
        marks.where(op.isin("H", "TX", "TC", "TA", "END"))
        .groupBy("file", "patch", "txn")
        .agg(
            _header("id"),
            _header("prev"),
            *(F.max(op == code).alias(code) for code in ("END", "TX", "TC", "TA")),
        )
    )


def _patches(transactions: DataFrame) -> DataFrame:
    """Return a row for each patch: its headers, whether it has an END, and its bad transactions.

    The transactions in ``bad`` were aborted or not finished. The others are not listed, since a
    patch may have millions of them.
    """
    is_bad = F.expr("TA or (TX and not TC)")
    return transactions.groupBy("file", "patch").agg(
        F.max("id")["o"].alias("id"),
        F.max("prev")["o"].alias("prev"),
        F.max("END").alias("is_whole"),
        F.collect_list(F.when(is_bad, F.col("txn"))).alias("bad"),
    )


def _header(key: str) -> Column:
    """Return a group's last header with a key; a ``prev`` takes precedence over a ``previous``."""
    is_it = (F.col("op") == "H") & (header_key_column() == key)
    is_first_choice = (F.lower("name") == key).alias("is_first_choice")
    return F.max(F.when(is_it, F.struct(is_first_choice, "seq", "o"))).alias(key)

"""Changes in their order: over files by the chain of patches, or by a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.marks import MAX_BROADCAST, Marks, open_marks
from jelly_rdflib.spark.pipeline.runs import PatchOrder, order_patches
from jelly_rdflib.spark.pipeline.table import check_changes, check_marks

ORDER = "_order"
VERSION = "_version"

# With `runs.MAX_RUNS`, and a bit for whether it is an add, an operation's place fits a long, of
# which Spark finds the largest in place, without sorting.
SEQ_BITS = 42


@dataclass(frozen=True)
class Ordered:
    """Changes, without those of aborted and unfinished transactions, in their order.

    Attributes:
        changes: The table, with two columns more: `ORDER` is larger for what comes later, `VERSION`
            is the version that the operation's patch makes.
        marks: The same, but operations on statements may be missing, and their columns with them.
        order: The order of the patches; None if a column was given.
    """

    changes: DataFrame
    marks: DataFrame
    order: PatchOrder | None

    @property
    def is_numbered(self) -> bool:
        """Is `ORDER` a number, of 62 bits?"""
        return self.order is not None


def order_changes(
    changes: DataFrame,
    *,
    upto: Any = None,
    order_by: str | None = None,
    marks: DataFrame | None = None,
    root: Root = Root(),  # noqa: B008
) -> Ordered:
    """Leave out what has no effect, and order the rest.

    Args:
        changes: A table of changes.
        upto: The last version that is wanted: its number or its patch's id; with ``order_by`` a
            value of that column. None for all.
        order_by: A column that orders files or patches; None for the chain.
        marks: As for `open_marks`.
        root: What the first patch of the chain is to come after.

    Raises:
        PatchError: The chain is broken, or there is no such version.
        ValueError: A column is missing, or is of another type.
        TypeError: ``upto`` is of another type.
    """
    changes = check_changes(changes)
    marks = None if marks is None else check_marks(marks)
    order: PatchOrder | None = None
    with open_marks(changes, marks) as found:
        if order_by is None:
            order = order_patches(found.patches(), root)
            version = order.resolve(upto)

        def put_in_order(table: DataFrame) -> DataFrame:
            if order_by is not None:
                return _order_by_column(table, found, upto, order_by)
            assert order is not None
            return number_rows(found.effective(table), order, version)

        ordered = put_in_order(changes)
        return Ordered(ordered, ordered if marks is None else put_in_order(marks), order)


def _order_by_column(changes: DataFrame, marks: Marks, upto: Any, order_by: str) -> DataFrame:
    if order_by not in changes.columns:
        raise ValueError(f"the changes have no column {order_by!r} to order by")
    if upto is not None:
        changes = changes.where(F.col(order_by) <= F.lit(upto))
    kept = marks.known(marks.effective(changes))
    return kept.withColumns({VERSION: F.col(order_by), ORDER: F.struct(order_by, "file", "seq")})


def number_rows(changes: DataFrame, order: PatchOrder, upto: int) -> DataFrame:
    """Add the columns `ORDER` and `VERSION`, and leave out what comes after a version.

    Args:
        changes: With the columns ``file``, ``patch`` and ``seq``.
        order: The order of the patches.
        upto: The number of the last version that is wanted.
    """
    # Of each run: its file, the first patch, the last that is wanted, its number, the version
    # before it.
    rows: list[tuple[str, int, int, int, int]] = []
    before = 0
    for number, run in enumerate(order.runs):
        if before >= upto:
            break
        last = min(run.last, run.first + upto - before - 1)
        rows.append((run.file, run.first, last, number, before))
        before += len(run)
    if len(rows) == 1:
        file, first, last, number, before = rows[0]
        in_run = (F.col("file") == file) & F.col("patch").between(first, last)
        return _add_columns(changes.where(in_run), F.lit(first), F.lit(number), F.lit(before))

    runs = changes.sparkSession.createDataFrame(
        rows, "file string, first long, last long, number long, before long"
    )
    keys = ["file"]
    size = len(rows)
    if len({row[0] for row in rows}) < len(rows):
        # A row for each patch, so that it is found at once and not by going through all runs.
        keys = ["file", "patch"]
        runs = runs.withColumn("patch", F.explode(F.sequence("first", "last")))
        size = order.version
    runs = runs.hint("broadcast" if size <= MAX_BROADCAST else "merge")
    names = changes.columns
    joined = changes.join(runs, keys).where(F.col("patch") <= F.col("last"))
    numbered = _add_columns(joined, F.col("first"), F.col("number"), F.col("before"))
    return numbered.select(*names, VERSION, ORDER)


def _add_columns(changes: DataFrame, first: Column, number: Column, before: Column) -> DataFrame:
    return changes.withColumns(
        {
            VERSION: before + F.col("patch") - first + 1,
            ORDER: F.shiftleft(number.cast("long"), SEQ_BITS).bitwiseOR(F.col("seq")),
        }
    )

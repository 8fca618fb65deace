"""Orders changes: by the chain of patches, or by a column."""

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

# The number of the run (below `runs.MAX_RUNS`), seq and a bit for adds fit a long. Spark computes
# the maximum of longs in place, without sorting.
SEQ_BITS = 42


@dataclass(frozen=True)
class Ordered:
    """Effective changes, with their order.

    Attributes:
        changes: The table, with two more columns: `ORDER` grows with each operation, `VERSION` is
            the version that the operation's patch makes.
        marks: The marks of the same table; operations on statements, and columns that only they
            use, may be missing.
        order: The order of the patches; None with ``order_by``.
    """

    changes: DataFrame
    marks: DataFrame
    order: PatchOrder | None

    @property
    def is_numbered(self) -> bool:
        """Whether `ORDER` is a number, of 62 bits."""
        return self.order is not None


def order_changes(
    changes: DataFrame,
    *,
    upto: Any = None,
    order_by: str | None = None,
    marks: DataFrame | None = None,
    root: Root = Root(),  # noqa: B008
) -> Ordered:
    """Order the effective changes.

    Args:
        changes: A table of changes.
        upto: The last version: its number or its patch's id; with ``order_by`` a value of that
            column. None for all versions.
        order_by: A column that orders files or patches; None for the chain.
        marks: As for `open_marks`.
        root: The patch before the first one of the chain.

    Raises:
        PatchError: The chain is broken, or the version does not exist.
        ValueError: A column is missing, or has another type.
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
    """Add the columns `ORDER` and `VERSION`, and drop changes after a version.

    Args:
        changes: A table with the columns ``file``, ``patch`` and ``seq``.
        order: The order of the patches.
        upto: The number of the last version.
    """
    # For each run: its file, first patch, last wanted patch, number, and the version before it.
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
        # A row for each patch, so that a join finds it without comparing all runs of the file.
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

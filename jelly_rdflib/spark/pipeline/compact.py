"""Merges patches into one."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import VERSION
from jelly_rdflib.spark.pipeline.identity import identity_sql
from jelly_rdflib.spark.pipeline.order import ORDER, Ordered, order_after
from jelly_rdflib.spark.pipeline.table import header_key_column, is_statement, make_patch

# The part of the patch that a row is in: 0 for headers, 1 for TX and prefixes, 2 for statements, 3
# for TC. The TX has no `ORDER`, so it comes before the prefixes.
_PART = "_part"


def compact(
    changes: DataFrame,
    order_by: str | None = None,
    *,
    marks: DataFrame | None = None,
    after: str | None = None,
) -> DataFrame:
    """Return the smallest patch with the same effect as the changes, on any dataset.

    The patch contains the last operation on each quad, even if it is a delete. Aborted and
    unfinished transactions are left out, and the others become one transaction, as with
    `jelly_rdflib.compact`. A prefix is bound in its graph: the patch contains the last operation on
    each prefix of a graph, and the last operation that binds a prefix to each IRI. The header
    ``prev`` comes from the first patch, and ``id`` from the last patch; all other distinct headers
    are kept.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        order_by: A column that orders the patches instead of the chain; see `replay`.
        marks: The same changes without the rows for statements; see `replay`.
        after: The id of the missing patch before the first one (its ``prev``), as an IRI with or
            without angle brackets. None: the first patch has no ``prev``.

    Returns:
        A table of changes with one patch: headers, ``TX``, prefixes, statements, ``TC``. The rows
        are sorted, and ``seq`` numbers them in this order, with gaps.

    Raises:
        PatchError: The patches are not one chain, see `replay`; or the first one does not follow
            ``after``.
        ValueError: A column is missing or of another type; a table is a stream; or ``after`` is
            given with ``order_by``.
        TypeError: ``after`` has another type.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 1, 0, 0, "A", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 2, 1, 1, "D", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 2, 1, 2, "A", "<urn:s>", "<urn:p>", '"new"', None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> compact(changes).select("op", "o").show()
        +---+-----+
        | op|    o|
        +---+-----+
        | TX| NULL|
        |  D|"old"|
        |  A|"new"|
        | TC| NULL|
        +---+-----+
        <BLANKLINE>
    """
    ordered = order_after(changes, after, order_by, marks)
    statements = ordered.net_operations().withColumn(_PART, F.lit(2))
    marks = _last_marks(ordered)
    rows = marks.unionByName(statements, allowMissingColumns=True)
    # A patch with only headers gets no transaction. To decide this, look for any operation in the
    # input, so that the last operations need not be computed twice.
    some = marks.where(F.col(_PART) > 0).select(_PART)
    some = some.union(ordered.changes.where(is_statement()).select(F.lit(2)))
    ends = F.array(
        F.struct(F.lit(1).alias(_PART), F.lit("TX").alias("op")),
        F.struct(F.lit(3).alias(_PART), F.lit("TC").alias("op")),
    )
    transaction = some.limit(1).select(F.inline(ends))
    whole = rows.unionByName(transaction, allowMissingColumns=True)
    in_order = whole.orderBy(_PART, ORDER).withColumn("seq", F.monotonically_increasing_id())
    return make_patch(in_order, "compact")


def _without_empty_patches(rows: DataFrame) -> DataFrame:
    """Leave out each END that directly follows another one or starts a file."""
    is_end = F.col("op") == "END"
    before = F.lag("seq", 1, -1).over(Window.partitionBy("file").orderBy("seq"))
    ends = rows.where(is_end).withColumn("_before", before).where("seq > _before + 1")
    return rows.where(~is_end).unionByName(ends.drop("_before"))


def _last_marks(ordered: Ordered) -> DataFrame:
    """Return the headers and the operations on prefixes that are kept.

    These are the ``prev`` of the first patch, the ``id`` of the last, and each other header once;
    the last operation on each prefix of a graph, and the last prefix of each IRI.
    """
    is_header = F.col("op") == "H"
    key, patch = header_key_column(), F.struct(VERSION, "file", "patch")
    rows = ordered.marks
    if ordered.order is not None:
        is_first, is_last = F.col(VERSION) == 1, F.col(VERSION) == ordered.order.version
    else:
        filled = _without_empty_patches(rows)
        rows = rows.join(
            F.broadcast(filled.agg(F.min(patch).alias("first"), F.max(patch).alias("last")))
        )
        is_first, is_last = patch == F.col("first"), patch == F.col("last")

    def each(*columns: Column | str) -> WindowSpec:
        return Window.partitionBy(_PART, *columns)

    header_is_kept = (
        F.when(key == "id", is_last)
        .when(key == "prev", is_first)
        .otherwise(patch == F.min(patch).over(each(key, F.expr(identity_sql("o")))))
    )
    prefix_is_kept = (F.col(ORDER) == F.max(ORDER).over(each("name", "g"))) | (
        # In rdflib an IRI has one prefix: the last one.
        (F.col("op") == "PA") & (F.col(ORDER) == F.max(ORDER).over(each("op", "o")))
    )
    # Give each key one spelling, since Jena can't read a key with two spellings; the first patch's
    # headers stay as they are.
    spelled = F.min(F.struct(ORDER, "name")).over(each(F.lower("name")))["name"]
    spelled = F.when(is_first, F.col("name")).otherwise(spelled)
    return (
        rows.where(F.col("op").isin("H", "PA", "PD"))
        .withColumn(_PART, F.when(is_header, 0).otherwise(1))
        # These rows are few, so it is best to shuffle them once for all windows.
        .repartition(_PART)
        .withColumns(
            {
                "_is_kept": F.when(is_header, header_is_kept).otherwise(prefix_is_kept),
                "name": F.when(is_header, spelled).otherwise(F.col("name")),
            }
        )
        .where("_is_kept")
        .select(_PART, "op", "o", "g", "name", ORDER)
    )

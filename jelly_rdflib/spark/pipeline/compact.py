"""Merges patches into one."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import VERSION, as_id
from jelly_rdflib.spark.pipeline.order import IS_ADD, ORDER, order_changes
from jelly_rdflib.spark.pipeline.table import QUAD, header_key, is_statement, make_patch


def compact(
    changes: DataFrame,
    order_by: str | None = None,
    *,
    marks: DataFrame | None = None,
    after: str | None = None,
) -> DataFrame:
    """Return the smallest patch with the same effect as the changes, on any dataset.

    The patch has the last operation on each quad, also if it is a delete. Aborted and unfinished
    transactions are left out, and the others become one transaction, as by `jelly_rdflib.compact`.
    A prefix is bound for its graph: the patch has the last operation on each prefix of a graph, and
    the last operation that binds a prefix to each IRI. The header ``prev`` is that of the first
    patch, and ``id`` that of the last patch; other headers stay, each once.

    Args:
        changes: A table of changes, as for `jelly_rdflib.spark.pipeline.replay`.
        order_by: As for `replay`.
        marks: As for `replay`.
        after: The id of the missing patch before the first one (its ``prev``), as an IRI with or
            without angle brackets. None: the first patch has no ``prev``.

    Returns:
        A table of changes with one patch: headers, ``TX``, prefixes, statements, ``TC``. It is
        sorted, and ``seq`` has that order; its numbers have gaps.

    Raises:
        PatchError, ValueError, TypeError: As by `replay`; a PatchError if the first patch comes
            after another patch than ``after``, and a ValueError for ``after`` with ``order_by``.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 0, 0, 0, "A", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 1, 1, 1, "D", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 1, 1, 2, "A", "<urn:s>", "<urn:p>", '"new"', None, None),
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
    if after is not None and order_by is not None:
        raise ValueError("after is for the chain of patches; with order_by there is none")
    root = None if after is None else as_id(after)
    ordered = order_changes(changes, order_by=order_by, marks=marks, root=root)
    prefixes = ordered.marks.where(F.col("op").isin("PA", "PD"))
    parts = [_last_headers(ordered.marks)]
    if not prefixes.isEmpty() or not ordered.changes.where(is_statement()).isEmpty():
        row = changes.sparkSession.range(1)
        statements = ordered.last_operations().withColumn(
            "op", F.when(F.col(IS_ADD), "A").otherwise("D")
        )
        parts.append(row.select(F.lit("TX").alias("op")))
        parts += [_last_prefixes(prefixes), statements]
        parts.append(row.select(F.lit("TC").alias("op")))
    columns = ("op", *QUAD, "name", ORDER)
    numbered = [
        part.select(F.lit(number).alias("_part"), *(c for c in columns if c in part.columns))
        for number, part in enumerate(parts)
    ]
    whole = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), numbered)
    in_order = whole.orderBy("_part", ORDER).withColumn("seq", F.monotonically_increasing_id())
    return make_patch(in_order, "compact")


def _last_prefixes(prefixes: DataFrame) -> DataFrame:
    """Return the last operation on each prefix of a graph, and the last prefix of each IRI."""
    of_name, of_iri = Window.partitionBy("name", "g"), Window.partitionBy("op", "o")
    rows = prefixes.withColumns(
        {
            "of_name": F.col(ORDER) == F.max(ORDER).over(of_name),
            # In rdflib an IRI has one prefix: the last one.
            "of_iri": (F.col("op") == "PA") & (F.col(ORDER) == F.max(ORDER).over(of_iri)),
        }
    )
    return rows.where("of_name or of_iri")


def _last_headers(marks: DataFrame) -> DataFrame:
    """Return the ``prev`` of the first patch, the ``id`` of the last, other headers once."""
    marks = marks.withColumn("_patch", F.struct(VERSION, "file", "patch"))
    ends = marks.agg(F.min("_patch").alias("first"), F.max("_patch").alias("last"))
    key, patch = header_key(), F.col("_patch")
    kept = (
        F.when(key == "id", patch == F.col("last"))
        .when(key == "prev", patch == F.col("first"))
        .otherwise(patch == F.min("_patch").over(Window.partitionBy(key, "o")))
    )
    rows = marks.where("op = 'H'").join(F.broadcast(ends)).withColumn("is_kept", kept)
    # Jena can't read a key in two spellings.
    same = Window.partitionBy(F.lower("name"))
    spelled = F.min(F.struct(ORDER, "name")).over(same)["name"]
    return rows.withColumn("name", spelled).where("is_kept")

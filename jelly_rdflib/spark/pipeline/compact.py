"""Merges patches into one."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.last import IS_ADD, last_operations
from jelly_rdflib.spark.pipeline.order import ORDER, VERSION, Ordered, order_changes
from jelly_rdflib.spark.pipeline.runs import as_id
from jelly_rdflib.spark.pipeline.table import QUAD, header_key, is_statement, make_patch

_PART = "_part"
_PATCH = "_patch"


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
    root = Root(None if after is None else as_id(after))
    ordered = order_changes(changes, order_by=order_by, marks=marks, root=root)
    parts = [_headers(ordered)]
    if _has_some(ordered):
        parts += [_mark(ordered, "TX"), _prefixes(ordered), _statements(ordered)]
        parts += [_mark(ordered, "TC")]
    numbered = [part.withColumn(_PART, F.lit(number)) for number, part in enumerate(parts)]
    whole = numbered[0]
    for part in numbered[1:]:
        whole = whole.unionByName(part)
    in_order = whole.orderBy(_PART, ORDER).withColumn("seq", F.monotonically_increasing_id())
    return make_patch(in_order.drop(_PART, ORDER), "compact")


def _has_some(ordered: Ordered) -> bool:
    """Return whether there is an operation on a prefix or a statement."""
    prefixes = ordered.marks.where(F.col("op").isin("PA", "PD"))
    return not prefixes.isEmpty() or not ordered.changes.where(is_statement()).isEmpty()


def _rows(operations: DataFrame) -> DataFrame:
    missing = [name for name in QUAD if name not in operations.columns]
    return operations.withColumns({name: F.lit(None).cast("string") for name in missing}).select(
        "op", *QUAD, "name", ORDER
    )


def _mark(ordered: Ordered, op: str) -> DataFrame:
    """Make a table with one row: TX or TC."""
    columns = [
        F.lit(op if field.name == "op" else None).cast(field.dataType).alias(field.name)
        for field in _rows(ordered.changes).schema
    ]
    return ordered.changes.sparkSession.range(1).select(*columns)


def _statements(ordered: Ordered) -> DataFrame:
    op = F.when(F.col(IS_ADD), "A").otherwise("D")
    return _rows(
        last_operations(ordered).withColumns({"op": op, "name": F.lit(None).cast("string")})
    )


def _prefixes(ordered: Ordered) -> DataFrame:
    def last_of(*columns: str) -> Column:
        return F.max(ORDER).over(Window.partitionBy(*columns))

    rows = ordered.marks.where(F.col("op").isin("PA", "PD")).withColumns(
        {
            "of_name": F.col(ORDER) == last_of("name", "g"),
            # In rdflib an IRI has one prefix: the last one.
            "of_iri": (F.col("op") == "PA") & (F.col(ORDER) == last_of("op", "o")),
        }
    )
    return _rows(rows.where("of_name or of_iri"))


def _headers(ordered: Ordered) -> DataFrame:
    patch = F.col(VERSION) if ordered.is_numbered else F.struct(VERSION, "file", "patch")
    patches = ordered.marks.select(patch.alias(_PATCH))
    ends = patches.agg(F.min(_PATCH).alias("first"), F.max(_PATCH).alias("last"))
    headers = ordered.marks.where("op = 'H'").withColumn(_PATCH, patch)
    said_first = F.min(_PATCH).over(Window.partitionBy(header_key(), "o"))
    kept = (
        F.when(header_key() == "id", F.col(_PATCH) == F.col("last"))
        .when(header_key() == "prev", F.col(_PATCH) == F.col("first"))
        .otherwise(F.col(_PATCH) == said_first)
    )
    rows = headers.join(F.broadcast(ends)).withColumn("is_kept", kept)
    # Jena can't read a key in two spellings.
    same = Window.partitionBy(F.lower("name"))
    spelled = F.min(F.struct(ORDER, "name")).over(same)["name"]
    return _rows(rows.withColumn("name", spelled).where("is_kept"))

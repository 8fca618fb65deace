"""Finds the versions that have a quad."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from jelly_rdflib.spark.filters import check_term
from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.last import IS_ADD, last_operations
from jelly_rdflib.spark.pipeline.order import ORDER, VERSION, Ordered, order_changes
from jelly_rdflib.spark.pipeline.table import QUAD, check_quads


def history(
    changes: DataFrame,
    *,
    s: str | None = None,
    p: str | None = None,
    o: str | None = None,
    g: str | None = None,
    base: DataFrame | None = None,
    order_by: str | None = None,
    marks: DataFrame | None = None,
) -> DataFrame:
    """Return for each quad the versions that have it, as intervals.

    No version has a quad that a patch adds and itself deletes. `versions` returns the patch of each
    version.

    Args:
        changes: A table of changes, as for `jelly_rdflib.spark.pipeline.replay`.
        s, p, o, g: Terms in N-Triples syntax: only quads with these terms. For quads of the default
            graph, filter the result by ``g is null``.
        base: The quads of version 0, as for `replay`. Their ``since`` is 0, or null with
            ``order_by``.
        order_by: As for `replay`. A version is then a value of that column.
        marks: As for `replay`.

    Returns:
        The columns ``s``, ``p``, ``o``, ``g``, ``since`` and ``until``: a row for each interval of
        versions that have the quad. It starts with the version ``since``, and ends before the
        version ``until``, which is null if the newest version has the quad.

    Raises:
        PatchError, ValueError, TypeError: As by `replay`; a ValueError also if ``s``, ``p``, ``o``
            or ``g`` is no term.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 0, 0, 0, "A", "<urn:lamp>", "<urn:is>", '"off"', None, None),
        ...         ("f", 1, 1, 1, "D", "<urn:lamp>", "<urn:is>", '"off"', None, None),
        ...         ("f", 1, 1, 2, "A", "<urn:lamp>", "<urn:is>", '"on"', None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> history(changes, s="<urn:lamp>").select("o", "since", "until").orderBy("since").show()
        +-----+-----+-----+
        |    o|since|until|
        +-----+-----+-----+
        |"off"|    1|    2|
        | "on"|    2| NULL|
        +-----+-----+-----+
        <BLANKLINE>
    """
    wanted = {"s": s, "p": p, "o": o, "g": g}
    for name, value in wanted.items():
        if value is not None:
            check_term(value, name)
    if base is not None:
        base = check_quads(base, "the base").distinct()
    root = Root(is_any=base is not None)
    ordered = order_changes(changes, order_by=order_by, marks=marks, root=root)
    rows = ordered.changes
    for name, value in wanted.items():
        if value is not None:
            rows = rows.where(F.col(name) == value)
            base = None if base is None else base.where(F.col(name) == value)
    # The effect of each patch on each quad.
    states = last_operations(Ordered(rows, ordered.marks, ordered.order), by=(*QUAD, VERSION)).drop(
        ORDER
    )
    if base is not None:
        zero: Any = F.lit(None if ordered.order is None else 0)
        first = zero.cast(states.schema[VERSION].dataType).alias(VERSION)
        states = states.unionByName(base.select(*QUAD, first, F.lit(True).alias(IS_ADD)))
    in_time = Window.partitionBy(*QUAD).orderBy(F.col(VERSION).asc_nulls_first())
    was_there = F.lag(IS_ADD, 1, False).over(in_time)
    return (
        states.withColumn("changes", F.col(IS_ADD) != was_there)
        .where("changes")
        .withColumn("until", F.lead(VERSION).over(in_time))
        .where(IS_ADD)
        .select(*QUAD, F.col(VERSION).alias("since"), "until")
    )

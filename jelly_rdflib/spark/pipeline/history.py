"""Lists the versions of a dataset, and finds the versions that contain a quad."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from jelly_rdflib.spark.filters import check_term
from jelly_rdflib.spark.pipeline.chain import ANY, VERSION, local_table, order_patches
from jelly_rdflib.spark.pipeline.identity import is_term, with_identity, with_spelling
from jelly_rdflib.spark.pipeline.marks import Marks
from jelly_rdflib.spark.pipeline.order import IS_ADD, ORDER, order_changes
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
    """Return the versions that contain each quad, as intervals.

    A quad that is added and deleted by the same patch is in no version. `versions` returns the
    patch of each version.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        s, p, o, g: Terms in N-Triples syntax; only quads with these terms are returned. For quads
            in the default graph, filter the result by ``g is null``.
        base: The quads of version 0; see `replay`. Their ``since`` is 0, or null with
            ``order_by``.
        order_by: A column that orders the patches instead of the chain; see `replay`. A version is
            then a value of that column.
        marks: The same changes without the rows for statements; see `replay`.

    Returns:
        The columns ``s``, ``p``, ``o``, ``g``, ``since`` and ``until``: a row for each interval of
        versions that contain the quad. The interval starts with the version ``since`` and ends
        before the version ``until``, which is null if the newest version contains the quad.

    Raises:
        PatchError: The patches are not one chain; see `replay`.
        ValueError: A column is missing or of another type; a table is a stream; or ``s``, ``p``,
            ``o`` or ``g`` is not a term.
        TypeError: An argument has another type.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 1, 0, 0, "A", "<urn:lamp>", "<urn:is>", '"off"', None, None),
        ...         ("f", 2, 1, 1, "D", "<urn:lamp>", "<urn:is>", '"off"', None, None),
        ...         ("f", 2, 1, 2, "A", "<urn:lamp>", "<urn:is>", '"on"', None, None),
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
    condition = F.lit(True)
    for name, term in zip(QUAD, (s, p, o, g), strict=True):
        if term is not None:
            check_term(term, name)
            condition &= is_term(name, term)
    if base is not None:
        base = check_quads(base, "the base")
    root = None if base is None else ANY
    ordered = order_changes(changes, order_by=order_by, marks=marks, root=root)
    # Find the effect of each patch on each quad.
    wanted = replace(ordered, changes=ordered.changes.where(condition))
    states = wanted.last_operations(by=(*QUAD, VERSION)).drop(ORDER)
    if base is not None:
        zero = F.lit(None if ordered.order is None else 0).cast(states.schema[VERSION].dataType)
        first = base.where(condition).select(*QUAD, zero.alias(VERSION), F.lit(True).alias(IS_ADD))
        states = states.unionByName(with_identity(first))
    in_time = Window.partitionBy(*QUAD).orderBy(F.col(VERSION).asc_nulls_first())
    was_there = F.lag(IS_ADD, 1, False).over(in_time)
    found = (
        states.withColumn("changes", F.col(IS_ADD) != was_there)
        .where("changes")
        .withColumn("until", F.lead(VERSION).over(in_time))
        .where(IS_ADD)
    )
    return with_spelling(found).select(*QUAD, F.col(VERSION).alias("since"), "until")


def versions(changes: DataFrame, *, marks: DataFrame | None = None) -> DataFrame:
    """Return the patch of each version: what the numbers in a `history` mean.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`. The patch before
            the first one may be missing.
        marks: The same changes without the rows for statements; see `replay`.

    Returns:
        A row for each patch, with the columns ``version`` (from 1), ``file`` and ``patch``, and the
        patch's headers ``id`` and ``prev``. To find its other headers in ``changes``, use ``file``
        and ``patch``.

    Raises:
        PatchError: The patches are not one chain; see `replay`.
        ValueError: A column is missing or of another type, or a table is a stream.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("b", 1, 0, 0, "H", None, None, "<urn:2>", None, "id"),
        ...         ("b", 1, 0, 1, "H", None, None, "<urn:1>", None, "prev"),
        ...         ("a", 1, 0, 0, "H", None, None, "<urn:1>", None, "id"),
        ...     ],
        ...     CHANGES,
        ... )
        >>> versions(changes).orderBy("version").show()
        +-------+----+-----+-------+-------+
        |version|file|patch|     id|   prev|
        +-------+----+-----+-------+-------+
        |      1|   a|    1|<urn:1>|   NULL|
        |      2|   b|    1|<urn:2>|<urn:1>|
        +-------+----+-----+-------+-------+
        <BLANKLINE>
    """
    order = order_patches(Marks(changes, marks).patches(), ANY)
    numbered = order.number(local_table(changes, order.patches), order.version)
    return numbered.select(F.col(VERSION).alias("version"), "file", "patch", "id", "prev")

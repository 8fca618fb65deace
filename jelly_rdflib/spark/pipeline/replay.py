"""The state of the dataset at any version."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from jelly_rdflib.spark.pipeline.chain import Root
from jelly_rdflib.spark.pipeline.last import IS_ADD, last_operations
from jelly_rdflib.spark.pipeline.order import order_changes
from jelly_rdflib.spark.pipeline.table import QUAD, check_quads


def replay(
    changes: DataFrame,
    base: DataFrame | None = None,
    upto: Any = None,
    order_by: str | None = None,
    *,
    marks: DataFrame | None = None,
) -> DataFrame:
    """Return the quads of the dataset at a version: of each quad the last operation wins.

    Operations of aborted and unfinished transactions have no effect, see `effective`.

    Patches are ordered by their headers ``id`` and ``prev``; a patch without ``prev`` comes after
    the one before it in its file. This is checked when the function is called, for which the
    changes are read once, but only their marks (headers, starts and ends of transactions, ends of
    patches). What the driver holds of them is a row for each time that the chain leaves a file for
    another: usually one for each file, and at most a million.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        base: The quads of version 0, see `jelly_rdflib.spark.pipeline.QUADS`. The first patch may
            then name one before it (``prev``) that is not there. By default version 0 is empty.
        upto: The version: its number, which is that of the patches up to it, or the id of its last
            patch, as an IRI with or without angle brackets. By default the newest.
        order_by: A column that orders the patches in place of the chain: with one value for all
            rows of a patch, and for patches of several files a value each. Rows with the same value
            come in the order of their files' names and then of ``seq``. ``upto`` is then a value
            of the column.
        marks: The same changes read apart, with the source's option ``op`` as `MARKS` has it, so
            that it makes no rows of statements. By default ``changes`` themselves are read twice.

    Returns:
        A table of quads, each once.

    Raises:
        PatchError: The patches are not one chain: one comes after a patch that is not there, two
            after the same, an id comes twice, or several are the first. The message names the patch
            and its file. Or there is no such version.
        ValueError: A column is missing, or is of another type.
        TypeError: ``upto`` is neither a number nor an id.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 0, 0, 0, "A", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 0, 0, 1, "END", None, None, None, None, None),
        ...         ("f", 1, 1, 2, "D", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 1, 1, 3, "A", "<urn:s>", "<urn:p>", '"new"', None, None),
        ...         ("f", 1, 1, 4, "END", None, None, None, None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> replay(changes).show()
        +-------+-------+-----+----+
        |      s|      p|    o|   g|
        +-------+-------+-----+----+
        |<urn:s>|<urn:p>|"new"|NULL|
        +-------+-------+-----+----+
        <BLANKLINE>
        >>> replay(changes, upto=1).first().o
        '"old"'
    """
    if base is not None:
        base = check_quads(base, "the base")
    root = Root(is_any=base is not None)
    ordered = order_changes(changes, upto=upto, order_by=order_by, marks=marks, root=root)
    return last_operations(ordered, base=base).where(IS_ADD).select(*QUAD)

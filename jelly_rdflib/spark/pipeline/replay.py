"""Computes the state of a dataset at any version."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from jelly_rdflib.spark.pipeline.chain import ANY
from jelly_rdflib.spark.pipeline.identity import with_spelling
from jelly_rdflib.spark.pipeline.order import IS_ADD, order_changes
from jelly_rdflib.spark.pipeline.table import QUAD, check_quads


def replay(
    changes: DataFrame,
    base: DataFrame | None = None,
    upto: Any = None,
    order_by: str | None = None,
    *,
    marks: DataFrame | None = None,
) -> DataFrame:
    """Return the quads of the dataset at a version: the last operation on each quad wins.

    Operations of aborted and unfinished transactions have no effect, see `effective`.

    Patches are ordered by their headers ``id`` and ``prev``; a patch without ``prev`` follows the
    previous patch in its file. A call checks the chain immediately. For this it reads the marks of
    the changes (headers, starts and ends of transactions, ends of patches) once. The driver holds a
    row for each time that the chain moves from one file to another: usually one for each file, and
    at most a million.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        base: The quads of version 0, see `jelly_rdflib.spark.pipeline.QUADS`. Then the ``prev`` of
            the first patch may name a missing patch. By default version 0 is empty.
        upto: The version: its number, which is the number of patches up to it, or the id of its
            last patch, as an IRI with or without angle brackets. By default the newest version.
        order_by: A column that orders the patches instead of the chain. All rows of a patch have
            the same value, and patches of different files have different values. Rows with the same
            value are ordered by the files' names and then by ``seq``. ``upto`` is then a value of
            this column; for the column ``file``, the path of a file as given to `load`.
        marks: The same changes read with the source's option ``op`` set to `MARKS`, so that the
            source makes no rows for statements. By default ``changes`` are read twice.

    Returns:
        A table of distinct quads.

    Raises:
        PatchError: The patches are not one chain: a patch follows a missing one, two follow the
            same one, two have the same id, or there are several first patches; the message names
            the patch and its file. Or the version or file that ``upto`` names does not exist.
        ValueError: A column is missing or of another type, or a table is a stream.
        TypeError: ``upto`` is neither a number nor an id, or ``changes`` is not a DataFrame.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import CHANGES
        >>> changes = spark.createDataFrame(
        ...     [
        ...         ("f", 1, 0, 0, "A", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 1, 0, 1, "END", None, None, None, None, None),
        ...         ("f", 2, 1, 2, "D", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 2, 1, 3, "A", "<urn:s>", "<urn:p>", '"new"', None, None),
        ...         ("f", 2, 1, 4, "END", None, None, None, None, None),
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
    root = None if base is None else ANY
    ordered = order_changes(changes, upto=upto, order_by=order_by, marks=marks, root=root)
    last = ordered.last_operations(base=base).where(IS_ADD)
    return with_spelling(last).select(*QUAD)

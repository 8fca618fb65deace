"""The net changes of several patches, for tables that are updated with them."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import DataFrame

from jelly_rdflib.spark.pipeline.chain import as_id
from jelly_rdflib.spark.pipeline.order import ORDER, order_after


class NetChanges(NamedTuple):
    """The net changes of several patches.

    Attributes:
        operations: A row with the last operation on each quad that the patches add or delete. Its
            columns are ``op`` (``A`` or ``D``), ``s``, ``p``, ``o`` and ``g``.
        head: The id of the last patch; ``after`` if there are no patches; None if the last patch
            has no id, and with ``order_by``.
        patches: The number of patches; None with ``order_by``.
    """

    operations: DataFrame
    head: str | None
    patches: int | None


def net_changes(
    changes: DataFrame,
    order_by: str | None = None,
    *,
    marks: DataFrame | None = None,
    after: str | None = None,
) -> NetChanges:
    """Return the net changes of several patches: the last operation on each quad.

    They bring a table of quads from its state after the patch ``after`` to its state after the
    patch ``head``: delete each quad with a ``D`` if it is present, and add each quad with an ``A``
    if it is missing. Store ``head`` in the same transaction: it is the ``after`` of the next call.

    Args:
        changes: A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`.
        order_by: A column that orders the patches instead of the chain; see `replay`.
        marks: The same changes without the rows for statements; see `replay`.
        after: The id of the patch before the first one, as an IRI with or without angle brackets.
            None: the first patch has no ``prev``.

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
        ...         ("f", 1, 0, 0, "H", None, None, "<urn:2>", None, "id"),
        ...         ("f", 1, 0, 1, "H", None, None, "<urn:1>", None, "prev"),
        ...         ("f", 1, 0, 2, "D", "<urn:s>", "<urn:p>", '"old"', None, None),
        ...         ("f", 1, 0, 3, "A", "<urn:s>", "<urn:p>", '"new"', None, None),
        ...     ],
        ...     CHANGES,
        ... )
        >>> operations, head, patches = net_changes(changes, after="urn:1")
        >>> sorted((row.op, row.o) for row in operations.collect()), head, patches
        ([('A', '"new"'), ('D', '"old"')], '<urn:2>', 1)
    """
    ordered = order_after(changes, after, order_by, marks)
    operations, order = ordered.net_operations().drop(ORDER), ordered.order
    if order is None:
        return NetChanges(operations, None, None)
    if not order.runs:
        return NetChanges(operations, None if after is None else as_id(after), 0)
    return NetChanges(operations, order.head, order.version)

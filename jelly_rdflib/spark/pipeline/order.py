"""Orders changes by the chain of patches, or by a column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.kinds import check_names
from jelly_rdflib.spark.pipeline.chain import RUN, VERSION, PatchOrder, as_id, order_patches
from jelly_rdflib.spark.pipeline.identity import SPELLING, with_identity, with_spelling
from jelly_rdflib.spark.pipeline.marks import Marks
from jelly_rdflib.spark.pipeline.table import QUAD, is_statement
from jelly_rdflib.spark.storage import full_path

ORDER = "_order"
IS_ADD = "_is_add"

# If seq has this many bits, a long has room for the number of the run (below `chain.MAX_RUNS`), seq
# and a bit for adds. Spark computes the maximum of longs in place, without sorting.
SEQ_BITS = 42


@dataclass(frozen=True)
class Ordered:
    """Effective changes, with their order.

    ``changes`` has two more columns: `ORDER` grows with each operation, and `VERSION` is the
    version that the operation's patch makes. ``marks`` has these columns, too, but may lack
    operations on statements and the columns that only those need. ``is_add`` tells whether an
    `ORDER` belongs to an add. ``order`` is None with ``order_by``.
    """

    changes: DataFrame
    marks: DataFrame
    is_add: Column
    order: PatchOrder | None

    def net_operations(self) -> DataFrame:
        """Return the last operation on each quad: ``op``, the quad's columns, and `ORDER`."""
        op = F.when(F.col(IS_ADD), "A").otherwise("D").alias("op")
        return with_spelling(self.last_operations()).select(op, *QUAD, ORDER)

    def last_operations(
        self, *, base: DataFrame | None = None, by: Iterable[str] = QUAD
    ) -> DataFrame:
        """Return the last operation on each quad: the columns of ``by``, `ORDER` and `IS_ADD`.

        Objects are replaced by their identities, and `SPELLING` records how an object was spelled.
        The last operation decides whether the quad exists. ``base`` contains the quads of version
        0. ``by`` names the columns of a quad and, without a base, may name more columns.
        """
        rows = self.changes.where(is_statement()).select(*by, ORDER)
        if base is not None:
            # Quads of the base come before all operations: -1 is the greatest number below 0 that
            # means an add, and null is less than any struct.
            first = F.lit(None if self.order is None else -1).cast(rows.schema[ORDER].dataType)
            rows = rows.unionByName(base.select(*by, first.alias(ORDER)))
        rows = with_identity(rows)
        if tuple(by) != QUAD:
            # Repartition once by quad here, so that later uses of the rows need not do so.
            rows = rows.repartition(*QUAD)
        last = rows.groupBy(*by).agg(F.max(ORDER).alias(ORDER), F.max(SPELLING).alias(SPELLING))
        return last.withColumn(IS_ADD, F.coalesce(self.is_add, F.lit(True)))


def order_after(
    changes: DataFrame, after: str | None, order_by: str | None, marks: DataFrame | None
) -> Ordered:
    """Order the effective changes; the arguments are as for `compact`."""
    if after is not None and order_by is not None:
        raise ValueError("after is for the chain of patches, which order_by does not use")
    root = None if after is None else as_id(after)
    return order_changes(changes, order_by=order_by, marks=marks, root=root)


def _value_of(found: Marks, order_by: str | None, upto: Any) -> Any:
    """Return ``upto`` as a value of the column; for ``file`` raise an error if no file matches."""
    assert order_by is not None
    check_names([order_by], found.changes.columns)
    has_text = found.changes.schema[order_by].dataType == StringType()
    if upto is not None and has_text and not isinstance(upto, str):
        raise TypeError(f"the column {order_by!r} has strings, but upto is {upto!r}")
    if upto is None or order_by != "file":
        return upto
    files = found.patches()["file"].to_pylist()
    for path in (upto, full_path(upto)):
        if path in files:
            return path
    raise PatchError(f"no patch is in a file {upto!r}: upto must be in the column 'file'")


def order_changes(
    changes: DataFrame,
    *,
    upto: Any = None,
    order_by: str | None = None,
    marks: DataFrame | None = None,
    root: str | None = None,
) -> Ordered:
    """Order the effective changes up to a version; the arguments are as for `replay` and `link`."""
    found = Marks(changes, marks)
    order = order_patches(found.patches(), root) if order_by is None else None
    version = _value_of(found, order_by, upto) if order is None else order.resolve(upto)

    def put_in_order(table: DataFrame) -> DataFrame:
        table = found.effective(table)
        is_add = F.col("op") == "A"
        if order is not None:
            place = F.shiftleft(RUN, SEQ_BITS).bitwiseOR(F.col("seq"))
            place = F.shiftleft(place, 1).bitwiseOR(is_add.cast("long"))
            return order.number(table, version).withColumn(ORDER, place)
        assert order_by is not None
        if version is not None:
            table = table.where(F.col(order_by) <= F.lit(version))
        place = F.struct(order_by, "file", "seq", is_add.alias(IS_ADD))
        return found.known(table).withColumns({VERSION: F.col(order_by), ORDER: place})

    ordered = put_in_order(found.changes)
    of_marks = ordered if found.marks is None else put_in_order(found.marks)
    last = F.col(ORDER)
    return Ordered(ordered, of_marks, last[IS_ADD] if order is None else last % 2 != 0, order)

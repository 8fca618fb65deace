"""Compares two states of a dataset."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jelly_rdflib.spark.pipeline.identity import SPELLING, with_identity, with_spelling
from jelly_rdflib.spark.pipeline.table import QUAD, check_quads, make_patch


def diff(old: DataFrame, new: DataFrame) -> DataFrame:
    """Return the changes that turn one set of quads into another.

    Args:
        old: The old table of quads, see `jelly_rdflib.spark.pipeline.QUADS`.
        new: The new table of quads.

    Returns:
        A table of changes, see `jelly_rdflib.spark.pipeline.CHANGES`: a row ``D`` or ``A`` for each
        quad that only one of the two tables has, in any order. The rows are one patch.

    Raises:
        ValueError: A column is missing or of another type, or a table is a stream.

    Examples:
        >>> from jelly_rdflib.spark.pipeline import QUADS
        >>> old = spark.createDataFrame([("<urn:s>", "<urn:p>", '"old"', None)], QUADS)
        >>> new = spark.createDataFrame([("<urn:s>", "<urn:p>", '"new"', None)], QUADS)
        >>> diff(old, new).select("op", "o").orderBy("o").show()
        +---+-----+
        | op|    o|
        +---+-----+
        |  A|"new"|
        |  D|"old"|
        +---+-----+
        <BLANKLINE>
    """
    before = check_quads(old, "the old state").withColumns({"was": F.lit(True), "is": F.lit(False)})
    after = check_quads(new, "the new state").withColumns({"was": F.lit(False), "is": F.lit(True)})
    changed = (
        with_identity(before.unionByName(after))
        .groupBy(*QUAD)
        .agg(F.max("was").alias("was"), F.max("is").alias("is"), F.max(SPELLING).alias(SPELLING))
        .where("was != is")
        .withColumns(
            {
                "op": F.when(F.col("is"), "A").otherwise("D"),
                "seq": F.monotonically_increasing_id(),
            }
        )
    )
    return make_patch(with_spelling(changed).drop("was", "is"), "diff")

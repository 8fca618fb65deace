"""A Delta table of quads that stores which patch was the last to change it.

Each commit has a `TableState` as its user metadata, so quads and state change together, or not at
all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.kinds import check_columns
from jelly_rdflib.spark.pipeline.chain import at_hand
from jelly_rdflib.spark.pipeline.identity import identity_sql
from jelly_rdflib.spark.pipeline.table import QUAD, QUADS
from jelly_rdflib.spark.session import DELTA_SETTINGS

_KEY = "jelly-rdflib"
_STATE = "version: bigint, head: string, query: string, batch: bigint"
_DELTA = "spark.databricks.delta"
# Operations that leave the quads as they are.
_SAME_QUADS = {
    "ADD COLUMNS",
    "CLUSTER BY",
    "OPTIMIZE",
    "REORG",
    "SET TBLPROPERTIES",
    "UNSET TBLPROPERTIES",
    "VACUUM END",
    "VACUUM START",
}

# To find the table's files that a batch affects, up to this many subjects are compared with the
# files one by one; more subjects are compared as a range.
MAX_SUBJECTS = 64
# By default Delta compares only 32 characters of a subject, which most IRIs of a dataset share.
_PROPERTIES = """ CLUSTER BY (s) TBLPROPERTIES (
'delta.enableDeletionVectors' = 'true', 'delta.dataSkippingStringPrefixLength' = '128')"""

_MERGE = f"""
MERGE INTO {{table}} AS quads USING {{{{operations}}}} AS changes
ON quads.s = changes.s AND quads.p = changes.p AND quads.g <=> changes.g
AND {identity_sql("quads.o")} = {identity_sql("changes.o")}
AND ({{subjects}})
WHEN MATCHED AND changes.op = 'D' THEN DELETE
WHEN NOT MATCHED AND changes.op = 'A'
THEN INSERT (s, p, o, g) VALUES (changes.s, changes.p, changes.o, changes.g)
"""


@dataclass(frozen=True)
class TableState:
    """The patches that a version of a table contains, and the batch that wrote the version.

    Attributes:
        version: The number of patches since the table was empty, or since the patch that was
            given as ``after``; None if the patches are ordered by a column.
        head: The id of the last patch; None if it has no id.
        query: The id of the query that wrote it; None before the first batch.
        batch: The number of the query's batch; -1 before the first one.
    """

    version: int | None = 0
    head: str | None = None
    query: str | None = None
    batch: int = -1


class QuadTable:
    """The table in a folder, or with a name ``schema.table``.

    The attribute ``name`` is valid in any process, since a relative path is made absolute. Raise a
    RuntimeError if the session has no Delta Lake.
    """

    def __init__(self, spark: SparkSession, table: str) -> None:
        extension = DELTA_SETTINGS["spark.sql.extensions"]
        if extension not in (spark.conf.get("spark.sql.extensions", None) or ""):
            raise RuntimeError(
                f"this session has no Delta Lake: start it with delta-spark's"
                f" configure_spark_with_delta_pip, and with spark.sql.extensions={extension}"
            )
        self._spark = spark
        has_name = re.fullmatch(r"\w+(\.\w+)+", table) is not None
        # Delta would mistake a relative path for the name of a table.
        self.name = table if has_name or ":" in table else os.path.abspath(table)
        self._table = table if has_name else f"delta.`{self.name.replace('`', '``')}`"

    def create(self, *, deletion_vectors: bool) -> None:
        """Create an empty table, unless it exists: clustered by subject, with deletion vectors.

        Without ``deletion_vectors`` the table has neither, so that any program that supports
        Delta's first protocol can write it.

        Raise a ValueError if the path is something else, or a table without the columns of quads.
        """
        create = f"CREATE TABLE IF NOT EXISTS {self._table} ({QUADS.toDDL()}) USING delta"
        create += _PROPERTIES if deletion_vectors else ""
        try:
            self._spark.sql(create)
            # This fails for a table of another format, which has no history.
            self._spark.sql(f"DESCRIBE HISTORY {self._table} LIMIT 1")
            found = self._spark.table(self._table).schema
        except AnalysisException as error:
            raise ValueError(
                f"{self.name} can't be a Delta table of quads: it is something else; {error}"
            ) from error
        check_columns(found, QUADS, f"the table {self.name}", needed=QUAD)

    def quads(self, version: int | None = None) -> DataFrame:
        """Return the quads of a Delta version, by default the newest one.

        Raise a FileNotFoundError if the table doesn't exist.
        """
        of = "" if version is None else f" VERSION AS OF {version}"
        return self._query(f"SELECT s, p, o, g FROM {self._table}{of}")

    def states(self) -> DataFrame:
        """Return the state of each version in Delta's history, see `maintained_versions`."""
        state = F.from_json("userMetadata", f"`{_KEY}` struct<{_STATE}>")[_KEY].alias("state")
        return (
            self._history()
            .select(F.col("version").alias("delta_version"), "timestamp", state)
            .where("state is not null")
            .select("delta_version", "timestamp", "state.*")
        )

    def last(self) -> tuple[int, TableState | None]:
        """Return Delta's newest version, and its state.

        The state is None if another program has changed the quads after the last commit with a
        state, or if that commit is no longer in Delta's history.
        """
        # At first read only the last commit, which usually has the state.
        for limit in (" LIMIT 1", ""):
            # Sort here: Spark already holds a command's rows, but would start jobs to sort them or
            # to select columns.
            rows = sorted(self._history(limit).collect(), key=lambda row: -row.version)
            for row in rows:
                # Ignore other user metadata: other programs may write any text there.
                if (row.userMetadata or "").startswith(f'{{"{_KEY}": '):
                    return rows[0].version, TableState(**json.loads(row.userMetadata)[_KEY])
                if row.operation not in _SAME_QUADS:
                    return rows[0].version, None
        return rows[0].version, None

    def merge(
        self, operations: DataFrame, version: int, state: TableState, *, is_small: bool = False
    ) -> None:
        """Change the quads by operations (``op``, ``s``, ``p``, ``o``, ``g``), in one commit.

        ``is_small`` is as for `at_hand`.

        Raise a LogError, and change nothing, if another `merge` was committed since `last`
        returned ``version``.
        """
        spark = self._spark
        # A merge reads the operations several times, so let the driver hold them if they are few.
        operations, rows = at_hand(operations, is_small=is_small)
        subjects = "true" if rows is None else among(set(rows["s"].to_pylist()))
        settings = {
            # These two make Delta skip the transaction if one with the same or a larger number was
            # committed.
            "write.txnAppId": _KEY,
            "write.txnVersion": str(version),
            "commitInfo.userMetadata": json.dumps({_KEY: asdict(state)}),
            # By default 50 tasks would read Delta's own log, enough for a million files.
            "snapshotPartitions": str(spark.conf.get(f"{_DELTA}.snapshotPartitions", "2")),
        }
        if rows is not None:
            # The driver's rows can't change between two reads, so Delta need not store them first.
            settings["merge.materializeSource"] = "none"
        # Double the braces: in the text of a query they mark arguments.
        table = self._table.replace("{", "{{").replace("}", "}}")
        with _settings(spark, {f"{_DELTA}.{key}": value for key, value in settings.items()}):
            merge = _MERGE.format(table=table, subjects=subjects)
            counts = spark.sql(merge, operations=operations).collect()
        # There are no counts if Delta has skipped the transaction.
        if not counts:
            raise LogError(f"another query has changed the table {self.name} in the meantime")

    def _history(self, limit: str = "") -> DataFrame:
        return self._query(f"DESCRIBE HISTORY {self._table}{limit}")

    def _query(self, text: str) -> DataFrame:
        try:
            return self._spark.sql(text)
        except AnalysisException as error:
            raise FileNotFoundError(f"{self.name} is not a Delta table: {error}") from error


def among(subjects: set[str]) -> str:
    """Return a condition for quads with these subjects; with it Delta reads only matching files.

    The condition is SQL text, since a merge accepts no parameters. If SQL or the template would
    misread a subject, the condition is true for all quads.
    """
    if not subjects or any(map(re.compile(r"['\\{}]").search, subjects)):
        return "true"
    if len(subjects) > MAX_SUBJECTS:
        return f"quads.s BETWEEN '{min(subjects)}' AND '{max(subjects)}'"
    return " OR ".join(f"quads.s = '{subject}'" for subject in sorted(subjects))


@contextmanager
def _settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply these settings to a session within the block."""
    before = {key: spark.conf.get(key, None) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)

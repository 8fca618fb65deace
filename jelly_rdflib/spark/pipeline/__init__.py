"""Pipelines on Apache Spark: states, differences and histories from a table of changes.

All tables are DataFrames: tables of changes (see `CHANGES`), as
``spark.read.format("jelly-patch")`` returns them, and tables of quads (see `QUADS`). Spark's own
engine does all the work, on all executors.
"""

from jelly_rdflib.spark.pipeline.compact import compact
from jelly_rdflib.spark.pipeline.diff import diff
from jelly_rdflib.spark.pipeline.history import history, versions
from jelly_rdflib.spark.pipeline.maintain import maintain, maintained_versions, read_maintained
from jelly_rdflib.spark.pipeline.marks import effective
from jelly_rdflib.spark.pipeline.net_changes import NetChanges, net_changes
from jelly_rdflib.spark.pipeline.replay import replay
from jelly_rdflib.spark.pipeline.stats import stats
from jelly_rdflib.spark.pipeline.table import CHANGES, MARKS, QUADS

__all__ = [
    "CHANGES",
    "MARKS",
    "QUADS",
    "NetChanges",
    "compact",
    "diff",
    "effective",
    "history",
    "maintain",
    "maintained_versions",
    "net_changes",
    "read_maintained",
    "replay",
    "stats",
    "versions",
]

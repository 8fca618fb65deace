"""Makes tables of changes and quads from operations and from rdflib datasets."""

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from rdflib import Dataset, Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from jelly_rdflib.spark.pipeline import CHANGES, QUADS
from tests.oracle.terms import plain, plain_operation
from tests.spark.files import COLUMNS
from tests.spelling import rows_of, spell


def text(term: Any) -> str | None:
    """Return a term in N-Triples syntax; None for the default graph and for a missing term."""
    return None if term is None or term == DATASET_DEFAULT_GRAPH_ID else spell(plain(term))


def change_rows(file: str, operations: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a file's operations."""
    rows = rows_of([plain_operation(each) for each in operations])
    return [(file, *(row[name] for name in COLUMNS)) for row in rows]


def changes_of(spark: SparkSession, files: Mapping[str, Iterable[Any]]) -> DataFrame:
    """Make a table of changes from each file's operations."""
    rows = [row for file, operations in files.items() for row in change_rows(file, operations)]
    return spark.createDataFrame(rows, CHANGES)


def quads_of(graph: Graph) -> set[tuple[str | None, ...]]:
    """Return the content of a graph or dataset as text."""
    quads: Any = graph.quads() if isinstance(graph, Dataset) else ((*t, None) for t in graph)
    return {tuple(map(text, quad)) for quad in quads}


def quads_table(spark: SparkSession, quads: Iterable[tuple[str | None, ...]]) -> DataFrame:
    """Make a table of quads."""
    return spark.createDataFrame(list(quads), QUADS)


def quad_set(table: DataFrame) -> set[tuple[str | None, ...]]:
    """Return the quads of a table, and check that each occurs once."""
    rows = [tuple(row) for row in table.select("s", "p", "o", "g").collect()]
    assert len(rows) == len(set(rows))
    return set(rows)

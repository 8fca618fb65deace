"""Tables of changes and of quads, made of operations and datasets of rdflib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from rdflib import Dataset, Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.plugins.serializers.nt import _quoteLiteral
from rdflib.term import Literal

from jelly_rdflib import Op
from jelly_rdflib.spark.pipeline import CHANGES, QUADS

__all__ = ["change_rows", "changes_of", "quad_set", "quads_of", "quads_table", "text"]


def text(term: Any) -> str | None:
    """Return a term in N-Triples syntax; None for the default graph and for no term."""
    if term is None or term == DATASET_DEFAULT_GRAPH_ID:
        return None
    return _quoteLiteral(term) if isinstance(term, Literal) else term.n3()


def change_rows(file: str, operations: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a file's operations; each patch ends with an END."""
    rows = []
    patch = 0
    next_txn = 0
    # Of what is outside of transactions in this patch, and of the open transaction.
    implicit = explicit = None
    for seq, operation in enumerate(operations):
        op = operation[0]
        if op == Op.TX:
            explicit, next_txn = next_txn, next_txn + 1
        elif explicit is None and implicit is None:
            implicit, next_txn = next_txn, next_txn + 1
        txn = implicit if explicit is None else explicit
        s = p = o = g = name = None
        if op in (Op.A, Op.D):
            s, p, o, g = map(text, operation[1:])
        elif op == Op.H:
            name, o = operation[1], text(operation[2])
        elif op in (Op.PA, Op.PD):
            name, o, g = operation[1], text(operation[2]), text(operation[3])
        rows.append((file, patch, txn, seq, op.name, s, p, o, g, name))
        if op in (Op.TC, Op.TA):
            explicit = None
        elif op == Op.END:
            implicit = None
            patch += 1
    return rows


def changes_of(spark: SparkSession, files: Mapping[str, Iterable[Any]]) -> DataFrame:
    """Make a table of changes of each file's operations."""
    rows = [row for file, operations in files.items() for row in change_rows(file, operations)]
    return spark.createDataFrame(rows, CHANGES)


def quads_of(graph: Graph) -> set[tuple[str | None, ...]]:
    """Return what is in a graph or dataset, as text."""
    quads: Any = graph.quads() if isinstance(graph, Dataset) else ((*t, None) for t in graph)
    return {tuple(map(text, quad)) for quad in quads}


def quads_table(spark: SparkSession, quads: Iterable[tuple[str | None, ...]]) -> DataFrame:
    """Make a table of quads."""
    return spark.createDataFrame(list(quads), QUADS)


def quad_set(table: DataFrame) -> set[tuple[str | None, ...]]:
    """Return the quads of a table, which has each only once."""
    rows = [tuple(row) for row in table.select("s", "p", "o", "g").collect()]
    assert len(rows) == len(set(rows))
    return set(rows)

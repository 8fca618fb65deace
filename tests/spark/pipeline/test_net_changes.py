"""Tests the net changes of several patches."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from rdflib import Literal, URIRef

from jelly_rdflib import Op
from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.pipeline import net_changes
from tests.spark.tables import changes_of

S, P = URIRef("urn:s"), URIRef("urn:p")


def patch(number: int, *operations: tuple[Op, int]) -> list[Any]:
    return [
        (Op.H, "id", URIRef(f"urn:{number}")),
        (Op.H, "prev", URIRef(f"urn:{number - 1}")),
        (Op.TX,),
        *((op, S, P, Literal(value), None) for op, value in operations),
        (Op.TC,),
        (Op.END,),
    ]


FILES = {
    "b": patch(2, (Op.D, 1), (Op.A, 2), (Op.A, 3), (Op.D, 3)),
    "a": patch(1, (Op.A, 1), (Op.D, 2)),
}


def test_the_last_operation_on_each_quad(spark: SparkSession) -> None:
    changes = changes_of(spark, FILES)
    operations, head, patches = net_changes(changes, after="urn:0")
    assert operations.columns == ["op", "s", "p", "o", "g"]
    rows = {(row.op, row.o.partition("^")[0]) for row in operations.collect()}
    assert rows == {("D", '"1"'), ("A", '"2"'), ("D", '"3"')}
    assert (head, patches) == ("<urn:2>", 2)
    with pytest.raises(PatchError, match="patch 1 of a comes after <urn:0>"):
        net_changes(changes)
    # When file names give the order, there is no chain.
    operations, head, patches = net_changes(changes, "file")
    assert (operations.count(), head, patches) == (3, None, None)
    with pytest.raises(ValueError, match="which order_by does not use"):
        net_changes(changes, "file", after="urn:0")


def test_nothing(spark: SparkSession) -> None:
    operations, head, patches = net_changes(changes_of(spark, {}), after="urn:7")
    assert (operations.count(), head, patches) == (0, "<urn:7>", 0)

"""What patches change together, and a log that is a Delta table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from rdflib import Literal, URIRef

from jelly_rdflib import Op
from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.pipeline import compact, history, net_changes, replay
from tests.spark.session import needs_connectors
from tests.spark.tables import changes_of, quad_set

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
    for after in ("urn:0", "<urn:0>"):
        operations, head, patches = net_changes(changes, after=after)
        assert operations.columns == ["op", "s", "p", "o", "g"]
        assert {(row.op, row.o.partition("^")[0]) for row in operations.collect()} == {
            ("D", '"1"'),
            ("A", '"2"'),
            ("D", '"3"'),
        }
        assert (head, patches) == ("<urn:2>", 2)
    with pytest.raises(PatchError, match="patch 0 of a comes after <urn:0>"):
        net_changes(changes)
    # In the order of the files' names there is no chain.
    operations, head, patches = net_changes(changes, "file")
    assert (operations.count(), head, patches) == (3, None, None)
    with pytest.raises(ValueError, match="with order_by there is none"):
        net_changes(changes, "file", after="urn:0")


def test_nothing(spark: SparkSession) -> None:
    operations, head, patches = net_changes(changes_of(spark, {}), after="urn:7")
    assert (operations.count(), head, patches) == (0, "<urn:7>", 0)


def test_a_log_in_delta(spark: SparkSession, tmp_path: Path) -> None:
    needs_connectors()
    files = {"a": patch(1, (Op.A, 1), (Op.A, 2))[:1] + patch(1, (Op.A, 1), (Op.A, 2))[2:]}
    files["b"] = FILES["b"]
    changes = changes_of(spark, files)
    for name in files:
        part = changes.where(f"file = '{name}'")
        part.write.format("delta").mode("append").save(str(tmp_path / "log"))
    table = spark.read.format("delta").load(str(tmp_path / "log"))
    assert quad_set(replay(table)) == quad_set(replay(changes))
    assert quad_set(replay(table, upto=1)) == quad_set(replay(changes, upto=1))
    assert {tuple(row) for row in history(table).collect()} == {
        tuple(row) for row in history(changes).collect()
    }
    assert [tuple(row)[3:] for row in compact(table).collect()] == [
        tuple(row)[3:] for row in compact(changes).collect()
    ]

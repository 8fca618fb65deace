"""A table that an earlier release kept becomes a Delta table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jelly_rdflib.errors import LogError
from jelly_rdflib.spark.pipeline import QUADS, convert_maintained, read_maintained
from jelly_rdflib.spark.pipeline.quad_table import QuadTable, State
from tests.spark.session import needs_connectors

QUAD = ("<urn:s>", "<urn:p>", '"o"', None)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A table without quads, as a start of an earlier release left it."""
    needs_connectors()
    commit(tmp_path / "old", -1, {})
    return tmp_path / "old"


def commit(folder: Path, batch: int, folders: dict[str, str], **fields: Any) -> None:
    (folder / "commits").mkdir(parents=True, exist_ok=True)
    text = {
        "buckets": 4,
        "folders": folders,
        "time": 1.5,
        "batch": batch,
        "query": None,
        "version": 0,
        "head": None,
        "format": "jelly-rdflib quads 1",
        **fields,
    }
    (folder / "commits" / f"{batch + 1:020}.json").write_text(json.dumps(text) + "\n")


def test_a_table(spark: SparkSession, old: Path) -> None:
    path = "data/0-x/bucket=3"
    spark.createDataFrame([QUAD], QUADS).write.parquet(str(old / path))
    spark.createDataFrame([QUAD], QUADS).write.parquet(str(old / "data/of no version"))
    commit(old, 8, {"1": "data/gone"}, query="q", version=8, head="<urn:8>")
    commit(old, 9, {"3": path}, query="q", version=9, head="<urn:9>")
    new = str(old.parent / "new")
    convert_maintained(spark, str(old), new)
    assert [tuple(row) for row in read_maintained(spark, new).collect()] == [QUAD]
    assert QuadTable(spark, new).last() == (1, State(9, "<urn:9>", "q", 9))
    # What the session writes next is none of it.
    assert spark.conf.get("spark.databricks.delta.write.txnAppId", None) is None
    with pytest.raises(ValueError, match="has quads already"):
        convert_maintained(spark, str(old), new)


def test_an_empty_table(spark: SparkSession, old: Path) -> None:
    new = str(old.parent / "new")
    convert_maintained(spark, str(old), new)
    assert read_maintained(spark, new).count() == 0
    assert QuadTable(spark, new).last() == (0, None)
    # All its quads were deleted again.
    commit(old, 0, {}, query="q", version=1, head="<urn:1>")
    convert_maintained(spark, str(old), new)
    assert read_maintained(spark, new).count() == 0
    assert QuadTable(spark, new).last() == (1, State(1, "<urn:1>", "q", 0))


def test_another_format(spark: SparkSession, old: Path) -> None:
    commit(old, 0, {}, format="another")
    with pytest.raises(LogError, match="old is no table of quads of an earlier release"):
        convert_maintained(spark, str(old), str(old.parent / "new"))
    assert not (old.parent / "new").exists()

"""Tests Jelly-RDF 1.2 on Spark: base directions, and parts of long files."""

from pathlib import Path

import pytest

from tests.core.columns.fault_streams import build_batch, build_options, build_stream
from tests.core.jelly.draft_streams import DRAFT_STREAMS
from tests.oracle.columns_schema import LATER

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("registered")


def test_a_direction_goes_through(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "quads.jelly"
    source.write_bytes(DRAFT_STREAMS["quads"].data)
    table = spark.read.format("jelly").load(str(source))
    directed = table.where("o = '\"m\"@ar--rtl'")
    assert (table.count(), directed.count()) == (23, 20)
    with pytest.raises(Exception, match="the base direction rtl"):
        directed.write.format("jelly").mode("append").save(str(tmp_path / "refused"))


def test_a_long_file_is_read_in_parts(spark: SparkSession, tmp_path: Path) -> None:
    """Each part of a long file continues from a checkpoint, even after repeated options."""
    rows = {"rows": [build_options()]}
    frames = [{**rows, "columns": build_batch()}]
    for number in range(1, 60):
        batch = build_batch(names=None, subjects={"bnodes": [f"s{number}"]})
        if number % 20 == 0:
            batch["names"] = [{"values": ["urn:p"]}]
        frames.append({**(rows if number % 20 == 0 else {}), "columns": batch})
    source = tmp_path / "long.jelly"
    source.write_bytes(build_stream(LATER, frames))
    reader = spark.read.format("jelly").option("partitionBytes", 500)
    table = reader.load(str(source))
    assert table.rdd.getNumPartitions() > 2
    assert table.select("s").distinct().count() == 60

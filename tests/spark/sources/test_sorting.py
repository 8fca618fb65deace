"""Tests that sorted runs are merged with only a few rows of each run in memory."""

import random

import pytest

pytest.importorskip("pyspark")
import pyarrow as pa

from jelly_rdflib.spark.sources import sorting


@pytest.mark.parametrize("run_rows", [1, 3, 50])
@pytest.mark.parametrize("size", [1, 700])
def test_runs_of_several_pieces(monkeypatch: pytest.MonkeyPatch, run_rows: int, size: int) -> None:
    monkeypatch.setattr(sorting, "RUN_ROWS", run_rows)
    chance = random.Random(run_rows)
    rows = [
        {"file": chance.choice("ab"), "seq": chance.choice([None, *range(9)]), "n": number}
        for number in range(200)
    ]
    batches = [pa.RecordBatch.from_pylist(rows[start : start + 20]) for start in range(0, 200, 20)]
    found = [row for each in sorting.in_order(batches, sort_bytes=size) for row in each.to_pylist()]
    # Rows with the same key keep their order, and nulls come last.
    assert found == sorted(
        rows, key=lambda row: (row["file"], row["seq"] is None, row["seq"] or 0, row["n"])
    )


def test_rows_without_a_number_stay_as_they_come() -> None:
    batches = [pa.RecordBatch.from_pylist([{"file": name}]) for name in "cab"]
    found = [row for each in sorting.in_order(batches, sort_bytes=1) for row in each.to_pylist()]
    assert [row["file"] for row in found] == ["c", "a", "b"]
    assert list(sorting.in_order([], sort_bytes=1)) == []

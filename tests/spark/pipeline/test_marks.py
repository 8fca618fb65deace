"""What the driver makes of the table of patches that it collects, without a session."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pyarrow as pa
import pytest
from pyspark.sql.types import StructType

from jelly_rdflib.spark.kinds import JELLY_PATCH
from jelly_rdflib.spark.options import PERMISSIVE, ReadOptions
from jelly_rdflib.spark.pipeline import marks
from jelly_rdflib.spark.pipeline.marks import Marks
from jelly_rdflib.spark.pipeline.table import CHANGES

SCHEMA = pa.schema(
    [
        ("file", pa.string()),
        ("patch", pa.int64()),
        ("id", pa.string()),
        ("prev", pa.string()),
        ("is_whole", pa.bool_()),
        ("bad", pa.list_(pa.int64())),
        ("good", pa.list_(pa.int64())),
    ]
)
# As Spark has them: in any order.
CUT_OFF = [
    ("b", 0, "<2>", "<1>", True, [4, 5], None),
    ("a", 1, None, None, False, [3], [1, 2]),
    ("a", 0, "<1>", None, True, [], None),
]


def marks_of(
    monkeypatch: pytest.MonkeyPatch, rows: list[tuple], schema: StructType = CHANGES
) -> tuple[Marks, Any]:
    """Return the marks of a table of changes, and the table."""
    dicts = [dict(zip(SCHEMA.names, row, strict=True)) for row in rows]
    # Arrow has a table in pieces.
    pieces = [pa.Table.from_pylist([each], SCHEMA) for each in dicts]
    table = pa.concat_tables([SCHEMA.empty_table(), *pieces])
    monkeypatch.setattr(marks, "_collect_patches", lambda given: table)
    monkeypatch.setattr(marks, "check_changes", lambda given: given)
    changes = MagicMock(columns=schema.names, schema=schema)
    return Marks(changes, None), changes


def without_ends(rows: list[tuple]) -> list[tuple]:
    return [(*row[:4], False, *row[5:]) for row in rows]


def test_patches_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    found, changes = marks_of(monkeypatch, CUT_OFF)
    expected = [
        {"file": "a", "patch": 0, "id": "<1>", "prev": None},
        {"file": "a", "patch": 1, "id": None, "prev": None},
        {"file": "b", "patch": 0, "id": "<2>", "prev": "<1>"},
    ]
    assert found.patches().to_pylist() == expected
    changes.select.assert_not_called()


def test_patches_without_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    found, changes = marks_of(monkeypatch, without_ends(CUT_OFF[:2]))
    there = {"file": ["b", "a", "a", "b"], "patch": [1, 0, 1, 0]}
    changes.select.return_value.distinct.return_value.toArrow.return_value = pa.table(there)
    patches = found.patches()
    assert patches.to_pylist() == [
        {"file": "a", "patch": 0, "id": None, "prev": None},
        {"file": "a", "patch": 1, "id": None, "prev": None},
        {"file": "b", "patch": 0, "id": "<2>", "prev": "<1>"},
        {"file": "b", "patch": 1, "id": None, "prev": None},
    ]
    # The chain takes the columns by their places.
    assert patches.column_names == ["file", "patch", "id", "prev"]
    changes.select.assert_called_once_with("file", "patch")
    # Damaged files have a column that describes errors, and an END for each whole patch.
    options = ReadOptions(mode=PERMISSIVE, corrupt="damage")
    schema = JELLY_PATCH.schema_for(options)
    found, changes = marks_of(monkeypatch, without_ends(CUT_OFF[:2]), schema)
    assert found.patches().num_rows == 2
    changes.select.assert_not_called()


def test_known_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[pa.Table] = []
    monkeypatch.setattr(marks, "local_table", lambda table, rows: given.append(rows) or rows)
    found, changes = marks_of(monkeypatch, CUT_OFF)
    known = found.known(changes)
    assert known is changes.join.return_value.where.return_value.select.return_value
    changes.join.assert_called_once_with(given[0], "file")
    changes.join().where.assert_called_once_with("patch <= _last")
    last = sorted(given[0].to_pylist(), key=str)
    assert last == [{"file": "a", "_last": 1}, {"file": "b", "_last": 0}]
    found, changes = marks_of(monkeypatch, without_ends(CUT_OFF))
    assert found.known(changes) is changes


def test_what_has_no_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out: list[tuple[list[dict], str]] = []

    def drop(table: Any, rows: pa.Table, condition: str) -> Any:
        left_out.append((rows.to_pylist(), condition))
        return table

    monkeypatch.setattr(marks, "_without", drop)
    found, changes = marks_of(monkeypatch, CUT_OFF)
    assert found.effective(changes) is changes
    pairs = [("b", 4), ("b", 5), ("a", 3)]
    wrong = [{"_file": file, "_txn": number} for file, number in pairs]
    cut = [{"_file": "a", "_patch": 1, "_good": [1, 2]}]
    is_lost = "patch = _patch and not coalesce(array_contains(_good, txn), false)"
    assert left_out == [(wrong, "txn = _txn"), (cut, is_lost)]
    # Without any END no file is cut off.
    left_out.clear()
    found, changes = marks_of(monkeypatch, without_ends(CUT_OFF))
    assert found.effective(changes) is changes
    assert left_out == [(wrong, "txn = _txn")]


def test_nothing_is_joined_for_no_rows() -> None:
    changes = MagicMock()
    assert marks._without(changes, SCHEMA.empty_table(), "true") is changes
    changes.join.assert_not_called()

"""Tests that filters from Spark select the same rows as SQL, also combined with option filters."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    In,
    IsNotNull,
    IsNull,
    Not,
    StringStartsWith,
)

import jelly_rdflib as jr
from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.sources.reader import FilteringFilesReader
from tests.spark.files import make_operations, write_file

S1, S2 = "<http://example.org/s1>", "<http://example.org/s2>"
GRAPH = "<http://example.org/graph0>"


def holds(condition: Any, row: dict[str, Any]) -> bool | None:
    """Return the value of a condition for a row as in SQL; None means unknown."""
    if isinstance(condition, Not):
        found = holds(condition.child, row)
        return None if found is None else not found
    value = row[condition.attribute[0]]
    if isinstance(condition, IsNull):
        return value is None
    if isinstance(condition, IsNotNull):
        return value is not None
    if isinstance(condition, EqualNullSafe):
        return bool(value == condition.value)
    values = condition.value if isinstance(condition, In) else (condition.value,)
    if value is None:
        return None
    return True if value in values else None if None in values else False


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_file(tmp_path_factory.mktemp("filters") / "a.jellyp", make_operations(2, 60))


def read(
    path: Path, *filters: Any, kind: Any = JELLY_PATCH, columns: Any = None, **options: str
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return a reader's rows, and the filters that it leaves to Spark."""
    made = ReadOptions.of(options)
    schema = kind.schema_for(made)
    if columns is not None:
        schema = type(schema)([schema[name] for name in columns])
    reader = FilteringFilesReader(kind, made, schema, [str(path)])
    left = list(reader.pushFilters(list(filters)))
    tables = [table for partition in reader.partitions() for table in reader.read(partition)]
    return [row for table in tables for row in table.to_pylist()], left


@pytest.mark.parametrize("is_negated", [False, True], ids=["", "not"])
@pytest.mark.parametrize(
    "condition",
    [
        EqualTo(("s",), S1),
        EqualTo(("s",), "no term"),
        EqualTo(("g",), None),
        EqualNullSafe(("g",), GRAPH),
        EqualNullSafe(("g",), None),
        In(("s",), (S1, S2, "no term")),
        In(("g",), (GRAPH, None)),
        In(("s",), ()),
        IsNull(("g",)),
        IsNotNull(("g",)),
        EqualTo(("op",), "A"),
        EqualNullSafe(("op",), "D"),
        In(("op",), ("A", "H", "X")),
        IsNull(("op",)),
        IsNotNull(("op",)),
    ],
    ids=str,
)
def test_a_filter_that_is_taken_over(path: Path, condition: Any, is_negated: bool) -> None:
    condition = Not(condition) if is_negated else condition
    rows, left = read(path, condition)
    assert left == []
    assert rows == [row for row in read(path)[0] if holds(condition, row)]


@pytest.mark.parametrize(
    "condition",
    [
        EqualTo(("seq",), 1),
        EqualTo(("s",), 1),
        In(("s",), (S1, 1)),
        EqualTo(("s", "value"), S1),
        EqualTo(("name",), "ex"),
        EqualTo(("p",), S1),
        IsNull(("patch",)),
        GreaterThan(("op",), "A"),
        StringStartsWith(("s",), "<"),
    ],
    ids=str,
)
def test_a_filter_that_is_left_to_spark(path: Path, condition: Any) -> None:
    columns = ["op", "s", "g", "seq", "patch", "name"]
    for each in (condition, Not(condition)):
        rows, left = read(path, each, columns=columns)
        assert left == [each]
        assert rows == read(path, columns=columns)[0]


def test_several_hold_together(path: Path) -> None:
    filters = [
        Not(EqualTo(("s",), S1)),
        In(("s",), (S1, S2)),
        EqualTo(("seq",), 3),
        In(("op",), ("A", "D")),
        Not(EqualTo(("op",), "D")),
        IsNull(("g",)),
    ]
    rows, left = read(path, *filters, g=GRAPH)
    assert (rows, left) == ([], [filters[2]])
    rows, _ = read(path, *filters, op="A,H")
    taken = [each for each in filters if each is not filters[2]]
    assert rows == [row for row in read(path)[0] if all(holds(each, row) for each in taken)]
    assert rows
    assert read(path, *filters, op="H,TX")[0] == []


def test_structs_are_only_compared_with_null(path: Path) -> None:
    filters = [EqualTo(("s",), S1), IsNotNull(("g",)), EqualTo(("op",), "D")]
    rows, left = read(path, *filters, terms="struct")
    assert left == filters[:1]
    expected = [row for row in read(path)[0] if row["g"] is not None and row["op"] == "D"]
    assert [row["seq"] for row in rows] == [row["seq"] for row in expected]


def test_a_file_that_is_not_wanted_is_not_opened(path: Path, tmp_path: Path) -> None:
    (tmp_path / "b.jellyp").write_bytes(b"damaged")
    good = tmp_path / "a.jellyp"
    good.write_bytes(path.read_bytes())
    rows, left = read(tmp_path, EqualTo(("file",), str(good)))
    assert left == []
    assert {row["file"] for row in rows} == {str(good)}
    assert read(tmp_path, Not(EqualTo(("file",), str(tmp_path / "b.jellyp"))))[0] == rows


def test_a_row_of_damage_meets_no_filter_on_other_columns(path: Path, tmp_path: Path) -> None:
    bad = tmp_path / "a.jellyp"
    bad.write_bytes(path.read_bytes()[:-3])
    everything, _ = read(bad, mode="PERMISSIVE")
    assert everything[-1]["_corrupt"] is not None
    condition = EqualTo(("op",), "A")
    rows, left = read(bad, condition, mode="PERMISSIVE")
    # Spark itself applies the filters that the reader leaves to it.
    kept = [row for row in rows if not left or holds(condition, row)]
    assert kept == [row for row in everything if holds(condition, row)]


def test_statements(tmp_path: Path) -> None:
    from rdflib import URIRef

    with jr.StatementWriter(tmp_path / "a.jelly") as writer:
        for name in "abc":
            writer.add(URIRef(f"urn:{name}"), URIRef("urn:p"), URIRef("urn:o"))
    rows, left = read(tmp_path / "a.jelly", Not(EqualTo(("s",), "<urn:b>")), kind=JELLY)
    assert [row["s"] for row in rows] == ["<urn:a>", "<urn:c>"]
    assert left == []
    assert len(read(tmp_path / "a.jelly", kind=JELLY, o="<urn:o>")[0]) == 3
    with pytest.raises(ValueError, match="the option op is for operations; jelly has statements"):
        read(tmp_path / "a.jelly", kind=JELLY, op="A")


def test_an_option_may_be_null(path: Path) -> None:
    rows = read(path)[0]
    assert read(path, s="null")[0] == [row for row in rows if row["s"] is None]
    assert read(path, s="null", op="H")[0] == [row for row in rows if row["op"] == "H"]
    with pytest.raises(ValueError, match="the option g: 'none' is not a term as tables spell it"):
        read(path, g="none")

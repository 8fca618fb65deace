"""Tests catalog tables of Spark over files: CREATE TABLE … USING, with a path and options."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark.files import make_operations, write_file
from tests.spark.session import check_spark
from tests.support import ROOT

# Runs a statement; given arguments, it saves the result with ``saveAsTable``.
Sql = Callable[..., list[list[Any]]]

# Delta's catalog in the other tests' session can't read tables of Python sources.
SESSION = """
import json, sys
from pyspark.sql import SparkSession
from jelly_rdflib.spark import register
from jelly_rdflib.spark.session import prepare_environment
from tests.spark.session import SETTINGS
prepare_environment()
builder = SparkSession.builder.master("local[2]")
for key, value in {**SETTINGS, "spark.sql.warehouse.dir": sys.argv[1]}.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
register(spark)
for line in sys.stdin:
    statement, table = json.loads(line)
    try:
        found = spark.sql(statement)
        if table:
            found.write.saveAsTable(**table)
        answer = [list(row) for row in found.collect()]
    except Exception as error:
        answer = str(error)
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def sql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sql]:
    """Return a function that runs SQL in another process's session and raises AssertionErrors."""
    check_spark()
    with subprocess.Popen(
        [sys.executable, "-c", SESSION, str(tmp_path_factory.mktemp("warehouse"))],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        given, answers = process.stdin, process.stdout

        def ask(statement: str, **table: str) -> list[list[Any]]:
            print(json.dumps([statement, table]), file=given, flush=True)
            answer = json.loads(answers.readline())
            assert isinstance(answer, list), answer
            return answer

        yield ask


@pytest.fixture
def folder(sql: Sql, tmp_path: Path) -> Iterator[Path]:
    """Yield a folder whose name needs escaping; afterwards drop the table that the test made."""
    folder = tmp_path / "a b%20c"
    folder.mkdir()
    write_file(folder / "1.jellyp", make_operations(1, 4))
    yield folder
    sql("DROP TABLE IF EXISTS changes")
    # The table does not own its files.
    assert [path.name for path in folder.iterdir()] == ["1.jellyp"]


@pytest.mark.parametrize(
    "clause",
    [
        "LOCATION '{}'",
        "OPTIONS (path '{}')",
        "LOCATION '{}' COMMENT 'x' TBLPROPERTIES (foo = 'bar', mode = 'none')",
    ],
)
def test_a_table_has_the_rows_of_its_files(sql: Sql, folder: Path, clause: str) -> None:
    sql(f"CREATE TABLE changes USING `jelly-patch` {clause.format(folder)}")
    for _ in range(2):
        rows = sql("SELECT * FROM changes ORDER BY seq")
        assert [row[4] for row in rows] == ["H", "TX", "PA", "A", "A", "A", "D", "TC", "END"]
        assert {row[0] for row in rows} == {str(folder / "1.jellyp")}
        sql("REFRESH TABLE changes")


def test_options_belong_to_the_table(sql: Sql, folder: Path) -> None:
    options = f"path '{folder}', op 'A', TERMS 'struct'"
    sql(f"CREATE TABLE changes USING `jelly-patch` OPTIONS ({options})")
    assert sql("SELECT count(s.value) FROM changes") == [[3]]
    # A query can set its own options.
    assert sql("SELECT count(s.value) FROM changes WITH (op = 'D')") == [[1]]


def test_a_view(sql: Sql, folder: Path) -> None:
    sql(f"CREATE TEMPORARY VIEW v USING `jelly-patch` OPTIONS (path '{folder}', op 'A')")
    assert sql("SELECT count(*) FROM v") == [[3]]


@pytest.mark.parametrize(
    ("columns", "clause", "message"),
    [
        ("", "OPTIONS (path '{}', mod 'x')", "there is no option 'mod' to read with"),
        ("", "OPTIONS (path '{}', mode 'x')", "mode must be one of FAILFAST, .*, not 'x'"),
        ("", "", "jelly-patch needs a path: .* a LOCATION and without columns"),
        ("(s string)", "LOCATION '{}'", "jelly-patch needs a path: .*and without columns"),
    ],
)
def test_tables_that_cannot_be(
    sql: Sql, folder: Path, columns: str, clause: str, message: str
) -> None:
    create = f"CREATE TABLE changes {columns} USING `jelly-patch` {clause.format(folder)}"
    with pytest.raises(AssertionError, match=message):
        assert sql(create) + sql("SELECT * FROM changes")


NO_PATH = "needs a path, .* saveAsTable, INSERT INTO .* LOCATION path"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO changes SELECT * FROM changes",
        "INSERT OVERWRITE changes SELECT * FROM changes",
        "CREATE TABLE others USING `jelly-patch` AS SELECT * FROM changes",
        "CREATE TABLE others USING `jelly-patch` LOCATION '{}' AS SELECT * FROM changes",
    ],
)
def test_a_table_is_not_written_to(sql: Sql, folder: Path, statement: str) -> None:
    sql(f"CREATE TABLE changes USING `jelly-patch` LOCATION '{folder}'")
    with pytest.raises(AssertionError, match=NO_PATH):
        sql(statement.format(folder.parent / "others"))
    assert sql("SHOW TABLES LIKE 'others'") == []
    assert sql("SELECT count(*) FROM changes") == [[9]]
    assert not (folder.parent / "others").exists()


def test_saving_as_a_table(sql: Sql, folder: Path) -> None:
    sql(f"CREATE TABLE changes USING `jelly-patch` LOCATION '{folder}'")
    rows, table = "SELECT * FROM changes", {"name": "others", "format": "jelly-patch"}
    with pytest.raises(AssertionError, match=NO_PATH):
        sql(rows, **table)
    assert sql("SHOW TABLES LIKE 'others'") == []
    # With a path, Spark writes the files but does not tell the source about the table.
    path = folder.parent / "others"
    sql(rows, **table, path=str(path))
    with pytest.raises(AssertionError, match=r"made by saveAsTable, .* LOCATION path"):
        sql("SELECT * FROM others")
    sql("DROP TABLE others")
    sql(f"CREATE TABLE others USING `jelly-patch` LOCATION '{path}'")
    assert sql("SELECT count(*) FROM others") == [[9]]
    sql("DROP TABLE others")
    sql(f"CREATE TEMPORARY VIEW w USING `jelly-patch` OPTIONS (path '{path}')")
    sql("SELECT * FROM w", **table, path=str(folder.parent / "more"))
    with pytest.raises(
        AssertionError, match=r"jelly-patch needs a path: .* a LOCATION and without"
    ):
        sql("SELECT * FROM others")
    sql("DROP TABLE others")

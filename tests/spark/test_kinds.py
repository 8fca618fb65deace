"""Tests the columns of tables, and the errors about wrong columns."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from pyspark.sql.types import StructType

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.spark.kinds import (
    JELLY,
    JELLY_PATCH,
    RDF_PATCH,
    check_columns,
    check_names,
)
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.pipeline import QUADS

EXPECTED = StructType().add("n", "long").add("s", "string")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "README.md",
            'README.md: no frame: .option("pathGlobFilter", "*.jellyp") leaves out other',
        ),
        ("a.rdfp.gz", 'a.rdfp.gz: no frame: .format("rdf-patch") reads files of this name'),
        ("a.jelly", 'a.jelly: no frame: .format("jelly") reads files of this name'),
        ("a.jellyp", "a.jellyp: no frame; is the input Jelly-Patch at all?"),
        ("a.nq", "a.nq: no frame; is the input Jelly-Patch at all?"),
    ],
)
def test_the_name_of_a_file_tells_what_to_do(path: str, message: str) -> None:
    error = DecodeError("no frame; is the input Jelly-Patch at all?")
    JELLY_PATCH.explain(error, path)
    assert str(error).startswith(message)


def test_columns_of_a_reader() -> None:
    for kind, names in (
        (JELLY_PATCH, ["file", "patch", "txn", "seq", "op", "s", "p", "o", "g", "name"]),
        (RDF_PATCH, ["file", "patch", "txn", "seq", "op", "s", "p", "o", "g", "name"]),
        (JELLY, ["file", "frame", "seq", "s", "p", "o", "g"]),
    ):
        for mode in ("FAILFAST", "DROPMALFORMED"):
            assert kind.schema_for(ReadOptions(mode=mode)) == kind.schema
        assert kind.schema.names == names
        permissive = kind.schema_for(ReadOptions(mode="PERMISSIVE", terms="struct"))
        assert permissive.names == [*names, "_corrupt"]
        assert permissive["_corrupt"].dataType.simpleString() == (
            "struct<file:string,offset:bigint,reason:string>"
        )
        assert permissive["s"].dataType.simpleString() == (
            "struct<kind:string,value:string,datatype:string,lang:string>"
        )


def test_only_the_graph_of_a_quad_may_be_null() -> None:
    assert [field.name for field in QUADS if field.nullable] == ["g"]


def test_names() -> None:
    check_names(["a", "b"], ["b", "a", "c"])
    with pytest.raises(ValueError, match="there is no column 'd'; there are b, a"):
        check_names(["a", "d", "e"], ["b", "a"])


@pytest.mark.parametrize("kind", ["long", "integer", "short", "byte"])
def test_smaller_integers_are_numbers_too(kind: str) -> None:
    given = StructType().add("n", kind).add("x", "binary")
    check_columns(given, EXPECTED, "a table")
    check_columns(given, EXPECTED, "a table", needed=["n"])
    if kind != "long":
        with pytest.raises(ValueError, match=r"'n' of a table must be bigint, but is .*int$"):
            check_columns(given, EXPECTED, "a table", is_exact=True)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("n", "string", "the column 'n' of a table must be bigint, but is string$"),
        ("n", "double", "the column 'n' of a table must be bigint, but is double$"),
        ("s", "integer", "the column 's' of a table must be string, but is int$"),
        ("s", EXPECTED, r"'s' .* but is struct<.*>: terms must be text \(terms='string'\)$"),
    ],
)
def test_wrong_columns(name: str, kind: Any, message: str) -> None:
    given = StructType().add("x", "integer").add(name, kind)
    with pytest.raises(ValueError, match=message):
        check_columns(given, EXPECTED, "a table")
    with pytest.raises(ValueError, match=r"a table needs the columns x, a, b; missing: a, b$"):
        check_columns(given, EXPECTED, "a table", needed=["x", "a", "b"])

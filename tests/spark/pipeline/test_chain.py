"""Tests the order of patches over files: the chain, and each fault of a chain."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from rdflib import URIRef

from jelly_rdflib import Op
from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.pipeline import chain, history, replay, versions
from jelly_rdflib.spark.pipeline.chain import ANY, PatchOrder, PatchRun, link, order_patches
from jelly_rdflib.spark.pipeline.order import SEQ_BITS
from tests.spark.tables import changes_of, quad_set, quads_table


def patch(id: str | None, prev: str | None = None, *adds: str) -> list[tuple]:
    """Return a patch with the headers id and prev that adds a statement for each of `adds`."""
    operations: list[tuple] = []
    if id is not None:
        operations.append((Op.H, "id", URIRef(f"urn:{id}")))
    if prev is not None:
        operations.append((Op.H, "prev", URIRef(f"urn:{prev}")))
    s, p = URIRef("urn:s"), URIRef("urn:p")
    return [*operations, *((Op.A, s, p, URIRef(f"urn:{add}"), None) for add in adds), (Op.END,)]


def test_runs_are_linked_whatever_their_order() -> None:
    runs = [PatchRun("f", 0, 0, None, "0")]
    runs += [PatchRun(f"f{n % 7}", n, n, str(n - 1), str(n)) for n in range(1, 100)]
    shuffled = random.Random(1).sample(runs, len(runs))
    assert link(shuffled, None, lambda id: None) == runs
    assert link([], None, lambda id: None) == []


def patches(*rows: tuple[str, int, str | None, str | None]) -> pa.Table:
    """Make a table of patches as the driver collects it: file, patch, id and prev."""
    types = {"file": pa.string(), "patch": pa.int64(), "id": pa.string(), "prev": pa.string()}
    return pa.Table.from_pylist(
        [dict(zip(types, row, strict=True)) for row in rows], pa.schema(types)
    )


BACK_AND_FORTH = patches(
    ("a", 0, "<4>", "<3>"),
    ("a", 1, "<5>", "<4>"),
    # Both patches follow a patch in another file.
    ("b", 0, "<3>", "<2>"),
    ("b", 1, "<6>", "<5>"),
    ("c", 0, "<1>", None),
    ("c", 1, "<1b>", "<1>"),
    # The successor of a patch without an id must be in the same file.
    ("c", 2, None, None),
    ("c", 3, "<2>", None),
)


def test_runs_of_a_table_of_patches() -> None:
    order = order_patches(BACK_AND_FORTH, None)
    assert order.runs == [
        PatchRun("c", 0, 3, None, "<2>"),
        PatchRun("b", 0, 0, "<2>", "<3>"),
        PatchRun("a", 0, 1, "<3>", "<5>"),
        PatchRun("b", 1, 1, "<5>", "<6>"),
    ]
    numbers = {id: order.resolve(id) for id in ("1", "1b", "2", "3", "4", "5", "6")}
    assert numbers == {"1": 1, "1b": 2, "2": 4, "3": 5, "4": 6, "5": 7, "6": 8}
    assert order.resolve("<2>") == 4
    assert order.resolve(None) == order.resolve(8) == 8
    assert order.resolve(0) == 0
    assert order_patches(patches(), None).runs == []
    # The table may have several chunks.
    pieces = pa.concat_tables([BACK_AND_FORTH[:3], BACK_AND_FORTH[3:]])
    assert order_patches(pieces, None).runs == order.runs


NOT_THERE = "which is missing; "
A1, A2 = ("a", 0, "<1>", None), ("a", 1, "<2>", "<1>")


@pytest.mark.parametrize(
    ("rows", "root", "message"),
    [
        (
            [A1, ("b", 0, "<2>", None)],
            None,
            "the chain has more than one start: patch 0 of a names no patch before it (prev), and"
            " patch 0 of b names no patch before it (prev); patches without a chain need order_by"
            " (jellyp: --order-by)",
        ),
        (
            [("a", 0, "<1>", "<8>"), ("b", 0, "<2>", "<9>")],
            ANY,
            "the chain has more than one start: patch 0 of a comes after <8> (prev), and patch 0",
        ),
        (
            [A1, ("b", 2, "<3>", "<9>")],
            None,
            f"the chain is broken: patch 2 of b comes after <9> (prev), {NOT_THERE}to start from"
            " there, give base or after (jellyp: --base, --after)",
        ),
        # A patch that names a predecessor can't follow a patch without an id.
        ([("a", 0, None, None), ("a", 1, None, "<9>")], None, "broken: patch 1 of a comes after"),
        (
            [("a", 0, "<2>", "<1>")],
            "<0>",
            f"broken: patch 0 of a comes after <1> (prev), {NOT_THERE}the chain so far ends with",
        ),
        ([A1], "<0>", "patch 0 of a names no patch before it (prev), but must come after <0>"),
        # The chain forks at the end of a run, and inside a run.
        (
            [A1, ("b", 0, "<3>", "<1>"), ("c", 0, "<4>", "<1>")],
            None,
            "the chain forks: patch 0 of c comes after <1> (prev), and so does patch 0 of b",
        ),
        (
            [A1, A2, ("b", 0, "<3>", "<1>")],
            None,
            "the chain forks: patch 0 of b comes after <1> (prev), and so does patch 1 of a",
        ),
        (
            [A1, ("b", 0, "<2>", "<3>"), ("c", 0, "<3>", "<2>")],
            None,
            "the chain is a circle: patch 0 of b comes after <3> (prev), which comes after it",
        ),
        ([("b", 0, "<1>", "<1>")], None, "the chain is a circle: patch 0 of b"),
        (
            [A1, A2, ("b", 0, "<2>", "<9>"), ("c", 0, "<2>", "<9>")],
            None,
            "patch 1 of a and patch 0 of c have the same id <2>",
        ),
        (
            [A1, ("a", 1, "<1>", None), ("b", 0, "<2>", "<1>"), ("b", 1, "<2>", "<1>")],
            None,
            "patch 0 of a and patch 1 of a have the same id <1>",
        ),
    ],
)
def test_patches_that_are_no_chain(rows: list[Any], root: str | None, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        order_patches(patches(*rows), root)
    assert message in str(caught.value)


def test_given_start() -> None:
    rows = [("b", 0, "<3>", "<2>"), ("a", 0, "<2>", "<1>")]
    for root in ("<1>", ANY):
        assert [run.file for run in order_patches(patches(*rows), root).runs] == ["a", "b"]


def test_number_of_runs_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "MAX_RUNS", 4)
    assert len(order_patches(BACK_AND_FORTH, None).runs) == 4
    monkeypatch.setattr(chain, "MAX_RUNS", 3)
    with pytest.raises(PatchError, match="back and forth between files more than 3 times"):
        order_patches(BACK_AND_FORTH, None)


def test_the_order_of_an_operation_fits_a_long() -> None:
    """A run number, a seq and one bit fit into the positive part of a long."""
    assert chain.MAX_RUNS << SEQ_BITS + 1 == 1 << 63


def test_large_numbers_of_operations(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    number = PatchOrder.number

    def as_last_runs(order: PatchOrder, *arguments: Any) -> Any:
        return number(order, *arguments).withColumn(
            chain.RUN, col(chain.RUN) * (chain.MAX_RUNS - 1)
        )

    monkeypatch.setattr(PatchOrder, "number", as_last_runs)
    s = URIRef("urn:s")
    header = {key: (Op.H, key, URIRef("urn:1")) for key in ("id", "prev")}
    files = {
        "b": [header["id"], (Op.A, s, s, s, None), (Op.END,)],
        "a": [header["prev"], (Op.D, s, s, s, None), (Op.END,)],
    }
    largest = (1 << SEQ_BITS) - 1
    seq = f"if(file = 'b', {largest} - 2 + seq, seq) as seq"
    changes = changes_of(spark, files).selectExpr("* except (seq)", seq)
    assert quad_set(replay(changes)) == set()
    assert len(quad_set(replay(changes, upto=1))) == 1


def test_last_of_several_headers_counts(spark: SparkSession) -> None:
    several = [
        (Op.H, "id", URIRef("urn:z")),
        (Op.TX,),
        (Op.H, "id", URIRef("urn:1")),
        (Op.TC,),
        (Op.END,),
    ]
    # The key prev has precedence over previous, in any order.
    previous = [(Op.H, key, URIRef("urn:9")) for key in ("previous", "Previous")]
    later = [previous[0], *patch("2", "1")[:-1], previous[1], (Op.END,)]
    found = versions(changes_of(spark, {"b": several, "a": later})).orderBy("version").collect()
    assert [(row.version, row.file, row.patch, row.id, row.prev) for row in found] == [
        (1, "b", 1, "<urn:1>", None),
        (2, "a", 1, "<urn:2>", "<urn:1>"),
    ]


def test_versions_by_number_and_id(spark: SparkSession) -> None:
    changes = changes_of(
        spark, {"b": patch("1", None, "x"), "a": [*patch("2", "1", "y"), *patch("3", None, "z")]}
    )

    def objects(**options) -> set:
        return {quad[2] for quad in quad_set(replay(changes, **options))}

    assert objects() == {"<urn:x>", "<urn:y>", "<urn:z>"}
    assert objects(upto="urn:2") == {"<urn:x>", "<urn:y>"}
    assert objects(upto=0) == set()


def test_no_such_version() -> None:
    order = PatchOrder(
        pa.table({"id": pa.array([], pa.string())}), [PatchRun("f", 0, 2, None, "3")]
    )
    for upto, error, word in (
        (4, PatchError, "no version 4; there are 0 to 3"),
        (-1, PatchError, "no version -1"),
        ("urn:9", PatchError, "no patch <urn:9>$"),
        ("2", PatchError, "no patch <2>: '2' is a str, but the number of a version is an int, 2"),
        (1.0, TypeError, "float"),
        (True, TypeError, "bool"),
    ):
        with pytest.raises(error, match=word):
            order.resolve(upto)


def test_base_may_be_any_version(spark: SparkSession) -> None:
    changes = changes_of(spark, {"a": patch("2", "1", "y")})
    base = quads_table(spark, [("<urn:s>", "<urn:p>", "<urn:x>", None)] * 2)
    assert len(quad_set(replay(changes, base))) == 2
    assert len(quad_set(replay(changes, base, upto=0))) == 1
    since = {row.o: row.since for row in history(changes, base=base).collect()}
    assert since == {"<urn:x>": 0, "<urn:y>": 1}
    for function in (replay, history):
        with pytest.raises(PatchError, match="patch 1 of a comes after <urn:1>"):
            function(changes)


def test_order_by_a_column(spark: SparkSession) -> None:
    s, p, o = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:o")
    add, delete = (Op.A, s, p, o, None), (Op.D, s, p, o, None)
    first = [add, (Op.A, s, p, URIRef("urn:a"), None)]
    changes = changes_of(spark, {"a": first, "b": [delete], "c": [delete, add, (Op.END,)]})
    ended = changes.unionByName(changes_of(spark, {"a": [(Op.END,)], "b": [(Op.END,)]}))
    assert len(quad_set(replay(ended, order_by="file"))) == 2
    assert len(quad_set(replay(ended, order_by="file", upto="b"))) == 1
    assert len(quad_set(replay(ended, order_by="file", upto="a"))) == 2
    # Quads of the base that no patch mentions remain, with a start before all patches.
    base = quads_table(
        spark, [("<urn:s>", "<urn:p>", each, None) for each in ("<urn:o>", "<urn:x>")]
    )
    found = quad_set(replay(ended, base, order_by="file", upto="b"))
    assert found == {("<urn:s>", "<urn:p>", each, None) for each in ("<urn:a>", "<urn:x>")}
    with pytest.raises(ValueError, match="no column 'when'"):
        replay(changes, order_by="when")
    with pytest.raises(PatchError, match="no patch is in a file 'bb': upto must be in"):
        replay(ended, order_by="file", upto="bb")
    with pytest.raises(TypeError, match="'file' has strings, but upto is 1"):
        replay(ended, order_by="file", upto=1)
    # For a table with full paths, as from `load`, `upto` may be relative.
    whole = changes_of(spark, {f"{Path.cwd()}/a": first, f"{Path.cwd()}/b": [delete]})
    assert len(quad_set(replay(whole, order_by="file", upto="a"))) == 2

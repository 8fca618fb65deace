"""Tests that comparing, compacting and counting give the same results on Spark as without it."""

import random
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rdflib import XSD, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.errors import PatchError
from jelly_rdflib.spark.pipeline import (
    CHANGES,
    compact,
    diff,
    effective,
    history,
    net_changes,
    replay,
    stats,
    versions,
)
from tests.algebra.strategies import patches
from tests.spark.pipeline.test_replay import in_one_spelling
from tests.spark.tables import change_rows, changes_of, quad_set, quads_table

S, P, O, G = URIRef("urn:s"), URIRef("urn:p"), Literal("o"), URIRef("urn:g")  # noqa: E741
A, D = (Op.A, S, P, O, None), (Op.D, S, P, O, None)
END = (Op.END,)


@pytest.mark.parametrize("function", [compact, effective, history, net_changes, replay, versions])
def test_marks_are_given_by_name(function: Callable[..., Any]) -> None:
    """The parameter marks is keyword-only, since later releases may add parameters."""
    assert signature(function).parameters["marks"].kind == Parameter.KEYWORD_ONLY


def random_quads(seed: int) -> set[tuple[str | None, ...]]:
    chance = random.Random(seed)
    graphs = [None, "<urn:g>", "_:g"]
    return {
        ("<urn:s>", "<urn:p>", f'"{chance.randrange(300)}"', chance.choice(graphs))
        for _ in range(400)
    }


def test_difference_leads_from_old_to_new(spark: SparkSession) -> None:
    old, new = random_quads(1), random_quads(2)
    # A table may contain a quad more than once.
    changes = diff(quads_table(spark, [*old, *old]), quads_table(spark, [*new, *old & new]))
    rows = changes.collect()
    assert changes.schema.simpleString() == CHANGES.simpleString()
    assert {tuple(row[:3]) for row in rows} == {("diff", 1, 1)}
    assert {tuple(row[5:9]) for row in rows if row.op == "A"} == new - old
    assert {tuple(row[5:9]) for row in rows if row.op == "D"} == old - new
    assert len(rows) == len(old ^ new) == len({row.seq for row in rows})
    assert quad_set(replay(changes, quads_table(spark, old))) == new


def plain(rows: list[Any]) -> list[Any]:
    """Return the operations of rows, without their file and position."""
    return [tuple(row[4:]) for row in rows]


@settings(max_examples=4)
@given(st.lists(patches(), min_size=8, max_size=20), st.data())
def test_compact_is_that_of_the_package(
    spark: SparkSession, several: Any, data: st.DataObject
) -> None:
    (several,) = in_one_spelling([several])
    # The IRI of a deleted prefix is ignored.
    stream = []
    for number, patch in enumerate(several):
        stream += [
            (Op.H, "id", URIRef(f"urn:uuid:{number}")),
            (Op.H, "prev", URIRef(f"urn:uuid:{number - 1}")),
            *patch,
            END,
        ]
    changes = changes_of(spark, {"f": stream}).repartition(2)
    marks = data.draw(st.sampled_from([None, changes.where("op not in ('A', 'D')").drop("s", "p")]))
    rows = compact(changes, marks=marks, after="urn:uuid:-1").collect()
    assert plain(rows) == plain(change_rows("f", jr.compact(stream)))
    assert [row.seq for row in rows] == sorted({row.seq for row in rows})


def test_compact_over_files_by_a_column(spark: SparkSession) -> None:
    header = (Op.H, "by", O)
    # The result has the id of the last patch and the prev of the first patch.
    prev, ids = (Op.H, "prev", O), [(Op.H, "id", each) for each in (G, S)]
    files = {
        "b": [ids[1], (Op.H, "prev", G), header, D, (Op.PA, "ex", S, G)],
        "a": [ids[0], prev, header, A, (Op.PA, "ex", S, None), END],
    }
    files["b"] += [(Op.PD, "ex", None, None), END]
    rows = compact(changes_of(spark, files), order_by="file").collect()
    stream = [*files["a"], *files["b"]]
    assert plain(rows) == plain(change_rows("f", jr.compact(stream)))
    with pytest.raises(PatchError):
        compact(changes_of(spark, files))


def test_empty_patches_are_not_the_first_or_last(spark: SparkSession) -> None:
    """The first patch keeps two spellings of a key, and the last one gives the id."""
    first = [(Op.H, "by", S), (Op.H, "BY", O), (Op.H, "prev", G), A, END]
    last = [(Op.H, "by", O), (Op.H, "id", S), D, END]
    files = {"a": [END, END, *first], "b": [END, *last, END]}
    rows = compact(changes_of(spark, files), order_by="file").collect()
    assert plain(rows) == plain(change_rows("f", jr.compact([*files["a"], *files["b"]])))
    assert [row.name for row in rows if row.op == "H"] == ["by", "BY", "prev", "id"]


def test_compact_says_what_it_is_built_on(spark: SparkSession) -> None:
    """The result names its predecessor; keys may be in any case, and previous means prev."""
    ids = [URIRef(f"urn:{number}") for number in range(5)]
    others = [(Op.H, key, O) for key in ("at", "note", "title")]
    files = {
        "b": [(Op.H, "ID", ids[4]), (Op.H, "Previous", ids[3]), (Op.H, "BY", O), D, END],
        "c": [(Op.H, "id", ids[3]), (Op.H, "prev", ids[2]), *others, A, END],
        "a": [(Op.H, "Id", ids[2]), (Op.H, "PREV", ids[1]), (Op.H, "by", O), A, END],
    }
    changes = changes_of(spark, files)
    rows = compact(changes, after="urn:1").collect()
    stream = [*files["a"], *files["c"], *files["b"]]
    assert plain(rows) == plain(change_rows("f", jr.compact(stream)))
    names = [row.name for row in rows if row.op == "H"]
    assert names == ["PREV", "by", "at", "note", "title", "Id"]
    for after, message in (
        (None, r"comes after <urn:1> \(prev\), which is missing; .* give base or after"),
        ("<urn:2>", r"comes after <urn:1> \(prev\), which is missing"),
        ("urn:3", "which is missing"),
    ):
        with pytest.raises(PatchError, match=message):
            compact(changes, after=after)
    with pytest.raises(PatchError, match="must come after <urn:0>"):
        compact(changes_of(spark, {"c": [A, END]}), after="urn:0")
    with pytest.raises(ValueError, match="after is for the chain"):
        compact(changes, order_by="file", after="urn:1")


def test_compact_compares_tags_and_keys_without_case(spark: SparkSession) -> None:
    english, small = Literal("x", lang="EN"), Literal("x", lang="en")
    short, long = Literal("x"), Literal("x", datatype=XSD.string)
    files = {
        "a": [(Op.H, "BY", english), (Op.H, "by", O), (Op.A, S, P, small, None)],
        "b": [(Op.H, "By", small), (Op.H, "bY", short), (Op.D, S, P, english, None)],
        "c": [(Op.H, "by", long), (Op.A, S, P, long, None), END, (Op.D, S, P, short, None)],
    }
    stream = [each for file in files.values() for each in (*file, END)]
    changes = changes_of(spark, {name: [*file, END] for name, file in files.items()})
    rows = compact(changes, order_by="file").collect()
    headers = [(row.name, row.o) for row in rows if row.op == "H"]
    # The first patch keeps both of its spellings.
    assert headers == [("BY", '"x"@EN'), ("by", '"o"'), ("BY", '"x"')]
    of_package = list(jr.compact(stream))
    assert plain(rows)[:3] == plain(change_rows("f", of_package[:3]))
    # A quad with several spellings has one of them in the result.
    statements = {(row.op, row.o.lower().partition("^")[0]) for row in rows if row.op in "AD"}
    assert statements == {("D", '"x"@en'), ("D", '"x"')}
    assert len(rows) == len(of_package)


def test_compact_of_what_has_no_effect(spark: SparkSession) -> None:
    changes = changes_of(spark, {"f": [(Op.H, "id", S), (Op.TX,), A, (Op.TA,), END]})
    assert [row.op for row in compact(changes).collect()] == ["H"]


def test_history_of_what_comes_and_goes(spark: SparkSession) -> None:
    other = (Op.A, S, G, O, G)
    stream = [A, END, D, A, END, A, D, END, D, other, END, A, END, other, END, END, D, END]
    changes = changes_of(spark, {"f": stream})
    rows = history(changes, s="<urn:s>").orderBy("p", "since").collect()
    assert [(row.p, row.since, row.until) for row in rows] == [
        ("<urn:g>", 4, None),
        ("<urn:p>", 1, 3),
        ("<urn:p>", 5, 8),
    ]
    # A table may contain a quad more than once.
    base = quads_table(spark, [("<urn:s>", "<urn:p>", '"o"', None), ("<urn:z>",) * 4] * 2)
    rows = history(changes, p="<urn:p>", o='"o"', base=base).orderBy("since").collect()
    assert [(row.since, row.until) for row in rows] == [(0, 3), (5, 8)]
    rows = history(changes, g="<urn:z>", base=base).collect()
    assert [(row.since, row.until) for row in rows] == [(0, None)]
    assert versions(changes).count() == 8


def test_history_of_what_is_no_term(spark: SparkSession) -> None:
    changes = changes_of(spark, {"f": [A, END]})
    with pytest.raises(ValueError, match="s: 'urn:s' is not a term"):
        history(changes, s="urn:s")


def test_history_by_a_column(spark: SparkSession) -> None:
    changes = changes_of(spark, {"2020": [A, END], "2021": [A, END], "2022": [D, END]})
    base = quads_table(spark, [("<urn:z>",) * 4])
    rows = history(changes, order_by="file", base=base).orderBy("s").collect()
    assert [(row.since, row.until) for row in rows] == [("2020", "2022"), (None, None)]


def test_counts(spark: SparkSession) -> None:
    stream = [
        *[(Op.H, "id", S), (Op.PA, "ex", S, None), (Op.TX,), A, D, (Op.TC,), END],
        *[(Op.TX,), A, (Op.TA,), (Op.PD, "ex", None, None), END],
    ]
    changes = changes_of(spark, {"f": stream})
    first, second = stats(changes).orderBy("patch").collect()
    assert tuple(first) == ("f", 1, 6, 1, 1, 0, 1, 1, 1, 0)
    assert tuple(second) == ("f", 2, 4, 0, 0, 1, 1, 0, 0, 1)
    (whole,) = stats(effective(changes), by=()).collect()
    assert (whole.operations, whole.added, whole.deleted, whole.committed) == (7, 1, 1, 1)
    counts = {row.p: (row.added, row.deleted) for row in stats(changes, by=["p"]).collect()}
    assert counts["<urn:p>"] == (2, 1)
    with pytest.raises(ValueError, match="no column 'x'"):
        stats(changes, by=["x"])

"""Tests that a replay on Spark equals applying the patches with rdflib, at each version."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rdflib import BNode, Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.spark.pipeline import CHANGES, diff, effective, history, replay, versions
from jelly_rdflib.spark.pipeline.marks import Marks
from jelly_rdflib.terms import plain
from tests.algebra.strategies import patches
from tests.spark.tables import changes_of, quad_set, quads_of, quads_table, text

ROUNDS = 4
# One job handles many logs, so that starting jobs does not dominate the run time.
logs = st.lists(st.lists(patches(), min_size=ROUNDS, max_size=ROUNDS), min_size=20, max_size=40)


def of_log(number: int, operation: Any) -> Any:
    """Return an operation whose terms include the log's number: no two logs share a quad."""
    if operation[0] not in (Op.A, Op.D):
        return operation
    op, s, *rest = operation
    name = f"{s}-{number}"
    return (op, BNode(name) if isinstance(s, BNode) else URIRef(name), *rest)


def patch_name(round: int, log: int) -> URIRef:
    return URIRef(f"urn:uuid:{round}-{log}")


def as_files(several: list[list[Any]]) -> dict[str, list[Any]]:
    """Return a file for each log; the chain visits the first patch of each log, then the second."""
    count = len(several)
    files: dict[str, list[Any]] = {}
    for number, log in enumerate(several):
        operations: list[Any] = []
        for round, patch in enumerate(log):
            operations.append((Op.H, "id", patch_name(round, number)))
            if (round, number) != (0, 0):
                before = round * count + number - 1
                operations.append((Op.H, "prev", patch_name(*divmod(before, count))))
            operations += [*(of_log(number, each) for each in patch), (Op.END,)]
        files[f"{number}.jellyp"] = operations
    return files


def states(several: list[list[Any]]) -> list[set[Any]]:
    """Return the content of an rdflib dataset after each round."""
    dataset = Dataset()
    found = []
    for round in range(ROUNDS):
        for number, log in enumerate(several):
            jr.apply([of_log(number, each) for each in log[round]], dataset)
        found.append(quads_of(dataset))
    return found


def in_one_spelling(several: Any) -> Any:
    """Return logs in which each term has one spelling; test_identity.py tests others."""

    def term(value: Any) -> Any:
        if isinstance(value, Literal) and value.language:
            return Literal(str(value), lang=value.language.lower())
        return plain(value) if isinstance(value, Literal) else value

    return [
        [[tuple(map(term, operation)) for operation in patch] for patch in log] for log in several
    ]


@settings(max_examples=3)
@given(logs, st.integers(0, ROUNDS - 2), st.sampled_from([None, "file"]))
def test_replay_is_apply_at_each_version(
    spark: SparkSession, several: Any, first: int, by: str | None
) -> None:
    several = in_one_spelling(several)
    expected = states(several)
    changes = changes_of(spark, as_files(several)).repartition(3)
    assert quad_set(replay(changes, upto=2 * len(several))) == expected[1]
    # Check all versions at once.
    rows = history(changes).collect()
    for round in range(ROUNDS):
        version = (round + 1) * len(several)
        there = [
            tuple(row[:4])
            for row in rows
            if row.since <= version and (row.until is None or version < row.until)
        ]
        assert len(there) == len(set(there))
        assert set(there) == expected[round]
    # Replay the later patches on a base.
    later = changes_of(spark, as_files([log[first + 1 :] for log in several]))
    base = quads_table(spark, expected[first])
    assert quad_set(replay(later, base, order_by=by)) == expected[-1]


S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
A, D = (Op.A, S, P, O, None), (Op.D, S, P, O, None)
END = (Op.END,)


CASES: list[tuple[list[Any], bool]] = [
    ([A, D, END], False),
    ([D, A, END], True),
    ([A, (Op.TX,), D, (Op.TA,), END], True),
    ([(Op.TX,), A, (Op.TC,), (Op.TX,), D, (Op.TC,), END], False),
    # The files are truncated.
    ([A, END, D], True),
    ([A, END, (Op.TX,), D], True),
    ([A, END, D, (Op.TX,), D, (Op.TC,), A, (Op.TX,), A], False),
    ([D, A, END, (Op.TX,), D, (Op.TA,)], True),
    # The default graph has no name.
    ([A, (Op.D, S, P, O, DATASET_DEFAULT_GRAPH_ID), END], False),
    ([(Op.A, S, P, O, S), D, END], True),
]


def test_what_has_an_effect(spark: SparkSession) -> None:
    files = {
        str(number): [of_log(number, each) for each in operations]
        for number, (operations, _) in enumerate(CASES)
    }
    expected = {f"<urn:s-{number}>" for number, (_, is_there) in enumerate(CASES) if is_there}
    changes = changes_of(spark, files)
    assert {quad[0] for quad in quad_set(replay(changes, order_by="file"))} == expected


def test_cut_off_file_in_a_chain(spark: SparkSession) -> None:
    # A last patch without an END makes no version.
    for number, count in ((4, 1), (6, 2)):
        operations, is_there = CASES[number]
        changes = changes_of(spark, {"f": operations})
        assert len(quad_set(replay(changes))) == is_there
        assert versions(changes).count() == count


def test_table_without_ends_is_whole(spark: SparkSession) -> None:
    changes = changes_of(spark, {"f": [D, (Op.A, S, S, S, None)]})
    # Even the first operation is later than the base.
    base = quads_table(spark, [tuple(map(text, D[1:]))])
    assert quad_set(replay(changes, base)) == {("<urn:s>", "<urn:s>", "<urn:s>", None)}
    assert effective(changes).count() == 2


def test_only_file_is_cut_off(spark: SparkSession) -> None:
    # A table with a damage column comes from files, whose complete patches have an END.
    changes = changes_of(spark, {"f": [(Op.H, "id", S), A]})
    # The option columnNameOfCorruptRecord may rename the column.
    damage = "cast(null as struct<file: string, offset: bigint, reason: string>) as damage"
    assert quad_set(replay(changes.selectExpr("*", damage))) == set()
    assert len(quad_set(replay(changes))) == 1


def test_marks_that_are_read_apart(spark: SparkSession) -> None:
    changes = changes_of(spark, {"f": [(Op.TX,), A, (Op.TA,), (Op.TX,), D, (Op.TC,), A, END]})
    marks = changes.where("op not in ('A', 'D')").drop("s", "p")
    assert len(quad_set(replay(changes, marks=marks))) == 1
    assert effective(changes, marks=marks).where("op = 'A'").count() == 1
    with pytest.raises(ValueError, match="a table of marks needs the columns"):
        replay(changes, marks=marks.drop("name"))


def test_effective_keeps_headers_and_ends(spark: SparkSession) -> None:
    header = (Op.H, "at", O)
    operations = [(Op.TX,), header, A, (Op.TA,), END, header, D, (Op.TX,), A]
    rows = effective(changes_of(spark, {"f": operations})).orderBy("seq").collect()
    assert [row.op for row in rows] == ["H", "END", "H"]


def test_many_aborted_transactions(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    from jelly_rdflib.spark.pipeline import chain, marks

    # There are more versions than are broadcast.
    monkeypatch.setattr(marks, "MAX_BROADCAST", 2)
    monkeypatch.setattr(chain, "MAX_BROADCAST", 2)
    aborted = [(Op.TX,), D, (Op.TA,)]
    files = {
        "a": [(Op.H, "id", URIRef("urn:1")), A, *aborted * 5, END, (Op.H, "prev", URIRef("urn:2"))],
        "b": [(Op.H, "prev", URIRef("urn:1")), (Op.H, "id", URIRef("urn:2")), *aborted * 5, END],
    }
    files["a"] += [*aborted, END]
    assert len(quad_set(replay(changes_of(spark, files)))) == 1


def test_the_driver_holds_no_good_transactions(spark: SparkSession) -> None:
    """The driver holds no committed transactions of any patch, which may have millions."""
    good = [(Op.TX,), A, (Op.TC,)]
    whole, cut = [*good * 50, (Op.TX,), A, (Op.TA,), END], [*good * 50, A, (Op.TX,), A]
    found = Marks(changes_of(spark, {"a": whole, "b": cut}), None)
    assert [row["bad"] for row in found._patches.sort_by("file").to_pylist()] == [[51], [52]]
    assert set(found._patches.schema.names) == {"file", "patch", "id", "prev", "is_whole", "bad"}
    rows = found.effective(found.changes).where("op = 'A'").groupBy("file").count().collect()
    assert {tuple(row) for row in rows} == {("a", 50), ("b", 50)}


def test_nothing(spark: SparkSession) -> None:
    nothing = spark.createDataFrame([], CHANGES)
    assert quad_set(replay(nothing)) == set()
    base = quads_table(spark, [("<urn:s>", "<urn:p>", "<urn:o>", None)])
    assert len(quad_set(replay(nothing, base))) == 1


def test_wrong_tables(spark: SparkSession) -> None:
    changes = changes_of(spark, {"f": [A]})
    with pytest.raises(ValueError, match="missing: seq, name"):
        replay(changes.drop("seq", "name"))
    with pytest.raises(TypeError, match=r"must be a DataFrame, not str: spark\.read\.format"):
        replay("log")
    stream = spark.readStream.format("rate").load()
    for wrong in (lambda: replay(stream), lambda: diff(stream, stream)):
        with pytest.raises(ValueError, match=r"must not be a stream: maintain\(\) applies streams"):
            wrong()
    for states in ((changes, changes), (replay(changes), changes)):
        with pytest.raises(ValueError, match=r"has operations, not quads: replay\(\) converts"):
            diff(*states)
    with pytest.raises(ValueError, match="the base needs the columns s, p, o, g; missing: g"):
        replay(changes, changes.select("s", "p", "o"))
    assert quad_set(replay(changes.selectExpr("* except (seq)", "int(seq) as seq")))

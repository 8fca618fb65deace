"""``jellyp stats``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, TripleTerm
from jelly_rdflib.cli import counting
from jelly_rdflib.cli.counting import MAX_SIZES, NameCounts, Sizes, count_operations
from jelly_rdflib.cli.plotting import plot_counts
from jelly_rdflib.cli.tables import print_counts
from tests.cli.support import G, P, S, encode, run_well
from tests.support import run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode())
    return path


def test_as_json(source: Path) -> None:
    assert json.loads(run_well("stats", "--json", source).out) == {
        "operations": {"H": 1, "TX": 2, "TC": 1, "TA": 1, "PA": 1, "A": 3, "D": 1, "END": 2},
        "patches": 2,
        "transactions": {"committed": 1, "aborted": 1, "smallest": 1, "median": 1, "largest": 3},
        "graphs": [
            {"graph": "<urn:g>", "added": 1, "deleted": 1},
            {"graph": "default graph", "added": 2, "deleted": 0},
        ],
        "predicates": [{"predicate": P.n3(), "added": 3, "deleted": 1}],
    }


def test_as_tables(source: Path) -> None:
    shown = run_well("stats", source).text
    assert "patches: 2; transactions: 2, 1 committed, 1 aborted" in shown
    assert any(P.n3() in line and "█" in line for line in shown.splitlines())
    assert "\x1b" not in shown


def test_top(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    path.write_text("".join(f"A <urn:s> <urn:p{i}> <urn:o> .\n" * (i + 1) for i in range(20)))
    shown = run_well("stats", "--top", "3", path).text
    assert "predicates, 3 of 20" in shown
    assert "<urn:p17>" in shown
    assert "<urn:p16>" not in shown


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_picture(source: Path, ending: str, start: bytes) -> None:
    picture = source.with_name(f"x.{ending}")
    run_well("stats", "--plot", picture, source)
    assert picture.read_bytes().startswith(start)


def test_a_picture_shows_odd_names(tmp_path: Path) -> None:
    path, picture = tmp_path / "x.rdfp", tmp_path / "x.svg"
    path.write_text("A <urn:s> <urn:$p$_{> <urn:o> .\n")
    run_well("stats", "--plot", picture, path)
    assert "$p$" in picture.read_text() or "urn:" in picture.read_text()


def test_statements(tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    with jr.StatementWriter(path) as writer:
        writer.add(S, P, S, G)
    counts = json.loads(run_well("stats", "--json", path).out)
    assert counts["operations"] == {"A": 1}
    assert counts["graphs"] == [{"graph": "<urn:g>", "added": 1, "deleted": 0}]


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from([Op.A, Op.D]),
                st.just(S),
                st.sampled_from([P, S]),
                st.just(Literal("o")),
                st.sampled_from([None, G]),
            ),
            max_size=8,
        ),
        max_size=8,
    ),
    st.integers(1, 5),
)
def test_counts_are_those_of_the_operations(transactions: list[list[Any]], frame_rows: int) -> None:
    operations: list[Any] = []
    for transaction in transactions:
        operations += [(Op.TX,), *transaction, (Op.TC,)]
    data = encode(operations, frame_rows=frame_rows, stream_type="FLAT")
    counts = count_operations(jr.read_batches(data))
    read = list(jr.read_operations(data))
    assert counts.operations == Counter(operation[0] for operation in read)
    changes = [operation for operation in read if operation[0] in (Op.A, Op.D)]
    for name, added, deleted in counts.predicates.ranking():
        codes = [row[0] for row in changes if row[2].n3() == name]
        assert (added, deleted) == (codes.count(Op.A), codes.count(Op.D))
    for names in (counts.predicates, counts.graphs):
        assert sum(sum(numbers) for numbers in names.numbers.values()) == len(changes)
    assert counts.sizes.added == [
        sum(row[0] == Op.A for row in transaction) for transaction in transactions
    ]
    assert counts.committed == len(transactions)
    assert counts.patches == bool(operations)


def test_operations_outside_transactions_are_one_each_patch() -> None:
    row = (Op.A, S, P, S, None)
    counts = count_operations(
        jr.read_batches(encode([row, row, (Op.END,), (Op.TX,), row, (Op.TA,), row]))
    )
    assert counts.sizes.added == [2, 1, 1]
    assert (counts.patches, counts.committed, counts.aborted) == (2, 2, 1)


def test_many_transactions_are_taken_together() -> None:
    sizes = Sizes()
    for i in range(5000):
        sizes.append(i, 1)
    assert sizes.step == 8
    assert len(sizes.added) <= MAX_SIZES
    assert sum(sizes.added) == sum(range(5000))
    assert sum(sizes.deleted) == 5000
    assert sizes.added[0] == sum(range(8))
    assert sizes.median == 2500


def many_predicates() -> bytes:
    """Predicates 0 to 9, and then all of them again with deletes, the last one thrice."""
    rows = [f"A <urn:s> <urn:{i}> <urn:o> .\n" for i in range(10)]
    rows += [f"D <urn:s> <urn:{i}> <urn:o> .\n" for i in (*range(10), 9, 9)]
    return "".join(rows).encode()


@pytest.mark.parametrize("limit", ["names", "bytes"])
def test_names_beyond_a_limit_are_others(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "names":
        monkeypatch.setattr(counting, "MAX_NAMES", 4)
    else:
        monkeypatch.setattr(counting, "MAX_NAME_BYTES", 4 * sys.getsizeof("<urn:0>"))
    for frame_rows in (1, 3, 100):
        data = encode(list(jr.read_operations(many_predicates())), frame_rows=frame_rows)
        counts = count_operations(jr.read_batches(data))
        assert counts.predicates.ranking() == [(f"<urn:{i}>", 1, 1) for i in range(4)]
        assert counts.predicates.others == [6, 8]
        assert counts.predicates.distinct == "more than 4"
        assert counts.operations[Op.D] == 12
        assert counts.graphs.ranking() == [("default graph", 10, 12)]
        assert counts.graphs.others == [0, 0]
        assert counts.as_dict()["other_predicates"] == {"added": 6, "deleted": 8}
        assert len(counts.as_dict()["predicates"]) == 4
        assert "other_graphs" not in counts.as_dict()


def test_what_is_full_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_NAME_BYTES", 200)
    counts = NameCounts()
    for name in ("a", "b" * 200, "c", "a"):
        counts.count(name, Op.A, 1)
    assert counts.ranking() == [("a", 2, 0)]
    assert counts.others == [2, 0]


def test_quoted_triples_that_would_be_long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_NAME_BYTES", 10_000)
    term = TripleTerm(S, P, URIRef("urn:" + "x" * 100))
    rows: list[Any] = [(Op.A, S, term, S, None)]
    for _ in range(10):
        term = TripleTerm(term, P, term)
    rows.append((Op.A, S, term, S, None))
    data = encode(rows, rdf_star=True, generalized_statements=True)
    counts = count_operations(jr.read_batches(data)).predicates
    assert [name for name, _, _ in counts.ranking()] == [rows[0][2].n3()]
    assert counts.others == [1, 0]


@pytest.mark.parametrize(("most", "shown"), [(0, "0 of at least 1"), (4, "3 of more than 4")])
def test_others_are_shown(
    most: int,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(counting, "MAX_NAMES", most)
    counts = count_operations(jr.read_batches(many_predicates()))
    print_counts(counts, "x.rdfp", 3)
    out = capsys.readouterr().out
    assert f"predicates, {shown}" in out
    assert f"others {10 - most} {12 - most}" in " ".join(out.split())
    assert "others: predicates that are not counted one by one" in out
    picture = tmp_path / "x.svg"
    plot_counts(counts, str(picture), "x.rdfp", 3)
    assert picture.stat().st_size > 0


@pytest.mark.slow
def test_memory_is_bounded_however_many_names_there_are(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    with path.open("w") as file:
        for i in range(250_000):
            name = f"{'x' * 70}{i}"
            file.write(f"{'AD'[i % 2]} <urn:s> <urn:p{name}> <urn:o> <urn:g{name}> .\n")
    code = """
import contextlib
from jelly_rdflib.cli.main import main
sys.argv = ["jellyp", "stats", "--json", sys.argv[1]]
with contextlib.suppress(SystemExit):
    main()
print(peak())
"""
    *shown, peak = run(code, str(path)).splitlines()
    counts = json.loads("\n".join(shown))
    assert (
        sum(row["added"] for row in counts["graphs"]) + counts["other_graphs"]["added"] == 125_000
    )
    assert len(counts["predicates"]) > 50_000
    assert int(peak) < 200_000_000

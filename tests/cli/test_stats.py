"""Tests ``jellyp stats``."""

import json
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.cli.plotting import plot_counts
from jelly_rdflib.cli.tables import print_parts
from jelly_rdflib.inspection import stats as counting
from jelly_rdflib.inspection.stats_tables import stats_parts
from tests.cli.support import P, run_well
from tests.inspection.test_stats import many_predicates


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


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_picture_shows_odd_names(ending: str, start: bytes, tmp_path: Path) -> None:
    path, picture = tmp_path / "x.rdfp", tmp_path / f"x.{ending}"
    path.write_text("A <urn:s> <urn:$p$_{> <urn:o> .\n")
    run_well("stats", "--plot", picture, path)
    assert picture.read_bytes().startswith(start)


@pytest.mark.parametrize(("most", "shown"), [(0, "0 of at least 1"), (4, "3 of more than 4")])
def test_others_are_shown(
    most: int,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(counting, "MAX_NAMES", most)
    counts = jr.stats(many_predicates())
    print_parts(stats_parts(counts, 3), "x.rdfp")
    out = capsys.readouterr().out
    assert f"predicates, {shown}" in out
    assert f"others {10 - most} {12 - most}" in " ".join(out.split())
    assert "others: predicates that are not counted one by one" in out
    picture = tmp_path / "x.svg"
    plot_counts(counts, str(picture), "x.rdfp", 3)
    assert picture.stat().st_size > 0

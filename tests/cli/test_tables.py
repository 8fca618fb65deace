"""Tests tables in pipes and on terminals of a given width."""

import re
from pathlib import Path

import pytest

from tests.cli.support import encode, run_well

LONG = "urn:" + 150 * "x"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.nt"
    path.write_text(f"<urn:s> <{LONG}> <urn:o> .\n")
    return path


def test_piped_tables_have_no_trailing_blanks(file: Path, tmp_path: Path) -> None:
    jellyp = tmp_path / "x.jellyp"
    jellyp.write_bytes(encode())
    for arguments in (
        ["stats", file],
        ["inspect", jellyp],
        ["inspect", jellyp, file],
        ["diff", "--side-by-side", file, "/dev/null", "--from", "nt"],
    ):
        lines = run_well(*arguments, status=arguments[0] == "diff").text.splitlines()
        assert len(lines) > 3
        assert lines == [line.rstrip() for line in lines]


def test_columns_is_kept(file: Path) -> None:
    assert LONG in run_well("stats", file).text
    shown = run_well("stats", file, COLUMNS="60").text
    assert LONG not in shown
    assert max(map(len, shown.splitlines()[1:])) <= 60
    assert LONG in run_well("stats", file, COLUMNS="400").text


def test_inspect_shows_all_columns_of_lookups_on_a_terminal(tmp_path: Path) -> None:
    jellyp = tmp_path / "x.jellyp"
    jellyp.write_bytes(encode())
    for width in (78, 80, 120):
        shown = run_well("inspect", jellyp, COLUMNS=str(width)).text
        lines = [line.split() for line in shown.partition("\nlookups\n")[2].splitlines()]
        rows = {line[0]: line for line in lines if len(line) == 8}
        assert {"name", "prefix", "datatype"} <= rows.keys()
        assert max(map(len, shown.splitlines()[1:])) <= width


def test_no_number_is_cut_on_a_narrow_terminal(tmp_path: Path) -> None:
    """Rather than cut a number, a row exceeds the width of the terminal."""
    rows = (f'<urn:s{i}> <urn:p> "{i}" .\n' for i in range(6000))
    (tmp_path / "x.nt").write_text("".join(rows))
    run_well("convert", "x.nt", "-o", "x.jelly", cwd=tmp_path)
    for files in (["x.jelly"], ["x.nt", "x.jelly"]):
        whole = re.findall(r"[\d,]+", run_well("inspect", *files, cwd=tmp_path).text)
        for width in (40, 60):
            shown = run_well("inspect", *files, cwd=tmp_path, COLUMNS=str(width)).text
            assert re.findall(r"[\d,]+", shown) == whole


def test_names_stay_on_a_narrow_terminal(file: Path) -> None:
    for width in (40, 45, 60):
        shown = run_well("stats", file, COLUMNS=str(width)).text.splitlines()
        assert max(map(len, shown[1:])) <= width
        assert any("default graph" in line for line in shown)
        assert any("xxxxxxxxx" in line for line in shown)
        assert any("█" in line for line in shown) == (width > 46)

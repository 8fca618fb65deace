"""Tests that the documentation's notebooks run, and produce their stored outputs."""

import ast
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.schemaorg import releases
from tests.notebooks import NOTEBOOKS, is_picture, read, run, shown

CHECK = """print((
    [int(bar.get_height()) for bar in bars.patches],
    [int(y) for y in sizes.lines[0].get_ydata()],
    [label.get_text() for label in bars.get_xticklabels()],
))"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    has_plot = path.stem == "releases"
    notebook = run(path, tmp_path, check=CHECK if has_plot else None)
    stored = shown(read(path))
    assert shown(notebook)[: len(stored)] == stored
    if has_plot:
        check_the_plot(notebook)


def check_the_plot(notebook: Any) -> None:
    """Check that the plot of releases shows each release."""
    assert sum(is_picture(each) for cell in notebook.cells for each in cell.get("outputs", [])) == 1
    heights, line, labels = ast.literal_eval(notebook.cells[-1].outputs[0].text)
    # Each line of sorted N-Triples is a statement.
    found = [(str(name).rpartition("/")[2], set(text.splitlines())) for name, text in releases()]
    assert labels == [name for name, _ in found]
    assert line == [len(lines) for _, lines in found]
    pairs = list(pairwise(lines for _, lines in found))
    added = [len(new - old) for old, new in pairs]
    assert heights == added + [-len(old - new) for old, new in pairs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_picture_is_stored(path: Path) -> None:
    outputs = [each for cell in read(path).cells for each in cell.get("outputs", [])]
    assert outputs
    assert not any(map(is_picture, outputs))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_has_a_path_of_a_machine(path: Path) -> None:
    for outputs in shown(read(path)):
        assert not re.search(r"/(tmp|home|root|work|Users|var)/|site-packages", str(outputs))

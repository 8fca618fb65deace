"""The notebooks of the documentation run, and show what is stored in them."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

import jelly_rdflib as jr
from benchmarks.schemaorg import releases
from tests.notebooks import NOTEBOOKS, is_picture, read, run, shown


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    assert shown(run(path, tmp_path)) == shown(read(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_picture_is_stored(path: Path) -> None:
    outputs = [each for cell in read(path).cells for each in cell.get("outputs", [])]
    assert outputs
    assert not any(map(is_picture, outputs))


def test_the_plot_of_a_history_shows_each_version(tmp_path: Path) -> None:
    path = next(path for path in NOTEBOOKS if path.stem == "history")
    heights = "[int(bar.get_height()) for bar in axis.patches]"
    check = f"print(({heights}, [int(y) for y in axis.lines[0].get_ydata()]))"
    *_, plot, checked = run(path, tmp_path, check=check).cells
    assert [is_picture(each) for each in plot.outputs] == [True]
    bars, line = ast.literal_eval(checked.outputs[0].text)

    added, deleted, sizes = [], [], []
    quads = set()
    for entry in jr.PatchLog(tmp_path / "history").patches():
        changes = [each for each in entry.read() if each[0] in (jr.Op.A, jr.Op.D)]
        added.append(sum(each[0] is jr.Op.A for each in changes))
        deleted.append(sum(each[0] is jr.Op.D for each in changes))
        for each in changes:
            (quads.add if each[0] is jr.Op.A else quads.remove)(each[1:])
        sizes.append(len(quads))
    assert bars == added + [-count for count in deleted]
    assert line == sizes


def test_the_plot_of_releases_shows_each_release(tmp_path: Path) -> None:
    path = next(path for path in NOTEBOOKS if path.stem == "releases")
    heights = "[int(bar.get_height()) for bar in bars.patches]"
    line = "[int(y) for y in sizes.lines[0].get_ydata()]"
    check = f"print(({heights}, {line}, [label.get_text() for label in bars.get_xticklabels()]))"
    notebook = run(path, tmp_path, check=check)
    assert sum(is_picture(each) for cell in notebook.cells for each in cell.get("outputs", [])) == 1
    heights, line, labels = ast.literal_eval(notebook.cells[-1].outputs[0].text)

    # A line of sorted N-Triples is a statement.
    found = [(str(name).rpartition("/")[2], set(text.splitlines())) for name, text in releases()]
    assert labels == [name for name, _ in found]
    assert line == [len(lines) for _, lines in found]
    pairs = list(pairwise(lines for _, lines in found))
    added = [len(new - old) for old, new in pairs]
    assert heights == added + [-len(old - new) for old, new in pairs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_has_a_path_of_a_machine(path: Path) -> None:
    for outputs in shown(read(path)):
        assert not re.search(r"/(tmp|home|root|work|Users|var)/|site-packages", str(outputs))

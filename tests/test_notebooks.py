"""The notebooks of the documentation run, and show what is stored in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebooks import NOTEBOOKS, read, run, shown


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    assert shown(run(path, tmp_path)) == shown(read(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_has_a_path_of_a_machine(path: Path) -> None:
    for outputs in shown(read(path)):
        assert not re.search(r"/(tmp|home|root|work|Users|var)/|site-packages", str(outputs))

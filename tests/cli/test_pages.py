"""Tests that the documentation pages show the commands' actual output."""

from pathlib import Path

import pytest

from tests.cli.pages import PAGES, has_commands, run_page


@pytest.mark.slow
@pytest.mark.parametrize("page", list(filter(has_commands, PAGES)), ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    assert run_page(page, tmp_path) == page.read_text("utf-8")


def test_there_are_pages() -> None:
    assert len(list(filter(has_commands, PAGES))) > 5

"""Code of the documentation fits its column, in a browser and on a terminal of 80 characters."""

import json
import re
from pathlib import Path

import pytest

from tests.examples import DOCS, PAGES, WIDTH, name_page

# What stands between two fences, which an admonition indents.
FENCED = re.compile(r"^( *)```.*\n((?:.*\n)*?)\1```$", re.MULTILINE)


def code_of(page: Path) -> list[str]:
    """Return the lines of code of a page or a notebook."""
    text = page.read_text("utf-8")
    if page.suffix == ".ipynb":
        cells = [each for each in json.loads(text)["cells"] if each["cell_type"] == "code"]
        return [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    return [
        line.removeprefix(block[1])
        for block in FENCED.finditer(text)
        for line in block[2].split("\n")
    ]


@pytest.mark.parametrize("page", [*PAGES, *sorted(DOCS.rglob("*.ipynb"))], ids=name_page)
def test_code_fits_its_column(page: Path) -> None:
    assert [line for line in code_of(page) if len(line) > WIDTH] == []

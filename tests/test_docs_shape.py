"""Tests the shape of the documentation: the width of code, and the length of guides."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples import DOCS, PAGES, ROOT, WIDTH, name_page

yaml = pytest.importorskip("yaml", reason="MkDocs, which brings PyYAML, is not installed")

# The pattern finds the text between two fences, which may be indented in an admonition.
FENCED = re.compile(r"^( *)```.*\n((?:.*\n)*?)\1```$", re.MULTILINE)
# People read about 240 words a minute, so a guide takes five minutes.
MOST_WORDS = 1200


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


def pages_of(part: Any) -> Iterator[Path]:
    """Yield the pages in a part of the navigation."""
    if isinstance(part, str):
        yield DOCS / part
    else:
        for each in part.values() if isinstance(part, dict) else part:
            yield from pages_of(each)


NAVIGATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
PARTS = {title: list(pages_of(part)) for each in NAVIGATION for title, part in each.items()}
GUIDES = [
    page
    for title in ("Start", "Guides", "Live", "Spark")
    for page in PARTS[title]
    if page.suffix == ".md"
]


@pytest.mark.parametrize("page", [*PAGES[1:], *sorted(DOCS.rglob("*.ipynb"))], ids=name_page)
def test_code_fits_its_column(page: Path) -> None:
    long = [line for line in code_of(page) if len(line) > WIDTH]
    assert not long, "\n".join([f"{page.name} has code of more than {WIDTH} columns:", *long])


@pytest.mark.parametrize("page", GUIDES, ids=name_page)
def test_a_guide_is_read_in_five_minutes(page: Path) -> None:
    words = len(FENCED.sub("", page.read_text("utf-8")).split())
    assert words <= MOST_WORDS, (
        f"{page.name} has {words} words; a guide has at most {MOST_WORDS}: shorten it, or move a"
        " part to a page of the reference"
    )


def test_half_of_the_words_are_for_looking_up() -> None:
    """Pages about commands count as reference; pages about the project do not count."""
    words = {
        title: sum(len(page.read_text("utf-8").split()) for page in pages if page.suffix == ".md")
        for title, pages in PARTS.items()
        if title != "Project"
    }
    looked_up = words["Command line"] + words["Reference"]
    assert looked_up >= sum(words.values()) / 2, (
        f"{looked_up} of {sum(words.values())} words are in the reference and the pages of"
        " commands, less than half: shorten guides, or move parts of them to the reference"
    )


def test_words_that_people_search_for_are_in_titles() -> None:
    """Search gives titles more weight than text."""
    titles = re.findall(r"^#+ (.*)$", (DOCS / "faq.md").read_text("utf-8"), re.MULTILINE)
    for asked in ("FAQ", "audit", "provenance", "undo", "backup", "export to Turtle"):
        assert any(asked.lower() in title.lower() for title in titles), asked
    assert any("read a patch file" in title for title in titles)

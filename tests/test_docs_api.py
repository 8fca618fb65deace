"""Each public name has an entry in the API pages, with a docstring and an example."""

from __future__ import annotations

import inspect
import pkgutil
import re
from pathlib import Path
from typing import get_origin

import pytest

import jelly_rdflib
from tests.examples import DOCS, EXAMPLE

# Spark's pages name functions that are imported with PySpark.
PAGES = sorted(set(DOCS.rglob("*.md")) - set(DOCS.glob("spark/*.md")))
ENTRY = re.compile(r"^::: (jelly_rdflib[\w.]*)$", re.MULTILINE)
# A str, which api/index.md shows.
WITHOUT_ENTRY = {"__version__"}
NAMES = sorted(set(jelly_rdflib.__all__) - WITHOUT_ENTRY)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def pages_with(name: str) -> list[Path]:
    """Return the pages with an entry of a public name, whatever module it is taken from."""
    value = getattr(jelly_rdflib, name)
    return [
        page
        for page in PAGES
        for path in ENTRY.findall(read(page))
        if path.split(".")[-1] == name and pkgutil.resolve_name(path) == value
    ]


@pytest.mark.parametrize("name", NAMES)
def test_has_one_entry(name: str) -> None:
    assert len(pages_with(name)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_entry_has_a_text(name: str) -> None:
    value = getattr(jelly_rdflib, name)
    if get_origin(value) is not None or name == "TermKind":
        return  # Its docstring is in the source or in the stub: `make docs` fails if it is empty.
    own = value.__doc__
    assert own
    # Python's own docstrings of enums and dataclasses say nothing.
    assert own not in (inspect.getdoc(value.__mro__[1]) if inspect.isclass(value) else "", name)


@pytest.mark.parametrize("name", NAMES)
def test_entry_has_an_example(name: str) -> None:
    [page] = pages_with(name)
    on_page = "".join(code for _, code in EXAMPLE.findall(read(page)))
    assert ">>> " in (getattr(jelly_rdflib, name).__doc__ or "") or re.search(
        rf"\b{name}\b", on_page
    )

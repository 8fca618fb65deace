"""Tests that each public name has an entry in the API pages, with a docstring and an example."""

import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any, get_origin

import pytest

import jelly_rdflib
from jelly_rdflib import live
from tests.examples import DOCS, EXAMPLE

# Leave out Spark's pages, which name functions that need PySpark.
PAGES = sorted(set(DOCS.rglob("*.md")) - set(DOCS.glob("spark/*.md")))
ENTRY = re.compile(r"^::: (jelly_rdflib[\w.]*)$", re.MULTILINE)
# The version is a str; api/index.md shows it.
WITHOUT_ENTRY = {"__version__"}
# The classes and functions of `jelly_rdflib.live`; the names of modules contain dots.
LIVE = {name for name, value in vars(live).items() if getattr(value, "__name__", "") == name}
NAMES = sorted(set(jelly_rdflib.__all__) - WITHOUT_ENTRY | LIVE)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def value_of(name: str) -> Any:
    return getattr(live if name in LIVE else jelly_rdflib, name)


def pages_with(name: str) -> list[Path]:
    """Return the pages that have an entry for a public name, in any module."""
    value = value_of(name)
    return [
        page
        for page in PAGES
        for path in ENTRY.findall(read(page))
        if path.split(".")[-1] == name and pkgutil.resolve_name(path) == value
    ]


@pytest.mark.parametrize("name", NAMES)
def test_has_an_entry_with_a_text_and_an_example(name: str) -> None:
    [page] = pages_with(name)
    value = value_of(name)
    own = value.__doc__ or ""
    on_page = "".join(code for _, code in EXAMPLE.findall(read(page)))
    assert ">>> " in own or re.search(rf"\b{name}\b", on_page)
    # The docstrings of other names are in the source or the stub; `make docs` fails without them.
    if get_origin(value) is None and name != "TermKind":
        # Docstrings that Python generates for enums and dataclasses do not count.
        assert own not in (inspect.getdoc(value.__mro__[1]) if inspect.isclass(value) else "", name)

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

# Pages of Spark name functions that need PySpark.
PAGES = sorted(set(DOCS.rglob("*.md")) - set(DOCS.glob("spark/*.md")))
ENTRY = re.compile(r"^::: (jelly_rdflib[\w.]*)$", re.MULTILINE)
# The version is a str, which api/index.md shows.
WITHOUT_ENTRY = {"__version__"}
# These are the classes and functions of `jelly_rdflib.live`; the name of a module has dots.
LIVE = {name for name, value in vars(live).items() if getattr(value, "__name__", "") == name}
NAMES = sorted(set(jelly_rdflib.__all__) - WITHOUT_ENTRY | LIVE)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def value_of(name: str) -> Any:
    return getattr(live if name in LIVE else jelly_rdflib, name)


def pages_with(name: str) -> list[Path]:
    """Return the pages with an entry of a public name, whatever module the entry names."""
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
    # Other names have their docstring in the source or in the stub; `make docs` fails without it.
    if get_origin(value) is None and name != "TermKind":
        # The docstrings that Python gives enums and dataclasses do not count.
        assert own not in (inspect.getdoc(value.__mro__[1]) if inspect.isclass(value) else "", name)

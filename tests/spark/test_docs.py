"""The examples of the documentation's pages about Spark work as they stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.examples import DOCS, EXAMPLE, name_page, run_page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGES = [page for page in sorted(DOCS.glob("spark/*.md")) if EXAMPLE.search(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_examples(page: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session that a page asks for is that of the tests; it stays in one folder."""
    system: Any = spark._jvm.java.lang.System  # type: ignore[union-attr]
    monkeypatch.chdir(system.getProperty("user.dir"))
    run_page(page)

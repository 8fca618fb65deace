"""The examples of the README and of the documentation work as they stand.

Those of Spark's pages are in `tests.spark.test_docs`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import DOCS, ROOT, name_page, run_page
from tests.formats.syntaxes.support import ISOLATED

PAGES = [ROOT / "README.md", *sorted(set(DOCS.rglob("*.md")) - set(DOCS.glob("spark/*.md")))]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=ISOLATED if page.stem == "rdf-syntaxes" else ()) for page in PAGES],
    ids=map(name_page, PAGES),
)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)

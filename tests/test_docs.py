"""Tests that the examples in the README and the documentation work unchanged.

`tests.spark.test_docs` tests the examples in Spark's pages.
"""

from pathlib import Path

import pytest

from tests.examples import DOCS, PAGES, name_page, run_page
from tests.formats.syntaxes.support import ISOLATED

# The example for Kafka needs a broker, so `tests.live.kafka.test_docs` runs it.
WITHOUT_SPARK = [
    page for page in PAGES if page.parent != DOCS / "spark" and page != DOCS / "live" / "kafka.md"
]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=ISOLATED if page.stem == "rdf-syntaxes" else ())
        for page in WITHOUT_SPARK
    ],
    ids=map(name_page, WITHOUT_SPARK),
)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)

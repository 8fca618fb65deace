"""Tests that the examples on the documentation pages about Spark work."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.examples import DOCS, EXAMPLE, ROOT, name_page, run_page
from tests.spark.session import check_spark, open_session

PAGES = [
    page for page in sorted(DOCS.glob("spark/*.md")) if EXAMPLE.search(page.read_text("utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_examples(page: Path, tmp_path: Path) -> None:
    check_spark()
    # Spark's workers keep the folder in which Spark was started.
    ended = subprocess.run(
        [sys.executable, "-m", "tests.spark.test_docs", str(page)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


if __name__ == "__main__":
    # A page that asks for a session gets this session, whose JVM has its own folder.
    java: Any = open_session()._jvm
    os.chdir(java.java.lang.System.getProperty("user.dir"))
    run_page(Path(sys.argv[1]))

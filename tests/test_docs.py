"""The examples of the README and of the documentation work as they stand."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.session import check_spark, open_session

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a page's blocks one after another, as one session of a reader who tries them all."""
    if page.parent.name != "spark":
        monkeypatch.chdir(tmp_path)
        run_page(page)
        return
    check_spark()
    # Spark's workers stay in the folder in which it was started.
    ended = subprocess.run(
        [sys.executable, "-m", "tests.test_docs", str(page)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def run_page(page: Path) -> None:
    session: dict[str, object] = {}
    for kind, code in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(code, str(page), "exec"), session)
        else:
            test = doctest.DocTestParser().get_doctest(code, session, page.name, str(page), None)
            report: list[str] = []
            doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
            assert not report, "".join(report)
            session |= test.globs


if __name__ == "__main__":
    # The session that a page asks for is then this one.
    open_session()
    run_page(Path(sys.argv[1]))

"""The examples of a page of the documentation."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

__all__ = ["DOCS", "ROOT", "name_page", "run_page"]

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name_page(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_page(page: Path) -> None:
    """Run a page's blocks one after another, as one session of a reader who tries them all."""
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

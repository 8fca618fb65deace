"""The examples of a page of the documentation."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

__all__ = ["DOCS", "PAGES", "ROOT", "code_of_page", "name_page", "run_page"]

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
EXAMPLE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name_page(page: Path) -> str:
    return str(page.relative_to(ROOT))


def code_of_page(page: Path) -> str:
    """Return the code of all blocks, each line of it at its place in the page."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * text.count("\n")
    for block in EXAMPLE.finditer(text):
        first = text.count("\n", 0, block.start(2))
        parts = [(0, block[2])]
        if block[1] == "pycon":
            examples = doctest.DocTestParser().get_examples(block[2])
            parts = [(example.lineno, example.source) for example in examples]
        for line, code in parts:
            lines[first + line : first + line + code.count("\n")] = code.splitlines()
    return "\n".join(lines) + "\n"


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

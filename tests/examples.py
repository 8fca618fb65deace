"""Runs the examples in the documentation's pages and in docstrings."""

import ast
import contextlib
import doctest
import io
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
# A browser shows at most this many characters in a line of code.
WIDTH = 76
EXAMPLE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|^#+ ", re.MULTILINE | re.DOTALL)


def fold(text: str) -> str:
    """Fold long lines at spaces, as pages show them."""
    wrap = textwrap.TextWrapper(
        WIDTH, break_on_hyphens=False, expand_tabs=False, replace_whitespace=False
    )
    lines = text.split("\n")
    return "\n".join(line if len(line) <= WIDTH else wrap.fill(line) for line in lines)


class FoldedOutput(doctest.OutputChecker):
    """Folds long lines in the output of an example before it is compared with the page."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, fold(got), optionflags)


def name_page(page: Path) -> str:
    return str(page.relative_to(ROOT))


def code_of_page(page: Path) -> str:
    """Return the code of all blocks, with each line at its line number in the page."""
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


def code_of_module(path: Path) -> str:
    """Return the examples in docstrings, with each line at its line number.

    Each docstring becomes a function. The first line imports what the module imports and defines.
    """
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = [""] * text.count("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        found = doctest.DocTestParser().get_examples(ast.get_docstring(node, clean=False) or "")
        for number, example in enumerate(found):
            line = node.body[0].lineno - 1 + example.lineno
            if number == 0:
                lines[line - 1] = f"def example_{line}() -> None:"
            code = example.source.splitlines()
            lines[line : line + len(code)] = [f"    {each}" for each in code]
    if any(lines):
        imports = [
            ast.unparse(node)
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            and "__future__" not in ast.unparse(node)
        ]
        names = [
            node.name
            for node in tree.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name[0] != "_"
        ]
        if names:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
                ".__init__"
            )
            imports.append(f"from {module} import {', '.join(names)}")
        lines[0] = "; ".join(imports)
    return "\n".join(lines) + "\n"


def run_page(page: Path) -> None:
    """Run a page's blocks one after another, as in the session of a reader who tries them all.

    A ``text`` block after a ``python`` block in the same section is the output of that code.
    """
    session: dict[str, object] = {}
    printed = None
    for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "text" and printed is not None:
            assert fold(printed.getvalue()) == code, page
        printed = None
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(code, str(page), "exec"), session)
        elif kind == "pycon":
            test = doctest.DocTestParser().get_doctest(code, session, page.name, str(page), None)
            report: list[str] = []
            runner = doctest.DocTestRunner(FoldedOutput())
            runner.run(test, out=report.append, clear_globs=False)
            assert not report, "".join(report)
            session |= test.globs

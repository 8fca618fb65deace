"""Tests that type checkers accept the documentation's examples, and reject wrong calls."""

import ast
import inspect
import re
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

import jelly_rdflib as jr
import jelly_rdflib.options
from jelly_rdflib.formats import FORMATS
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.options import PatchSettings, StreamSettings
from jelly_rdflib.types import JellyFormat, JellyPatchFormat
from tests.checkers import Finding, run_mypy, run_pyright, run_tool
from tests.examples import DOCS, PAGES, ROOT, code_of_module, code_of_page, name_page

PACKAGE = ROOT / "jelly_rdflib"
FILES = Path(__file__).parent / "checked"

# Pages and docstrings are sessions: they show values, and import names that later steps need.
OF_A_SESSION = dict.fromkeys(
    (
        "reportUnnecessaryIsInstance",
        "reportUnusedExpression",
        "reportUnusedImport",
        "reportUnusedVariable",
        "reportDuplicateImport",
    ),
    "none",
)
# PySpark, pyshacl and the packages for tables lack types for some functions.
LOOSE = {
    *DOCS.glob("spark/*.md"),
    DOCS / "recipes" / "shacl.md",
    DOCS / "tables.md",
}
OF_LOOSE = "# pyright: " + ", ".join(
    f"reportUnknown{each}Type=false" for each in ("Argument", "Member", "Variable")
)

checkers = pytest.mark.parametrize("check", [run_mypy, run_pyright])


def names_of(*formats: Any) -> set[str]:
    return {name for each in formats for name in (*each.names, *each.extensions)}


@pytest.mark.parametrize(
    ("literal", "formats"),
    [
        (jr.ChangeFormat, [each for each in FORMATS if each.holds_changes]),
        (jr.StatementFormat, [each for each in FORMATS if not each.holds_changes]),
        (JellyPatchFormat, [f for f in FORMATS if f.options_type is JELLY_PATCH.options_type]),
        (JellyFormat, [f for f in FORMATS if f.options_type is JELLY.options_type]),
    ],
)
def test_formats_are_those_of_the_registry(literal: Any, formats: list[Any]) -> None:
    assert set(get_args(literal)) == names_of(*formats)


@pytest.mark.parametrize(
    ("settings", "options"),
    [(PatchSettings, jr.PatchOptions), (StreamSettings, jr.StreamOptions)],
)
def test_settings_are_the_fields_of_options(settings: Any, options: Any) -> None:
    assert settings.__optional_keys__ == {field.name for field in fields(options)}


@pytest.mark.parametrize("options", [jr.PatchOptions, jr.StreamOptions])
def test_type_checkers_see_the_defaults_of_options(options: Any) -> None:
    tree = ast.walk(ast.parse(inspect.getsource(options)))
    init = next(each for each in tree if getattr(each, "name", "") == "__init__")
    seen = {
        argument.arg: eval(ast.unparse(default), vars(jelly_rdflib.options))
        for argument, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
    }
    assert seen == {field.name: field.default for field in fields(options)}


@pytest.mark.parametrize(
    "alias",
    [jr.Readable, jr.Writable, jr.ChangeFormat, jr.StatementFormat, jr.Operation, jr.Statement],
)
def test_types_may_be_part_of_others_when_code_runs(alias: Any) -> None:
    assert type(None) in get_args(alias | None)


def write_examples(folder: Path) -> Path:
    """Write the examples of each page and each module to a file, with their line numbers."""
    # Examples in Spark's docstrings need a session, and pyarrow has no types.
    modules = set(PACKAGE.rglob("*.py")) - set(PACKAGE.glob("spark/**/*.py"))
    modules.remove(PACKAGE / "arrow.py")
    for path in [*PAGES, *modules]:
        code = code_of_page(path) if path.suffix == ".md" else code_of_module(path)
        if not code.isspace():
            if path in LOOSE:
                code = OF_LOOSE + code
            name = re.sub(r"\W", "_", name_page(path.with_suffix("")))
            (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_examples_pass_mypy(tmp_path: Path) -> None:
    assert run_mypy(write_examples(tmp_path)) == []


@pytest.mark.slow
def test_examples_pass_pyright(tmp_path: Path) -> None:
    assert run_pyright(write_examples(tmp_path), **OF_A_SESSION) == []


@pytest.mark.slow
@checkers
def test_calls_are_accepted_and_refused(
    check: Callable[[Path], list[Finding]], tmp_path: Path
) -> None:
    folder = shutil.copytree(FILES, tmp_path / "checked")
    refused = {
        ("refused.py", number)
        for number, line in enumerate((FILES / "refused.py").read_text("utf-8").splitlines(), 1)
        if line.endswith("# refused")
    }
    found = check(folder)
    assert {finding[:2] for finding in found} == refused, found


@pytest.mark.slow
def test_stubs_are_as_the_compiled_modules(tmp_path: Path) -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PACKAGE.rglob("*.pyx")
    ]
    allowed = tmp_path / "allowed"
    # Stubtest can't see the arguments of the constructors of compiled classes.
    allowed.write_text(".*\\.__init__\njelly_rdflib\\.core\\.jelly_decoder\\.Place\n")
    told = run_tool(
        "mypy.stubtest",
        "--concise",
        # The stubs leave out names that other modules don't use.
        "--ignore-missing-stub",
        "--ignore-positional-only",
        "--ignore-disjoint-bases",
        f"--allowlist={allowed}",
        *modules,
    )
    assert told == ""

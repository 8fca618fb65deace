"""Runs mypy and pyright on the files of a folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.examples import ROOT


class Finding(NamedTuple):
    """An error that a checker found in a file."""

    file: str
    line: int
    message: str


def run_mypy(folder: Path) -> list[Finding]:
    """Return the findings of mypy with the strict settings in pyproject.toml."""
    told = run_tool(
        "mypy", "--output=json", "--no-error-summary", "--config-file=pyproject.toml", str(folder)
    )
    found = map(json.loads, told.splitlines())
    return [
        Finding(Path(each["file"]).name, each["line"], each["message"])
        for each in found
        if each["severity"] == "error"
    ]


def run_pyright(folder: Path, **rules: str) -> list[Finding]:
    """Return the findings of pyright in strict mode, with changes by ``rules``."""
    settings = {
        "include": [str(folder)],
        "extraPaths": [str(ROOT)],
        "pythonVersion": "3.10",
        "typeCheckingMode": "strict",
        # pyarrow has no stubs.
        "reportMissingTypeStubs": False,
        **rules,
    }
    project = folder / "pyrightconfig.json"
    project.write_text(json.dumps(settings), encoding="utf-8")
    told = run_tool(
        "basedpyright",
        "--outputjson",
        f"--project={project}",
        f"--pythonpath={sys.executable}",
    )
    report = json.loads(told)
    assert report["summary"]["filesAnalyzed"] > 0
    return [
        Finding(
            Path(each["file"]).name,
            each["range"]["start"]["line"] + 1,
            f"{each['message']} ({each.get('rule')})",
        )
        for each in report["generalDiagnostics"]
    ]


def run_tool(module: str, *arguments: str) -> str:
    """Return the output of a tool, which the dependency group ``lint`` installs."""
    pytest.importorskip(module.partition(".")[0])
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    # Exit code 1 means that the tool found errors.
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    return ended.stdout

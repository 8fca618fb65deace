"""Breaks a module in every small way that cosmic-ray knows, and shows which faults no test sees.

    make mutants MODULE=jelly_rdflib/graph/canonical/pairing.py

A fault that no test sees is a missing test, or a change without an effect. The module is changed in
a copy of the project, so that the working tree stays as it is.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support import ROOT

COPIED = ("jelly_rdflib", "tests", "proto", "docs", "pyproject.toml", "README.md")


def default_tests(module: Path) -> list[str]:
    """Return the module's own tests, then the others of the folder that mirrors its own.

    If there is no such folder, it is the nearest above. The module's own tests see most faults.
    """
    folder = Path("tests", module.relative_to("jelly_rdflib").parent)
    own = folder / f"test_{module.stem}.py"
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    found = sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("test_*.py"))
    return list(map(str, [*sorted(found, key=lambda path: path != own), module]))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("module", type=Path, help="a Python file, relative to the project")
    parser.add_argument("tests", nargs="*", help="what pytest runs; by default the module's folder")
    arguments = parser.parse_args()
    tests = arguments.tests or default_tests(arguments.module)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        # Children of the tests must find the copy, too; each run has the same examples.
        environment = {**os.environ, "PYTHONPATH": scratch, "HYPOTHESIS_PROFILE": "quick"}
        options = ["-x", "-q", "-p", "no:cacheprovider"]
        pytest = [sys.executable, "-m", "pytest", *options, *tests]
        started = time.monotonic()
        subprocess.run(pytest, cwd=copy, env=environment, check=True)
        timeout = 10 + 4 * (time.monotonic() - started)
        (copy / "mutants.toml").write_text(
            "[cosmic-ray]\n"
            f'module-path = "{arguments.module}"\n'
            f"timeout = {timeout:.0f}\n"
            "excluded-modules = []\n"
            f"test-command = '{shlex.join(pytest)}'\n"
            "[cosmic-ray.distributor]\n"
            'name = "local"\n',
            encoding="utf-8",
        )

        def call(*command: str) -> str:
            program = Path(sys.executable).with_name(command[0])
            return subprocess.run(
                [program, *command[1:]],
                cwd=copy,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout

        call("cosmic-ray", "init", "mutants.toml", "mutants.sqlite")
        call("cosmic-ray", "exec", "mutants.toml", "mutants.sqlite")
        print(call("cr-report", "--surviving-only", "--show-diff", "mutants.sqlite"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

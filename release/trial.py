"""Run the tests on a wheel: ``python -m release.trial PYTHON WHEEL [ARGUMENTS OF PYTEST]``.

The wheel is installed into an empty environment of that Python. Its modules are laid into a copy of
the tree, so that all tests and the examples of docstrings use them. Spark and the JVM are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECK = ROOT / ".ci" / "check_wheel.py"

LEFT_OUT = ["jelly_rdflib/spark", "tests/spark", "tests/cli/spark", "tests/interop/jvm"]
# Links, and what this machine has made.
NOT_COPIED = (".git", ".venv", ".cache", "build", "dist", "site", "__pycache__", "*.so", "*.pyd")


def make_environment(python: str | Path, folder: Path, *packages: str | Path) -> Path:
    """Make an environment in which only these packages are; return its Python."""
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([own, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True)
    subprocess.run([own, "-m", "pip", "install", "--quiet", *packages], check=True)
    return own


def run_check(python: Path) -> str:
    """Run the check of what users install, outside of the tree; return what it says."""
    ended = subprocess.run(
        [python, CHECK], cwd=python.parent, check=True, stdout=subprocess.PIPE, text=True
    )
    return ended.stdout.strip()


def run_tests(python: Path, wheel: Path, tree: Path, arguments: list[str]) -> int:
    """Run the tests with the modules of a wheel; return pytest's exit code.

    Args:
        python: Has the wheel, and the packages of the tests.
        wheel: Its path.
        tree: Where the copy of the tree goes.
        arguments: Pytest's.
    """
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tree)
    ignored = [f"--ignore={place}" for place in LEFT_OUT]
    command = [python, "-m", "pytest", "-m", "not slow", *ignored, *arguments]
    return subprocess.run(command, cwd=tree, check=False).returncode


def main(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit code."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    wheel = Path(arguments[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        packages = f"{wheel}[test-without-spark]"
        python = make_environment(arguments[0], Path(folder, "environment"), packages)
        print(run_check(python), flush=True)
        return run_tests(python, wheel, Path(folder, "tree"), arguments[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

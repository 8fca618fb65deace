"""Run the tests on a wheel: ``python -m release.trial PYTHON WHEEL [ARGUMENTS OF PYTEST]``.

The wheel is installed into an empty environment of that Python. Its modules are copied into a copy
of the source tree, so that all tests and docstring examples use them. Tests that need Spark or the
JVM are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["ROOT", "check_install", "make_environment", "run"]

ROOT = Path(__file__).resolve().parents[1]

TEST_GROUP = f"{ROOT / 'pyproject.toml'}:test-without-spark"
LEFT_OUT = ["jelly_rdflib/spark", "tests/spark", "tests/cli/spark", "tests/interop/jvm"]
# Not part of the sources, or built on this machine.
NOT_COPIED = (".git", ".venv", ".cache", "build", "dist", "site", "__pycache__", "*.so", "*.pyd")


def main(arguments: list[str]) -> int:
    """Run the tests on the wheel that the arguments name; return the exit code."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    wheel = Path(arguments[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        python = make_environment(arguments[0], environment, wheel, "--group", TEST_GROUP)
        print(check_install(python), flush=True)
        return run_tests(python, wheel, Path(folder, "tree"), arguments[2:])


def make_environment(python: str, folder: Path, *packages: str | Path) -> Path:
    """Make an environment with only the given packages; return its Python.

    Args:
        python: The Python to make it with.
        folder: The folder of the environment.
        packages: Arguments of ``pip install``.
    """
    run(python, "-m", "venv", folder)
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(own, "-m", "pip", "install", "--upgrade", "pip")
    run(own, "-m", "pip", "install", *packages)
    return own


def check_install(python: Path) -> str:
    """Check an installed package outside the source tree; return the output of the check."""
    return run(python, ROOT / ".ci" / "check_wheel.py", folder=python.parent).strip()


def run_tests(python: Path, wheel: Path, tree: Path, arguments: list[str]) -> int:
    """Run the tests with the modules of a wheel; return pytest's exit code.

    Args:
        python: A Python with the wheel and the packages of the tests.
        wheel: The path of the wheel.
        tree: The folder for the copy of the source tree.
        arguments: Arguments of pytest.
    """
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tree)
    ignored = [f"--ignore={place}" for place in LEFT_OUT]
    command = [str(python), "-m", "pytest", "-m", "not slow", *ignored, *arguments]
    return subprocess.run(command, cwd=tree, check=False).returncode


def run(
    *command: str | Path, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command; return its standard output.

    Args:
        command: The program and its arguments.
        folder: The working directory, by default the current one.
        environment: The environment of the process, by default that of this process.

    Raises:
        SystemExit: The command failed. The message is its output.
    """
    words = [str(word) for word in command]
    ended = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise SystemExit(f"{ended.stdout}{ended.stderr}\n{' '.join(words)}: {ended.returncode}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Builds the Cython modules with other flags, in a separate folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["CACHE", "ROOT", "build_modules", "check_modules"]

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"


def build_modules(folder: Path, *, compiler: str, flags: list[str], link_flags: list[str]) -> None:
    """Build the modules of `setup.py`, except those that are up to date with the same flags.

    Args:
        folder: The folder for ``lib``, which has only the modules, and ``temp``.
        compiler: The compiler, such as ``gcc``.
        flags: Flags of the compiler that replace those in `setup.py`.
        link_flags: Flags of the linker.
    """
    environment = {
        **os.environ,
        "CC": compiler,
        "JELLY_RDFLIB_CFLAGS": " ".join(flags),
        "LDFLAGS": " ".join(link_flags),
    }
    # setup.py notices neither another compiler nor other linker flags.
    told = folder / "flags"
    wanted = "\n".join([compiler, *flags, *link_flags])
    if not told.exists() or told.read_text() != wanted:
        shutil.rmtree(folder / "lib", ignore_errors=True)
        shutil.rmtree(folder / "temp", ignore_errors=True)
    command = [sys.executable, "setup.py", "--quiet", "build_ext"]
    places = [f"--build-lib={folder / 'lib'}", f"--build-temp={folder / 'temp'}"]
    built = subprocess.run(
        [*command, *places],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        raise SystemExit(f"{built.stdout}\nthe modules can't be built in {folder}")
    told.write_text(wanted)


def check_modules(folder: Path, environment: Mapping[str, str], *, calls: bytes) -> None:
    """Import all modules: each must be from the folder, and be instrumented.

    Args:
        folder: The folder in which they were built.
        environment: The environment of the process that imports them.
        calls: The name of a function that instrumented modules call.
    """
    sources = sorted((ROOT / "jelly_rdflib").rglob("*.pyx"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sources]
    code = "import importlib, sys\nfor name in sys.argv[1:]:\n"
    code += "    print(importlib.import_module(name).__file__)"
    printed = subprocess.run(
        [sys.executable, "-c", code, *names],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    for path in map(Path, printed.stdout.splitlines()):
        if not path.is_relative_to(folder) or calls not in path.read_bytes():
            raise SystemExit(f"{path} is not instrumented: it has no {calls.decode()}")

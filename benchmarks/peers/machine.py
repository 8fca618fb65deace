"""Describe the machine and the versions of a run."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

__all__ = ["machine", "versions"]

PACKAGES = ("rdflib", "pyjelly", "pyoxigraph")


def machine() -> str:
    """Return a line that describes the machine."""
    found = [
        line.partition(":")[2].strip()
        for line in _lines(Path("/proc/cpuinfo"))
        if line.startswith("model name")
    ]
    model = found[0] if found else platform.processor() or platform.machine()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{model}, {os.cpu_count()} cores, {pages / 2**30:.0f} GiB, {platform.system()}"


def versions() -> dict[str, str]:
    """Return the versions of Python, of Java, and of the packages, by name."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return {
        "Python": platform.python_version(),
        "Java": java.split('"')[1],
        **{name: version(name) for name in PACKAGES},
    }


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

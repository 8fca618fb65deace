"""The core is bytes and batches: it knows neither rdflib nor the rest of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jelly_rdflib

CORE = Path(jelly_rdflib.__file__).parent / "core"
SOURCES = sorted(path for end in ("pyx", "pxd", "pxi", "py") for path in CORE.rglob(f"*.{end}"))

# design.md: everyone may use the vocabulary
ALLOWED = re.compile(r"jelly_rdflib\.(core|errors|operations|options|terms)\b")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_imports(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    modules = re.findall(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", text, re.M)
    for module in (one or other for one, other in modules):
        assert module.split(".")[0] != "rdflib", module
        assert not module.startswith(("pyjelly", "google", "grpc")), module
        if module.startswith("jelly_rdflib"):
            assert ALLOWED.match(module), module


def test_there_is_something_to_check() -> None:
    assert len(SOURCES) > 10


def test_the_library_never_touches_protobuf() -> None:
    for path in [*CORE.parent.rglob("*.py"), *CORE.parent.rglob("*.p[yx][xdi]")]:
        assert not re.search(r"^\s*(from|import)\s+google\b", path.read_text("utf-8"), re.M), path

"""Tests that compiled modules import only lower packages, since import-linter reads no Cython."""

import re
import sys
from pathlib import Path

import pytest

import jelly_rdflib

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = Path(jelly_rdflib.__file__).parent
COMPILED = {path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.pyx")}
ENDS = {".py", ".pyi", ".pyx", ".pxd", ".pxi"}
SOURCES = sorted(path for path in PACKAGE.rglob("*") if path.suffix in ENDS)
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.M)

CONTRACTS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["tool"][
    "importlinter"
]["contracts"]
LAYERS = {
    (contract["containers"][0], name.strip(" ()")): number
    for contract in CONTRACTS
    if contract["type"] == "layers"
    for number, layer in enumerate(contract["layers"])
    for name in layer.split("|")
}


def imports(path: Path) -> list[str]:
    return [one or other for one, other in IMPORT.findall(path.read_text("utf-8"))]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def layer(container: str, module: str) -> int | None:
    """Return the number of a module's layer, or None if the module has no layer."""
    if not module.startswith(container + "."):
        return None
    return LAYERS.get((container, module.removeprefix(container + ".").partition(".")[0]))


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_go_down(path: Path) -> None:
    module = module_of(path)
    for container in {container for container, _ in LAYERS}:
        own = layer(container, module)
        for imported in imports(path):
            other = layer(container, imported)
            if own is not None and other is not None:
                assert own <= other, f"{module} imports {imported}"


def test_compiled_modules_are_few() -> None:
    assert len(COMPILED) <= 15, (
        f"there are {len(COMPILED)} compiled modules, at most 15: make one a part of another"
    )


def test_every_compiled_module_is_in_a_layer() -> None:
    for path in COMPILED:
        assert layer("jelly_rdflib", ".".join(path.parts)) is not None


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_the_core_knows_nothing_of_rdflib(path: Path) -> None:
    packages = {module.split(".")[0] for module in imports(path)}
    # Only rarely used formats, which are for humans or for Jena, use protobuf's objects.
    if not path.is_relative_to(PACKAGE / "formats" / "protobuf"):
        assert "google" not in packages
    assert "pyjelly" not in packages
    if not path.is_relative_to(PACKAGE / "live" / "grpc"):
        assert "grpc" not in packages
    if path.is_relative_to(PACKAGE / "core"):
        assert "rdflib" not in packages

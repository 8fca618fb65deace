"""Tests the public names, which are imported on demand, and the registration with rdflib."""

import importlib.machinery
import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from itertools import permutations
from pathlib import Path
from typing import Any

import pyjelly
import pytest

import jelly_rdflib
import jelly_rdflib.arrow
from jelly_rdflib.formats import find_format
from jelly_rdflib.plugins import PLUGINS, Plugin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest depends on this package.

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize("name", jelly_rdflib.__all__)
def test_each_name_is_there_and_no_module(name: str) -> None:
    value = getattr(jelly_rdflib, name)
    assert type(value) is not type(sys)
    assert name in dir(jelly_rdflib)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = jelly_rdflib.nonsense  # type: ignore[attr-defined]


# The defaults of arguments that several functions share, or that determine what is checked or lost.
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("limits", "normalize", "format", "base", "canonical")),
    **dict.fromkeys(("strict", "atomic", "delimited"), True),
    **dict.fromkeys(("isolated", "deep", "create", "assume_effective"), False),
    "on_repeated_options": "continue",
}
# Streams are checked by default, but the effect of each operation is checked only on request.
CHECKS_OF_EFFECT = ["apply", "Patch.apply", "PatchLog.replay", "Replica.follow", "Replica.update"]
KEEP_LEXICAL_FORMS = [
    *("LogEntry.batches", "LogEntry.operations", "LogEntry.read", "PatchLog.replay"),
    "read_batches",
]


def calls() -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes and methods with their names."""
    for module in (jelly_rdflib, jelly_rdflib.arrow):
        for name in dir(module):
            value = getattr(module, name)
            if getattr(value, "__module__", "").startswith("jelly_rdflib") and callable(value):
                yield name, value
            if inspect.isclass(value):
                methods = {key: each for key, each in vars(value).items() if key[0] != "_"}
                yield from ((f"{name}.{key}", each) for key, each in methods.items())


@pytest.mark.parametrize("argument", DEFAULTS)
def test_an_argument_has_one_default(argument: str) -> None:
    defaults = {}
    for name, call in calls():
        try:
            parameter = inspect.signature(call).parameters.get(argument)
        except (TypeError, ValueError):
            continue
        if parameter is not None and parameter.default is not parameter.empty:
            defaults[name] = parameter.default
    expected = dict.fromkeys(defaults, DEFAULTS[argument])
    if argument == "normalize":
        expected |= dict.fromkeys(KEEP_LEXICAL_FORMS, False)
    if argument == "strict":
        expected |= dict.fromkeys(CHECKS_OF_EFFECT, False)
    assert defaults == expected != {}


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_package_alone_imports_little() -> None:
    run(
        "import sys, jelly_rdflib\nassert not {'backports', 'jelly_rdflib.core'} & set(sys.modules)"
    )


GUESS = "assert rdflib.util.guess_format('x.jellyp') == 'jelly-patch'"
PARSE = (
    "from rdflib.parser import Parser; import rdflib.plugin\n"
    "assert rdflib.plugin.get('jelly-patch', Parser).__name__ == 'JellyPatchParser'"
)


@pytest.mark.parametrize(
    "imports",
    [
        "import jelly_rdflib, rdflib.util",
        "from jelly_rdflib import apply; import rdflib.util",
        "import rdflib.util; from jelly_rdflib.errors import JellyError",
    ],
)
def test_rdflib_knows_the_plugins_whatever_is_imported_first(imports: str) -> None:
    run(f"{imports}\n{GUESS}\n{PARSE}")


def test_no_module_has_the_name_of_a_public_function() -> None:
    """Importing a module of that name would replace the function."""
    modules = {path.stem for path in Path(jelly_rdflib.__file__).parent.iterdir()}
    assert "graph" in modules
    assert not modules & set(jelly_rdflib.__all__)


def test_entry_points_are_enough_for_the_names() -> None:
    """rdflib finds the plugins of the installed package without any import."""
    run(
        "import sys, rdflib.plugin\n"
        "from rdflib.parser import Parser\nfrom rdflib.serializer import Serializer\n"
        "assert 'jelly_rdflib' not in sys.modules\n"
        f"for name in {[plugin.names[0] for plugin in PLUGINS]}:\n"
        "    for kind in (Parser, Serializer):\n"
        "        found = rdflib.plugin.get(name, kind)\n"
        "        assert found.__module__.startswith('jelly_rdflib.plugins.')\n"
    )


def test_entry_points_are_the_plugins() -> None:
    for kind in ("parser", "serializer"):
        points = entry_points(group=f"rdf.plugins.{kind}")
        ours = {each.name: each.value for each in points if each.dist.name == "jelly-rdflib"}
        assert ours == {
            name: f"jelly_rdflib.plugins.{each.module}_{kind}:{each.classes}{kind.title()}"
            for each in PLUGINS
            for name in each.names
            if name != "jelly"  # pyjelly also has this name.
        }


def _link(folder: Path, *paths: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in paths:
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return folders as if installed: with pyjelly, this package, both, and their dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    info = _link(folder / "jelly_rdflib-0.dist-info")
    (info / "METADATA").write_text("Name: jelly-rdflib\nVersion: 0\n")
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in PROJECT["entry-points"].items()
        )
    )
    ours = (info, Path(jelly_rdflib.__file__).parent)
    site = Path(pyjelly.__file__).parents[1]
    theirs = tuple(site.glob("pyjelly*"))
    rest = [
        path for path in site.iterdir() if path not in theirs and "jelly_rdflib" not in path.name
    ]
    return {
        "ours": _link(folder / "ours", *ours),
        "theirs": _link(folder / "theirs", *theirs),
        "both": _link(folder / "both", *ours, *theirs),
        "rest": _link(folder / "rest", *rest),
    }


IMPORTS = ("jelly_rdflib", "pyjelly.integrations.rdflib", "rdflib.plugin")


@pytest.mark.parametrize("imports", [*permutations(IMPORTS)], ids=",".join)
@pytest.mark.parametrize("folders", ["ours theirs", "theirs ours", "both", "ours"])
def test_jelly_is_pyjellys_where_it_is_installed(
    installed: dict[str, Path], folders: str, imports: tuple[str, ...]
) -> None:
    """In any order of imports and folders, ``jelly`` is pyjelly's and ``jelly-rdf`` is ours."""
    is_alone = folders == "ours"
    imported = [name for name in imports if not (is_alone and name.startswith("pyjelly"))]
    code = (
        f"import {', '.join(imported)}, rdflib.plugin\n"
        "from rdflib.parser import Parser\nfrom rdflib.serializer import Serializer\n"
        "for kind in (Parser, Serializer):\n"
        "    for name in ('jelly', 'jelly-rdf'):\n"
        "        print(rdflib.plugin.get(name, kind).__module__.partition('.')[0])\n"
    )
    paths = [str(installed[name]) for name in (*folders.split(), "rest")]
    # The option -S leaves out site-packages, which contains both packages.
    found = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=installed["rest"],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = "jelly_rdflib" if is_alone else "pyjelly"
    assert found.stdout.split() == [theirs, "jelly_rdflib"] * 2


def test_sources_that_are_not_compiled_say_so(tmp_path: Path) -> None:
    """Python finds them in a clone, even if the package is installed."""
    compiled = [*importlib.machinery.EXTENSION_SUFFIXES, "proto"]
    ignored = shutil.ignore_patterns(*(f"*{each}" for each in compiled), "__pycache__")
    shutil.copytree(ROOT / "jelly_rdflib", tmp_path / "jelly_rdflib", ignore=ignored)
    found = subprocess.run(
        [sys.executable, "-c", "import jelly_rdflib"], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.stderr.splitlines()[-1].endswith("install it, and run Python in another folder")


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.names[0])
def test_plugins_have_the_names_of_the_registry(plugin: Plugin) -> None:
    format = find_format(plugin.names[0])
    assert set(plugin.names) == set(format.names)
    assert plugin.extensions == format.extensions


def test_version_is_said_once() -> None:
    assert version("jelly-rdflib") == jelly_rdflib.__version__
    assert f"version: {jelly_rdflib.__version__}\n" in (ROOT / "CITATION.cff").read_text()

"""What a release consists of agrees with the package."""

import os
import re
import subprocess
import sys

import jelly_rdflib
from tests.examples import DOCS, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
RECIPE = (ROOT / "release" / "conda" / "recipe.yaml").read_text("utf-8")
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
PYTHONS = [found[1] for found in map(CLASSIFIER.fullmatch, PROJECT["classifiers"]) if found]


def list_of_recipe(name: str) -> list[str]:
    """Return the items of a list in the recipe, without its comments and conditions."""
    recipe = re.sub(r"- if: .*\n +then: ", "- ", RECIPE)
    (lines,) = re.findall(rf"^  {name}:\n((?:    .*\n)+)", recipe, re.MULTILINE)
    return re.findall(r"^    - (.+)$", lines, re.MULTILINE)


def spell(requirements: list[str]) -> list[str]:
    """Spell requirements as a recipe does: a space before the bound."""
    names = [requirement.partition(";")[0] for requirement in requirements]
    return [re.sub(r"^([\w.-]+)", r"\1 ", name) for name in names]


def test_recipe_has_the_version_of_the_package() -> None:
    assert f'\n  version: "{jelly_rdflib.__version__}"\n' in RECIPE


def test_recipe_takes_what_the_package_takes() -> None:
    extras = PROJECT["optional-dependencies"]
    required = PROJECT["dependencies"] + extras["cli"]
    assert list_of_recipe("run") == ["python", *spell(required)]
    build = SETTINGS["build-system"]["requires"]
    assert sorted(list_of_recipe("host")) == sorted(["python", "pip", *spell(build)])
    optional = [*extras["arrow"], *extras["plot"], *extras["syntaxes"], *extras["spark"]]
    known = {text.replace("matplotlib ", "matplotlib-base ") for text in spell(optional)}
    assert set(list_of_recipe("run_constraints")) <= known


def test_wheels_are_built_for_the_pythons_that_are_named() -> None:
    assert SETTINGS["tool"]["cibuildwheel"]["build"] == [
        f"cp{version.replace('.', '')}-*" for version in PYTHONS
    ]


def test_pythons_that_are_named_are_those_of_the_page() -> None:
    page = (DOCS / "installing.md").read_text("utf-8")
    assert re.findall(r"^\| CPython (3\.\d+)\S* \|", page, re.MULTILINE) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def test_without_a_compiler_one_sentence_says_what_to_do() -> None:
    ended = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext"],
        cwd=ROOT,
        env={**os.environ, "CC": "no-such-compiler"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    sentence = (
        "jelly-rdflib is compiled from source here and needs a C compiler and Python's headers: "
    )
    assert ended.stderr.startswith(sentence)
    assert ended.stderr.count("\n") == 1

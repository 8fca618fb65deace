"""Tests that the parts of a release agree with the package."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import jelly_rdflib
from release import project
from release.everything import sums_of
from release.project import UNRELEASED
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
    """Return the items of a list in the recipe, without comments and conditions."""
    recipe = re.sub(r"- if: .*\n +then: ", "- ", RECIPE)
    (lines,) = re.findall(rf"^  {name}:\n((?:    .*\n)+)", recipe, re.MULTILINE)
    return re.findall(r"^    - (.+)$", lines, re.MULTILINE)


def spell(requirements: list[str]) -> list[str]:
    """Return requirements as a recipe spells them, with a space before the bound."""
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
    optional = [*extras["arrow"], *extras["plot"], *extras["syntaxes"]]
    known = {text.replace("matplotlib ", "matplotlib-base ") for text in spell(optional)}
    assert set(list_of_recipe("run_constraints")) <= known


def test_extras_are_for_users() -> None:
    """Packages for developers are in groups, since extras are hard to remove later."""
    page = (DOCS / "installing.md").read_text("utf-8")
    section = page.partition("\n## Extras\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)}
    assert set(PROJECT["optional-dependencies"]) == named


def test_wheels_are_built_for_the_pythons_that_are_named() -> None:
    assert SETTINGS["tool"]["cibuildwheel"]["build"] == [
        f"cp{version.replace('.', '')}-*" for version in PYTHONS
    ]


def test_pythons_that_are_named_are_those_of_the_page() -> None:
    page = (DOCS / "tried.md").read_text("utf-8")
    assert re.findall(r"^\| CPython (3\.\d+)\S* \|", page, re.MULTILINE) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def set_up(
    *arguments: str, tree: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run setup.py in a source tree."""
    return subprocess.run(
        [sys.executable, "setup.py", "--quiet", *arguments],
        cwd=tree,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_compiler_one_sentence_says_what_to_do() -> None:
    ended = set_up("build_ext", CC="no-such-compiler")
    assert ended.returncode == 1
    sentence = (
        "jelly-rdflib is compiled from source here and needs a C compiler and Python's headers: "
    )
    assert ended.stderr.startswith(sentence)
    assert ended.stderr.count("\n") == 1


def test_an_sdist_needs_no_compiler(tmp_path: Path) -> None:
    into = str(tmp_path)
    arguments = ("egg_info", "--egg-base", into, "sdist", "--dist-dir", into)
    ended = set_up(*arguments, CC="no-such-compiler")
    assert ended.returncode == 0, ended.stderr
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    sources = {path.relative_to(ROOT) for path in (ROOT / "jelly_rdflib").rglob("*.p[yx][xid]")}
    assert {path.as_posix() for path in sources} <= names
    assert not [name for name in names if name.endswith((".c", ".so"))]


@pytest.mark.slow
def test_modules_are_compiled_again_if_their_flags_or_sources_changed(tmp_path: Path) -> None:
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "jelly_rdflib/version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    sources = [tmp_path / "jelly_rdflib" / name for name in ("__init__.py", "a.pyx", "b.pyx")]
    for source in sources:
        source.write_text("")

    def build(flags: str) -> list[str]:
        built = set_up("build_ext", "--inplace", tree=tmp_path, JELLY_RDFLIB_CFLAGS=flags)
        assert built.returncode == 0, built.stderr
        return sorted(re.findall(r"^\d of \d modules: (?=.)", built.stdout, re.MULTILINE))

    both = ["1 of 2 modules: ", "2 of 2 modules: "]
    assert build("-O0") == both
    sources[1].write_text("x = 1")
    assert build("-O0") == ["1 of 1 modules: "]
    assert build("-O1") == both
    assert build("-O1") == []


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    """Return a tree in which the modules are built, without the sources to build them again."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for folder in (tmp_path / "jelly_rdflib", tmp_path / ".venv" / "bin"):
        folder.mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    for name in (".modules", ".dev"):
        (tmp_path / ".venv" / name).touch()
    return tmp_path


def make(tree: Path, *arguments: str, flags: str = "") -> tuple[str, str]:
    """Return the commands that make would run, and its errors."""
    environment = {**os.environ, "JELLY_RDFLIB_CFLAGS": flags}
    # These variables come from a make that runs this test.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    command = ["make", "--dry-run", *arguments]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr


def test_make_compiles_again_with_other_flags(small_tree: Path) -> None:
    def compiles(*goals: str, flags: str) -> bool:
        return "build_ext" in make(small_tree, *goals, flags=flags)[0]

    assert (compiles("bench", flags=""), compiles("bench", flags="-O0")) == (False, True)
    (small_tree / ".venv/.flags").write_text("-O0\n")
    assert (compiles("bench", flags=""), compiles("bench", flags="-O0")) == (True, False)
    # Wheels are always built with these flags, in another folder.
    assert not compiles("build", flags="-O1")


def test_make_refuses_another_python_than_that_of_its_environment(small_tree: Path) -> None:
    other = small_tree / "other"
    other.write_text("#!/bin/sh\necho another\n")
    other.chmod(0o755)
    assert make(small_tree, "test-quick", f"PYTHON={sys.executable}")[1] == ""
    assert make(small_tree, "clean", "PYTHON=./other")[1] == ""
    refused = make(small_tree, "test-quick", "PYTHON=./other")[1]
    assert "another Python than ./other: run `make clean` first" in refused


def test_make_tests_is_make_test(small_tree: Path) -> None:
    assert make(small_tree, "tests") == make(small_tree, "test")


ADDRESSES = {"Source": "https://example.org/source", "Documentation": "https://example.org/docs"}


def test_citation_has_the_version_and_the_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert project.cite(text) == text, "run: python -m release.project"
    assert (".invalid" in text) is False
    monkeypatch.setattr(project, "urls", lambda: ADDRESSES)
    cited = project.cite(text)
    assert "\nrepository-code: https://example.org/source\nurl: https://example.org/docs\n" in cited
    assert project.cite(cited) == cited
    monkeypatch.setattr(project, "urls", dict)
    assert project.cite(cited) == re.sub(r"(?m)^(repository-code|url): .*\n", "", text)


def test_writing_the_citation_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    citation = tmp_path / "CITATION.cff"
    citation.write_text("version: 0\n")
    monkeypatch.setattr(project, "version", lambda: "0.2.0")
    monkeypatch.setattr(project, "urls", lambda: ADDRESSES)
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(project, "hindrances", lambda: ["README.md: a sentence"])
    with pytest.raises(SystemExit, match="takes no arguments, not '--help': without any"):
        project.main(["--help"])
    assert citation.read_text() == "version: 0\n"
    project.main([])
    assert citation.read_text().startswith("version: 0.2.0\nrepository-code: https://example.org/")
    printed = "CITATION.cff: 0.2.0, https://example.org/source, https://example.org/docs\n"
    assert capsys.readouterr() == ("README.md: a sentence\n", printed)


def test_addresses_are_said_once_and_placeholders_are_no_addresses() -> None:
    assert {"Source", "Documentation", "Changelog"} <= set(PROJECT["urls"])
    told = project.urls()
    assert told == {name: url for name, url in PROJECT["urls"].items() if ".invalid/" not in url}
    pages = [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", *DOCS.rglob("*.md")]
    for url in told.values():
        found = [page for page in pages if url in page.read_text("utf-8")]
        assert not found, "write the address only into pyproject.toml, and <this repository> here"


def test_links_of_the_readme_work_on_a_page_elsewhere(tmp_path: Path) -> None:
    for name in ("LICENSE", "README.md", "setup.py", "jelly_rdflib/version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    links = {}
    for source in ("https://example.invalid/source", ADDRESSES["Source"]):
        changed = settings.replace(PROJECT["urls"]["Source"], source)
        (tmp_path / "pyproject.toml").write_text(changed)
        subprocess.run(
            [sys.executable, "setup.py", "--quiet", "egg_info"],
            cwd=tmp_path,
            env={**os.environ, "JELLY_RDFLIB_MODULES_ARE_BUILT": "1"},
            check=True,
            capture_output=True,
        )
        (info,) = tmp_path.glob("*.egg-info/PKG-INFO")
        text = info.read_text("utf-8")
        assert "\nDescription-Content-Type: text/markdown\n" in text
        links[source] = re.findall(r"\]\(([^)]*)\)", text)
    before, after = links.values()
    assert "docs/brick.png" in before
    assert all(link.startswith("https://") for link in after)
    start = f"https://example.org/source/{{}}/v{jelly_rdflib.__version__}/docs/"
    assert {start.format("raw") + "brick.png", start.format("blob") + "tutorial.md"} <= set(after)


def test_pages_of_the_site_name_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    from release import pages

    text = "clone <this repository>: [a](../SECURITY.md#b), [c](tests/README.md)"
    monkeypatch.setattr(project, "urls", dict)
    assert pages.on_page_markdown(text) == "clone <this repository>: [a](security.md#b), c"
    monkeypatch.setattr(project, "urls", lambda: ADDRESSES)
    source = ADDRESSES["Source"]
    shown = f"clone {source}: [a](security.md#b), [c]({source}/blob/main/tests/README.md)"
    assert pages.on_page_markdown(text) == shown


def test_the_workflow_refuses_words_that_a_release_makes_untrue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All such words are changed together: `python -m release.project` lists them."""
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    assert 'found=$(python -m release.project)\n          test -z "$found"\n' in workflow
    is_released = UNRELEASED[0] not in (ROOT / "CHANGELOG.md").read_text("utf-8")
    monkeypatch.setattr(project, "urls", lambda: ADDRESSES)
    found = project.hindrances()
    assert is_released == (not found), found
    monkeypatch.setattr(project, "urls", dict)
    assert project.hindrances() == ["pyproject.toml: the addresses are placeholders", *found]


def test_pages_install_the_package_from_a_clone_until_there_is_a_release() -> None:
    """Only messages of an installed package, in single quotes, may name the package."""
    if not project.hindrances():
        pytest.skip("there is a release")
    page_of_wheels = DOCS / "installing.md"
    for page in [ROOT / "README.md", *DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]:
        text = page.read_text("utf-8")
        named = re.findall(r"(?:pip install|pex)\b[^`\n]*(?<!'|/)jelly-rdflib\[.*", text)
        assert not named or page == page_of_wheels, (page, named)


def test_notes_are_those_of_the_version() -> None:
    changelog = "# Changes\n\n## Unreleased\n\n- next\n\n## 0.2.0\n\n- new\n\n## 0.1.0\n\n- old\n"
    assert project.notes_of(changelog, "0.2.0") == "## 0.2.0\n\n- new\n"
    assert project.notes_of(changelog, "0.3.0") == "## Unreleased\n\n- next\n"
    with pytest.raises(SystemExit, match=r"nothing of 0\.3\.0"):
        project.notes_of("# Changes\n\n## 0.2.0\n\n- new\n", "0.3.0")
    assert project.notes_of((ROOT / "CHANGELOG.md").read_text("utf-8"), project.version())


def test_sums_are_those_of_all_files(tmp_path: Path) -> None:
    for name in ("b.whl", "a.tar.gz", "SHA256SUMS"):
        (tmp_path / name).write_text(name)
    sums = [
        f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in ("a.tar.gz", "b.whl")
    ]
    assert sums_of(tmp_path).splitlines() == sums

"""Tests ``jellyp view``."""

import sys
from pathlib import Path

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import run, run_well
from tests.viewer.reading import read_page

S, P = URIRef("urn:s"), URIRef("urn:p")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "history"
    log = jr.PatchLog.create(path)
    for number in range(3):
        log.append([(Op.A, S, P, Literal(f"n{number}"), None)])
    return path


def test_a_file(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert run_well("view", source, "-o", target).out == b""
    page = read_page(target.read_bytes())
    assert page.summary["title"] == page.summary["source"] == "x.jellyp"
    assert page.summary["isWhole"] is False
    # The second patch is an aborted transaction.
    assert [len(changes) for changes in page.changes] == [3, 0]
    assert page.summary["versions"]["left_out"] == [0, 1]


def test_the_page_does_not_replace_its_source(source: Path) -> None:
    data = source.read_bytes()
    ended = run("view", source, "-o", source)
    assert (ended.code, "it can't be replaced" in ended.err) == (2, True)
    assert source.read_bytes() == data


def test_a_log(log: Path) -> None:
    page = read_page(run_well("view", log).out)
    assert page.summary["title"] == "history"
    assert page.summary["isWhole"] is True
    assert page.summary["versions"]["number"] == [1, 2, 3]


@pytest.mark.parametrize("last", [1, 2])
def test_the_last_versions_of_a_log(log: Path, last: int) -> None:
    page = read_page(run_well("view", log, "-n", last).out)
    assert page.summary["isWhole"] is False
    assert page.summary["versions"]["number"] == [1, 2, 3][-last:]
    assert [change[3][1] for each in page.changes for change in each] == ["n0", "n1", "n2"][-last:]


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script of a shell")
def test_open(source: Path, tmp_path: Path) -> None:
    script, seen = tmp_path / "browser", tmp_path / "seen"
    script.write_text(f'#!/bin/sh\necho "$1" > "{seen}"\n')
    script.chmod(0o755)
    target = tmp_path / "a page.html"
    run_well("view", source, "-o", target, "--open", BROWSER=f"{script} %s")
    assert seen.read_text().strip() == target.as_uri()
    ended = run_well("view", source, "--open", BROWSER=f"{script} %s", TMPDIR=str(tmp_path))
    assert ended.out == b""
    (page,) = tmp_path.glob("jellyp-*/view.html")
    assert seen.read_text().strip() == page.as_uri()


def test_no_browser(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    # Python also looks for text browsers in the path; some systems have one.
    nowhere = {"BROWSER": "/does/not/exist %s", "PATH": str(tmp_path)}
    ended = run("view", source, "-o", target, "--open", **nowhere)
    assert (ended.code, ended.err) == (
        1,
        f"jellyp: no browser was found that could show {target}\n",
    )
    assert target.exists()

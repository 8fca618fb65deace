"""``jellyp validate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.inspection.validation import RULES
from tests.cli.support import TEXT, encode, run, run_well

GOOD = TEXT.replace("urn:uuid:1", "urn:patch:1")
WARNING = "A <s> <urn:p> 1 .\n"
ERROR = "TC .\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in [
        ("good.rdfp", GOOD),
        ("odd.rdfp", WARNING),
        ("bad.rdfp", ERROR + WARNING + "A .\n"),
    ]:
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_good_file(folder: Path) -> None:
    assert run_well("validate", "good.rdfp", cwd=folder).text == "good.rdfp: no faults\n"
    assert run_well("validate", "--strict", "good.rdfp", cwd=folder).code == 0
    assert run_well("validate", stdin=GOOD.encode()).text == "standard input: no faults\n"


def test_each_fault_has_its_place_as_editors_want_it(folder: Path) -> None:
    ended = run("validate", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert ended.err == ""
    assert ended.text.splitlines() == [
        "bad.rdfp:1:1: error: transaction ends, but none was started [format]",
        "bad.rdfp:2:1: warning: IRI 's' is relative: it has no scheme [iri]",
        "bad.rdfp:3:3: error: the row ends where a term is expected [format]",
        "bad.rdfp: 2 errors, 1 warning",
    ]


def test_places_in_frames(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode()[:-3])
    ended = run("validate", path)
    faults = list(jr.validate(path))
    assert ended.code == 1
    assert ended.text.splitlines()[:-1] == [f"{path}: {fault}" for fault in faults]
    assert "(byte " in ended.text


def test_all_files_are_looked_at(folder: Path) -> None:
    ended = run("validate", "bad.rdfp", "good.rdfp", "odd.rdfp", cwd=folder)
    assert ended.code == 1
    assert [line for line in ended.text.splitlines() if line.count(":") == 1] == [
        "bad.rdfp: 2 errors, 1 warning",
        "good.rdfp: no faults",
        "odd.rdfp: 1 warning",
    ]


def test_warnings_count_if_that_is_wanted(folder: Path) -> None:
    assert run("validate", "odd.rdfp", cwd=folder).code == 0
    assert run("validate", "--strict", "odd.rdfp", cwd=folder).code == 1
    ended = run("validate", "--errors", "odd.rdfp", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert "warning" not in ended.text
    assert ended.text.startswith("odd.rdfp: no faults\n")


def test_as_json(folder: Path) -> None:
    ended = run("validate", "--json", "bad.rdfp", "good.rdfp", cwd=folder)
    assert ended.code == 1
    assert [json.loads(line) for line in ended.text.splitlines()] == [
        {"file": "bad.rdfp", **fault.as_dict()} for fault in jr.validate(folder / "bad.rdfp")
    ]


def test_an_end_to_it(folder: Path) -> None:
    (folder / "bad.rdfp").write_text(ERROR * 100_000)
    ended = run("validate", "--max-faults", "2", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert len(ended.text.splitlines()) == 3


def test_the_rules(folder: Path) -> None:
    shown = run_well("validate", "--rules").text
    assert [line.split(":")[0] for line in shown.splitlines()] == list(RULES)


def test_a_file_that_is_not_what_its_name_says(tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    path.write_bytes(encode())
    ended = run("validate", path)
    assert ended.code == 1
    assert "these are the options of Jelly-Patch" in ended.text
    assert run("validate", "--from", "jelly-patch", path).text.count("error") == 0


@pytest.mark.parametrize("arguments", [["--max-faults", "0"], ["nothing.rdfp"], ["--from", "docx"]])
def test_calls_at_fault(arguments: list[str]) -> None:
    ended = run("validate", *arguments)
    assert ended.code == 2
    assert "Error: " in ended.err

"""Tests ``jellyp patch merge``."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.support import run, run_well

OURS = """\
H id <urn:patch:1> .
H prev <urn:patch:0> .
PA "ex" "urn:a#" .
D <urn:s> <urn:p> "old" .
A <urn:s> <urn:p> "a" .
"""
THEIRS = """\
H prev <urn:patch:0> .
D <urn:s> <urn:p> "old" .
A <urn:s> <urn:p> "b" .
"""
MERGED = """\
H prev <urn:patch:0> .
TX .
PA "ex" "urn:a#" .
D <urn:s> <urn:p> "old" .
A <urn:s> <urn:p> "a" .
A <urn:s> <urn:p> "b" .
TC .
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ours.rdfp").write_text(OURS)
    (tmp_path / "theirs.rdfp").write_text(THEIRS)
    return tmp_path


def test_without_conflicts(folder: Path) -> None:
    assert run_well("patch", "merge", "ours.rdfp", "theirs.rdfp", cwd=folder).text == MERGED
    run_well("convert", "ours.rdfp", "-o", "ours.jellyp", cwd=folder)
    piped = run_well("patch", "merge", "ours.jellyp", "-", cwd=folder, stdin=THEIRS.encode())
    assert piped.text == MERGED


def test_conflicts_are_listed_and_nothing_is_written(folder: Path) -> None:
    arguments = ("patch", "merge", "--by-value", "ours.rdfp", "theirs.rdfp", "-o", "out.rdfp")
    ended = run(*arguments, cwd=folder)
    assert ended.code == 1
    assert ended.err == (
        "jellyp: 1 conflict: nothing is written; choose whose changes to keep with --ours or"
        " --theirs\n"
    )
    rows = [re.split(r" {2,}", line.strip()) for line in ended.text.splitlines()]
    assert ["value", *2 * ['D <urn:s> <urn:p> "old" .']] in rows
    assert [f'A <urn:s> <urn:p> "{value}" .' for value in "ab"] in rows
    assert not (folder / "out.rdfp").exists()
    ended = run(*arguments, "--json", cwd=folder)
    assert [json.loads(line) for line in ended.text.splitlines()] == [
        {"kind": "value", "ours": OURS.splitlines()[3:], "theirs": THEIRS.splitlines()[1:]}
    ]
    # The list must not be mistaken for a patch.
    ended = run(*arguments[:5], cwd=folder)
    assert (ended.code, ended.text) == (1, "")
    assert "value" in ended.err


@pytest.mark.parametrize(("side", "other"), [("ours", "b"), ("theirs", "a")])
def test_a_side_that_wins(side: str, other: str, folder: Path) -> None:
    options = (f"--{side}", "--by-value")
    won = run_well("patch", "merge", *options, "ours.rdfp", "theirs.rdfp", cwd=folder)
    lost = f'A <urn:s> <urn:p> "{other}" .\n'
    assert sorted(won.text.splitlines()) == sorted(MERGED.replace(lost, "").splitlines())


def test_a_base_decides_what_takes_effect(folder: Path) -> None:
    (folder / "base.nq").write_text('<urn:s> <urn:p> "a" .\n')
    (folder / "theirs.rdfp").write_text('D <urn:s> <urn:p> "a" .\n')
    arguments = ("patch", "merge", "ours.rdfp", "theirs.rdfp")
    assert run(*arguments, cwd=folder).code == 1
    merged = run_well(*arguments, "--base", "base.nq", cwd=folder).text.splitlines()
    assert merged[1:] == ["TX .", 'PA "ex" "urn:a#" .', 'D <urn:s> <urn:p> "a" .', "TC ."]


def test_patches_for_different_bases(folder: Path) -> None:
    (folder / "theirs.rdfp").write_text(THEIRS.replace("patch:0", "patch:7"))
    ended = run("patch", "merge", "ours.rdfp", "theirs.rdfp", "--ours", cwd=folder)
    assert ended.code == 2
    assert ended.err.startswith("jellyp: ours.rdfp and theirs.rdfp: ")
    assert "<urn:patch:7>" in ended.err


def test_wrong_calls(folder: Path) -> None:
    assert run("patch", "merge", "ours.rdfp", cwd=folder).code == 2
    assert "only once" in run("patch", "merge", "-", "-").err
    ended = run("patch", "merge", "--ours", "--theirs", "ours.rdfp", "theirs.rdfp", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "--ours and --theirs exclude each other" in ended.err
    (folder / "x.nt").write_text("<urn:s> <urn:p> <urn:o> .")
    assert run("patch", "merge", "ours.rdfp", "x.nt", cwd=folder).code == 2
    (folder / "bad.rdfp").write_text("A <urn:s> .")
    ended = run("patch", "merge", "ours.rdfp", "bad.rdfp", cwd=folder)
    assert (ended.code, ended.err.startswith("jellyp: bad.rdfp: ")) == (2, True)

"""Tests the output and the exit status of ``jellyp diff``."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.support import run, run_well

OLD = '<urn:a> <urn:p> "1" .\n<urn:a> <urn:q> "same" .\n<urn:b> <urn:p> "gone" <urn:g> .\n'
NEW = '<urn:a> <urn:p> "2" .\n<urn:a> <urn:q> "same" .\n'


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.nq", tmp_path / "new.nq"
    old.write_text(OLD)
    new.write_text(NEW)
    return old, new


def test_exit_status(files: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = files
    out = tmp_path / "out.jellyp"
    for options in ([], ["--json"], ["--side-by-side"], ["-o", out]):
        run_well("diff", *options, old, new, status=1)
        assert run_well("diff", *options, old, old).code == 0
    assert run_well("diff", "--quiet", old, new, status=1).out != b""
    # An error and a difference have different exit statuses.
    bad = tmp_path / "bad.nq"
    bad.write_text("nothing\n")
    assert run("diff", old, bad).code == 2
    assert run("diff", old, new, "-o", tmp_path / "missing/out.jellyp").code == 2


def test_json(files: tuple[Path, Path]) -> None:
    shown = run_well("diff", "--json", *files, status=1).text
    assert [json.loads(line) for line in shown.splitlines()] == [
        {"op": "D", "s": "<urn:a>", "p": "<urn:p>", "o": '"1"', "g": None},
        {"op": "D", "s": "<urn:b>", "p": "<urn:p>", "o": '"gone"', "g": "<urn:g>"},
        {"op": "A", "s": "<urn:a>", "p": "<urn:p>", "o": '"2"', "g": None},
    ]


def test_side_by_side(files: tuple[Path, Path]) -> None:
    lines = run_well("diff", "--side-by-side", *files, status=1).text.splitlines()
    pairs = [[side.strip() for side in re.split(" {3,}", line.strip())] for line in lines]
    assert ["old", "new"] in pairs
    assert ['<urn:a> <urn:p> "1"', '<urn:a> <urn:p> "2"'] in pairs
    assert ['<urn:b> <urn:p> "gone" <urn:g>'] in pairs
    assert run_well("diff", "--side-by-side", files[0], files[0]).out == b""


def test_rows_have_the_colors_of_git(files: tuple[Path, Path]) -> None:
    shown = run_well("diff", "--color", "always", *files, status=1).text
    assert '\x1b[31mD <urn:a> <urn:p> "1" .\x1b[0m\n' in shown
    assert '\x1b[32mA <urn:a> <urn:p> "2" .\x1b[0m\n' in shown
    assert "\x1b" not in run_well("diff", *files, status=1).text


def test_files_without_labels_are_compared_by_structure(tmp_path: Path) -> None:
    """By structure, the patch results in the new file. By labels, no statements match."""
    old, new = tmp_path / "old.ttl", tmp_path / "new.ttl"
    old.write_text('<urn:a> <urn:p> [ <urn:q> "x" ] ; <urn:n> "Ann" .')
    new.write_text('<urn:a> <urn:n> "Anna" ; <urn:p> [ <urn:q> "x" ] .')
    assert run_well("diff", old, old).out == b""
    assert run_well("diff", "--by-label", old, old).out == b""
    patch = run_well("diff", old, new, status=1).text.splitlines()
    assert patch[1:-1] == ['D <urn:a> <urn:n> "Ann" .', 'A <urn:a> <urn:n> "Anna" .']
    assert run_well("diff", "--canonical", old, new, status=1).text.splitlines() == patch
    by_label = run_well("diff", "--by-label", old, new, status=1).text
    assert len(by_label.splitlines()) == 2 + 2 * 3
    out = tmp_path / "changes.jellyp"
    run_well("diff", old, new, "-o", out, status=1)
    result = tmp_path / "result.ttl"
    result.write_bytes(run_well("apply", old, out, "--to", "ttl").out)
    assert run_well("diff", result, new).out == b""

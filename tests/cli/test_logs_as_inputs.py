"""Tests patch logs as inputs of commands that read changes."""

from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import P, S, run, run_well

NUMBERS = range(3)


def rows(number: int) -> list[Any]:
    prefix = [] if number else [(Op.PA, "ex", P, None)]
    return [(Op.TX,), *prefix, (Op.A, S, P, Literal(number), None), (Op.TC,)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a log, a file of all its patches, and an empty dataset."""
    log = jr.PatchLog.create(tmp_path / "log")
    with jr.PatchWriter(tmp_path / "log.jellyp") as writer:
        for number in NUMBERS:
            writer.write_all(log.append(rows(number)).read())
            writer.write((Op.END,))
    (tmp_path / "empty.nq").touch()
    (tmp_path / "one.rdfp").write_text("TX . A <urn:s> <urn:p> <urn:o> . TC .")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["cat", "IN"],
        # The first version binds the prefix, but is not selected.
        ["cat", "--patch", "2..3", "--predicate", "ex:", "IN"],
        ["convert", "IN", "--to", "rdfp"],
        ["patch", "invert", "IN"],
        ["patch", "compact", "IN"],
        ["patch", "concat", "IN"],
        ["patch", "effective", "empty.nq", "IN"],
        ["patch", "merge", "IN", "one.rdfp"],
        ["patch", "merge", "one.rdfp", "IN"],
        ["apply", "empty.nq", "IN"],
        ["stats", "--json", "IN"],
    ],
    ids=" ".join,
)
def test_a_log_is_read_as_a_file_of_its_patches(arguments: list[str], folder: Path) -> None:
    of_log, of_file = (
        run_well(*(name if each == "IN" else each for each in arguments), cwd=folder).out
        for name in ("log", "log.jellyp")
    )
    assert of_log == of_file != b""


def test_a_log_is_appended_to_another(folder: Path) -> None:
    run_well("log", "init", "copy", cwd=folder)
    assert run_well("log", "append", "copy", "log", cwd=folder).text.count("version") == 3
    log, copy = jr.PatchLog(folder / "log"), jr.PatchLog(folder / "copy")
    assert [entry.read() for entry in copy.patches()] == [entry.read() for entry in log.patches()]


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["apply", "log", "log"], "jellyp log checkout"),
        (["patch", "effective", "log", "log"], "jellyp log checkout"),
        (["patch", "merge", "--base", "log", "log", "log"], "jellyp log checkout"),
        (["diff", "log", "empty.nq"], "jellyp log checkout"),
        (["diff", "empty.nq", "log"], "jellyp log checkout"),
        (["record", "log", "one.rdfp"], "jellyp log checkout"),
        (["inspect", "log"], "jellyp log list"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_that_takes_no_log_says_what_to_do(
    arguments: list[str], advice: str, folder: Path
) -> None:
    ended = run(*arguments, cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert f"'log' is a patch log: {advice}" in " ".join(ended.err.split())


def test_a_folder_that_is_no_log_is_refused(tmp_path: Path) -> None:
    ended = run("patch", "invert", tmp_path)
    assert ended.code == 2
    assert "is a folder, but not a patch log" in " ".join(ended.err.split())


def test_a_log_has_no_format(folder: Path) -> None:
    ended = run("patch", "invert", "--from", "jellyp", "log", cwd=folder)
    assert ended.code == 2
    assert "log is a patch log: --from is for files" in ended.err

"""Tests ``--directions``: how commands treat the base directions of RDF 1.2."""

from pathlib import Path

import pytest

from tests.cli.support import run, run_well
from tests.core.jelly.draft_streams import DRAFT_STREAMS

TEXT = 'VERSION "1.2"\n<urn:s> <urn:p> "x"@ar--rtl <urn:g> .\n<urn:s> <urn:p> "y" <urn:g> .\n'
ADVICE = "--directions drop"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.nq").write_text(TEXT)
    (tmp_path / "b.nq").write_text(TEXT.replace("--rtl", ""))
    (tmp_path / "empty.nq").touch()
    return tmp_path


def test_convert_keeps_them(folder: Path) -> None:
    run_well("convert", "a.nq", "-o", "a.trig", cwd=folder)
    assert '"x"@ar--rtl' in (folder / "a.trig").read_text()
    lines = TEXT.partition("\n")[2]
    assert run_well("convert", "--to", "nq", "a.trig", cwd=folder).text == lines


def test_convert_without_graphs_keeps_them(folder: Path) -> None:
    merged = run_well("convert", "--to", "nt", "--merge-graphs", "a.nq", cwd=folder).text
    assert merged == TEXT.partition("\n")[2].replace(" <urn:g>", "")


def test_messages_name_the_format_that_has_none(folder: Path) -> None:
    (folder / "messages.jelly").write_bytes(DRAFT_STREAMS["quads"].data)
    for inputs in (["messages.jelly"], 2 * ["messages.jelly"]):
        refused = run("convert", *inputs, "-o", "out.jelly", cwd=folder)
        assert refused.code == 1
        assert "base direction rtl: Jelly-RDF 1.1 and Jelly-Patch have none" in refused.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "a.nq", "-o", "out.jelly"],
        ["convert", "--to", "n3", "--merge-graphs", "a.nq"],
        ["convert", "--to", "rdf-thrift", "a.nq"],
        ["cat", "a.nq"],
        ["diff", "a.nq", "empty.nq"],
        ["diff", "empty.nq", "a.nq"],
    ],
)
def test_commands_that_have_none(arguments: list[str], folder: Path) -> None:
    refused = run(*arguments, cwd=folder)
    is_diff = arguments[0] == "diff"
    assert refused.code == (2 if is_diff else 1)
    assert "base direction rtl" in refused.err
    assert ADVICE in refused.err
    dropped = run(*arguments, "--directions", "drop", cwd=folder)
    assert dropped.code == is_diff, dropped.err
    assert dropped.err.count("base directions of literals are left out") == 1
    assert "rtl" not in dropped.text


def test_what_is_dropped_is_gone(folder: Path) -> None:
    assert run("diff", "a.nq", "b.nq", "--directions", "drop", cwd=folder).code == 0
    run_well("convert", "b.nq", "-o", "b.jelly", cwd=folder)
    run_well("convert", "--directions", "drop", "b.jelly", "-o", "c.jelly", cwd=folder)
    text = run_well("convert", "--to", "nq", "c.jelly", cwd=folder).text
    assert text == TEXT.partition("\n")[2].replace("--rtl", "")


def test_other_words(folder: Path) -> None:
    assert "'keep', 'drop'" in run("cat", "--directions", "no", "a.nq", cwd=folder).err

"""Tests ``jellyp patch split``."""

import os
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import TEXT, P, S, encode, run, run_well


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.jellyp").write_bytes(encode())
    return tmp_path


def read(path: Path) -> list[Any]:
    return list(jr.read_operations(path, normalize=False))


def test_by_patch(folder: Path) -> None:
    names = ["in-0001.jellyp", "in-0002.jellyp"]
    assert run_well("patch", "split", "in.jellyp", cwd=folder).text.split() == names
    assert sorted(os.listdir(folder)) == [*names, "in.jellyp"]
    rows = [row for name in names for row in read(folder / name)]
    assert rows == read(folder / "in.jellyp")


def test_other_names_and_formats(folder: Path) -> None:
    (folder / "parts").mkdir()
    printed = run_well("patch", "split", "in.jellyp", "-o", "parts/{}.rdfp", cwd=folder).text
    assert printed == "parts/1.rdfp\nparts/2.rdfp\n"
    texts = [(folder / name).read_text() for name in printed.split()]
    assert texts == TEXT.split("Z .\n")
    piped = run_well("patch", "split", "-", "-o", "{:02}.rdfp.gz", cwd=folder, stdin=TEXT.encode())
    assert piped.text == "01.rdfp.gz\n02.rdfp.gz\n"


def test_up_to_a_size(tmp_path: Path) -> None:
    rows: list[Any] = []
    for number in range(400):
        rows += [(Op.TX,), (Op.A, S, P, S, None), (Op.D, S, P, P, None), (Op.TC,)]
        rows += [(Op.END,)] if number % 10 == 9 else []
    path = tmp_path / "in.jellyp"
    path.write_bytes(encode(rows))
    for arguments, expected in (
        (("--max-changes", "100"), 8),
        (("--max-changes", "70"), 14),
        (("--by", "transaction", "--max-changes", "70"), 12),
        (("--by", "transaction", "--max-changes", "1K"), 1),
        (("--by", "change", "--max-changes", "1"), 800),
    ):
        ended = run_well(
            "patch", "split", "--overwrite", path, "-o", tmp_path / "{}.jellyp", *arguments
        )
        assert len(ended.text.split()) == expected
    options = ("--by", "transaction", "--max-bytes", "4K")
    shown = run_well("patch", "split", path, "-o", tmp_path / "{}.rdfp", *options).text
    names = shown.split()
    assert len(names) > 10
    assert all(os.path.getsize(name) <= 4096 for name in names)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.jellyp"], "has no placeholder for a number"),
        (["-o", "{}.nt"], "that is for statements"),
        (["-o", "no/{}.rdfp"], "there is no folder"),
        (["--by", "change"], "--by change needs --max-changes or --max-bytes"),
        (["--max-bytes", "much"], "'much' is not a number"),
        (["--max-bytes", "0"], "'--max-bytes': it must be at least 1"),
        (["-o", "{}.what"], "give -o an extension that determines it"),
    ],
)
def test_wrong_calls(arguments: list[str], message: str, folder: Path) -> None:
    ended = run("patch", "split", "in.jellyp", *arguments, cwd=folder)
    assert ended.code == 2
    assert message in ended.err
    assert os.listdir(folder) == ["in.jellyp"]


def test_files_that_exist_are_not_replaced_unless_that_is_said(folder: Path) -> None:
    (folder / "in-0002.jellyp").write_bytes(b"mine")
    ended = run("patch", "split", "in.jellyp", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "in-0002.jellyp already exists: --overwrite replaces it" in ended.err
    assert sorted(os.listdir(folder)) == ["in-0002.jellyp", "in.jellyp"]
    run_well("patch", "split", "--overwrite", "in.jellyp", cwd=folder)
    assert read(folder / "in-0002.jellyp")
    # The input itself is never replaced.
    (folder / "1.jellyp").write_bytes(encode())
    ended = run("patch", "split", "--overwrite", "1.jellyp", "-o", "{}.jellyp", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "1.jellyp is the input" in ended.err
    assert (folder / "1.jellyp").read_bytes() == encode()

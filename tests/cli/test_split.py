"""``jellyp split``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.cli.commands import jellyp
from tests.cli.support import TEXT, P, S, encode, run, run_well


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.jellyp").write_bytes(encode())
    return tmp_path


def read(path: Path) -> list[Any]:
    return list(jr.read_operations(path, normalize=False))


def test_by_patch(folder: Path) -> None:
    names = ["in-0001.jellyp", "in-0002.jellyp"]
    assert run_well("split", "in.jellyp", cwd=folder).text.split() == names
    assert sorted(os.listdir(folder)) == [*names, "in.jellyp"]
    rows = [row for name in names for row in read(folder / name)]
    assert rows == read(folder / "in.jellyp")


def test_other_names_and_formats(folder: Path) -> None:
    (folder / "parts").mkdir()
    printed = run_well("split", "in.jellyp", "-o", "parts/{}.rdfp", cwd=folder).text
    assert printed == "parts/1.rdfp\nparts/2.rdfp\n"
    texts = [(folder / name).read_text() for name in printed.split()]
    assert texts == TEXT.split("Z .\n")
    piped = run_well("split", "-", "-o", "{:02}.rdfp.gz", cwd=folder, stdin=TEXT.encode())
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
        ended = run_well("split", "--overwrite", path, "-o", tmp_path / "{}.jellyp", *arguments)
        assert len(ended.text.split()) == expected
    names = run_well(
        "split", path, "-o", tmp_path / "{}.rdfp", "--by", "transaction", "--max-bytes", "4K"
    ).text.split()
    assert len(names) > 10
    assert all(os.path.getsize(name) <= 4096 for name in names)


def test_a_bad_input_leaves_no_files(folder: Path) -> None:
    (folder / "bad.jellyp").write_bytes(encode()[:-2])
    ended = run("split", "bad.jellyp", cwd=folder)
    assert ended.code == 1
    assert ended.err.startswith("jellyp: bad.jellyp: ")
    assert sorted(os.listdir(folder)) == ["bad.jellyp", "in.jellyp"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.jellyp"], "has no place for a number"),
        (["-o", "{}.nt"], "that is for statements"),
        (["-o", "{}.what"], "is not known"),
        (["-o", "no/{}.rdfp"], "there is no folder"),
        (["--by", "change"], "--by change needs --max-changes or --max-bytes"),
        (["--max-bytes", "much"], "'much' is no number"),
        (["--max-changes", "0"], "'--max-changes': it must be at least 1"),
        (["--max-bytes", "0"], "'--max-bytes': it must be at least 1"),
        (["-o", "{}.what"], "give -o names with an extension"),
    ],
)
def test_wrong_calls(arguments: list[str], message: str, folder: Path) -> None:
    ended = run("split", "in.jellyp", *arguments, cwd=folder)
    assert ended.code == 2
    assert message in ended.err
    assert os.listdir(folder) == ["in.jellyp"]


def test_files_that_exist_are_not_replaced_unless_that_is_said(folder: Path) -> None:
    (folder / "in-0002.jellyp").write_bytes(b"mine")
    ended = run("split", "in.jellyp", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "in-0002.jellyp is there already: --overwrite replaces it" in ended.err
    assert sorted(os.listdir(folder)) == ["in-0002.jellyp", "in.jellyp"]
    run_well("split", "--overwrite", "in.jellyp", cwd=folder)
    assert read(folder / "in-0002.jellyp")
    # But never what is split.
    (folder / "1.jellyp").write_bytes(encode())
    ended = run("split", "--overwrite", "1.jellyp", "-o", "{}.jellyp", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "1.jellyp is what is split" in ended.err
    assert (folder / "1.jellyp").read_bytes() == encode()


def test_a_bar_follows_both_times_that_the_file_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    @contextmanager
    def show(label: str, total: int | None, **_: Any) -> Iterator[Any]:
        seen.append((label, total))
        yield seen.append

    monkeypatch.setattr("jelly_rdflib.cli.inputs.show_progress", show)
    monkeypatch.chdir(folder)
    jellyp.main(["split", "in.jellyp"], standalone_mode=False)
    (label, total), *steps = seen
    assert (label, total) == ("in.jellyp", os.path.getsize("in.jellyp"))
    # Back to the start, and to the end once more.
    assert sum(steps) == total
    assert -total in steps


def test_inputs_that_can_not_be_split(folder: Path) -> None:
    ended = run("split", "-", stdin=TEXT.encode())
    assert ended.code == 2
    assert "-o" in ended.err
    (folder / "x.nt").write_text("<urn:s> <urn:p> <urn:o> .")
    for arguments in (["x.nt"], ["x.nt", "-o", "{}.rdfp"]):
        ended = run("split", *arguments, cwd=folder)
        assert ended.code == 2
        assert "x.nt has statements; a patch has changes" in ended.err
    (folder / "x.jellyp").write_bytes(
        run_well("convert", "x.nt", "-", "--to", "jelly", cwd=folder).out
    )
    ended = run("split", "x.jellyp", "-o", "{}.rdfp", cwd=folder)
    assert ended.code == 1
    assert ended.err.startswith("jellyp: x.jellyp: ")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="the system has no such paths")
def test_pipes_with_a_path(folder: Path) -> None:
    """As a shell makes them for ``<(...)``."""
    ended = run_well("split", "/dev/stdin", "-o", "{}.rdfp", cwd=folder, stdin=TEXT.encode())
    assert ended.text == "1.rdfp\n2.rdfp\n"
    joined = run_well("concat", "/dev/stdin", cwd=folder, stdin=TEXT.encode()).text
    assert joined == run_well("concat", "-", cwd=folder, stdin=TEXT.encode()).text

"""Tests ``jellyp inspect --index``."""

import sys
from pathlib import Path

import pytest

from jelly_rdflib.streams import index
from tests.cli.support import OPERATIONS, encode, run, run_well
from tests.oracle import build, wire


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode([*OPERATIONS, OPERATIONS[7]] * 5))
    return path


def test_an_index_is_made(source: Path) -> None:
    shown = run_well("inspect", "--index", source).text
    assert shown.startswith(f"{source}.idx: 1 part, ")
    assert index.load_index(source) is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another error")
def test_an_index_that_cannot_be_made_is_named(source: Path) -> None:
    path = source.rename(source.with_name(f"{'x' * 240}.jellyp"))
    ended = run("inspect", "--index", path)
    assert (ended.code, ended.err) == (1, f"jellyp: {path}.idx: File name too long\n")


@pytest.mark.slow
def test_a_file_that_is_damaged_behind_its_first_part_gets_none(source: Path) -> None:
    # The frames have a field that readers ignore.
    frame = wire.field(100, bytes(1 << 20))
    with source.open("ab") as file:
        file.write(build.delimited([frame] * 65))
        file.write(b"\x05\xff\xff")
    ended = run("inspect", "--index", source)
    assert ended.code == 1
    assert not Path(index.index_path(source)).exists()


def test_what_has_no_parts_is_refused(source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "x.jellyp.gz"
    run_well("convert", source, "-o", packed)
    assert "can't be read in parts" in run("inspect", "--index", packed).err
    text = tmp_path / "x.rdfp"
    run_well("convert", source, "-o", text)
    assert "only Jelly-Patch and Jelly-RDF files" in run("inspect", "--index", text).err
    for arguments in ((), ("-",), ("--json", source), ("--frames", source)):
        ended = run("inspect", "--index", *arguments)
        assert (ended.code, "--index is for files" in ended.err) == (2, True)

"""``jellyp index``."""

from pathlib import Path

import pytest

from jelly_rdflib.streams import index
from tests.cli.support import OPERATIONS, encode, run, run_well


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode([*OPERATIONS, OPERATIONS[7]] * 5))
    return path


def test_an_index_is_made_and_is_up_to_date(source: Path) -> None:
    shown = run_well("index", source).text
    assert shown.startswith(f"{source}.idx: 1 part, ")
    assert index.load_index(source) is not None
    assert run_well("index", "--check", source).out == b""


def test_a_missing_index_is_told(source: Path) -> None:
    ended = run("index", "--check", source)
    assert (ended.code, ended.text) == (1, f"{source}.idx: there is no index\n")


def test_a_file_that_is_damaged_behind_its_first_part_gets_none(source: Path) -> None:
    frames = source.read_bytes()
    with source.open("ab") as file:
        file.write(frames * (3 * 2**20 // len(frames)))
        file.write(b"\x05\xff\xff")
    ended = run("index", "--spacing", "1", source)
    assert ended.code == 1
    assert not Path(index.index_path(source)).exists()


def test_what_has_no_parts_is_refused(source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "x.jellyp.gz"
    run_well("convert", source, "-o", packed)
    assert "can't be read in parts" in run("index", packed).err
    text = tmp_path / "x.rdfp"
    run_well("convert", source, "-o", text)
    assert "only files of Jelly-Patch and Jelly-RDF" in run("index", text).err

"""Of a patch log Spark reads what its database says, and not what is in its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.spark.paths import find_files


@pytest.mark.parametrize("place", ["log", "log/segments", "log/segments/*", "lo?/segments"])
def test_the_files_of_a_log(tmp_path: Path, place: str) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    for _ in range(4):
        log.append([])
    log.squash(2, 3)
    expected = [str(entry.path) for entry in log.patches()]
    assert len(expected) == 3
    # Published and not committed; not the log's own.
    path = log.entry().path
    shutil.copy(path, path.with_name(path.name.replace("0000000004", "0000000005")))
    (path.parent / "notes.txt").touch()
    assert sorted(find_files([str(tmp_path / place)])) == sorted(expected)
    assert find_files([str(tmp_path / "log")], pattern="*4-*")[-1:] == expected[-1:]


def test_a_log_of_the_earlier_format(tmp_path: Path) -> None:
    (tmp_path / "segments").mkdir()
    (tmp_path / "log.json").touch()
    for path in (tmp_path, tmp_path / "segments"):
        with pytest.raises(jr.LogError, match="jellyp log upgrade"):
            find_files([str(path)])


@pytest.mark.parametrize("is_empty", [False, True], ids=["missing", "empty"])
@pytest.mark.parametrize("place", ["log", "log/segments", "log/*", "log/segments/*"])
def test_a_log_whose_database_is_lost(tmp_path: Path, place: str, is_empty: bool) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    log.append([])
    (log.path / "log.db").unlink()
    if is_empty:
        (log.path / "log.db").touch()
    with pytest.raises(jr.LogError, match=r"has the segments .* its log\.db is missing or empty"):
        find_files([str(tmp_path / place)])


def test_segments_alone_are_files(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    copy = tmp_path / "copy" / "segments" / log.append([]).path.name
    shutil.copytree(log.path / "segments", copy.parent)
    assert find_files([str(copy.parent)]) == [str(copy)]

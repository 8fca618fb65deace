"""Tests which files Spark reads: files, folders, globs, and the files in a log's database."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.spark import paths
from jelly_rdflib.spark.paths import base_of, folder_names, folder_values, paths_of
from jelly_rdflib.spark.storage import Storage, full_path


def find_files(given: list[str], **options: Any) -> list[str]:
    return [file.path for file in paths.find_files(given, **options)]


def test_paths_of_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = os.getcwd()
    assert paths_of({"path": "a"}, "jelly") == [f"{here}/a"]
    assert paths_of({"paths": '["/b", "c/../d"]'}, "jelly") == ["/b", f"{here}/d"]
    with pytest.raises(ValueError, match=r'jelly needs a path: spark\.read\.format\("jelly"\)'):
        paths_of({}, "jelly")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("file:///a%20b/../c", "/c"),
        ("file://localhost/a%20b", "/a b"),
        ("file:/a", "/a"),
        ("/a:b//c", "/a:b/c"),
        ("/a://b", "/a:/b"),
        ("/file:x", "/file:x"),
    ],
)
def test_paths_of_this_machine(path: str, expected: str) -> None:
    assert full_path(path) == expected


def test_a_name_with_a_colon_is_no_scheme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("file", "a:b", "a:b//c"):
        assert full_path(name) == os.path.abspath(name)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("ftp://host/a", "ftp://host/a: files with the scheme ftp are not supported"),
        ("s3n://KEY:PASS@bucket/a", r"^s3n://…: a path must not contain a password"),
        ("s3a://KEY:PA/SS@bucket/a", r"^s3a://…: a path must not contain a password"),
        ("webhdfs://me:PASS@host:1/a", r"^webhdfs://…: a path must not contain a password"),
        ("file://other/a", "file://other/a: the file is on another host"),
    ],
)
def test_paths_elsewhere_are_refused(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        full_path(path)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "c.x").touch()
    return tmp_path / "tree"


def test_folders_with_values_are_read(tmp_path: Path) -> None:
    read = ["_k=1/a.x", "k=2/j=/a.x"]
    for name in (*read, ".k=1/a.x", "=1/a.x", "sub/k=1/a.x", "k=1/sub/a.x", "k=2/_a=b.x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = find_files([str(tmp_path)])
    assert [os.path.relpath(file, tmp_path) for file in found] == read


@pytest.mark.parametrize(
    ("path", "base"),
    [("k=1", "k=1"), ("k=1/a.x", "k=1/a.x"), ("k=*/{a,b}.x", ""), ("k=1/*.x", "k=1"), ("**", "")],
)
def test_the_base_of_a_path_exists(tmp_path: Path, path: str, base: str) -> None:
    (tmp_path / "k=1").mkdir()
    (tmp_path / "k=1" / "a.x").touch()
    assert base_of(str(tmp_path / path), Storage()) == str(tmp_path / base)


@pytest.mark.parametrize(
    ("file", "bases", "values"),
    [
        ("/b/k=1/j=x/a", ["/b"], {"k": "1", "j": "x"}),
        ("/b/k=1/j=x/a", ["/b", "/b/k=1", "/b/k"], {"j": "x"}),
        ("/b/k=1/a", ["/b/k=1/a"], {}),
        ("/b/k=1/a", ["/c", "/b/k"], {}),
        ("/k=1/a", ["/"], {"k": "1"}),
        ("/b/x/k=a=b/k=.x", ["/b"], {"k": "a=b"}),
        (
            "/b/a%20b=%2F%3D/c=/d=__HIVE_DEFAULT_PARTITION__/a",
            ["/b"],
            {"a b": "/=", "c": "", "d": None},
        ),
        ("/b/=x/a", ["/b"], {}),
    ],
)
def test_values_of_folders(file: str, bases: list[str], values: dict[str, str | None]) -> None:
    assert folder_values(file, bases) == values


def test_all_files_have_the_same_folders() -> None:
    assert folder_names([], ["/"]) == folder_names(["/a", "/b/c"], ["/"]) == []
    assert folder_names(["/j=1/k=2/a", "/j=3/k=4/a"], ["/"]) == ["j", "k"]
    for other in ("/a", "/k=2/j=1/a", "/j=1/a"):
        with pytest.raises(ValueError, match=r"a: its folders .* of /j=1/k=2/a give .* recursiveF"):
            folder_names(["/j=1/k=2/a", other], ["/"])


def test_an_existing_path_is_no_glob(tree: Path) -> None:
    odd = tree / "[x]{a,b}"
    odd.touch()
    (tree / "x").touch()
    assert find_files([str(odd)]) == [str(odd)]


def test_missing_and_repeated_files(tree: Path) -> None:
    (tree / "dangling").symlink_to(tree / "none")
    for name in ("none", "none*", "dangling"):
        with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
            find_files([str(tree / name)])
    (tree / "dangling").unlink()
    (tree / "same").symlink_to(tree / "c.x")
    with pytest.raises(ValueError, match=r"same: this file would be read twice \(also as .*/c\.x"):
        find_files([str(tree)])


@pytest.mark.parametrize("place", ["log", "log/segments", "log/segments/*", "lo?/segments"])
def test_the_files_of_a_log(tmp_path: Path, place: str) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    for _ in range(4):
        log.append([])
    log.squash(2, 3)
    expected = [str(entry.path) for entry in log.patches()]
    assert len(expected) == 3
    # Add a published but uncommitted file, and a file that is not from the log.
    path = log.entry().path
    shutil.copy(path, path.with_name(path.name.replace("0000000004", "0000000005")))
    (path.parent / "notes.txt").touch()
    assert sorted(find_files([str(tmp_path / place)])) == sorted(expected)
    assert find_files([str(tmp_path / "log")], pattern="0000000004-*") == expected[-1:]


@pytest.mark.parametrize("is_empty", [False, True], ids=["missing", "empty"])
@pytest.mark.parametrize("place", ["log", "log/segments", "log/*", "log/segments/*"])
def test_a_log_whose_database_is_lost(tmp_path: Path, place: str, is_empty: bool) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    log.append([])
    (log.path / "segments" / "notes.txt").touch()
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
    # Without a database or a segment this is not a log, but a folder with files.
    (tmp_path / "copy" / "staging").mkdir()
    copy.rename(copy.with_name("other"))
    assert find_files([str(copy.parent)]) == [str(copy.with_name("other"))]
    other = tmp_path / "other"
    (other / "staging").mkdir(parents=True)
    (other / "a").touch()
    assert find_files([str(other)]) == [str(other / "a")]
    (other / "log.db").touch()
    with pytest.raises(jr.LogError, match="is not a patch log"):
        find_files([str(other)])

"""Tests that calls give the same results for files on this machine and in a store."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from pyarrow.fs import LocalFileSystem

from jelly_rdflib.spark import paths, storage
from jelly_rdflib.spark.paths import base_of, find_files, folder_values
from jelly_rdflib.spark.storage import Entry, Machine, Storage, Store, full_path, parent_of

Place = tuple["Machine | Store", str]


@pytest.fixture(params=["machine", "store"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return a storage and a folder's path in it; Arrow's file system stands in for a store."""
    if request.param == "machine":
        return Machine(), str(tmp_path)
    made = LocalFileSystem(), str(tmp_path)
    monkeypatch.setattr(storage, "connect", lambda start, settings: made)
    return Storage().at("s3a://b/x"), "s3a://b"


def test_what_is_found(place: Place, tmp_path: Path) -> None:
    where, folder = place
    (tmp_path / "a b").write_bytes(b"abc")
    (tmp_path / "in").mkdir()
    os.utime(tmp_path / "a b", ns=(1, 1234567890))
    file = Entry(f"{folder}/a b", size=3, modified=1234567890)
    assert where.find(f"{folder}/a b") == file
    found = where.find(f"{folder}/in")
    assert found is not None
    assert found[:2] == (f"{folder}/in", True)
    assert where.find(f"{folder}/none") is where.find(f"{folder}/a b/none") is None
    assert [each[:2] for each in where.list(folder)] == [file[:2], found[:2]]
    assert where.list(folder)[0] == file
    assert not file.is_missing
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        where.list(f"{folder}/none")


def test_reading_and_writing(place: Place, tmp_path: Path) -> None:
    where, folder = place
    where.make_folder(f"{folder}/a")
    # Real stores need no folders, but the file system that stands in for a store does.
    assert (tmp_path / "a").exists() != where.is_remote
    (tmp_path / "a").mkdir(exist_ok=True)
    # A storage does not decompress files.
    with where.create(f"{folder}/a/b.gz") as file:
        file.write(b"abcdef")
    assert (tmp_path / "a" / "b.gz").read_bytes() == b"abcdef"
    with where.open(f"{folder}/a/b.gz") as file:
        assert file.seek(0, os.SEEK_END) == 6
        assert file.seek(2) == 2
        assert file.read(2) == b"cd"
        assert file.read() == b"ef"
    where.move(f"{folder}/a/b.gz", f"{folder}/a/c")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["c"]
    with pytest.raises(FileNotFoundError):
        where.open(f"{folder}/a/b.gz").read()
    for name, is_folder in (("a/c", False), ("a/c", False), ("a", True), ("a", True)):
        where.delete(Entry(f"{folder}/{name}", is_folder=is_folder))
        assert not (tmp_path / name).exists()


def test_a_store_is_asked_for_many_bytes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "READ_SIZE", 10)
    (tmp_path / "a").write_bytes(bytes(range(30)))
    with Store("x://", LocalFileSystem(), str(tmp_path)).open("x:///a") as file:
        raw = file.raw  # type: ignore[attr-defined]
        assert file.read1(3) == bytes(range(3))  # type: ignore[attr-defined]
        assert raw.tell() == 10
        assert file.read1(9) == bytes(range(3, 12))  # type: ignore[attr-defined]


IN_SUB = ("sub/a.x", "sub/a.y", "sub/in/a.z")
FILES = ("c.x", "b.y", "k=1/a.x", *IN_SUB, "a.x.idx", "_h.x", ".h.x", "_sub/a.x")


@pytest.mark.parametrize(
    ("path", "options", "expected"),
    [
        ("", {}, ["b.y", "c.x", "k=1/a.x"]),
        ("", {"pattern": "*.x"}, ["c.x", "k=1/a.x"]),
        ("", {"is_recursive": True}, ["b.y", "c.x", "k=1/a.x", *IN_SUB]),
        # A named file is read, whatever the pattern.
        ("_h.x", {"pattern": "*.y"}, ["_h.x"]),
        # Globs do not find hidden files, whose names start with a dot.
        ("*.x*", {}, ["_h.x", "c.x"]),
        ("**/*.x", {}, ["_h.x", "_sub/a.x", "c.x", "k=1/a.x", "sub/a.x"]),
        ("s[tu]*", {"pattern": "*.y"}, ["sub/a.y"]),
        ("{c,{b,c},none}.?", {}, ["b.y", "c.x"]),
    ],
)
def test_files_folders_and_globs(
    place: Place, tmp_path: Path, path: str, options: dict[str, str], expected: list[str]
) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    _, folder = place
    given = [f"{folder}/{path}".rstrip("/")]
    found = [file.path for file in find_files(given, Storage(), **options)]  # type: ignore[arg-type]
    assert found == [f"{folder}/{name}" for name in expected]
    base = base_of(f"{folder}/k=*/a.x", Storage())
    assert base == folder
    assert folder_values(f"{folder}/k=1/a.x", [base]) == {"k": "1"}
    for name in ("none", "none*", "b.y/none"):
        with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
            find_files([f"{folder}/{name}"], Storage())


def test_a_link_to_nothing_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "none")
    (entry,) = Machine().list(str(tmp_path))
    assert entry.is_missing


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3a://b", "s3a://b"),
        ("s3a://b/", "s3a://b"),
        ("s3://b//a%20b/ c/", "s3://b/a%20b/ c"),
        ("hdfs://h:1/a/*", "hdfs://h:1/a/*"),
        ("hdfs:///a", "hdfs:///a"),
        ("hdfs://me@h/a", "hdfs://me@h/a"),
    ],
)
def test_urls_of_stores(path: str, expected: str) -> None:
    assert full_path(path) == expected


def test_parents() -> None:
    parents: list[str] = []
    path = "s3a://b/x/y"
    for _ in range(3):
        path = parent_of(path)
        parents.append(path)
    assert parents == ["s3a://b/x", "s3a://b", "s3a://b"]
    assert [parent_of(path) for path in ("/a/b", "/a", "/")] == ["/a", "/", "/"]
    assert parent_of("hdfs:///a") == "hdfs://"


def test_many_files_are_looked_at_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        (tmp_path / f"{number}.x").touch()
    asked: list[str] = []
    find: Callable[[Machine, str], Entry | None] = Machine.find

    def note(self: Machine, path: str) -> Entry | None:
        asked.append(path)
        return find(self, path)

    monkeypatch.setattr(Machine, "find", note)
    assert len(paths.find_files([str(tmp_path)])) == 50
    assert len(asked) == len(set(asked)) == 51

"""Tests reading files as an executor does, without a session."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
import jelly_rdflib as jr
from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.sources.reader import FilesReader
from jelly_rdflib.spark.storage import Storage
from jelly_rdflib.streams import index
from tests.spark.files import COLUMNS, Here, iri, make_operations, write_file
from tests.spelling import rows_of


def reader(path: Path, kind: Kind = JELLY_PATCH, **options: str) -> FilesReader:
    made = ReadOptions.of(options)
    return FilesReader(kind, made, kind.schema_for(made), [str(path)], Storage(), Here())


def names(one: FilesReader) -> list[str]:
    return [file.path for file in one.find_files()]


def read(path: Path, kind: Kind = JELLY_PATCH, **options: str) -> list[dict[str, Any]]:
    one = reader(path, kind, **options)
    tables = [table for partition in one.partitions() for table in one.read(partition)]
    return [row for table in tables for row in table.to_pylist()]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("size", ["2000", "1000000"], ids=["in parts", "whole"])
def test_rows_of_changes(tmp_path: Path, suffix: str, size: str) -> None:
    operations = make_operations(5, 40)
    path = write_file(tmp_path / f"a.jellyp{suffix}", operations, frame_rows=10)
    rows = read(path, partitionBytes=size)
    assert [{name: row[name] for name in COLUMNS} for row in rows] == rows_of(operations)
    # A compressed file is a single part.
    is_cut = size == "2000" and not suffix
    assert (len(reader(path, partitionBytes=size).partitions()) > 2) == is_cut


def test_parts_of_an_index(tmp_path: Path) -> None:
    operations = make_operations(5, 40)
    path = write_file(tmp_path / "a.jellyp", operations, frame_rows=10)
    index.write_index(path, index.find_parts(path, spacing=500))
    rows = read(path, partitionBytes="1500")
    assert [{name: row[name] for name in COLUMNS} for row in rows] == rows_of(operations)


def test_rows_of_statements(tmp_path: Path) -> None:
    from rdflib import URIRef

    path = tmp_path / "a.jelly"
    with jr.StatementWriter(path, jr.StreamOptions(frame_rows=10)) as writer:
        for number in range(400):
            writer.add(URIRef(f"urn:{number}"), URIRef("urn:p"), URIRef("urn:o"))
    rows = read(path, JELLY)
    assert [(row["seq"], row["s"]) for row in rows] == [(n, f"<urn:{n}>") for n in range(400)]
    frames = [row["frame"] for row in rows]
    assert frames == sorted(frames)
    assert set(frames) == set(range(1, frames[-1] + 1))
    assert frames[-1] >= 39
    assert len(reader(path, JELLY, partitionBytes="1000").partitions()) > 2
    assert read(path, JELLY, partitionBytes="1000") == rows


def test_text_whatever_its_name(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.rdfp", make_operations(2, 9))
    shutil.copy(path, tmp_path / "a.jellyp")
    assert len(read(tmp_path / "a.jellyp", RDF_PATCH)) == len(make_operations(2, 9))


@pytest.mark.parametrize("size", ["1000", "1000000"], ids=["in parts", "whole"])
def test_damage_and_limits_in_later_frames(tmp_path: Path, size: str) -> None:
    last = ("A", iri(1), iri(2), ("literal", "long" * 20, None, None), None)
    path = write_file(tmp_path / "a.jellyp", [*make_operations(5, 40), last], frame_rows=10)
    assert read(path, partitionBytes=size)
    with pytest.raises(jr.DecodeError, match=r"a\.jellyp: .*max_string_size: 60"):
        read(path, partitionBytes=size, maxStringSize="60")
    with path.open("ab") as file:
        file.write(b"\x02\xff\xff")
    with pytest.raises(jr.DecodeError, match=r"a\.jellyp: .*byte \d+, frame \d+"):
        read(path, partitionBytes=size)


def test_options_of_folders(tmp_path: Path) -> None:
    for name in ("a.jellyp", "in/a.jellyp", "in/b.jellyp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_file(tmp_path / name, make_operations(1, 1))
    one = reader(tmp_path, recursiveFileLookup="true", pathGlobFilter="a*")
    assert names(one) == [str(tmp_path / "a.jellyp"), str(tmp_path / "in" / "a.jellyp")]
    assert names(reader(tmp_path)) == [str(tmp_path / "a.jellyp")]
    (tmp_path / "empty.jellyp").touch()
    with pytest.raises(jr.DecodeError, match=r"empty\.jellyp: the file is empty"):
        reader(tmp_path).partitions()


def test_files_of_a_time(tmp_path: Path) -> None:
    for number in range(3):
        path = write_file(tmp_path / f"{number}.jellyp", make_operations(1, 1))
        os.utime(path, (number, number))
    after, before = "1970-01-01T00:00:00Z", "1970-01-01T00:00:02Z"
    for options, expected in (
        ({"modifiedAfter": after}, ["1", "2"]),
        ({"modifiedBefore": before}, ["0", "1"]),
        ({"modifiedAfter": after, "modifiedBefore": before}, ["1"]),
    ):
        found = names(reader(tmp_path, **options))
        assert [Path(file).stem for file in found] == expected


@pytest.mark.parametrize("is_planned", [False, True])
def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_planned: bool) -> None:
    files = [write_file(tmp_path / f"{n}.jellyp", make_operations(1, 1)) for n in range(3)]
    for ignores in ("true", "false"):
        write_file(files[0], make_operations(1, 1))
        one = reader(tmp_path, ignoreMissingFiles=ignores, op="A")
        found = one.find_files()
        monkeypatch.setattr(one, "find_files", lambda found=found: found)
        partitions = one.partitions() if is_planned else []
        # The file is deleted after the folder was listed, or after the tasks were planned.
        files[0].unlink()
        if ignores == "true":
            tables = [table for each in partitions or one.partitions() for table in one.read(each)]
            rows = [row for table in tables for row in table.to_pylist()]
            assert [row["file"] for row in rows] == list(map(str, files[1:]))
        else:
            with pytest.raises(FileNotFoundError):
                list(one.read((partitions or one.partitions())[0]))


def test_damage_in_each_mode(tmp_path: Path) -> None:
    """After a damaged file, a partition continues with its next file."""
    bad = write_file(tmp_path / "a.jellyp", make_operations(1, 5))
    bad.write_bytes(bad.read_bytes()[:-1])
    write_file(tmp_path / "b.jellyp", make_operations(1, 5))
    for mode, columns, expected in (
        ("DROPMALFORMED", None, ["b"]),
        ("PERMISSIVE", None, ["a", "b"]),
        ("PERMISSIVE", ["file", "s"], ["b"]),
    ):
        options = ReadOptions.of({"mode": mode})
        schema = JELLY_PATCH.schema_for(options)
        if columns is not None:
            schema = type(schema)([schema[name] for name in columns])
        reader = FilesReader(JELLY_PATCH, options, schema, [str(tmp_path)])
        (partition,) = reader.partitions()
        tables = list(reader.read(partition))
        assert [Path(table.to_pylist()[0]["file"]).stem for table in tables] == expected
        assert all(table.schema.names == schema.names for table in tables)
        if len(expected) == 2:
            (row,) = tables[0].to_pylist()
            assert row["_corrupt"]["file"] == row["file"] == str(bad)
            assert {value for name, value in row.items() if name not in ("file", "_corrupt")} == {
                None
            }
            assert {row["_corrupt"] for row in tables[1].to_pylist()} == {None}


def test_the_column_of_damage_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.jellyp").write_bytes(b"damaged")
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "damage"}
    (row,) = read(tmp_path, **options)
    assert "_corrupt" not in row
    assert row["damage"]["file"] == str(tmp_path / "a.jellyp")
    with pytest.raises(ValueError, match="columnNameOfCorruptRecord: 's' is already a column"):
        read(tmp_path, columnNameOfCorruptRecord="s")

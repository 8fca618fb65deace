"""Tests that the executors' output appears at the commit, completely and exactly once."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pyarrow as pa
from pyspark.sql.types import StructType
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.spark.kinds import FOLDER, JELLY, JELLY_PATCH, RDF_PATCH
from jelly_rdflib.spark.sources.writer import FolderStreamWriter, FolderWriter, WrittenFile

ROW = {"op": "A", "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>", "g": None, "name": None}


def tables(*objects: str) -> Any:
    """Return a record batch for each object, each preceded by an empty batch."""
    made = [pa.RecordBatch.from_pylist([{**ROW, "o": f"<urn:{each}>"}]) for each in objects]
    return iter([each for table in made for each in (table.slice(0, 0), table)])


def writer(folder: Path, *, overwrite: bool = False, **options: str) -> FolderWriter:
    given = {"path": str(folder), **options}
    return FolderWriter(JELLY_PATCH, given, JELLY_PATCH.schema, overwrite=overwrite)


def stream_writer(folder: Path, checkpoint: str = "x") -> FolderStreamWriter:
    options = {"path": str(folder), "checkpointLocation": checkpoint}
    return FolderStreamWriter(JELLY_PATCH, options, JELLY_PATCH.schema, overwrite=False)


def objects(folder: Path) -> list[str]:
    """Return the objects in those files of a folder that readers see."""
    paths = sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    found = [str(each[3]) for path in paths for each in jr.read_operations(path) if len(each) == 5]
    return sorted(each.removeprefix("urn:") for each in found)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_nothing_is_seen_before_the_commit(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    one = writer(folder)
    messages = [one.write(tables("1", "2")), one.write(tables("3"))]
    assert objects(folder) == []
    # Write two partitions.
    one.commit([messages[0], WrittenFile(messages[1].path, 1)])  # type: ignore[attr-defined]
    assert objects(folder) == ["1", "2", "3"]
    assert {name[:10] for name in names(folder)} == {"part-00000", "part-00001", "_SUCCESS"}
    assert {path.suffix for path in folder.glob("part-*")} == {".jellyp"}


def test_a_table_without_rows_makes_an_empty_folder(tmp_path: Path) -> None:
    one = writer(tmp_path / "a")
    empty = next(tables("1"))
    messages = [one.write(iter([])), one.write(iter([empty, empty]))]
    assert messages == [WrittenFile(None, 0)] * 2
    one.commit(messages)
    assert names(tmp_path / "a") == {"_SUCCESS"}


def test_a_column_is_written_in_any_case_and_an_unknown_one_refused(tmp_path: Path) -> None:
    for name in ("graph", "G"):
        schema = StructType([*JELLY_PATCH.schema.fields[:-2]]).add(name, "string")
        schema.add("day", "string", metadata={FOLDER: True})
        row = {key: value for key, value in ROW.items() if key not in ("g", "name")}
        batch = pa.RecordBatch.from_pylist([{**row, name: "<urn:g>", "day": "9"}])
        options = {"path": str(tmp_path)}
        if name == "graph":
            with pytest.raises(ValueError, match="jelly-patch has no column 'graph': rename it"):
                FolderWriter(JELLY_PATCH, options, schema, overwrite=True)
            continue
        one = FolderWriter(JELLY_PATCH, options, schema, overwrite=True)
        one.commit([one.write(iter([batch]))])
    (path,) = tmp_path.glob("part-*")
    assert [str(row[4]) for row in jr.read_operations(path) if row[0] == jr.Op.A] == ["urn:g"]


def test_append_keeps_and_overwrite_replaces(tmp_path: Path) -> None:
    for number in range(2):
        one = writer(tmp_path)
        one.commit([one.write(tables(str(number)))])
    assert objects(tmp_path) == ["0", "1"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    kept = tmp_path.parent / f"{tmp_path.name}-kept"
    kept.mkdir()
    (kept / "file").touch()
    (tmp_path / "link").symlink_to(kept)
    other = writer(tmp_path, overwrite=True)
    message = other.write(tables("3"))
    one = writer(tmp_path, overwrite=True)
    one.commit([one.write(tables("2"))])
    assert objects(tmp_path) == ["2"]
    assert [path.name for path in kept.iterdir()] == ["file"]
    assert not {"folder", "link"} & names(tmp_path)
    # Another job is still writing.
    other.commit([message])
    assert objects(tmp_path) == ["3"]
    assert len(names(tmp_path)) == 2


def test_a_job_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    one = writer(folder, overwrite=True)
    one.abort([one.write(tables("1"))])
    assert not folder.exists()
    folder.mkdir()
    (folder / "file").touch()
    one = writer(folder, overwrite=True)
    one.abort([one.write(tables("1")), None])
    assert names(folder) == {"file"}
    # Spark does not wait for the other tasks of a job that has failed.
    with pytest.raises(FileNotFoundError):
        one.write(tables("2"))
    assert names(folder) == {"file"}


def test_a_commit_that_breaks_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a store fails between two files, the job's visible files are deleted again."""
    one = writer(tmp_path)
    one.commit([one.write(tables("0"))])
    one = writer(tmp_path)
    messages = [one.write(tables("1")), WrittenFile(str(tmp_path / "none"), 1)]
    with pytest.raises(FileNotFoundError):
        one.commit(messages)
    assert objects(tmp_path) == ["0", "1"]
    one.abort(list(messages))
    assert objects(tmp_path) == ["0"]
    # A stream's committed batch stays.
    stream = stream_writer(tmp_path)
    stream.commit([stream.write(tables("2"))], 7)
    stream.abort([None], 7)
    assert objects(tmp_path) == ["0", "2"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="this is a file; files go into a folder"):
        writer(tmp_path / "file")
    with pytest.raises(ValueError, match=r"writing jelly-patch needs a path"):
        FolderWriter(JELLY_PATCH, {}, JELLY_PATCH.schema, overwrite=False)


def test_a_patch_log_is_left_alone(tmp_path: Path) -> None:
    with jr.PatchLog.create(tmp_path) as log:
        log.append([(jr.Op.A, *map(URIRef, "spo"), None)])
    before = sorted(tmp_path.rglob("*"))
    for folder in (tmp_path, tmp_path / "segments"):
        for open_writer in (writer, partial(writer, overwrite=True), stream_writer):
            with pytest.raises(jr.LogError, match=f"^{tmp_path} is a patch log: write to another"):
                open_writer(folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_only_what_is_needed_must_be_there(tmp_path: Path) -> None:
    options = {"path": str(tmp_path)}
    rest = StructType([JELLY_PATCH.schema[name] for name in ("s", "p", "o")])
    FolderWriter(JELLY, options, rest, overwrite=False)
    with pytest.raises(
        ValueError, match=r"a table of rdf-patch needs the columns op, s, p, o; .*op$"
    ):
        FolderWriter(RDF_PATCH, options, rest, overwrite=False)
    with pytest.raises(ValueError, match="a table of jelly needs the columns s, p, o; missing: o"):
        FolderWriter(JELLY, options, StructType(rest.fields[:2]), overwrite=False)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**dict.fromkeys(ROW), "op": "A"}, "operation A has no s"),
        ({**dict.fromkeys(ROW), "op": "TC"}, ".*transaction.*repartition"),
        ({**ROW, "o": "no term"}, ".*'no term' is not an N-Triples term"),
        ({**ROW, "s": '"x"'}, 'row 1: the literal "x" is the subject, but only an object may be'),
    ],
    ids=["no term", "cut transaction", "bad term", "literal subject"],
)
def test_a_failed_task_leaves_no_file(tmp_path: Path, row: Any, message: str) -> None:
    """A failed task leaves no file; each new attempt writes its own file."""
    table = pa.RecordBatch.from_pylist([ROW, row])
    with pytest.raises(
        jr.EncodeError, match=f"^partition 0 can't be written as jelly-patch: .*{message}"
    ) as caught:
        writer(tmp_path).write(iter([table]))
    assert ("repartition" in str(caught.value)) == (row["op"] == "TC")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_error_of_the_input_stays_what_it_is(tmp_path: Path) -> None:
    def fail() -> Any:
        yield from tables("1")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match=r"^no more$"):
        writer(tmp_path).write(fail())


def test_options_reach_the_file(tmp_path: Path) -> None:
    one = writer(tmp_path, compression="gzip", statementType="TRIPLES")
    message = one.write(tables("1"))
    assert message.path.endswith(".jellyp.gz")  # type: ignore[attr-defined]
    one.commit([message])
    (path,) = tmp_path.glob("part-*.jellyp.gz")
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    reader = jr.read_operations(path)
    assert [str(each[3]) for each in reader if each[0] == jr.Op.A] == ["urn:1"]
    assert reader.options is not None
    assert reader.options.statement_type.name == "TRIPLES"


def test_rows_are_sorted_with_little_memory(tmp_path: Path) -> None:
    rows = [{**ROW, "o": f"<urn:{n}>", "seq": n} for n in (2, 1, 0)]
    one = writer(tmp_path, sortBytes="0")
    one.commit([one.write(pa.RecordBatch.from_pylist([row]) for row in rows)])
    (path,) = tmp_path.glob("part-*")
    found = [str(each[3]) for each in jr.read_operations(path) if each[0] == jr.Op.A]
    assert found == ["urn:0", "urn:1", "urn:2"]


class TestStreams:
    def test_a_batch_is_in_the_folder_once(self, tmp_path: Path) -> None:
        for batch, text in ((0, "1"), (1, "2"), (1, "again"), (10, "3")):
            one = stream_writer(tmp_path)
            one.commit([one.write(tables(text)), WrittenFile(None, 1)], batch)
            assert not list(tmp_path.glob("_temporary*"))
        assert objects(tmp_path) == ["1", "2", "3"]

    def test_a_killed_commit_is_made_good(self, tmp_path: Path) -> None:
        one = stream_writer(tmp_path)
        messages = [one.write(tables("1")), WrittenFile(one.write(tables("2")).path, 1)]  # type: ignore[attr-defined]
        one.commit(messages, 1)
        other = stream_writer(tmp_path, "y")
        other.commit([other.write(tables("3"))], 1)
        # The batch was killed before it was finished, and its repetition may have other partitions.
        marks = tmp_path / "_committed"
        (mark,) = [path for path in marks.iterdir() if next(tmp_path.glob(f"*1-{path.name}.*"), 0)]
        mark.unlink()
        again = stream_writer(tmp_path)
        again.commit([again.write(tables("4"))], 1)
        assert objects(tmp_path) == ["3", "4"]
        assert mark.exists()

    def test_a_checkpoint_has_its_own_batches(self, tmp_path: Path) -> None:
        for checkpoint in ("x", "y", "x/"):
            one = stream_writer(tmp_path, checkpoint)
            one.commit([one.write(tables(checkpoint[0]))], 0)
        assert objects(tmp_path) == ["x", "y"]

    def test_wrong_calls(self, tmp_path: Path) -> None:
        schema = JELLY_PATCH.schema
        for options, message in (
            ({"path": "x"}, "writing a stream of jelly-patch needs the option checkpointLocation"),
            ({"checkpointLocation": "x"}, "needs the option path"),
        ):
            with pytest.raises(ValueError, match=message):
                FolderStreamWriter(JELLY_PATCH, options, schema, overwrite=False)
        options = {"path": str(tmp_path), "checkpointLocation": "x"}
        with pytest.raises(ValueError, match=r"a stream of jelly-patch is .* append only"):
            FolderStreamWriter(JELLY_PATCH, options, schema, overwrite=True)

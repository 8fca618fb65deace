"""Tests which files are read together, and which files are read in parts."""

import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest

pytest.importorskip("pyspark")
import jelly_rdflib as jr
from jelly_rdflib.spark.kinds import JELLY, JELLY_PATCH, RDF_PATCH, Kind
from jelly_rdflib.spark.options import ReadOptions
from jelly_rdflib.spark.planning import Cluster
from jelly_rdflib.spark.sources.partitions import plan
from jelly_rdflib.spark.sources.reader import FilesReader
from jelly_rdflib.spark.storage import Entry, Machine, Storage, Store
from jelly_rdflib.streams import index
from tests.spark.files import Here, forge, iri, make_operations, paid, write_file

MIB = 1 << 20


def make_files(folder: Path, sizes: list[int]) -> list[str]:
    """Make sparse files of these sizes."""
    files = [folder / f"{number}.rdfp" for number in range(len(sizes))]
    for file, size in zip(files, sizes, strict=True):
        file.touch()
        os.truncate(file, size)
    return list(map(str, files))


def entries(files: list[str]) -> list[Entry]:
    return [Machine().find(file) or Entry(file) for file in files]


def parts(files: list[str], kind: Kind = RDF_PATCH, **options: Any) -> list[list[tuple[int, bool]]]:
    """Return the indexes of each partition's files, and whether they are read in parts."""
    return [
        [(files.index(file), part is not None) for file, part in partition.parts]
        for partition in plan(entries(files), Storage(), kind, ReadOptions(**options), Here())
    ]


def whole(*numbers: list[int]) -> list[list[tuple[int, bool]]]:
    return [[(number, False) for number in group] for group in numbers]


def test_small_files_fill_a_partition(tmp_path: Path) -> None:
    files = make_files(tmp_path, [40, 59, 1, 1, 100, 101, 99, 0, 0, 7])
    expected = whole([0, 1, 2], [3], [4], [5], [6, 7, 8], [9])
    assert parts(files, partition_bytes=100, mode="PERMISSIVE") == expected
    assert parts([files[7], files[2]], partition_bytes=100, mode="PERMISSIVE") == whole([0, 1])
    assert parts([], partition_bytes=100) == []


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        # There are two tasks for each processor.
        ([8 * MIB] * 8, whole([0, 1], [2, 3], [4, 5], [6, 7])),
        # Files slightly larger than the target size don't need another task.
        ([8 * MIB, 8 * MIB + 9] * 4, whole([0, 1], [2, 3], [4, 5], [6, 7])),
        ([2 * MIB, 2 * MIB, MIB], whole([0, 1], [2])),
        ([35 * MIB] * 12, whole(*([number] for number in range(12)))),
        ([32 * MIB] * 12, whole(*([number, number + 1] for number in range(0, 12, 2)))),
    ],
    ids=["by processors", "nearly the same", "not too small", "not too large", "the largest"],
)
def test_the_size_of_a_partition_suits_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: list[int], expected: Any
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert parts(make_files(tmp_path, sizes)) == expected
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert parts(make_files(tmp_path, [4 * MIB] * 4)) == whole([0, 1], [2, 3])


def sizes_of(count: int, size: int, cluster: Cluster, **options: Any) -> list[int]:
    files = [Entry(f"/no/file/{number}", size=size) for number in range(count)]
    partitions = plan(files, Storage(), RDF_PATCH, ReadOptions(**options), cluster)
    return [len(partition.parts) for partition in partitions]


def test_many_small_files_are_shared_out() -> None:
    """Opening a file counts as much as reading 4 MiB, as in Spark's own sources."""
    assert sizes_of(80, 10, Cluster(4)) == [20] * 4
    # A task costs more than opening some files, so there are no more than the cluster can run.
    assert sizes_of(80, 10, Cluster(80)) == [16] * 5
    assert sizes_of(100_000, 10, Cluster(4)) == [25_000] * 4
    assert sizes_of(100_000, 10, Cluster(400)) == [250] * 400
    # A task that reads 64 MiB gets no more files.
    assert sizes_of(100, 20 * MIB, Cluster(2)) == [3] * 33 + [1]
    assert sizes_of(600, 10, Cluster(4), partition_bytes=MIB) == [256, 256, 88]


def test_only_a_much_longer_file_is_cut(tmp_path: Path) -> None:
    file = str(write_file(tmp_path / "0.jellyp", make_operations(20, 30), frame_rows=10))
    small = str(write_file(tmp_path / "1.jellyp", make_operations(1, 1)))
    size = os.path.getsize(file) // 5 * 5
    os.truncate(file, size)
    files = [small, file, small + "x"]
    os.link(small, small + "x")
    assert parts([file], JELLY_PATCH, partition_bytes=size * 4 // 5) == whole([0])
    found = parts(files, JELLY_PATCH, partition_bytes=size * 4 // 5 - 1)
    assert found == [[(0, False)], [(1, True)], [(1, True)], [(2, False)]]
    for mode in ("PERMISSIVE", "DROPMALFORMED"):
        assert parts([file], JELLY_PATCH, partition_bytes=size // 4, mode=mode) == whole([0])
    # Text has no frames.
    assert parts([file], RDF_PATCH, partition_bytes=size // 4) == whole([0])


def test_the_limits_of_a_long_file(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "a.jellyp", make_operations(20, 30), frame_rows=10, max_name_table_size=5000
    )
    limits = jr.Limits(max_name_table_size=5000)
    size = path.stat().st_size
    assert len(parts([str(path)], JELLY_PATCH, partition_bytes=size // 4, limits=limits)) > 2


@pytest.mark.parametrize("has_index", [False, True])
def test_a_long_file_of_statements(tmp_path: Path, has_index: bool) -> None:
    from rdflib import URIRef

    path = tmp_path / "a.jelly"
    with jr.StatementWriter(path, jr.StreamOptions(frame_rows=10)) as writer:
        for number in range(500):
            writer.add(URIRef(f"urn:{number}"), URIRef("urn:p"), URIRef("urn:o"))
    if has_index:
        found = index.find_parts(path, is_statements=True, spacing=100)
        index.write_index(path, found, is_statements=True)
    size = path.stat().st_size
    assert len(parts([str(path)], JELLY, partition_bytes=size // 4)) > 2


def test_an_index_of_another_file_is_told(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.jellyp", make_operations(20, 30), frame_rows=10)
    index.write_index(path, index.find_parts(path, spacing=1000))
    size = path.stat().st_size
    assert len(parts([str(path)], JELLY_PATCH, partition_bytes=size // 3)) >= 2
    write_file(path, make_operations(20, 31), frame_rows=10)
    with pytest.warns(UserWarning, match=r"a\.jellyp.*; the file is scanned instead"):
        found = parts([str(path)], JELLY_PATCH, partition_bytes=size // 3)
    assert len(found) >= 2


def write_statements(path: Path, physical_type: str) -> str:
    with jr.StatementWriter(path, jr.StreamOptions(physical_type=physical_type)) as writer:
        writer.write_all([])
    return str(path)


def read(files: list[str], kind: Kind, options: ReadOptions) -> list[tuple[Any, ...]]:
    """Plan and read like driver and tasks, which both check files; return the operations."""
    reader = FilesReader(kind, options, kind.schema_for(options), files, Storage(), Here())
    return [
        tuple(row[name] for name in ("op", "s", "p", "o", "g"))
        for partition in reader.plan(entries(files))
        for batch in reader.read(partition)
        for row in (batch.to_pylist() if kind is JELLY_PATCH else ())
    ]


@pytest.mark.parametrize("in_parts", [False, True])
def test_streams_that_were_joined(tmp_path: Path, in_parts: bool) -> None:
    one, two = (
        write_file(tmp_path / f"{seed}.jellyp", make_operations(3, 30, seed), frame_rows=10)
        for seed in (1, 2)
    )
    joined = tmp_path / "joined.jellyp"
    joined.write_bytes(one.read_bytes() + two.read_bytes())
    options = ReadOptions(partition_bytes=joined.stat().st_size // 5 if in_parts else None)
    restarting = replace(options, on_repeated_options="restart")
    expected = read([str(one), str(two)], JELLY_PATCH, options)
    assert read([str(joined)], JELLY_PATCH, restarting) == expected
    refusing = replace(options, on_repeated_options="error")
    assert read([str(one)], JELLY_PATCH, refusing) == read([str(one)], JELLY_PATCH, options)
    with pytest.raises(jr.DecodeError, match="has its options again"):
        read([str(joined)], JELLY_PATCH, refusing)


class TestChecks:
    def test_triples_and_quads(self, tmp_path: Path) -> None:
        triples, quads, graphs = (
            write_statements(tmp_path / f"{name}.jelly", name)
            for name in ("triples", "quads", "graphs")
        )
        options = ReadOptions()
        read([triples, triples], JELLY, options)
        read([quads, graphs], JELLY, options)
        with pytest.raises(ValueError, match=r"triples\.jelly: a stream of TRIPLES, but .*QU"):
            read([quads, triples], JELLY, options)
        with pytest.raises(ValueError, match=r"graphs\.jelly: a stream of QUADS, but .*TRIPL"):
            read([triples, graphs], JELLY, options)

    @pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
    def test_another_format(self, tmp_path: Path, mode: str) -> None:
        statements = write_statements(tmp_path / "a.jelly", "quads")
        changes = str(write_file(tmp_path / "a.jellyp", make_operations(1, 1)))
        empty = str(tmp_path / "empty.rdfp")
        Path(empty).touch()
        for file, kind, message in (
            (statements, JELLY_PATCH, "Jelly-RDF"),
            (changes, JELLY, "Jelly-Patch"),
            (empty, RDF_PATCH, "the file is empty"),
        ):
            if mode == "FAILFAST":
                with pytest.raises(jr.DecodeError, match=f"{file}: .*{message}"):
                    read([file], kind, ReadOptions(mode=mode))
            else:
                read([file], kind, ReadOptions(mode=mode))

    def test_changes_of_triples_and_of_quads(self, tmp_path: Path) -> None:
        files = []
        for name in ("TRIPLES", "QUADS"):
            path = write_file(tmp_path / f"{name}.jellyp", [("END",)], statement_type=name)
            files.append(str(path))
        # A damaged file does not show its statement type.
        (tmp_path / "empty.jellyp.gz").write_bytes(gzip.compress(b""))
        options = ReadOptions(mode="PERMISSIVE")
        for first, second in (files, files[::-1]):
            message = rf"{second}: a stream of \w+, but {first} is one of"
            with pytest.raises(ValueError, match=message):
                read([str(tmp_path / "empty.jellyp.gz"), first, second], JELLY_PATCH, options)

    def test_limits_hold(self, tmp_path: Path) -> None:
        file = str(write_file(tmp_path / "a.jellyp", make_operations(1, 1)))
        with pytest.raises(jr.DecodeError, match=r"a\.jellyp: .*max_name_table_size"):
            read([file], JELLY_PATCH, ReadOptions(limits=jr.Limits(max_name_table_size=9)))

    def test_a_file_that_does_not_tell_is_passed_over(self, tmp_path: Path) -> None:
        """A file without options is skipped in the search for the statement type."""
        text = str(write_file(tmp_path / "a.rdfp", [("A", iri(1), iri(2), iri(3), None)]))
        read([text, text], RDF_PATCH, ReadOptions())


class _Stored(Store):
    """A store backed by files on this machine."""

    def __init__(self) -> None:
        super().__init__("", pyarrow.fs.LocalFileSystem(), "")


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
@pytest.mark.parametrize("place", [Machine, _Stored])
@pytest.mark.parametrize(("count", "partition_bytes"), [(20, None), (10_000, 1 << 18)])
def test_a_segment_that_was_changed_gives_no_row(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    place: type,
    count: int,
    partition_bytes: int | None,
) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    path = log.append(paid(count)).path
    options = ReadOptions(mode=mode, partition_bytes=partition_bytes)
    schema = JELLY_PATCH.schema_for(options)
    reader = FilesReader(JELLY_PATCH, options, schema, [str(log.path)], Storage(), Here())
    partitions = reader.partitions()
    assert (len(partitions) > 1) == (partition_bytes is not None and mode == "FAILFAST")
    monkeypatch.setattr(Storage, "at", lambda *_: place())
    rows = [batch.num_rows for each in partitions for batch in reader.read(each)]
    assert sum(rows) == count + 2
    forge(path)
    with pytest.raises(jr.LogError, match="is damaged: its SHA-256"):
        next(iter(reader.read(partitions[0])))

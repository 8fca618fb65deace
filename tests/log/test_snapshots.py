"""Tests snapshots, which are whole versions from which checkouts start."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import LogError, LogWarning, Op, PatchLog
from tests.log.support import (
    GRAPH,
    P,
    S,
    add,
    files,
    fill,
    numbers,
    patch_id,
    put_folder,
    put_pipe,
    state,
)


@pytest.fixture(params=[None, "zst"], ids=["plain", "zstd"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PatchLog:
    return PatchLog.create(tmp_path / "log", compression=request.param)


def test_a_checkout_starts_at_the_nearest_snapshot(log: PatchLog) -> None:
    fill(log, 9)
    expected = [state(log.checkout(version)) for version in range(10)]
    for version in (3, 6):
        log.snapshot(version)
    assert log.snapshots == [3, 6]
    for version in range(10):
        seen: list[jr.LogEntry] = []
        assert state(log.checkout(version, progress=seen.append)) == expected[version]
        start = max(each for each in (0, 3, 6) if each <= version)
        assert [entry.version for entry in seen] == list(range(start + 1, version + 1))
    assert log.verify(deep=True) == []


def test_a_snapshot_is_of_the_newest_version_unless_told(log: PatchLog) -> None:
    fill(log, 3)
    assert log.snapshot().name.startswith("0000000003-")
    assert log.snapshot(patch_id(2)).name.startswith("0000000002-")
    # The log keeps only one snapshot of a version.
    assert log.snapshot(2) == log.snapshot(patch_id(2))
    assert log.snapshots == [2, 3]


def test_a_snapshot_is_plain_jelly(log: PatchLog) -> None:
    operations = [
        *((Op.PA, "ex", URIRef("urn:ex#"), None), add(1), add(2, GRAPH), add(3, BNode("g"))),
        (Op.A, BNode("b"), P, Literal("x", lang="en"), GRAPH),
    ]
    log.append(operations)
    path = log.snapshot()
    assert path.parent == log.path / "snapshots"
    assert path.name.endswith(".jelly" if log.compression is None else ".jelly.zst")
    if log.compression is not None:
        # RFC 8878, section 3.1.1.1.1.5: the content has a checksum.
        assert path.read_bytes()[4] & 0b100
    quads = set(jr.read_statements(path))
    assert quads == set(log.checkout().quads())
    assert len(quads) == 4
    [frame] = jr.read_frames(path)
    assert frame.namespaces == [("ex", URIRef("urn:ex#"))]
    assert state(log.checkout())[1] == {("ex", "urn:ex#")}


def test_the_same_version_gives_the_same_snapshot(log: PatchLog, tmp_path: Path) -> None:
    fill(log, 5)
    path = log.snapshot()
    data = path.read_bytes()
    path.unlink()
    with pytest.warns(LogWarning, match="is gone"):
        assert log.snapshot() == path
    assert path.read_bytes() == data


def test_what_rdflib_cannot_hold_has_no_snapshot(log: PatchLog) -> None:
    options = jr.PatchOptions(rdf_star=True)
    log.append([(Op.A, S, P, jr.TripleTerm(S, P, S), None)], options=options)
    with pytest.raises(jr.ApplyError):
        log.snapshot()
    assert log.snapshots == []
    assert not list((log.path / "staging").iterdir())


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


@pytest.mark.parametrize("harm", [cut, Path.unlink, put_folder, put_pipe])
def test_a_checkout_goes_on_without_a_damaged_snapshot(
    log: PatchLog, harm: Callable[[Path], None]
) -> None:
    """A checkout uses an earlier snapshot or none; a new snapshot replaces the damaged one."""
    fill(log, 4)
    log.snapshot(1)
    path = log.snapshot(3)
    harm(path)
    assert numbers(log.checkout(2)) == {2}
    seen: list[jr.LogEntry] = []
    with pytest.warns(LogWarning, match="snapshot of version 3 is not used") as caught:
        assert numbers(log.checkout(4, progress=seen.append)) == {4}
    assert caught[0].filename == __file__
    assert [entry.version for entry in seen] == [2, 3, 4]
    opened = len(os.listdir("/proc/self/fd"))
    [problem] = log.verify(deep=True)
    assert len(os.listdir("/proc/self/fd")) <= opened
    assert (problem.path, problem.version) == (path, 3)
    assert "take the snapshot again" in problem.advice
    if path.is_dir():
        path.rmdir()
    with pytest.warns(LogWarning):
        assert log.snapshot(3) == path
    assert log.verify(deep=True) == []
    assert numbers(log.checkout(4)) == {4}


def test_too_large_a_snapshot_is_an_error(log: PatchLog) -> None:
    log.append([add("x" * 1000)])
    log.snapshot()
    with pytest.raises(jr.LimitError):
        PatchLog(log.path, limits=jr.Limits(max_string_size=999)).checkout()


def test_a_folder_where_a_snapshot_is_to_be(tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 2)
    path = log.snapshot()
    path.unlink()
    path.mkdir()
    with (
        pytest.warns(LogWarning, match="is not a file, but a folder"),
        pytest.raises(LogError, match="is a folder, but should be a file: move it away"),
    ):
        log.snapshot()
    assert files(log.path / "staging") == []
    path.rmdir()
    with pytest.warns(LogWarning, match="is gone"):
        assert log.snapshot() == path
    assert log.verify(deep=True) == []

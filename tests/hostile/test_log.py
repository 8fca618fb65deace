"""Tests a log with a hostile segment: `verify` reports it, and all other uses refuse it."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import zstandard

import jelly_rdflib as jr
from jelly_rdflib import LogError, LogWarning, PatchLog
from tests.hostile.attacks import ADD, ATTACKS, MIB, bomb, delimited, patch_head, row
from tests.hostile.support import read_hostile
from tests.log.support import fill
from tests.log.test_verify import segment, with_digest

SEGMENTS: dict[str, Callable[[], Iterable[bytes]]] = {
    "a bomb": partial(bomb, 200 * MIB, "zstd"),
    "small rows": lambda: [
        delimited(patch_head()),
        delimited(row(ADD) * (jr.Limits().max_frame_rows + 1)),
    ],
    "prefixes": lambda: ATTACKS["prefixes in one transaction"].up_to(MIB),
    "headers": lambda: ATTACKS["headers"].up_to(2 * MIB),
}


@pytest.mark.parametrize("name", SEGMENTS)
def test_a_hostile_segment(name: str, tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 3)
    path = segment(log, 3)
    data = b"".join(SEGMENTS[name]())
    path.write_bytes(data if name == "a bomb" else zstandard.compress(data))
    with_digest(path)
    reports = read_hostile(["verify", "checkout"], "jelly-patch", log.path)
    assert reports["verify"].result == 1, reports
    assert reports["checkout"].error in ("LogError", "LimitError"), reports


OUTSIDE = ["../../victim", "{victim}", "../log.db"]


def name_file(log: PatchLog, statement: str, file: str) -> None:
    with closing(sqlite3.connect(log.path / "log.db")) as connection, connection:
        assert connection.execute(statement, (file,)).rowcount == 1


@pytest.mark.parametrize("file", OUTSIDE)
def test_a_snapshot_with_the_name_of_another_file(file: str, tmp_path: Path) -> None:
    """Squashing and new snapshots delete only the log's own snapshots."""
    victim = tmp_path / "victim"
    victim.write_text("keep")
    log = fill(PatchLog.create(tmp_path / "log"), 3)
    log.snapshot(2)
    name_file(log, "UPDATE snapshots SET file = ?", file.format(victim=victim))
    assert log.verify() != []
    with pytest.warns(LogWarning, match="not a file name of a patch log"):
        log.snapshot(2)
    name_file(log, "UPDATE snapshots SET file = ?", file.format(victim=victim))
    log.squash(1, 3)
    assert victim.read_text() == "keep"
    assert [entry.version for entry in PatchLog(log.path).patches()] == [3]


@pytest.mark.parametrize("file", OUTSIDE)
def test_a_segment_with_the_name_of_another_file(file: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep")
    log = fill(PatchLog.create(tmp_path / "log"), 3)
    name_file(log, "UPDATE segments SET file = ? WHERE version = 2", file.format(victim=victim))
    for work in (log.checkout, log.entry(2).read, partial(log.squash, 1, 3)):
        with pytest.raises(LogError, match="not a file name of a patch log"):
            work()
    assert log.verify() != []
    assert victim.read_text() == "keep"

"""Looking through a whole log for all that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jelly_rdflib.batches import read_batches
from jelly_rdflib.diff import diff
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.errors import DecodeError, JellyError, LogError
from jelly_rdflib.log.chain import Chain, LogProblem
from jelly_rdflib.log.entry import LogEntry, place_of, stored_source
from jelly_rdflib.log.layout import Layout
from jelly_rdflib.log.names import SEGMENT, SNAPSHOT, FileName, list_names
from jelly_rdflib.log.replay import replay_entries
from jelly_rdflib.log.segment import check_segment
from jelly_rdflib.log.snapshot import empty_dataset, list_snapshots, load_snapshot
from jelly_rdflib.log.stored import read_stored
from jelly_rdflib.options import Limits

__all__ = ["find_problems"]


def find_problems(layout: Layout, chain: Chain, limits: Limits, *, deep: bool) -> list[LogProblem]:
    """Look for problems.

    Args:
        layout: The log.
        chain: Its patches.
        limits: What to accept of its files.
        deep: Whether to compare snapshots with what the patches make.
    """
    problems = [
        *_strange_files(layout.segments, SEGMENT),
        *_strange_files(layout.snapshots, SNAPSHOT),
        *chain.problems,
        *filter(None, (_segment_problem(entry, chain) for entry in chain.entries)),
    ]
    names = list_snapshots(layout.snapshots)
    problems += filter(
        None, (_snapshot_problem(layout.snapshots, name, chain, limits) for name in names)
    )
    if deep and not problems:
        problems += _wrong_snapshots(layout.snapshots, names, chain, limits)
    return problems


def _strange_files(folder: Path, kind: str) -> Iterator[LogProblem]:
    for text in sorted(list_names(folder)):
        name = FileName.parse(text)
        if (name is None or name.kind != kind) and not text.startswith("."):
            what = "segment" if kind == SEGMENT else "snapshot"
            yield LogProblem(folder / text, f"this is not the name of a {what}")


def _segment_problem(entry: LogEntry, chain: Chain) -> LogProblem | None:
    try:
        check_segment(
            stored_source(entry),
            place_of(entry),
            limits=entry.limits,
            is_linked=entry.first not in chain.unlinked,
        )
    except (LogError, DecodeError, OSError) as error:
        return _problem_of(entry.path, error, entry.version)
    return None


def _snapshot_problem(
    folder: Path, name: FileName, chain: Chain, limits: Limits
) -> LogProblem | None:
    path = folder / str(name)
    if name.last > chain.version:
        what = f"it is of version {name.last}, and the log ends at {chain.version}"
        return LogProblem(path, what, name.last)
    entry = chain.find(name.last)
    if entry is None:
        # Of a version that was squashed meanwhile: nobody asks for it.
        return None
    if entry.id != name.id:
        return LogProblem(path, f"version {name.last} is made by the patch <{entry.id}>", name.last)
    try:
        for _ in read_batches(read_stored(path, name), limits=limits, format=JELLY.name):
            pass
    except (LogError, DecodeError, OSError) as error:
        return _problem_of(path, error, name.last)
    return None


def _wrong_snapshots(
    folder: Path, names: list[FileName], chain: Chain, limits: Limits
) -> Iterator[LogProblem]:
    dataset = empty_dataset()
    version = 0
    for name in names:
        # Those of versions that were squashed are not asked for.
        if chain.find(name.last) is None:
            continue
        path = folder / str(name)
        try:
            replay_entries(chain.between(version, name.last), dataset)
            version = name.last
            snapshot = empty_dataset()
            load_snapshot(path, name, snapshot, limits)
        except (JellyError, OSError) as error:
            # There can't be a snapshot of what can't be replayed.
            yield _problem_of(path, error, name.last)
            return
        changes = sum(1 for _ in diff(snapshot, dataset))
        if changes:
            what = f"it is not what the patches make: the patch for it has {changes} operations"
            yield LogProblem(path, what, name.last)


def _problem_of(path: Path, error: Exception, version: int) -> LogProblem:
    return LogProblem(path, str(error).removeprefix(f"{path} "), version)

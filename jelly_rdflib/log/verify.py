"""`find_problems` checks a whole log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from jelly_rdflib.core.warning import warn
from jelly_rdflib.display.operations import operation_text
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import (
    ApplyError,
    DecodeError,
    JellyError,
    LogConflict,
    LogError,
    LogWarning,
)
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import ApplyResult
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.log.database import wrong_types
from jelly_rdflib.log.entry import COLUMNS, LogEntry, broken_links, place_of
from jelly_rdflib.log.files import check_segment, load_snapshot
from jelly_rdflib.log.names import SEGMENT, SNAPSHOT, FileName, file_path
from jelly_rdflib.log.replay import replay_entries
from jelly_rdflib.log.staging import list_names, list_noted, parse_staged, read_stored
from jelly_rdflib.patch.diff import diff

if TYPE_CHECKING:
    from jelly_rdflib.log.history import FolderHistory

# How many times to check a log that seems to have problems, since a process may be writing to it.
_ATTEMPTS = 3

_SEGMENT = "restore the file from a copy of the log; later versions need it, unless there is a"
_SEGMENT += " snapshot of this version or a later one"
_SNAPSHOT_AGAIN = (
    "nothing is lost: take the snapshot again (jellyp log checkout --snapshot LOG VERSION)"
)
_STRAY = (
    "if the database was replaced by an older one, restore the newer, or append the file again;"
    " otherwise the file was never committed, or was squashed, and can be deleted"
)
_STRANGE = "the log did not make it, and does not touch it: move it away"


@dataclass(frozen=True)
class LogProblem:
    """A problem in a log.

    Args:
        path: The file or folder with the problem.
        message: The problem in words.
        version: The affected version; None if no version is affected, or more than one.
        advice: Advice for solving the problem.

    Examples:
        >>> print(LogProblem(Path("log/segments/x"), "is gone", 3, "bring it back from a copy"))
        log/segments/x: is gone (bring it back from a copy)
    """

    path: Path
    message: str
    version: int | None = None
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" + (f" ({self.advice})" if self.advice else "")


def find_problems(history: FolderHistory, *, deep: bool) -> list[LogProblem]:
    """Find the problems of a log; with ``deep``, compare snapshots with the patches, too."""
    problem = partial(_database_problem, history)
    problems = list[LogProblem]()
    for attempt in range(_ATTEMPTS):
        try:
            if not attempt and (faults := history.database.problems()):
                return [problem(each) for each in faults]
            state = _read(history)
        except LogConflict:
            raise
        except (LogError, OSError) as error:
            return [problem(error)]
        found = list(_problems_of(history, state, deep=deep))
        if not found or _read(history) == state:
            return found
        # A segment may only seem missing while another process squashes it, so keep only the
        # problems that every attempt finds.
        problems = [each for each in found if not attempt or each in problems]
    return problems


# The database's rows of patches, its rows of snapshots, and descriptions of unexpected parts.
_State: TypeAlias = tuple[list[Any], list[Any], list[str]]
_SNAPSHOT_COLUMNS = "version, id, file, size, digest, time"


def _read(history: FolderHistory) -> _State:
    with history.database.reading() as connection:
        history.read_name(connection)
        segments, snapshots = (
            connection.execute(f"SELECT {columns} FROM {table} ORDER BY version").fetchall()
            for table, columns in (("segments", COLUMNS), ("snapshots", _SNAPSHOT_COLUMNS))
        )
        return segments, snapshots, history.database.strange_parts(connection)


def _problems_of(history: FolderHistory, state: _State, *, deep: bool) -> Iterator[LogProblem]:
    """Iterate over the problems of a log whose database can be read."""
    problem = partial(_database_problem, history)
    segments, snapshots, strange = state
    problems = [problem(each) for each in strange]
    for columns, rows in ((COLUMNS, segments), (_SNAPSHOT_COLUMNS, snapshots)):
        wrong = {row[0]: what for row in rows if (what := wrong_types(columns, row))}
        problems += [problem(what, version) for version, what in wrong.items()]
    entries = [history.entry(row) for row in segments if not wrong_types(COLUMNS, row)]
    snapshots = [row for row in snapshots if not wrong_types(_SNAPSHOT_COLUMNS, row)]
    known = {each.version for each in problems}
    broken = broken_links(segments)
    problems += [problem(what, version) for version, what in broken if version not in known]
    problems += _segment_problems(history, entries)
    problems += _snapshot_problems(history, entries, snapshots)
    problems += _strange_files(history)
    yield from problems
    if deep and not problems:
        yield from _replay_problems(history, entries, snapshots)


def _database_problem(
    history: FolderHistory, what: str | Exception, version: int | None = None
) -> LogProblem:
    return _problem_of(history.database.path, what, version, history.database.advice)


def _strange_files(history: FolderHistory) -> Iterator[LogProblem]:
    staging = history.database.staging
    kinds = {history.segments: SEGMENT, history.snapshots: SNAPSHOT}
    database = history.database.path.name
    own = {database, f"{database}-journal", staging.name, *(folder.name for folder in kinds)}
    for folder in (*kinds, staging, history.path):
        try:
            names = [name for name in sorted(list_names(folder)) if not name.startswith(".")]
            # Look twice, since a file that is just being published or removed is not listed
            # either.
            strays = _strays(history, folder) if folder in kinds else set()
            strays &= _strays(history, folder) if strays else set()
        except LogConflict:
            raise
        except (LogError, OSError) as error:
            yield _problem_of(folder, error, None, "")
            continue
        for name in names:
            path, parsed = folder / name, FileName.parse(name)
            if folder not in kinds:
                if not (parse_staged(name) if folder == staging else name in own):
                    yield LogProblem(path, "this file is not part of the log", None, _STRANGE)
            elif parsed is None or parsed.kind != kinds[folder]:
                kind = folder.name.removesuffix("s")
                yield LogProblem(path, f"this is not the name of a {kind}", None, _STRANGE)
            elif name in strays:
                yield LogProblem(path, "no version of the log has this file", parsed.last, _STRAY)


def _strays(history: FolderHistory, folder: Path) -> set[str]:
    """Return files that the database does not list, except those that a writer will remove."""
    names = set(list_names(folder))
    query = f"SELECT file FROM {folder.name}"
    with history.database.reading() as connection:
        names -= {row[0] for row in connection.execute(query)}
    # Problems of the staging folder are reported separately.
    with suppress(LogError, OSError):
        names -= list_noted(history.database.staging)
    return names.intersection(list_names(folder))


def _segment_problems(history: FolderHistory, entries: list[LogEntry]) -> Iterator[LogProblem]:
    for entry in entries:
        try:
            path, _ = entry.path, entry.time
        except LogError as error:
            yield _database_problem(history, error, entry.version)
            continue
        name = FileName.parse(path.name)
        assert name is not None
        try:
            source = read_stored(path, entry.digest, entry.size)
            said = (name.first, name.last, name.id)
            is_named = said == (entry.first, entry.version, entry.id)
            if not is_named or not entry.digest.startswith(name.digest):
                raise LogError("its name does not match its row in the database")
            check_segment(source, place_of(entry), limits=entry.limits)
        except (LogError, DecodeError, OSError) as error:
            yield _problem_of(path, error, entry.version, _SEGMENT)


def _snapshot_problems(
    history: FolderHistory, entries: list[LogEntry], rows: list[Any]
) -> Iterator[LogProblem]:
    ids = {entry.version: str(entry.id) for entry in entries}
    for version, id, file, size, digest, _ in rows:
        path = history.snapshots / file
        try:
            path = file_path(history.snapshots, file)
            if ids.get(version) != id:
                raise LogError(f"the log has no version {version} with the id <{id}>")
            source = read_stored(path, digest, size)
            for _ in read_batches(source, limits=history.limits, format=JELLY.name):
                pass
        except (LogError, DecodeError, OSError) as error:
            yield _problem_of(path, error, version, _SNAPSHOT_AGAIN)


def _replay_problems(
    history: FolderHistory, entries: list[LogEntry], snapshots: list[Any]
) -> Iterator[LogProblem]:
    """Replay the log, and compare its snapshots; warn of operations that change nothing."""
    dataset = empty_dataset()
    applied = 0
    ineffective: list[tuple[LogEntry, ApplyResult]] = []
    for version, _, file, _, digest, _ in snapshots:
        path = history.snapshots / file
        try:
            wanted = [entry for entry in entries[applied:] if entry.version <= version]
            ineffective += replay_entries(wanted, dataset)
            applied += len(wanted)
            snapshot = empty_dataset()
            load_snapshot(read_stored(path, digest), snapshot, history.limits)
        except (JellyError, OSError) as error:
            # The snapshot must be wrong, since a version that can't be replayed has none.
            yield _problem_of(path, error, version, _SNAPSHOT_AGAIN)
            return
        changes = sum(1 for _ in diff(snapshot, dataset))
        if changes:
            what = f"it differs from the replayed version by a patch of {changes} operations"
            yield LogProblem(path, what, version, _SNAPSHOT_AGAIN)
    rest, done = entries[applied:], list[LogEntry]()
    try:
        ineffective += replay_entries(rest, dataset, progress=done.append)
    except ApplyError as error:
        # This is not a problem of the log: it may have statements that rdflib can't hold.
        warn(f"version {rest[len(done)].version} can't be replayed: {error}", LogWarning)
    except (JellyError, OSError) as error:
        entry = rest[len(done)]
        yield _problem_of(entry.path, error, entry.version, _SEGMENT)
    for entry, result in ineffective:
        total = count(result.added + result.deleted + result.ineffective, "operation")
        warn(
            f"version {entry.version}: {result.ineffective:,} of {total} changed nothing, starting"
            f" with {operation_text(result.missed[0])}: the patch was not made for the version"
            " before it",
            LogWarning,
        )


def _problem_of(path: Path, what: str | Exception, version: int | None, advice: str) -> LogProblem:
    """Return a problem for an error; the error's own path and advice take precedence."""
    if isinstance(what, LogError):
        path, advice = Path(str(what.path or path)), what.advice or advice
        what = what.message
    return LogProblem(path, str(what), version, advice)

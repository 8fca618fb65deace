"""All writes to a log: adding segments and snapshots, and removing replaced ones.

A file is encoded first, since that may take long: in memory or, if it is large, in a staged file.
Then, in a transaction without other writers, the publisher checks that it fits the log, the file
gets its name, and the database gets its row.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path

from rdflib.graph import Dataset
from rdflib.term import URIRef

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.log.database import Transaction
from jelly_rdflib.log.entry import LogEntry, Row
from jelly_rdflib.log.files import Place, check_segment, write_segment, write_snapshot
from jelly_rdflib.log.history import History
from jelly_rdflib.log.incoming import IncomingPatch
from jelly_rdflib.log.names import SEGMENT, FileName, file_paths
from jelly_rdflib.log.staging import StagedFile, is_whole
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import PatchOptions


class Publisher:
    """Writes to a log, whose files are compressed with zstd or not."""

    def __init__(self, history: History, *, is_compressed: bool) -> None:
        self._history = history
        self._is_compressed = is_compressed

    def append(
        self, patch: IncomingPatch, *, id: URIRef, prev: URIRef | None, options: PatchOptions
    ) -> LogEntry:
        """Append a patch, with an id and the id of the patch that it must follow."""
        database = self._history.database
        if not patch.is_in_memory:
            # A conflict is better reported before a large patch is read.
            with database.writing() as transaction:
                self._next_version(transaction.connection, prev, id)
        with database.staged() as file:
            # The segment does not contain its version.
            place = Place(0, 0, id, prev)
            self._write(file, patch.operations(), place, options, patch.check_header)
            patch.check_end()
            file.sync()
            with database.writing() as transaction:
                version = self._next_version(transaction.connection, prev, id)
                place = replace(place, first=version, last=version)
                entry = self._add_segment(transaction, file, place)
        return entry

    def squash(self, entries: Sequence[LogEntry]) -> LogEntry:
        """Replace consecutive patches by one."""
        first, last = entries[0], entries[-1]
        place = Place(first.first, last.version, last.id, first.prev)
        history = self._history
        with history.database.staged() as file:
            self._write(file, _squashed_operations(entries), place, _squashed_options(entries))
            file.sync()
            with history.database.writing() as transaction:
                connection = transaction.connection
                before = history.find_id(connection, first.prev) if first.prev else 0
                if before != place.first - 1 or entries != history.between(
                    connection, before, place.last
                ):
                    raise LogError(
                        f"versions {place.first} to {place.last} were squashed meanwhile"
                    )
                between = "version BETWEEN ? AND ?"
                versions = (place.first, place.last - 1)
                query = f"SELECT file FROM snapshots WHERE {between}"
                names = connection.execute(query, versions).fetchall()
                connection.execute(f"DELETE FROM snapshots WHERE {between}", versions)
                versions = (place.first, place.last)
                connection.execute(f"DELETE FROM segments WHERE {between}", versions)
                covered = file_paths(history.snapshots, names)
                covered += [each.path for each in entries]
                return self._add_segment(transaction, file, place, covered)

    def add_snapshot(self, entry: LogEntry, dataset: Dataset) -> Path:
        """Write the data of a version as a snapshot; it replaces one that can't be read."""
        history = self._history
        with history.database.staged() as file:
            place = (entry.version, entry.id, history.snapshots)
            path = write_snapshot(file, dataset, *place, is_compressed=self._is_compressed)
            with history.database.writing() as transaction:
                run = transaction.connection.execute
                query = "SELECT 1 FROM segments WHERE version = ? AND id = ?"
                if run(query, (entry.version, entry.id)).fetchone() is None:
                    raise LogError(f"version {entry.version} was squashed meanwhile")
                query = "SELECT file FROM snapshots WHERE version = ?"
                old = file_paths(history.snapshots, run(query, (entry.version,)))
                # Another process may have made the same one.
                if old != [path] or not is_whole(path, file.digest):
                    made = (path.name, file.size, file.digest, time.time())
                    row = (entry.version, str(entry.id), *made)
                    run("DELETE FROM snapshots WHERE version = ?", (entry.version,))
                    transaction.publish(file, path, "snapshots", row, replaced=old)
        return path

    def _next_version(self, connection: sqlite3.Connection, prev: URIRef | None, id: URIRef) -> int:
        """Return the version of the next patch: a compare-and-swap on ``prev``."""
        newest = self._history.newest(connection)
        version, head_id = (0, None) if newest is None else (newest.version, newest.id)
        earlier = self._history.find_id(connection, id)
        if earlier is not None:
            message = f"the log has the patch <{id}> already: it makes version {earlier}"
        elif prev != head_id:
            wanted = "is to be the first one" if prev is None else f"is to follow <{prev}>"
            message = f"the patch {wanted}, but the log has none"
            if head_id is not None:
                message = f"the patch {wanted}, but the newest is <{head_id}>, version {version}"
        else:
            return version + 1
        raise LogConflict(message, expected=prev, head=head_id, version=version)

    def _write(
        self,
        file: StagedFile,
        operations: Iterable[Operation],
        place: Place,
        options: PatchOptions,
        check_header: Callable[[Operation], None] | None = None,
    ) -> None:
        """Write a patch, and check that it can be read."""
        write_segment(
            file, operations, place=place, options=options, is_compressed=self._is_compressed
        )
        limits = self._history.limits
        check_segment(file.source, place, limits=limits, check_header=check_header)

    def _add_segment(
        self,
        transaction: Transaction,
        file: StagedFile,
        place: Place,
        replaced: Iterable[Path] = (),
    ) -> LogEntry:
        """Publish a segment, and add its row."""
        versions = (place.first, place.last, place.id)
        name = FileName(*versions, file.digest, SEGMENT, self._is_compressed)
        path = self._history.segments / str(name)
        prev = None if place.prev is None else str(place.prev)
        made = (path.name, file.size, file.digest, time.time())
        row: Row = (place.last, place.first, str(place.id), prev, *made)
        transaction.publish(file, path, "segments", row, replaced=replaced)
        return self._history.entry(row)


def _squashed_operations(entries: Sequence[LogEntry]) -> Iterator[Operation]:
    """Iterate over the operations of one patch with the effect of several: see `compact`.

    They lack the headers of its place. Memory is that of `compact`.
    """
    # Version 0 has no statement that could be deleted.
    has_deletes = entries[0].prev is not None
    for operation in compact(chain.from_iterable(entry.operations() for entry in entries)):
        is_idle = operation[0] == Op.D and not has_deletes
        if not is_idle and not Place.has_header(operation):
            yield operation


def _squashed_options(entries: Sequence[LogEntry]) -> PatchOptions:
    """Return options that allow all terms of the patches."""
    has_quoted = has_generalized = False
    for entry in entries:
        with closing(entry.batches()) as batches:
            next(batches)
            options = batches.options
        has_quoted |= options.rdf_star
        has_generalized |= options.generalized_statements
    return PatchOptions(rdf_star=has_quoted, generalized_statements=has_generalized)

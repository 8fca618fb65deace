"""Adding files to a log, and removing those that others stand for: all that writes to its folder.

Each is written aside without the lock, since that may take long. With the lock held it is looked
once more whether it still fits, and then it is published.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from rdflib.graph import Dataset
from rdflib.term import URIRef

from jelly_rdflib.errors import JellyError, LogConflict, LogError
from jelly_rdflib.log.chain import Chain, read_chain
from jelly_rdflib.log.durable import StagedFile, remove_leftovers, sync_folder
from jelly_rdflib.log.entry import LogEntry, checked_source, place_of
from jelly_rdflib.log.head import LockedHead
from jelly_rdflib.log.incoming import IncomingPatch
from jelly_rdflib.log.layout import Layout
from jelly_rdflib.log.names import SEGMENT, SNAPSHOT, FileName
from jelly_rdflib.log.place import Place
from jelly_rdflib.log.segment import check_segment, write_segment
from jelly_rdflib.log.snapshot import list_snapshots, write_snapshot
from jelly_rdflib.operations import Operation
from jelly_rdflib.options import Limits, PatchOptions

__all__ = ["Publisher"]

# How often a folder in which others write is listed, if something seems to be missing.
_ATTEMPTS = 100


class Publisher:
    """Writes to a log.

    Args:
        layout: The log.
        limits: What to accept when it is read.
        is_compressed: Whether its files are compressed with zstd.
    """

    def __init__(self, layout: Layout, limits: Limits, *, is_compressed: bool) -> None:
        self._layout = layout
        self._limits = limits
        self._is_compressed = is_compressed

    def read_chain(self) -> Chain:
        """Read what the log has, without the lock."""
        for _ in range(_ATTEMPTS):
            # In this order: what the note tells of must be among the names.
            note = self._layout.head.read()
            chain = read_chain(self._layout.segments, note, self._limits)
            # Of names that come and go while a folder is listed, a later one may be seen and an
            # earlier one not.
            if not chain.problems or self._layout.head.read() == note:
                break
        return chain

    def append(
        self,
        known: Chain,
        patch: IncomingPatch,
        *,
        id: URIRef,
        prev: URIRef | None,
        options: PatchOptions,
    ) -> Chain:
        """Append a patch.

        Args:
            known: What is known of the log; if that is all, it need not be read again.
            patch: The patch.
            id: Its id.
            prev: The id of the patch that it is to follow.
            options: As for `write_segment`.

        Returns:
            What the log has now; its newest patch is this one.
        """
        with self._staged(known, follows=(prev, id)) as file:
            # Which version it is does not stand in it.
            place = Place(0, 0, id, prev)
            self._write(file, patch.operations(), place, options)
            patch.check_end()
            file.sync()
            with self._layout.head.locked() as head:
                chain = self._current_chain(head, known)
                _check_follows(chain, prev, id)
                version = chain.version + 1
                path = self._segment_path(file, replace(place, first=version, last=version))
                head.write(chain.version)
                file.publish(path)
                chain.add(LogEntry(version, version, id, prev, path, self._limits))
                # From here on the patch is in the log; the note is only a note.
                with suppress(OSError):
                    head.write(version)
                chain.note = head.note
        return chain

    def squash(
        self,
        known: Chain,
        entries: list[LogEntry],
        operations: Iterable[Operation],
        options: PatchOptions,
    ) -> Chain:
        """Put one patch in the place of several.

        Args:
            known: As for `append`.
            entries: The patches.
            operations: What the one is to have.
            options: As for `write_segment`.

        Returns:
            What the log has now.
        """
        first, last = entries[0], entries[-1]
        place = Place(first.first, last.version, last.id, first.prev)
        with self._staged(known) as file:
            self._write(file, operations, place, options)
            file.sync()
            with self._layout.head.locked() as head:
                chain = self._current_chain(head, known)
                if chain.between(first.first - 1, last.version) != entries:
                    raise LogError(
                        f"versions {first.first} to {last.version} were squashed meanwhile"
                    )
                head.write(chain.version)
                file.publish(self._segment_path(file, place))
                chain = read_chain(self._layout.segments, head.note, self._limits)
                self._remove_covered(chain)
                with suppress(OSError):
                    for name in list_snapshots(self._layout.snapshots):
                        if first.first <= name.last < last.version:
                            os.unlink(self._layout.snapshots / str(name))
        return chain

    def add_snapshot(self, known: Chain, entry: LogEntry, dataset: Dataset) -> Path:
        """Write a snapshot.

        Args:
            known: As for `append`.
            entry: The patch that makes the version.
            dataset: The data of the version.
        """
        with self._staged(known) as file:
            write_snapshot(file, dataset, is_compressed=self._is_compressed)
            file.sync()
            place = replace(place_of(entry), first=entry.version)
            path = self._layout.snapshots / str(self._name(file, place, SNAPSHOT))
            with self._layout.head.locked():
                # Another process may have made the same one.
                if not path.exists():
                    file.publish(path)
        return path

    def _current_chain(self, head: LockedHead, known: Chain) -> Chain:
        """Return what the log has, which can't change while its lock is held."""
        chain = known
        if head.note != known.note:
            chain = read_chain(self._layout.segments, head.note, self._limits)
        chain.check()
        return chain

    @contextmanager
    def _staged(
        self, known: Chain, follows: tuple[URIRef | None, URIRef] | None = None
    ) -> Iterator[StagedFile]:
        """Hold a file to write to, which is discarded unless it is published.

        First it is cleaned up after processes that came to no end.

        Args:
            known: As for `append`.
            follows: Of a patch, what it is to follow, and its id: a conflict is better told before
                it is written than after.
        """
        file = None
        try:
            with self._layout.head.locked() as head:
                chain = self._current_chain(head, known)
                if follows is not None:
                    _check_follows(chain, *follows)
                self._layout.make_folders()
                remove_leftovers(self._layout.staging)
                self._remove_covered(chain)
                file = StagedFile(self._layout.staging)
            yield file
        finally:
            if file is not None:
                file.discard()

    def _write(
        self,
        file: StagedFile,
        operations: Iterable[Operation],
        place: Place,
        options: PatchOptions,
    ) -> None:
        """Write a patch, and see that it can be read."""
        write_segment(
            file, operations, place=place, options=options, is_compressed=self._is_compressed
        )
        try:
            check_segment(file.path, place, limits=self._limits)
        except LogError as error:
            # Those of its place were written first, and once.
            raise LogError(
                f"headers id and prev come before all else in a patch, and once: {error}"
            ) from None

    def _remove_covered(self, chain: Chain) -> None:
        """Remove what was squashed into others, once it is sure that these are whole and last.

        What can't be removed is left for another time: nobody looks at it.
        """
        if not chain.covered:
            return
        with suppress(OSError):
            sync_folder(self._layout.segments)
            for covering, paths in chain.covered.items():
                # What is wrong is told by who reads it, and by `verify`.
                with suppress(JellyError):
                    checked_source(covering)
                    for path in paths:
                        os.unlink(path)
        chain.covered.clear()

    def _segment_path(self, file: StagedFile, place: Place) -> Path:
        return self._layout.segments / str(self._name(file, place, SEGMENT))

    def _name(self, file: StagedFile, place: Place, kind: str) -> FileName:
        return FileName(place.first, place.last, place.id, file.digest, kind, self._is_compressed)


def _check_follows(chain: Chain, prev: URIRef | None, id: URIRef) -> None:
    """Check that a patch can be appended: a compare-and-swap on ``prev``.

    Raises:
        LogConflict: It can't.
    """
    version = chain.find_id(id)
    if version is not None:
        message = f"the log has the patch <{id}> already: it makes version {version}"
    elif prev != chain.head_id:
        wanted = "is to be the first one" if prev is None else f"is to follow <{prev}>"
        message = f"the patch {wanted}, but the log has none"
        if chain.head_id is not None:
            message = (
                f"the patch {wanted}, but the newest is <{chain.head_id}>, version {chain.version}"
            )
    else:
        return
    raise LogConflict(message, expected=prev, head=chain.head_id, version=chain.version)

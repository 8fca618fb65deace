"""What a log has: its patches, each in a segment."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from rdflib.term import Node, URIRef

from jelly_rdflib.algebra.header_room import HeaderRoom
from jelly_rdflib.batches import read_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.batch_reader import BatchSource, OperationReader
from jelly_rdflib.errors import LogError
from jelly_rdflib.log.names import FileName
from jelly_rdflib.log.place import Place
from jelly_rdflib.log.segment import FORMAT, headers_of
from jelly_rdflib.log.stored import read_stored
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits
from jelly_rdflib.patch import Patch, read_operations, read_patches

__all__ = ["LogEntry", "check_start", "checked_source", "place_of", "stored_source"]


@dataclass(frozen=True)
class LogEntry:
    """A patch of a log: what it is called, and ways to read it.

    Each way looks first whether the file is what its name says, to the last byte, and whether the
    patch has the ids that it must have in its place.

    Attributes:
        version: The version that the patch makes.
        first: The first of the versions that it stands for; the same, unless it is squashed.
        id: The patch's id.
        prev: The id of the patch before it; None for the first.
        path: Its segment.
        limits: What to accept when it is read.

    Raises:
        LogError: By its methods: the segment is damaged, is in the wrong place, or is gone.
        DecodeError, LimitError: By what its methods return: it breaks a rule of the format.
    """

    version: int
    first: int
    id: URIRef
    prev: URIRef | None
    path: Path
    limits: Limits = field(repr=False, compare=False)

    @property
    def size(self) -> int:
        """The bytes of the segment."""
        return self.path.stat().st_size

    @property
    def header(self) -> dict[str, Node]:
        """The headers that the patch begins with, by key; only they are read.

        Together they take up to ``limits.max_text_size`` bytes of memory.
        """
        found: dict[str, Node] = {}
        sizes: dict[str, int] = {}
        room = HeaderRoom(self.limits)
        operations = self.operations()
        try:
            for _, key, value in takewhile(lambda it: it[0] == Op.H, operations):
                room.give_back(sizes.pop(key, 0))
                sizes[key] = room.take(key, value, place_error=operations.place_error)
                found[key] = value
        finally:
            operations.close()
        return found

    def operations(self, *, normalize: bool | None = False) -> OperationReader:
        """Iterate over the operations, with bounded memory; see `jelly_rdflib.read_operations`.

        Args:
            normalize: As for `jelly_rdflib.read_operations`, but False by default: a log gives back
                what was put in.
        """
        return read_operations(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )

    def batches(self, *, normalize: bool | None = False) -> BatchSource:
        """Iterate over the batches, with bounded memory; see `jelly_rdflib.read_batches`.

        Args:
            normalize: As for `operations`.
        """
        return read_batches(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )

    def read(self, *, normalize: bool | None = False) -> Patch:
        """Read the whole patch into memory.

        Args:
            normalize: As for `operations`.
        """
        patches = read_patches(
            checked_source(self), limits=self.limits, normalize=normalize, format=FORMAT
        )
        try:
            return next(patches)
        finally:
            patches.close()


def place_of(entry: LogEntry) -> Place:
    """Return a patch's place in the log."""
    return Place(entry.first, entry.version, entry.id, entry.prev)


def stored_source(entry: LogEntry) -> bytes | Path:
    """Return what the package's readers take for a segment, after a look at its digest.

    Raises:
        LogError: It is damaged, or is gone.
    """
    name = FileName.parse(entry.path.name)
    assert name is not None
    return read_stored(entry.path, name)


def checked_source(entry: LogEntry) -> bytes | Path:
    """Return the same as `stored_source`, after a look at the headers, too.

    Raises:
        LogError: The segment is damaged, is in the wrong place, or is gone.
        DecodeError, LimitError: Its first frame breaks a rule of the format.
    """
    source = stored_source(entry)
    batches = read_batches(source, limits=entry.limits, format=FORMAT)
    try:
        check_start(entry, next(batches))
    finally:
        batches.close()
    return source


def check_start(entry: LogEntry, batch: Batch) -> None:
    """Check by its first batch that a patch has the headers that go with its place.

    Raises:
        LogError: It has not.
    """
    try:
        place_of(entry).check(headers_of(batch))
    except LogError as error:
        raise LogError(f"{entry.path} is in the wrong place: {error}") from None

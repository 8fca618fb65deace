"""The chain of a log's patches, as the names of its segments tell it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.head import HeadNote
from jelly_rdflib.log.names import SEGMENT, FileName, list_names
from jelly_rdflib.log.patch_id import parse_patch_id
from jelly_rdflib.options import Limits

__all__ = ["Chain", "LogProblem", "read_chain"]


@dataclass(frozen=True)
class LogProblem:
    """Something that is wrong with a log.

    Args:
        path: The file or folder where it is seen.
        message: What is wrong, in words.
        version: The version it is about; None if it is about none, or about more than one.

    Examples:
        >>> print(LogProblem(Path("log/segments"), "version 3 is missing", 3))
        log/segments: version 3 is missing
    """

    path: Path
    message: str
    version: int | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Chain:
    """The patches of a log in their order.

    Args:
        folder: The folder with the segments.
        note: What the file ``head`` said before they were listed.

    Attributes:
        entries: The patches.
        covered: Segments that are left from before they were squashed, by what they were squashed
            into.
        unlinked: Versions of which it is not known what comes before them.
        problems: Why the chain can't be used. Empty if it can.
    """

    def __init__(self, folder: Path, note: HeadNote) -> None:
        self.folder = folder
        self.note = note
        self.entries: list[LogEntry] = []
        self.covered: dict[LogEntry, list[Path]] = {}
        self.unlinked: set[int] = set()
        self.problems: list[LogProblem] = []
        self._versions: dict[URIRef, int] = {}

    @property
    def head(self) -> LogEntry | None:
        """The newest patch; None if there is none."""
        return self.entries[-1] if self.entries else None

    @property
    def version(self) -> int:
        """The newest version; 0 if there is no patch."""
        return self.entries[-1].version if self.entries else 0

    @property
    def head_id(self) -> URIRef | None:
        """The id of the newest patch; None if there is none."""
        return self.entries[-1].id if self.entries else None

    def add(self, entry: LogEntry) -> None:
        """Add a patch after the newest."""
        self.entries.append(entry)
        self._versions[entry.id] = entry.version

    def cut(self, version: int) -> None:
        """Forget the patches after a version that is one of the chain's."""
        if self.version > version:
            while self.version > version:
                del self._versions[self.entries.pop().id]
            # It is no longer all that the log has.
            self.note = HeadNote.make(0)

    def find_id(self, id: URIRef) -> int | None:
        """Return the version that a patch makes; None if there is no such patch."""
        return self._versions.get(id)

    def find(self, version: int) -> LogEntry | None:
        """Return the patch that makes a version; None if there is none, or it was squashed."""
        index = self._index(version)
        if index < len(self.entries) and self.entries[index].version == version:
            return self.entries[index]
        return None

    def check(self) -> None:
        """Check that the chain can be used.

        Raises:
            LogError: It can't: segments are missing, or there are several for a version.
        """
        if self.problems:
            first, *others = self.problems
            more = f", and {len(others)} more: see verify()" if others else ""
            raise LogError(f"the log is broken: {first}{more}")

    def resolve(self, version: Any) -> int:
        """Return the number of a version.

        Args:
            version: Its number, or the id of the patch that makes it. None is the newest.

        Raises:
            LogError: There is none, or it was squashed.
            TypeError: It is neither.
        """
        self.check()
        if version is None:
            return self.version
        if isinstance(version, str):
            id = parse_patch_id(version)
            found = self.find_id(id)
            if found is None:
                raise LogError(f"the log has no patch <{id}>; if it had, it was squashed")
            return found
        if not isinstance(version, int) or isinstance(version, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(version).__name__}"
            )
        if not 0 <= version <= self.version:
            raise LogError(f"there is no version {version}; the log has 0 to {self.version}")
        if version > 0:
            entry = self.entries[self._index(version)]
            if entry.version != version:
                raise LogError(
                    f"version {version} is no more: versions {entry.first} to {entry.version} were"
                    " squashed into one patch"
                )
        return version

    def between(self, since: int, upto: int) -> list[LogEntry]:
        """Return the patches that lead from one version to another."""
        start = self._index(since + 1)
        return self.entries[start : max(start, self._index(upto + 1))]

    def _index(self, version: int) -> int:
        """Return where the first patch is that makes this version or a later one."""
        return bisect_left(self.entries, version, key=lambda entry: entry.version)


def read_chain(folder: Path, note: HeadNote, limits: Limits) -> Chain:
    """Read the chain from the names of the segments; what is in them is not looked at.

    Args:
        folder: The folder with the segments.
        note: What the file ``head`` said before.
        limits: What to accept when the segments are read.
    """
    chain = Chain(folder, note)
    names = [
        name
        for name in map(FileName.parse, list_names(folder))
        if name is not None and name.kind == SEGMENT
    ]
    # Of those that start alike, first the one that has most.
    names.sort(key=lambda name: (name.first, -name.last, str(name)))
    for name in names:
        _take(chain, name, limits)
    if note.version > chain.version:
        chain.problems.append(
            LogProblem(
                folder,
                f"the newest segments are missing: there was a version {note.version}, and they end"
                f" at {chain.version}",
            )
        )
    return chain


def _take(chain: Chain, name: FileName, limits: Limits) -> None:
    path = chain.folder / str(name)
    head = chain.head
    if head is not None and name.first <= head.version:
        if (name.first, name.last) == (head.first, head.version):
            what = f"version {name.last} is there twice: the other is {head.path.name}"
            chain.problems.append(LogProblem(path, what, name.last))
            chain.unlinked.add(name.last + 1)
        elif name.last <= head.version:
            chain.covered.setdefault(head, []).append(path)
        else:
            what = f"versions {name.first} to {head.version} are there twice: also in {head.path}"
            chain.problems.append(LogProblem(path, what))
        return
    if name.first > chain.version + 1:
        missing = f"version {name.first - 1} is"
        if name.first > chain.version + 2:
            missing = f"versions {chain.version + 1} to {name.first - 1} are"
        chain.problems.append(LogProblem(chain.folder, f"{missing} missing", name.first - 1))
        chain.unlinked.add(name.first)
    earlier = chain.find_id(name.id)
    if earlier is not None:
        what = f"its id is that of version {earlier}, too"
        chain.problems.append(LogProblem(path, what, name.last))
    chain.add(
        LogEntry(
            version=name.last,
            first=name.first,
            id=name.id,
            prev=chain.head_id,
            path=path,
            limits=limits,
        )
    )

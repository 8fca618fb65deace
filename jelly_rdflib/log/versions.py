"""The versions of a log, as callers name them, and the state of a log at one time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from jelly_rdflib.errors import LogError, MissingVersion
from jelly_rdflib.log.entry import LogEntry, broken_links
from jelly_rdflib.log.names import parse_patch_id

ALL = 1 << 62
"""More patches than any log has."""


class SnapshotRow(NamedTuple):
    """A snapshot in a database; ``id`` is that of the patch that makes the version."""

    version: int
    id: str
    file: str
    digest: str


class Point(NamedTuple):
    """A version of a log, and the id of the patch that makes it."""

    version: int
    id: URIRef | None

    def __str__(self) -> str:
        return f"version {self.version}, <{self.id}>" if self.id else f"version {self.version}"


Version: TypeAlias = int | str | Point | None
"""A version of a log: its number, the id of its patch, or both; None is the default."""


def position_of(point: Point) -> str:
    """Return a version as the position in a source: the number, and the id if it has one."""
    return f"{point.version} {point.id}" if point.id else str(point.version)


def version_at(position: str | None) -> Version:
    """Return the version that a position names by number, id or both, or raise an InvalidId."""
    if position is None or position.isdecimal():
        return position and int(position)
    number, _, id = position.rpartition(" ")
    return Point(int(number), parse_patch_id(id)) if number.isdecimal() else parse_patch_id(id)


EMPTY = Point(0, None)
"""Version 0, which no patch makes."""


def point_of(entry: LogEntry | None) -> Point:
    """Return the version that a patch makes; None means a log without patches."""
    return EMPTY if entry is None else Point(entry.version, entry.id)


def check_chain(entries: Sequence[LogEntry], since: Point, upto: Point | None, where: str) -> None:
    """Check that each patch follows the one before, from ``since`` to ``upto`` if that is given.

    While a log is read, it may be restored from a backup or replaced by another log; and a list of
    patches may end too early. Only the ids of patches show whether a version is still the same.
    The message of the LogError starts with ``where``.
    """
    rows = [entry.row for entry in entries]
    # Make the id a str, as in the rows: rdflib's IRIs are never equal to strings.
    broken = broken_links(rows, since.version, since.id and str(since.id))
    end = point_of(entries[-1]) if entries else since
    if upto not in (None, end) and not broken:
        broken = [(end.version, f"it ends at {end}, not at {upto}")]
    if broken:
        what = "the log is broken, or is not the same log as before"
        raise LogError(f"{where}: {what}: {broken[0][1]}: see verify()")


def check_same(before: Point, now: Point, where: str) -> None:
    """Check that a version that the log had is still made by the same patch."""
    if now != before:
        raise LogError(f"{where} is not the same log as before: it has {now}, but had {before}")


def check_log_id(before: str, now: str, where: str) -> str:
    """Check that a log's id is unchanged, and return it; ``before`` is empty the first time."""
    if before not in ("", now):
        raise LogError(f"{where} was replaced by another log")
    return now


class LogState(ABC):
    """The patches and snapshots of a log at one time; ``location`` is for messages."""

    location: str

    @abstractmethod
    def newest(self) -> LogEntry | None:
        """Return the newest patch; None if the log is empty."""

    @abstractmethod
    def find(self, version: int) -> LogEntry:
        """Return the patch that makes a version, or that it was squashed into."""

    @abstractmethod
    def find_id(self, id: URIRef) -> int | None:
        """Return the version that a patch makes; None if the patch is unknown."""

    def find_squashed(self, id: URIRef) -> int | None:
        """Return the version that a patch was squashed into; None if that is not known."""
        return None

    @abstractmethod
    def list_between(self, since: int, upto: int, most: int) -> list[LogEntry]:
        """Do the work of `between`, without its check."""

    @abstractmethod
    def list_latest(self, upto: int, count: int) -> list[LogEntry]:
        """Do the work of `latest`, without its check."""

    @abstractmethod
    def snapshots(self, upto: int) -> list[SnapshotRow]:
        """Return the snapshots of versions up to ``upto``, oldest first."""

    def between(self, since: Point, upto: Point, most: int = ALL) -> list[LogEntry]:
        """Return the patches that lead from one version to another, but at most ``most``."""
        if since.version > upto.version:
            return []
        is_one = since.version == upto.version
        entries = [] if is_one else self.list_between(since.version, upto.version, most)
        is_whole = len(entries) < most
        if is_whole and not is_one and (not entries or entries[-1].version != upto.version):
            # The version may have been squashed since the caller saw it: then this raises an
            # error.
            self.locate(upto.version)
        check_chain(entries, since, upto if is_whole else None, self.location)
        return entries

    def latest(self, upto: Point, count: int) -> list[LogEntry]:
        """Return the last ``count`` patches or fewer up to a version, oldest first."""
        entries = self.list_latest(upto.version, min(count, ALL)) if count > 0 else []
        first = entries[0] if 0 < count == len(entries) else None
        since = Point(first.first - 1, first.prev) if first else EMPTY
        check_chain(entries, since, upto if count > 0 else None, self.location)
        return entries

    def after(self, point: Point, most: int = ALL) -> list[LogEntry]:
        """Return the patches after the version of a follower, but at most ``most``."""
        return self.between(self.locate(point), point_of(self.newest()), most)

    def entry(self, version: Version, newest: int | None = None) -> LogEntry:
        """Return the patch that makes a version; the arguments are as for `locate`."""
        found = self.locate(version, newest)
        if found == EMPTY:
            raise MissingVersion("version 0 is empty: no patch makes it")
        entry = self.find(found.version)
        # A server may return a wrong patch.
        check_chain([], point_of(entry), found, self.location)
        return entry

    def locate(self, version: Version, newest: int | None = None) -> Point:
        """Return the number of a version, and the id of the patch that makes it.

        Args:
            version: The version; None is the newest. If it has both a number and an id, and the
                patch with that id makes another version in this log, a LogError is raised.
            newest: The newest version that the caller may see; None: that of the log.
        """
        newest = point_of(self.newest()).version if newest is None else newest
        if isinstance(version, Point):
            found = EMPTY if version.id is None else self.locate(version.id, newest)
            check_same(version, found, self.location)
            return found
        if isinstance(version, str):
            id = parse_patch_id(version)
            number = self.find_id(id)
            if number is None:
                if into := self.find_squashed(id):
                    raise MissingVersion(
                        f"the log no longer has the patch <{id}>: it was squashed",
                        squashed_into=into,
                    )
                raise MissingVersion(f"the log has no patch <{id}>, or it was squashed")
            if number > newest:
                raise MissingVersion(
                    f"the patch <{id}> makes version {number}, which is newer than version"
                    f" {newest}, the newest that this object has seen: call refresh()"
                )
            return Point(number, id)
        if version is None:
            version = newest
        if not isinstance(version, int) or isinstance(version, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(version).__name__}"
            )
        if not 0 <= version <= newest:
            raise MissingVersion(f"there is no version {version}; the log has 0 to {newest}")
        if version == 0:
            return EMPTY
        entry = self.find(version)
        if entry.version != version:
            raise MissingVersion(
                f"version {version} no longer exists: versions {entry.first} to {entry.version}"
                f" were squashed into one patch, which makes version {entry.version}"
            )
        return point_of(entry)

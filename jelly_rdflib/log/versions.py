"""The versions of a log, as callers name them, and what a log has at one time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from jelly_rdflib.errors import MissingVersion
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.names import parse_patch_id

Version: TypeAlias = int | str | None
"""A version of a log: its number, the id of the patch that makes it, or None for the default."""

ALL = 1 << 62
"""A number of patches that no log has."""


class Snapshot(NamedTuple):
    """A snapshot in a database; ``id`` is that of the patch which makes the version."""

    version: int
    id: str
    file: str
    digest: str


class State(ABC):
    """What a log has at one time: its patches and snapshots."""

    @abstractmethod
    def newest(self) -> LogEntry | None:
        """Return the newest patch; None if there is none."""

    @abstractmethod
    def find(self, version: int) -> LogEntry:
        """Return the patch that makes a version, or that it was squashed into."""

    @abstractmethod
    def find_id(self, id: URIRef) -> int | None:
        """Return the version that a patch makes; None if there is no such patch."""

    def was_squashed(self, id: URIRef) -> bool:
        """Is it known that the log had a patch with this id, which was squashed?"""
        return False

    @abstractmethod
    def between(self, since: int, upto: int, most: int = ALL) -> list[LogEntry]:
        """Return the patches that lead from one version to another, ``most`` of them at most."""

    @abstractmethod
    def latest(self, upto: int, count: int) -> list[LogEntry]:
        """Return the last patches up to a version, so many at most; the oldest comes first."""

    @abstractmethod
    def snapshots(self, upto: int) -> list[Snapshot]:
        """Return the snapshots of this log's versions up to one, oldest first."""

    def version(self) -> int:
        """Return the newest version."""
        newest = self.newest()
        return 0 if newest is None else newest.version

    def after(self, version: Version, most: int = ALL) -> list[LogEntry]:
        """Return the patches after a version, ``most`` of them at most."""
        return self.between(self.resolve(version), self.version(), most)

    def entry(self, version: Version, newest: int | None = None) -> LogEntry:
        """Return the patch that makes a version; the arguments are those of `resolve`."""
        found = self.resolve(version, newest)
        if found == 0:
            raise MissingVersion("version 0 is empty: no patch makes it")
        return self.find(found)

    def resolve(self, version: Version, newest: int | None = None) -> int:
        """Return the number of a version, given as that, as the id of its patch, or as None.

        Args:
            version: The version; None is the newest.
            newest: The newest version that the caller may see; None: that of the log.
        """
        newest = self.version() if newest is None else newest
        if isinstance(version, str):
            id = parse_patch_id(version)
            found = self.find_id(id)
            if found is None:
                if self.was_squashed(id):
                    raise MissingVersion(
                        f"the log has the patch <{id}> no more: it was squashed", was_squashed=True
                    )
                raise MissingVersion(f"the log has no patch <{id}>; if it had, it was squashed")
            if found > newest:
                raise MissingVersion(
                    f"the patch <{id}> makes version {found}, which is newer than version"
                    f" {newest}, the newest that this object has seen: call refresh()"
                )
            return found
        if version is None:
            version = newest
        if not isinstance(version, int) or isinstance(version, bool):
            raise TypeError(
                f"a version is a number or the id of a patch, not a {type(version).__name__}"
            )
        if not 0 <= version <= newest:
            raise MissingVersion(f"there is no version {version}; the log has 0 to {newest}")
        if version > 0:
            entry = self.find(version)
            if entry.version != version:
                raise MissingVersion(
                    f"version {version} is no more: versions {entry.first} to {entry.version} were"
                    " squashed into one patch"
                )
        return version

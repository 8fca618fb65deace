"""Versions of a log, as callers name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rdflib.term import URIRef

from jelly_rdflib.errors import MissingVersion
from jelly_rdflib.log.names import parse_patch_id

if TYPE_CHECKING:
    from jelly_rdflib.log.entry import LogEntry

Version: TypeAlias = int | str | None
"""A version of a log: its number, the id of the patch that makes it, or None for the default."""


def resolve(
    version: Version,
    newest: int,
    find_id: Callable[[URIRef], int | None],
    find_covering: Callable[[int], LogEntry],
) -> int:
    """Return the number of a version, given as that, as the id of its patch, or as None.

    Args:
        version: The version; None is the newest.
        newest: The newest version that the caller may see.
        find_id: Returns the version that a patch makes; None if there is no such patch.
        find_covering: Returns the patch that makes a version, or that it was squashed into.
    """
    if isinstance(version, str):
        id = parse_patch_id(version)
        found = find_id(id)
        if found is None:
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
        entry = find_covering(version)
        if entry.version != version:
            raise MissingVersion(
                f"version {version} is no more: versions {entry.first} to {entry.version} were"
                " squashed into one patch"
            )
    return version

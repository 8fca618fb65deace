"""Names of the files of a log: which versions one has, its patch's id, and its own digest."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from rdflib.term import URIRef

from jelly_rdflib.log.patch_id import SCHEME, patch_id_of

__all__ = ["DIGEST_LENGTH", "SEGMENT", "SNAPSHOT", "FileName", "list_names"]

SEGMENT = ".jellyp"
SNAPSHOT = ".jelly"
DIGEST_LENGTH = 16
"""How many digits of a file's SHA-256 are in its name."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = re.compile(
    rf"(\d{{10,}})(?:-(\d{{10,}}))?-({_UUID})-([0-9a-f]{{{DIGEST_LENGTH}}})"
    rf"({re.escape(SEGMENT)}|{re.escape(SNAPSHOT)})(\.zst)?"
)


@dataclass(frozen=True)
class FileName:
    """The name of a segment, or of a snapshot.

    Args:
        first: The first version that a segment has.
        last: The last one; mostly the same. A snapshot has only this.
        id: The id of the patch that makes version ``last``.
        digest: The first digits of the SHA-256 of the file.
        kind: `SEGMENT` or `SNAPSHOT`.
        is_compressed: Whether the file is compressed with zstd.

    Examples:
        >>> name = FileName.parse(
        ...     "0000000003-0686c69d-8f89-4496-acb5-744f0157a8db-e3b0c44298fc1c14.jellyp"
        ... )
        >>> name.first, name.last, str(name.id)
        (3, 3, 'uuid:0686c69d-8f89-4496-acb5-744f0157a8db')
        >>> FileName.parse("notes.txt") is None
        True
    """

    first: int
    last: int
    id: URIRef
    digest: str
    kind: str
    is_compressed: bool

    @classmethod
    def parse(cls, name: str) -> FileName | None:
        """Return what a name says; None if it is not such a name."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        first, last, digits, digest, kind, compression = found.groups()
        parsed = cls(
            first=int(first),
            last=int(first if last is None else last),
            id=patch_id_of(digits),
            digest=digest,
            kind=kind,
            is_compressed=compression is not None,
        )
        # Each name has one spelling, so that no two files are for the same thing.
        return parsed if str(parsed) == name and 1 <= parsed.first <= parsed.last else None

    def __str__(self) -> str:
        versions = f"{self.first:010d}"
        if self.last != self.first:
            versions += f"-{self.last:010d}"
        extension = self.kind + (".zst" if self.is_compressed else "")
        return f"{versions}-{self.id.removeprefix(SCHEME)}-{self.digest}{extension}"


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder of a log; none if it is not there.

    What copies a log may leave out folders that are empty, as git does.
    """
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []

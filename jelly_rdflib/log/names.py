"""Ids of patches, and names of the files of a log.

Ids are UUIDs as ``uuid:`` IRIs (RDF Patch, "Header"). The name of a file contains its versions, the
id of its patch, and its own digest. Which files belong to a log is determined by its database, not
by the names. The names are for people; they also show whether a file that the database does not
list comes from a log.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit
from urllib.request import url2pathname

from rdflib.term import URIRef

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import LogError


class InvalidId(LogError):
    """A value can't be the id of a patch."""


Compression: TypeAlias = Literal["zst"] | None
"""The compression of files."""

SCHEME = "uuid:"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID = re.compile(rf"(?:(?:urn:)?uuid:)?({_UUID})", re.I)


def local_path(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the path of a URL ``file:…``; return anything else unchanged.

    If the URL names another host, a ValueError is raised.
    """
    if not isinstance(path, str) or not path.lower().startswith("file:/"):
        return path
    url = urlsplit(path)
    if url.netloc not in ("", "localhost"):
        raise ValueError(f"{path}: the file is on another host; a local file is file:///…")
    return url2pathname(url.path)


def make_patch_id() -> URIRef:
    """Make a new id."""
    return URIRef(f"{SCHEME}{uuid.uuid4()}")


def parse_patch_id(value: Any) -> URIRef:
    """Return an id in the form that logs use: ``uuid:`` and lower case.

    ``value`` is an IRI or a string: ``uuid:…``, ``urn:uuid:…`` or only the UUID. Anything else
    raises an InvalidId.
    """
    is_text = isinstance(value, URIRef) or type(value) is str
    found = _ID.fullmatch(value) if is_text else None
    if found is None and is_text and value.isdecimal():
        raise InvalidId(
            f"{show(value)} is a str: the number of a version is an int, {value}, and the id of a"
            f" patch is log.entry({value}).id"
        )
    if found is None:
        raise InvalidId(
            f"{show(value)} can't be the id of a patch: those are UUIDs as IRIs,"
            f" such as <{SCHEME}0686c69d-8f89-4496-acb5-744f0157a8db>"
        )
    return URIRef(SCHEME + found[1].lower())


def id_bytes(id: URIRef) -> bytes:
    """Return the 16 bytes of the UUID of an id."""
    return uuid.UUID(id.removeprefix(SCHEME)).bytes


SEGMENT = ".jellyp"
SNAPSHOT = ".jelly"
DIGEST_LENGTH = 16
"""How many digits of a file's SHA-256 its name contains."""

_NAME = re.compile(
    rf"(\d{{10,18}})(?:-(\d{{10,18}}))?-({_UUID})-([0-9a-f]{{{DIGEST_LENGTH}}})"
    rf"({re.escape(SEGMENT)}|{re.escape(SNAPSHOT)})(\.zst)?"
)


@dataclass(frozen=True)
class FileName:
    """The name of a segment or a snapshot.

    ``first`` and ``last`` are the same, unless the patch is squashed. ``id`` is the id of the
    patch that makes version ``last``. The name has only the first digits of the file's ``digest``.
    """

    first: int
    last: int
    id: URIRef
    digest: str
    kind: str
    is_compressed: bool

    @classmethod
    def parse(cls, name: str) -> FileName | None:
        """Parse a name; return None if it isn't the name of a segment or snapshot."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        first, last, digits, digest, kind, compression = found.groups()
        id = URIRef(SCHEME + digits)
        parsed = cls(int(first), int(last or first), id, digest, kind, compression is not None)
        # Accept only one spelling of a name, so that no two files have the same meaning.
        return parsed if str(parsed) == name and 1 <= parsed.first <= parsed.last else None

    def __str__(self) -> str:
        last = f"-{self.last:010d}" if self.last != self.first else ""
        extension = self.kind + (".zst" if self.is_compressed else "")
        id, digest = self.id.removeprefix(SCHEME), self.digest[:DIGEST_LENGTH]
        return f"{self.first:010d}{last}-{id}-{digest}{extension}"


def file_path(folder: Path, file: str) -> Path:
    """Return the path of a file; raise a LogError if the name isn't a plain file name."""
    if FileName.parse(file) is None:
        raise LogError(
            f"{folder}: the database names a file {file!r}, which is not a file name of a patch log"
        )
    return folder / file


def file_paths(folder: Path, rows: Iterable[Any]) -> list[Path]:
    """Return the paths of the files that one-column rows name; leave out invalid names."""
    return [folder / row[0] for row in rows if isinstance(row[0], str) and FileName.parse(row[0])]

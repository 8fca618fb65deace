"""The encodings of changes and of statements, by name, file extension and media type.

Whatever has to find an encoding asks here: a new one is a module beside this one and a line in
`ENCODINGS`, and nothing else.
"""

from __future__ import annotations

import os
from typing import Any

from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH
from jelly_rdflib.encodings.rdf_patch import RDF_PATCH

__all__ = [
    "ENCODINGS",
    "Encoding",
    "find_encoding",
    "find_encoding_of_changes",
    "guess_by_name",
    "guess_by_start",
]

# Those whose first bytes say little come last.
ENCODINGS: tuple[Encoding, ...] = (RDF_PATCH, JELLY, JELLY_PATCH)
COMPRESSIONS = ("gz", "zst")


def find_encoding(key: str) -> Encoding:
    """Find an encoding.

    Args:
        key: One of its names, of its file extensions (without the dot) or of its media types, in
            any case of letters.

    Raises:
        LookupError: There is none.

    Examples:
        >>> find_encoding("application/x-jelly-rdf-patch").name
        'jelly-patch'
        >>> find_encoding("rdfp").name
        'rdf-patch'
    """
    wanted = key.lower()
    for encoding in ENCODINGS:
        if wanted in (*encoding.names, *encoding.extensions):
            return encoding
    names = ", ".join(encoding.name for encoding in ENCODINGS)
    raise LookupError(f"no encoding {key!r}; there are: {names}")


def find_encoding_of_changes(key: str) -> Encoding:
    """Find an encoding of changes; see `find_encoding`.

    Raises:
        LookupError: There is none, or it is for statements.
    """
    encoding = find_encoding(key)
    if not encoding.holds_changes:
        raise LookupError(f"{encoding.name} is for statements, not for changes")
    return encoding


def guess_by_name(path: Any) -> Encoding | None:
    """Guess the encoding of a file of changes by its name; None if it is no path, or says nothing.

    Examples:
        >>> guess_by_name("log/changes.rdfp.gz").name
        'rdf-patch'
        >>> guess_by_name(b"TX .") is None
        True
    """
    if not isinstance(path, str | os.PathLike):
        return None
    parts = os.path.basename(os.fsdecode(path)).lower().split(".")
    if len(parts) > 1 and parts[-1] in COMPRESSIONS:
        parts.pop()
    for encoding in ENCODINGS:
        if encoding.holds_changes and len(parts) > 1 and parts[-1] in encoding.extensions:
            return encoding
    return None


def guess_by_start(start: bytes) -> Encoding:
    """Guess the encoding of changes by their first bytes.

    Examples:
        >>> guess_by_start(b"TX .").name
        'rdf-patch'
    """
    for encoding in ENCODINGS:
        if encoding.holds_changes and encoding.starts_like(start):
            return encoding
    raise AssertionError("the last encoding takes what no other takes")

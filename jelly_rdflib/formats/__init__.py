"""The encodings of changes and of statements, by name, file extension and media type.

To add an encoding, write a module beside this one, and add a line to `ENCODINGS`.
"""

from __future__ import annotations

import os
from typing import Any

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.encoding import Encoding
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.formats.rdf_patch import RDF_PATCH, RDF_PATCH_THRIFT
from jelly_rdflib.formats.syntaxes import SYNTAXES, starts_like_turtle

__all__ = [
    "ENCODINGS",
    "Encoding",
    "UntoldEncodingError",
    "check_kind",
    "choose_encoding",
    "find_encoding",
    "guess_by_name",
    "guess_by_start",
]

ENCODINGS: tuple[Encoding, ...] = (RDF_PATCH, RDF_PATCH_THRIFT, *SYNTAXES, JELLY, JELLY_PATCH)
COMPRESSIONS = ("gz", "zst")


class UntoldEncodingError(DecodeError):
    """The first bytes of an input do not tell its encoding."""


def find_encoding(key: str) -> Encoding:
    """Find an encoding.

    Args:
        key: One of its names, file extensions (without the dot) or media types, in any case of
            letters. The parameters of a media type, behind a semicolon, are ignored.

    Raises:
        LookupError: There is no such encoding.

    Examples:
        >>> find_encoding("rdfp").name
        'rdf-patch'
        >>> find_encoding("text/turtle; charset=utf-8").name
        'turtle'
    """
    wanted = key.lower().partition(";")[0].strip()
    for encoding in ENCODINGS:
        if wanted in encoding.names or wanted in encoding.extensions:
            return encoding
    names = ", ".join(encoding.name for encoding in ENCODINGS)
    raise LookupError(f"no encoding {key!r}; there are: {names}")


def choose_encoding(destination: Any, format: str | None, *, holds_changes: bool) -> Encoding:
    """Choose the encoding of an output: the given one, else that of a path's name, else Jelly.

    Args:
        destination: A path, or anything else that can be written to.
        format: As for `find_encoding`.
        holds_changes: Whether the output is changes, or statements.

    Raises:
        LookupError: There is no such encoding, or it is for the other kind.

    Examples:
        >>> choose_encoding("new.rdfp.gz", None, holds_changes=True).name
        'rdf-patch'
    """
    encoding = guess_by_name(destination) if format is None else find_encoding(format)
    if encoding is None:
        return JELLY_PATCH if holds_changes else JELLY
    return check_kind(encoding, holds_changes=holds_changes)


def check_kind(encoding: Encoding, *, holds_changes: bool) -> Encoding:
    """Return an encoding; raise a LookupError if it is not for changes, or not for statements."""
    if encoding.holds_changes != holds_changes:
        kinds = ("changes", "statements") if encoding.holds_changes else ("statements", "changes")
        raise LookupError(f"{encoding.name} is for {kinds[0]}, not for {kinds[1]}")
    return encoding


def guess_by_name(path: Any) -> Encoding | None:
    """Guess the encoding of a file by its name; None if this is no path, or the name does not tell.

    Examples:
        >>> guess_by_name("log/changes.rdfp.gz").name
        'rdf-patch'
        >>> guess_by_name(b"TX .") is None
        True
    """
    if not isinstance(path, str | os.PathLike):
        return None
    _, *endings = os.path.basename(os.fsdecode(path)).lower().split(".")
    if endings and endings[-1] in COMPRESSIONS:
        endings.pop()
    for encoding in ENCODINGS:
        if endings and endings[-1] in encoding.extensions:
            return encoding
    return None


def guess_by_start(start: bytes, *, holds_changes: bool | None = True) -> Encoding:
    """Guess an encoding by the first bytes of an input.

    Args:
        start: The bytes.
        holds_changes: Whether to consider encodings of changes, or of statements; None: both.

    Raises:
        UntoldEncodingError: The bytes may be of several syntaxes of RDF.

    Examples:
        >>> guess_by_start(b"TX .").name
        'rdf-patch'
        >>> guess_by_start(b"<?xml ", holds_changes=False).name
        'rdf-xml'
    """
    for encoding in ENCODINGS:
        if holds_changes in (encoding.holds_changes, None) and encoding.starts_like(start):
            return encoding
    if not holds_changes and starts_like_turtle(start):
        raise UntoldEncodingError(
            "the first bytes may be of N-Triples, N-Quads, Turtle, TriG or N3: say by a format"
            " which it is",
            offset=0,
        )
    # The errors of its reader are the most helpful ones.
    return JELLY if holds_changes is False else JELLY_PATCH

"""The formats of changes and of statements, by name, file extension and media type.

To add a format, write a module in this package, and add a line to `FORMATS`.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Any

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.format import Format as Format
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.formats.protobuf import JELLY_PATCH_TEXT, JELLY_TEXT, RDF_PROTOBUF
from jelly_rdflib.formats.rdf_patch import RDF_PATCH, RDF_PATCH_THRIFT
from jelly_rdflib.formats.rdf_thrift import RDF_THRIFT
from jelly_rdflib.formats.syntaxes import SYNTAXES, starts_like_turtle

FORMATS: tuple[Format, ...] = (
    # This comes before RDF Patch, which would read the lines between frames as comments.
    JELLY_PATCH_TEXT,
    JELLY_TEXT,
    RDF_PATCH,
    RDF_PATCH_THRIFT,
    *SYNTAXES,
    RDF_THRIFT,
    RDF_PROTOBUF,
    JELLY,
    JELLY_PATCH,
)

# A key that several formats share means the first of them.
_BY_KEY = {key: each for each in reversed(FORMATS) for key in each.names + each.extensions}


class UntoldFormatError(DecodeError):
    """The first bytes of an input fit several formats."""


def find_format(key: str) -> Format:
    """Find a format by a name, file extension (without the dot) or media type, in any case.

    The parameters of a media type, after a semicolon, are ignored. An unknown key raises a
    LookupError.
    """
    found = _BY_KEY.get(key.lower().partition(";")[0].strip())
    if found is None:
        names = [format.name for format in FORMATS]
        near = get_close_matches(key.lower(), names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise LookupError(f"no format {key!r}; {hint}there are: {', '.join(names)}")
    return found


def choose_format(destination: Any, format: str | None, *, holds_changes: bool) -> Format:
    """Choose the format of an output: the given one, or else that of the path's extension.

    A file object gets Jelly by default. A LookupError is raised if the format is unknown, if it is
    for the other kind of data, or if the path's name shows no format.
    """
    found = guess_by_name(destination) if format is None else find_format(format)
    jelly = JELLY_PATCH if holds_changes else JELLY
    if found is None and isinstance(destination, str | os.PathLike):
        raise LookupError(
            f"the format of {os.fsdecode(destination)!r} is not known: give format=, or a name that"
            f" ends with .{jelly.extensions[0]} or the like"
        )
    if found is None:
        return jelly
    advice = "save a patch as .rdfp or .jellyp" if holds_changes else "write them with PatchWriter"
    return check_kind(found, advice, holds_changes=holds_changes)


def check_kind(format: Format, advice: str, *, holds_changes: bool) -> Format:
    """Return a format; raise a LookupError if it is for the other kind of data."""
    if format.holds_changes != holds_changes:
        kinds = ("changes", "statements") if format.holds_changes else ("statements", "changes")
        raise LookupError(f"{format.name} is for {kinds[0]}, not for {kinds[1]}: {advice}")
    return format


def guess_by_name(path: Any) -> Format | None:
    """Guess a file's format from its name; return None without a path or a known extension."""
    if not isinstance(path, str | os.PathLike):
        return None
    name = os.path.basename(os.fsdecode(path)).lower()
    name = name.removesuffix(".zst" if name.endswith(".zst") else ".gz")
    return next(
        (
            format
            for format in FORMATS
            if name.endswith(tuple(f".{extension}" for extension in format.extensions))
        ),
        None,
    )


def guess_by_start(start: bytes, *, holds_changes: bool | None = True) -> Format:
    """Guess a format from the first bytes of an input; ``holds_changes`` is None for either kind.

    Bytes that may start several RDF syntaxes raise an UntoldFormatError.
    """
    for format in FORMATS:
        if holds_changes in (format.holds_changes, None) and format.starts_like(start):
            return format
    if not holds_changes and starts_like_turtle(start):
        raise UntoldFormatError(
            "the input may be N-Triples, N-Quads, Turtle, TriG or N3: give a file an extension"
            " such as .nt, or name its format",
            offset=0,
        )
    # Jelly's reader has the most helpful errors for bytes of an unknown format.
    return JELLY if holds_changes is False else JELLY_PATCH

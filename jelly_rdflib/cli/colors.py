"""RDF Patch text in colours."""

from __future__ import annotations

import os
import re
from typing import Any

import click

# The colour of each kind of token. Each row starts a line, as this package writes them.
_COLORS = {
    "added": "green",
    "deleted": "red",
    "code": "magenta",
    "blank": "cyan",
    "iri": "blue",
    "text": "yellow",
    "tag": "bright_black",
}
_TOKEN = re.compile(
    rb"""
      ^ (?P<added> A | PA ) (?=\ )
    | ^ (?P<deleted> D | PD ) (?=\ )
    | ^ (?P<code> H | TX | TC | TA | Z ) (?=\ )
    | (?P<blank> <_:[^>]*> )
    | (?P<tag> \^\^<[^>]*> | @[A-Za-z0-9-]+ )
    | (?P<iri> <[^<>\s]*> )
    | (?P<text> "(?:[^"\\]|\\.)*" )
    """,
    re.VERBOSE | re.MULTILINE,
)


def wants_color(file: Any, when: str) -> bool:
    """Return whether to write colours to a file; ``when`` is always, never or auto."""
    if when != "auto":
        return when == "always"
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(rows: bytes) -> bytes:
    r"""Add a terminal's colour codes to rows that this package wrote.

    Examples:
        >>> paint(b'A <urn:s> <urn:p> "o" .\n')[:12]
        b'\x1b[32mA\x1b[0m \x1b'
    """
    return _TOKEN.sub(_paint_token, rows)


def _paint_token(match: re.Match[bytes]) -> bytes:
    assert match.lastgroup is not None
    text = match.group().decode("utf-8")
    return click.style(text, fg=_COLORS[match.lastgroup]).encode("utf-8")

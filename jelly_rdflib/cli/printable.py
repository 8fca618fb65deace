"""Makes text of strangers safe to print: it may have control sequences for the terminal."""

from __future__ import annotations

import re
from typing import Any

# Control characters except line breaks and tabs, and characters that change the text's direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# The same in UTF-8, without those that RDF Patch text always escapes.
_CONTROLS_IN_ROWS = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


def printable(text: str) -> str:
    r"""Escape control characters in the way of JSON and N-Triples.

    Examples:
        >>> print(printable("red: \x1b[31m, \x9b1m; two\nlines"))
        red: \u001B[31m, \u009B1m; two
        lines
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


def escape_rows(rows: bytes) -> bytes:
    r"""Escape control characters in rows of RDF Patch text, which keep their meaning.

    Examples:
        >>> escape_rows('A <urn:s> <urn:p> "\x9b1m" .\n'.encode())
        b'A <urn:s> <urn:p> "\\u009B1m" .\n'
    """
    return _CONTROLS_IN_ROWS.sub(lambda found: printable(found[0].decode()).encode(), rows)


def say(text: Any, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may have parts of an input; with ``err`` to standard error."""
    import click

    click.echo(printable(str(text)) + end, err=err, nl=False)

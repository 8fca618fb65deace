"""Makes text of strangers safe to print: it may have control sequences for the terminal."""

from __future__ import annotations

import re
from typing import Any

# Control characters except line breaks and tabs, and characters that change the text's direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""Escape control characters in the way of JSON, N-Triples and RDF Patch text.

    Examples:
        >>> print(printable("red: \x1b[31m, \x9b1m; two\nlines"))
        red: \u001B[31m, \u009B1m; two
        lines
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


def say(text: Any, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may have parts of an input; with ``err`` to standard error."""
    import click

    click.echo(printable(str(text)) + end, err=err, nl=False)


def count(number: int, thing: str) -> str:
    """Return a number of things, in words.

    Examples:
        >>> count(1, "byte"), count(1000, "byte")
        ('1 byte', '1,000 bytes')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"

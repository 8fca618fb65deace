"""Makes text safe to show, since untrusted text may contain control sequences for a terminal."""

from __future__ import annotations

import re

# Control characters except line breaks and tabs, and characters that change the text's direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

MOST_CHARACTERS = 300


def shorten(text: str, most: int = MOST_CHARACTERS) -> str:
    """Cut a text that is too long to show, and add its length.

    Examples:
        >>> shorten("short"), shorten("x" * 1000)[299:]
        ('short', 'x… (1,000 characters)')
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text):,} characters)"


def printable(text: str) -> str:
    r"""Escape control characters as JSON, N-Triples and RDF Patch text do.

    Examples:
        >>> print(printable("red: \x1b[31m, \x9b1m; two\nlines"))
        red: \u001B[31m, \u009B1m; two
        lines
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and its noun in the singular or plural.

    Examples:
        >>> count(1, "byte"), count(1000, "byte"), count(2, "patch", "patches")
        ('1 byte', '1,000 bytes', '2 patches')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"

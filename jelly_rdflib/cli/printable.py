"""Text of strangers made safe to print: it may try to give orders to the terminal."""

from __future__ import annotations

import re
from typing import Any

# Control characters but for line breaks and tabs, and those that turn the direction of writing.
_ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# The same in UTF-8, as far as RDF Patch text has them as they are.
_ORDERS_IN_ROWS = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


def printable(text: str) -> str:
    r"""Write what gives orders to a terminal as an escape, as JSON and N-Triples have it, too.

    Examples:
        >>> print(printable("red: \x1b[31m, \x9b1m; two\nlines"))
        red: \u001B[31m, \u009B1m; two
        lines
    """
    return _ORDERS.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


def escape_rows(rows: bytes) -> bytes:
    r"""Do so in rows of RDF Patch text, which mean the same after that.

    Examples:
        >>> escape_rows('A <urn:s> <urn:p> "\x9b1m" .\n'.encode())
        b'A <urn:s> <urn:p> "\\u009B1m" .\n'
    """
    return _ORDERS_IN_ROWS.sub(lambda found: printable(found[0].decode()).encode(), rows)


def say(text: Any, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may have parts of an input.

    Args:
        text: The line.
        err: Whether it goes to standard error.
        end: What comes after it.
    """
    import click

    click.echo(printable(str(text)) + end, err=err, nl=False)

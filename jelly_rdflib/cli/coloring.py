"""RDF Patch text in colours, safe for a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable

import click

from jelly_rdflib.cli.printable import STANDARD_OUTPUT, name_errors, printable

# Characters, in UTF-8, that `printable` escapes but RDF Patch text does not always escape.
_CONTROLS = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
# Tokens of RDF Patch text, in groups named after their colours. Each row is on a line of its own,
# as this package writes it.
_TOKEN = re.compile(
    rb"""
      ^ (?P<green> A | PA ) (?=\ )
    | ^ (?P<red> D | PD ) (?=\ )
    | ^ (?P<magenta> H | TX | TC | TA | Z ) (?=\ )
    | (?P<cyan> <_:[^>]*> )
    | (?P<bright_black> \^\^<[^>]*> | @[A-Za-z0-9-]+ )
    | (?P<blue> <[^<>\s]*> )
    | (?P<yellow> "(?:[^"\\]|\\.)*" )
    """,
    re.VERBOSE | re.MULTILINE,
)
# Whole rows, in the colours of git's differences.
_ROW = re.compile(
    rb"^(?: (?P<green> P?A\ .* ) | (?P<red> P?D\ .* ) | (?P<cyan> [HTZ][A-Z]?\ .* ) )$",
    re.VERBOSE | re.MULTILINE,
)

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colours; auto: on a terminal, unless NO_COLOR is set.",
)


def is_colored(color: str) -> bool:
    """Return whether standard output is coloured; ``color`` is the value of ``--color``."""
    can_color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return sys.stdout.isatty() and can_color if color == "auto" else color == "always"


def make_printer(color: str, *, by_row: bool = False) -> Callable[[bytes], None]:
    """Return a function that prints rows of RDF Patch text immediately.

    On a terminal it escapes control characters. Colours show the kinds of terms, or with ``by_row``
    added and deleted rows.
    """
    is_terminal = sys.stdout.isatty()
    pattern = (_ROW if by_row else _TOKEN) if is_colored(color) else None

    def show(rows: bytes) -> None:
        if is_terminal:
            rows = _CONTROLS.sub(_escape, rows)
        text = rows if pattern is None else pattern.sub(_paint, rows)
        with name_errors(STANDARD_OUTPUT):
            # Print text on a terminal, not bytes: click encodes text for the terminal, and on
            # Windows it turns escape sequences in text into colours.
            shown = text.decode() if is_terminal else text
            click.echo(shown, nl=False, color=pattern is not None)

    return show


def _escape(match: re.Match[bytes]) -> bytes:
    return printable(match[0].decode()).encode()


def _paint(match: re.Match[bytes]) -> bytes:
    return click.style(match[0].decode(), fg=match.lastgroup).encode()

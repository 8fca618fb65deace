"""``jellyp cat``: prints files as RDF Patch text, in colours on a terminal."""

from __future__ import annotations

import os
import re
import sys

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import INPUT, from_option, reading_options
from jelly_rdflib.cli.printable import printable

# Characters that `printable` escapes, in UTF-8, without those that RDF Patch text always escapes.
_CONTROLS = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
# Tokens of RDF Patch text in the groups of their colours. Each row starts a line, as this package
# writes them.
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


@click.command("cat")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=INPUT)
@from_option("FILE")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colours; auto: on a terminal, unless NO_COLOR is set.",
)
@reading_options
def command(files: tuple[str, ...], from_: str | None, color: str) -> None:
    """Print files as RDF Patch text; standard input without FILE.

    Statements are printed as added.

    \b
    Examples:
      jellyp cat changes.jellyp | less -R
      jellyp cat changes.jellyp.gz | grep -c '^A '
      jellyp cat --color always data.jelly | head
    """
    from jelly_rdflib.core.text import TextPatchEncoder
    from jelly_rdflib.nodes import NODE_TYPES

    is_terminal = sys.stdout.isatty()
    can_color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    is_colored = is_terminal and can_color if color == "auto" else color == "always"

    def show(rows: bytes) -> None:
        if is_terminal:
            rows = _CONTROLS.sub(_escape, rows)
        sys.stdout.buffer.write(_TOKEN.sub(_paint, rows) if is_colored else rows)
        sys.stdout.buffer.flush()

    for file in files or ("-",):
        encoder = TextPatchEncoder(NODE_TYPES, show)
        with open_argument(file, from_) as input_:
            for batch in input_.batches():
                encoder.write_batch(batch)
                # Rows from a pipe are printed as soon as they arrive.
                encoder.flush()
            encoder.finish()


def _escape(match: re.Match[bytes]) -> bytes:
    return printable(match[0].decode()).encode()


def _paint(match: re.Match[bytes]) -> bytes:
    return click.style(match[0].decode(), fg=match.lastgroup).encode()

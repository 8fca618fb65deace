"""``jellyp cat``: prints files as RDF Patch text."""

from __future__ import annotations

import sys

import click

from jelly_rdflib.cli.formats import from_option
from jelly_rdflib.cli.inputs import INPUT, open_argument
from jelly_rdflib.cli.limits import reading_options
from jelly_rdflib.cli.printable import escape_rows


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
    from jelly_rdflib.cli.colors import paint, wants_color
    from jelly_rdflib.core.text import TextPatchEncoder
    from jelly_rdflib.nodes import NODE_TYPES

    is_colored = wants_color(sys.stdout, color)
    is_terminal = sys.stdout.isatty()

    def show(rows: bytes) -> None:
        if is_terminal:
            rows = escape_rows(rows)
        sys.stdout.buffer.write(paint(rows) if is_colored else rows)
        sys.stdout.buffer.flush()

    for file in files or ("-",):
        encoder = TextPatchEncoder(NODE_TYPES, show)
        with open_argument(file, from_) as input_:
            for batch in input_.batches():
                encoder.write_batch(batch)
                # Rows from a pipe are printed as soon as they arrive.
                encoder.flush()
            encoder.finish()

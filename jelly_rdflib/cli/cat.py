"""``jellyp cat``: prints files as RDF Patch text, in colours on a terminal."""

from __future__ import annotations

import click

from jelly_rdflib.cli.coloring import color_option, make_printer
from jelly_rdflib.cli.filters import Filters, filter_options
from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import CHANGES, follow_option, from_option, reading_options


@click.command("cat")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=CHANGES)
@from_option("FILE")
@follow_option
@filter_options
@color_option
@reading_options
def command(
    files: tuple[str, ...], from_: str | None, follow: bool, filters: Filters, color: str
) -> None:
    """Print files, by default standard input, as RDF Patch text.

    Statements are printed as additions. FILE may be the folder of a patch log.

    \b
    Examples:
      jellyp cat changes.jellyp | less -R
      jellyp cat changes.jellyp.gz | grep -c '^A '
      jellyp cat --subject ex:lamp --since 2026-11-25 history
      jellyp cat --follow history
    """
    from jelly_rdflib.core.text import TextPatchEncoder
    from jelly_rdflib.nodes import NODE_TYPES

    if follow and (len(files) != 1 or files[0] == "-"):
        raise click.UsageError("--follow needs one FILE; standard input is printed as it arrives")
    show = make_printer(color)
    for file in files or ("-",):
        encoder = TextPatchEncoder(NODE_TYPES, show)
        with open_argument(file, from_, is_followed=follow) as input_:
            for batch in filters.batches(input_):
                encoder.write_batch(batch)
                # Flush, so that rows from a pipe are printed as soon as they arrive.
                encoder.flush()
            encoder.finish()

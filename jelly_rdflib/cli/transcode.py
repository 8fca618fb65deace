"""``jellyp transcode``: joins streams of Jelly into one."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.inputs import check_stdin_once
from jelly_rdflib.cli.options import (
    InputPath,
    directions_option,
    jelly_options,
    output_option,
)


@click.command("transcode")
@click.argument(
    "sources",
    metavar="IN...",
    nargs=-1,
    required=True,
    type=InputPath("jellyp convert writes it as one stream"),
)
@output_option("OUT", "the stream", "standard output")
@jelly_options
@directions_option
def command(sources: tuple[str, ...], output: str, **output_options: Any) -> None:
    """Join streams of Jelly into one, with new lookups and options.

    All are Jelly-Patch, or all are Jelly-RDF; an IN may itself consist of several streams, one
    after the other (cat a.jelly b.jelly). The options are those that allow what all of the INs
    allow, unless others are given; a statement that the given ones don't allow is an error. Frames
    of graphs and datasets, and frames with metadata, stay frames. Patches stay as they are: concat
    makes one of them. Blank nodes with the same label become the same blank node.

    It differs from convert, which has one IN and one OUT, of any format. To other commands a second
    stream in a file is an error, unless --repeated-options says what it is. Here each starts anew.

    \b
    Examples:
      jellyp transcode monday.jelly tuesday.jelly -o both.jelly
      jellyp transcode --preset small --frame-rows 64 data.jelly -o small.jelly
      cat *.jellyp | jellyp transcode - --options-from first.jellyp > all.jellyp
    """
    from jelly_rdflib.cli.conversion import transcode

    check_stdin_once(*sources)
    transcode(sources, output, output_options)

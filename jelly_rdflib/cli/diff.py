"""``jellyp diff``: compares two datasets."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.formats import FORMAT, patch_format, to_option
from jelly_rdflib.cli.inputs import INPUT, check_stdin_once, open_argument
from jelly_rdflib.cli.limits import reading_options
from jelly_rdflib.cli.outputs import open_output, output_option


@click.command("diff")
@click.argument("old", metavar="OLD", type=INPUT)
@click.argument("new", metavar="NEW", type=INPUT)
@output_option("PATCH", "the patch", "standard output, as RDF Patch text")
@click.option(
    "--canonical",
    is_flag=True,
    help="Compare blank nodes by the statements about them, not by their labels.",
)
@click.option(
    "--from",
    "from_",
    type=FORMAT,
    help="The format of OLD and NEW, if their names don't tell it.",
)
@to_option("PATCH")
@reading_options
def command(
    old: str, new: str, output: str, from_: str | None, to: str | None, **options: Any
) -> None:
    """Write the patch that turns OLD into NEW.

    Both have any RDF syntax, or Jelly-RDF, and are held in memory. Blank nodes are the same if
    their labels are the same. Labels differ between two files of Turtle: there use --canonical.
    Prefixes are compared if both syntaxes have them. The exit code is 0 whether there are
    differences or not.

    \b
    Examples:
      jellyp diff old.nq new.nq -o changes.jellyp
      jellyp diff --canonical old.ttl new.ttl | less
      jellyp diff yesterday.jelly.gz today.jelly.gz -o changes.rdfp.gz
    """
    from jelly_rdflib.cli.datasets import load, write_difference

    check_stdin_once(old, new)
    format = patch_format(output, to, for_file="jelly-patch")
    with open_argument(old, from_) as input_:
        before = load(input_)
        has_prefixes = input_.known_encoding().has_prefixes
    with open_argument(new, from_) as input_:
        after = load(input_)
        has_prefixes &= input_.known_encoding().has_prefixes
    with open_output(output) as destination:
        write_difference(before, after, destination, format, has_prefixes=has_prefixes, **options)

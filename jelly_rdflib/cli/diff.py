"""``jellyp diff``: what changed between two datasets."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.formats import FORMAT
from jelly_rdflib.cli.inputs import INPUT, open_input
from jelly_rdflib.cli.limits import isolated_option, limit_option
from jelly_rdflib.cli.outputs import OUTPUT, open_output


@click.command("diff")
@click.argument("old", metavar="OLD", type=INPUT)
@click.argument("new", metavar="NEW", type=INPUT)
@click.option(
    "-o",
    "--output",
    metavar="PATCH",
    default="-",
    type=OUTPUT,
    help="Where to write the patch. [default: standard output, as RDF Patch text]",
)
@click.option(
    "--canonical",
    is_flag=True,
    help="Compare blank nodes by what is said of them, not by their labels.",
)
@click.option(
    "--from", "from_", type=FORMAT, help="What OLD and NEW are, if their names don't say it."
)
@click.option("--to", type=FORMAT, help="What PATCH is to be, if its name does not say it.")
@isolated_option
@limit_option
def command(
    old: str, new: str, output: str, from_: str | None, to: str | None, **options: Any
) -> None:
    """Write the patch that turns OLD into NEW.

    Both have any RDF syntax, or Jelly-RDF, and are held in memory. Blank nodes are the same if
    their labels are, which is not so between two files of Turtle: there --canonical is what is
    wanted. Prefixes are compared if both syntaxes have them. The exit code is 0 whether there are
    differences or not.

    \b
    Examples:
      jellyp diff old.nq new.nq -o changes.jellyp
      jellyp diff --canonical old.ttl new.ttl | less
      jellyp diff yesterday.jelly.gz today.jelly.gz -o changes.rdfp.gz
    """
    from jelly_rdflib.cli.datasets import load, write_difference
    from jelly_rdflib.formats import find_encoding, guess_by_name

    if old == new == "-":
        raise click.UsageError("standard input can be read only once")
    encoding = find_encoding(to) if to is not None else guess_by_name(output)
    if encoding is None:
        encoding = find_encoding("rdf-patch" if output == "-" else "jelly-patch")
    if not encoding.holds_changes:
        raise click.UsageError(f"PATCH can't be {encoding.name}: that is for statements")
    has_prefixes = True
    with open_input(old, from_) as input_:
        before = load(input_)
        has_prefixes &= input_.has_prefixes()
    with open_input(new, from_) as input_:
        after = load(input_)
        has_prefixes &= input_.has_prefixes()
    with open_output(output) as destination:
        write_difference(before, after, destination, encoding, has_prefixes=has_prefixes, **options)

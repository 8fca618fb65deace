"""``jellyp stats``: what a file changes, in numbers and as a picture."""

from __future__ import annotations

import json

import click

from jelly_rdflib.cli.formats import FORMAT
from jelly_rdflib.cli.inputs import INPUT, open_input
from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.printable import say

__all__ = ["command"]


@click.command("stats")
@click.argument("file", metavar="[FILE]", default="-", type=INPUT)
@click.option("--from", "from_", type=FORMAT, help="What FILE is, if its name does not say it.")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many graphs and predicates to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@click.option(
    "--plot",
    metavar="OUT",
    type=click.Path(dir_okay=False, writable=True),
    help="Draw a picture: .svg, .png or .pdf. (Needs the extra plot.)",
)
@limit_option
def command(file: str, from_: str | None, top: int, as_json: bool, plot: str | None) -> None:
    """Count operations by graph, by predicate and by transaction.

    FILE has changes or statements; without it, standard input is read.

    \b
    Examples:
      jellyp stats changes.jellyp
      jellyp stats --top 30 changes.rdfp.gz
      jellyp stats --json changes.jellyp | jq .operations.A
      jellyp stats --plot changes.svg changes.jellyp
    """
    from jelly_rdflib.cli.counting import count_operations

    if plot is not None:
        from jelly_rdflib.cli.plotting import check_picture, plot_counts

        # Before the file is read: that may take long.
        check_picture(plot)
    with open_input(file, from_) as input_:
        counts = count_operations(input_.batches())
    if plot is not None:
        plot_counts(counts, plot, input_.name, top)
    if as_json:
        say(json.dumps(counts.as_dict(), indent=2, ensure_ascii=False))
    else:
        from jelly_rdflib.cli.tables import print_counts

        print_counts(counts, input_.name, top)

"""``jellyp stats``: counts the operations of a file, in numbers and as a picture."""

from __future__ import annotations

import json
from itertools import islice

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import INPUT, from_option, reading_options
from jelly_rdflib.cli.printable import say


@click.command("stats")
@click.argument("file", metavar="[FILE]", default="-", type=INPUT)
@from_option("FILE")
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
@reading_options
def command(file: str, from_: str | None, top: int, as_json: bool, plot: str | None) -> None:
    """Count operations by graph, by predicate and by transaction.

    FILE has changes or statements; without it, standard input is read.

    The first 100,000 graphs, up to 12 MiB of names, and as many predicates are counted one by one.
    The graphs and predicates after them are counted together, as others.

    \b
    Examples:
      jellyp stats changes.jellyp
      jellyp stats --top 30 changes.rdfp.gz
      jellyp stats --json changes.jellyp | jq .operations.A
      jellyp stats --plot changes.svg changes.jellyp
    """
    from jelly_rdflib.inspection.stats import count_operations

    if plot is not None:
        from jelly_rdflib.cli.plotting import check_picture

        # Checked first, as reading the file may take long.
        check_picture(plot)
    with open_argument(file, from_) as input_:
        counts = count_operations(input_.batches())
    if plot is not None:
        from jelly_rdflib.cli.plotting import plot_counts

        plot_counts(counts, plot, input_.name, top)
    if not as_json:
        from jelly_rdflib.cli.tables import print_parts
        from jelly_rdflib.inspection.stats_tables import stats_parts

        print_parts(stats_parts(counts, top), input_.name)
        return
    # In pieces of so many tokens, as the whole text may take a hundred MB.
    parts = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(counts.as_dict())
    while piece := "".join(islice(parts, 10_000)):
        say(piece, end="")
    say("")

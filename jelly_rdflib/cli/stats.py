"""``jellyp stats``: counts the operations of a file, in numbers and as a picture."""

from __future__ import annotations

import json
from itertools import islice

import click

from jelly_rdflib.cli.filters import Filters, filter_options
from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import CHANGES, from_option, reading_options
from jelly_rdflib.cli.printable import say


@click.command("stats")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=CHANGES)
@from_option("FILE")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many graphs and predicates to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option(
    "--plot",
    metavar="OUT",
    type=click.Path(dir_okay=False, writable=True),
    help="Draw a picture: .svg, .png or .pdf. (Needs the extra plot.)",
)
@filter_options
@reading_options
def command(
    files: tuple[str, ...],
    from_: str | None,
    top: int,
    as_json: bool,
    plot: str | None,
    filters: Filters,
) -> None:
    """Count operations by graph, by predicate and by transaction.

    FILE has changes or statements, or is the folder of a patch log; without it, standard input is
    read. Several files are counted together.

    The first 100,000 graphs, or 12 MiB of their names, get a count each, and so do as many
    predicates. The graphs and predicates after them share one count, "others".

    \b
    Examples:
      jellyp stats changes.jellyp
      jellyp stats --top 30 changes.rdfp.gz
      jellyp stats --json changes.jellyp | jq .operations.A
      jellyp stats --since 2026-11-01 --until 2026-11-30 history
      jellyp stats --plot changes.svg changes.jellyp
    """
    from jelly_rdflib.inspection.stats import StreamStats, count_operations

    if plot is not None:
        from jelly_rdflib.cli.plotting import check_picture

        # Check this first, since reading the files may take a long time.
        check_picture(plot)
    counts = StreamStats()
    name = f"{len(files)} files"
    for file in files or ("-",):
        with open_argument(file, from_) as input_:
            count_operations(filters.batches(input_), counts)
            if len(files) <= 1:
                name = input_.name
    if plot is not None:
        from jelly_rdflib.cli.plotting import plot_counts

        plot_counts(counts, plot, name, top)
    if not as_json:
        from jelly_rdflib.cli.tables import print_parts
        from jelly_rdflib.inspection.stats_tables import stats_parts

        print_parts(stats_parts(counts, top), name)
        return
    # Write in pieces of this many tokens, since the whole text may take a hundred MB.
    parts = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(counts.as_dict())
    while piece := "".join(islice(parts, 10_000)):
        say(piece, end="")
    say("")

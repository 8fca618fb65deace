"""``jellyp record``: what SPARQL Update changes, as a patch."""

from __future__ import annotations

import click

from jelly_rdflib.cli.formats import FORMAT, output_encoding
from jelly_rdflib.cli.inputs import INPUT, open_input
from jelly_rdflib.cli.limits import isolated_option, limit_option
from jelly_rdflib.cli.outputs import OUTPUT, open_output


@click.command("record")
@click.argument("base", metavar="BASE", type=INPUT)
@click.argument(
    "updates",
    metavar="UPDATE...",
    nargs=-1,
    required=True,
    type=INPUT,
)
@click.option(
    "-o",
    "--output",
    metavar="PATCH",
    default="-",
    type=OUTPUT,
    help="Where to write the patch. [default: standard output, as RDF Patch text]",
)
@click.option(
    "--result",
    metavar="OUT",
    type=click.Path(dir_okay=False, writable=True),
    help="Where to write the dataset as it is then; BASE itself will do.",
)
@click.option("--from", "from_", type=FORMAT, help="What BASE is, if its name does not say it.")
@click.option("--to", type=FORMAT, help="What PATCH is to be, if its name does not say it.")
@isolated_option
@limit_option
def command(
    base: str,
    updates: tuple[str, ...],
    output: str,
    result: str | None,
    from_: str | None,
    to: str | None,
) -> None:
    """Run SPARQL Update on a dataset, and write what it changed as a patch.

    BASE has any RDF syntax, or Jelly-RDF, and is held in memory. Each file UPDATE is a transaction;
    only what took effect is in the patch. rdflib runs the updates. If one fails, no file is
    written.

    \b
    Examples:
      jellyp record base.nq fix.ru -o fix.jellyp
      jellyp record base.nq fix.ru -o fix.jellyp && jellyp log append history fix.jellyp
      echo 'CLEAR GRAPH <urn:g>' | jellyp record base.nq - --result base.nq
    """
    from jelly_rdflib.cli.datasets import load, save
    from jelly_rdflib.cli.recording import record_updates

    if [base, *updates].count("-") > 1:
        raise click.UsageError("standard input can be read only once")

    patch_format = "rdf-patch" if output == "-" and to is None else to
    encoding = output_encoding(output, patch_format, "--to")
    if not encoding.holds_changes:
        raise click.UsageError(f"PATCH can't be {encoding.name}: that is for statements")
    result_encoding = None if result is None else output_encoding(result, None, "its name")
    with open_input(base, from_) as input_:
        dataset = load(input_)
    with open_output(output) as destination:
        record_updates(dataset, updates, destination, encoding)
        if result is not None and result_encoding is not None:
            with open_output(result) as place:
                save(dataset, place, result_encoding)

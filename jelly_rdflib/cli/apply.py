"""``jellyp apply``: bring a dataset up to date."""

from __future__ import annotations

import click

from jelly_rdflib.cli.formats import FORMAT, output_encoding
from jelly_rdflib.cli.inputs import INPUT, open_input
from jelly_rdflib.cli.limits import isolated_option, limit_option
from jelly_rdflib.cli.outputs import OUTPUT, open_output


@click.command("apply")
@click.argument("base", metavar="BASE", type=INPUT)
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    type=OUTPUT,
    help="Where to write the dataset. [default: standard output]",
)
@click.option("--from", "from_", type=FORMAT, help="What BASE is, if its name does not say it.")
@click.option(
    "--to",
    type=FORMAT,
    help="What OUT is to be, if its name does not say it. [default for standard output: as BASE]",
)
@click.option(
    "--patch-format", type=FORMAT, help="What the PATCHes are, if their names don't say it."
)
@isolated_option
@limit_option
def command(
    base: str,
    patches: tuple[str, ...],
    output: str,
    from_: str | None,
    to: str | None,
    patch_format: str | None,
) -> None:
    """Apply patches to a dataset, in order, and write what it is then.

    BASE and OUT have any RDF syntax, or Jelly-RDF; the dataset is held in memory. Blank nodes of
    patches are those of the same label in BASE. Each patch is applied wholly or, if it is bad, not
    at all: then nothing is written.

    \b
    Examples:
      jellyp apply base.nq monday.jellyp tuesday.jellyp -o now.nq.gz
      jellyp apply /dev/null --from nq changes.jellyp --to trig
      kcat -C -t changes | jellyp apply base.jelly - -o now.jelly
    """
    from jelly_rdflib.cli.datasets import apply_patch, load, save

    if (base, *patches).count("-") > 1:
        raise click.UsageError("standard input can be read only once")
    with open_input(base, from_) as input_:
        dataset = load(input_)
    if output == "-" and to is None and input_.encoding is not None:
        encoding = input_.encoding
    else:
        encoding = output_encoding(output, to, "--to")
    for patch in patches:
        with open_input(patch, patch_format) as input_:
            apply_patch(input_, dataset)
    with open_output(output) as destination:
        save(dataset, destination, encoding)

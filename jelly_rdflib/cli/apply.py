"""``jellyp apply``: applies patches to a dataset."""

from __future__ import annotations

import click

from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    TARGET,
    chosen_limits,
    format_option,
    from_option,
    is_address,
    output_option,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format


@click.command("apply")
@click.argument("base", metavar="BASE", type=TARGET)
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=CHANGES)
@output_option("OUT", "the dataset", "standard output")
@from_option("BASE")
@to_option("OUT", default=" [default for standard output: as BASE]")
@format_option("--patch-format", "patch_format", "the PATCHes", is_plural=True)
@reading_options
def command(
    base: str,
    patches: tuple[str, ...],
    output: str,
    from_: str | None,
    to: str | None,
    patch_format: str | None,
) -> None:
    """Apply patches to a dataset, in order, and write the result.

    BASE may be the address of a dataset of Apache Jena Fuseki, which is changed in place, by one
    request for each transaction: then there is no OUT. Its token, or user and password, are in the
    environment variables JELLYP_FUSEKI_TOKEN, or JELLYP_FUSEKI_USER and JELLYP_FUSEKI_PASSWORD.

    Otherwise BASE and OUT have any RDF syntax, or Jelly-RDF; the dataset is held in memory. A blank
    node of a patch is the blank node of the same label in BASE. If a patch is invalid, nothing is
    written. A PATCH may be the folder of a patch log.

    \b
    Examples:
      jellyp apply base.nq monday.jellyp tuesday.jellyp -o now.nq.gz
      jellyp apply /dev/null --from nq changes.jellyp --to trig
      kcat -C -t changes | jellyp apply base.jelly - -o now.jelly
      jellyp apply http://localhost:3030/ds/patch monday.jellyp
    """
    from jelly_rdflib.cli.datasets import load, save
    from jelly_rdflib.graph.apply import apply, apply_read
    from jelly_rdflib.graph.stores.target import Target

    check_stdin_once(base, *patches)
    if is_address(base):
        for name, value in (("-o", output != "-"), ("--from", from_), ("--to", to)):
            if value:
                raise click.UsageError(f"{name} is not for the address of a server as BASE")
        for patch in patches:
            with open_argument(patch, patch_format) as input_:
                apply(input_.operations(is_held=False), base)
        return
    with open_argument(base, from_) as input_:
        dataset = load(input_)
    format = output_format(output, to, for_stdout=input_.format.name)
    for patch in patches:
        with open_argument(patch, patch_format) as input_:
            operations = input_.operations(is_held=True)
            apply_read(operations, Target(dataset), is_held=False, limits=chosen_limits())
    with open_output(output) as destination:
        save(dataset, destination, format)

"""``jellyp diff``: compares two datasets."""

from __future__ import annotations

import click

from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import INPUT, from_option, output_option, reading_options, to_option
from jelly_rdflib.cli.outputs import open_output, patch_format


@click.command("diff")
@click.argument("old", metavar="OLD", type=INPUT)
@click.argument("new", metavar="NEW", type=INPUT)
@output_option("PATCH", "the patch", "standard output, as RDF Patch text")
@click.option(
    "--canonical",
    is_flag=True,
    help="Compare blank nodes by the statements about them, not by their labels.",
)
@from_option("OLD and NEW", is_plural=True)
@to_option("PATCH")
@reading_options
def command(
    old: str, new: str, output: str, from_: str | None, to: str | None, canonical: bool
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
    from rdflib.graph import Dataset
    from rdflib.namespace import NamespaceManager

    from jelly_rdflib.cli.datasets import load
    from jelly_rdflib.patch.diff import diff
    from jelly_rdflib.streams.writing import PatchWriter

    check_stdin_once(old, new)
    format = patch_format(output, to, for_file="jelly-patch")
    with open_argument(old, from_) as before:
        datasets = [load(before)]
    with open_argument(new, from_) as after:
        datasets.append(load(after))
    if not (before.format.has_prefixes and after.format.has_prefixes):
        for dataset in datasets:
            dataset.namespace_manager = NamespaceManager(Dataset(), bind_namespaces="none")
    with open_output(output) as destination:
        patch = diff(*datasets, canonical=canonical)
        with PatchWriter(destination, format=format.name) as writer:
            writer.write_all(patch)

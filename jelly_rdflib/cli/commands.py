"""The command ``jellyp`` and the list of its commands."""

from __future__ import annotations

import click

from jelly_rdflib.cli.lazy import Commands

COMMANDS = (
    "apply",
    "cat",
    "completion",
    "convert",
    "diff",
    "index",
    "inspect",
    "log",
    "record",
    "spark",
    "stats",
    "validate",
)


@click.command(
    cls=Commands,
    package=__package__,
    names=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="jelly-rdflib", prog_name="jellyp")
def jellyp() -> None:
    """Work with changes to RDF data: Jelly-Patch, RDF Patch, Jelly-RDF and other RDF.

    Files are told by their names (.jellyp, .rdfp, .rdfpb, .jelly, .nt, .nq, .ttl, .trig, …), else
    by their first bytes; compressed ones (.gz, .zst) are read and written as they are named. "-" is
    standard input or standard output.

    Exit codes: 0; 1 if the input is at fault; 2 if the call is.

    \b
    Examples:
      jellyp convert changes.jellyp changes.rdfp
      jellyp cat changes.jellyp | grep '^D'
      jellyp apply base.nq changes.jellyp -o now.nq
      jellyp diff old.ttl new.ttl -o changes.jellyp
    """

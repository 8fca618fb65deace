"""``jellyp log squash``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, VERSION, open_log, timeout_option


@click.command("squash")
@click.argument("log", metavar="LOG", type=LOG)
@click.argument("first", metavar="FIRST", type=VERSION)
@click.argument("last", metavar="LAST", type=VERSION)
@limit_option
@timeout_option
def command(log: str, first: int | str, last: int | str) -> None:
    """Make one patch of those that make the versions FIRST to LAST, with the same effect.

    The versions between are gone then, and a replica that has one of them can't follow any more.

    \b
    Examples:
      jellyp log squash history 1 100
    """
    entry = open_log(log).squash(first, last)
    click.echo(f"versions {entry.first} to {entry.version}: {entry.size:,} bytes")

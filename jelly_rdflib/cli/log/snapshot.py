"""``jellyp log snapshot``."""

from __future__ import annotations

import os

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, VERSION, open_log, timeout_option


@click.command("snapshot")
@click.argument("log", metavar="LOG", type=LOG)
@click.argument("version", metavar="[VERSION]", required=False, type=VERSION)
@limit_option
@timeout_option
def command(log: str, version: int | str | None) -> None:
    """Keep a version as a whole, so that it and later ones are checked out sooner.

    The file's path is printed.

    \b
    Examples:
      jellyp log snapshot history
      jellyp log snapshot history 100
    """
    # Below the folder as it was given.
    path = open_log(log).snapshot(version)
    click.echo(os.path.join(log, path.parent.name, path.name))

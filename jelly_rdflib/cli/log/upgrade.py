"""``jellyp log upgrade``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.limits import chosen_limits, limit_option
from jelly_rdflib.cli.log.arguments import LOG, chosen_timeout, timeout_option


@click.command("upgrade")
@click.argument("log", metavar="LOG", type=LOG)
@limit_option
@timeout_option
def command(log: str) -> None:
    """Convert a log of the earlier format, which had no database.

    All of its files are checked first, and stay as they are. Nobody else may write to the log
    meanwhile. An upgrade that was stopped can be run again. A log that is upgraded stays as it is.

    \b
    Examples:
      jellyp log upgrade history
    """
    from jelly_rdflib.log import upgrade

    upgraded = upgrade(log, limits=chosen_limits(), timeout=chosen_timeout())
    click.echo(f"version {upgraded.version}")

"""``jellyp log init``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.log.arguments import chosen_timeout, timeout_option


@click.command("init")
@click.argument("log", metavar="LOG", type=click.Path(file_okay=False))
@click.option("--compression", type=click.Choice(["zst"]), help="Compress the files of the log.")
@timeout_option
def command(log: str, compression: str | None) -> None:
    """Make a new log in the folder LOG.

    \b
    Examples:
      jellyp log init history
      jellyp log init --compression zst history
    """
    from jelly_rdflib.log import PatchLog

    try:
        PatchLog.create(log, compression=compression, timeout=chosen_timeout())
    except FileExistsError as error:
        raise click.UsageError(str(error)) from error

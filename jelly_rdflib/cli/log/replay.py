"""``jellyp log replay``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.limits import chosen_limits, limit_option
from jelly_rdflib.cli.log.arguments import (
    LOG,
    VERSION,
    chosen_timeout,
    open_log,
    timeout_option,
    track,
)
from jelly_rdflib.cli.progress import show_progress


@click.command("replay")
@click.argument("log", metavar="LOG", type=LOG)
@click.argument("replica", metavar="REPLICA", type=click.Path(file_okay=False))
@click.option("--upto", type=VERSION, help="The version that is wanted. [default: the newest]")
@click.option("--compression", type=click.Choice(["zst"]), help="Compress the file of the replica.")
@limit_option
@timeout_option
def command(log: str, replica: str, upto: int | str | None, compression: str | None) -> None:
    """Bring a replica up to date: a folder with the data as Jelly-RDF.

    Which version the data are is kept with them, so that each patch is applied once, whenever
    this is stopped and started again.

    \b
    Examples:
      jellyp log replay history replica
      jellyp log replay history replica --upto 7
      jellyp convert replica/*.jelly data.nq
    """
    from jelly_rdflib.log import Replica

    opened = open_log(log)
    target = Replica(
        replica, compression=compression, limits=chosen_limits(), timeout=chosen_timeout()
    )
    before = target.version
    total = len(opened.patches(target.id, upto))
    with show_progress("replaying", total, is_bytes=False) as progress:
        after = target.update(opened, upto=upto, progress=track(progress.advance))
    click.echo(f"version {after}" if before == after else f"version {before} to {after}")

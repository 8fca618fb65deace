"""``jellyp replica``: datasets that follow a log or a stream."""

from __future__ import annotations

import json
from typing import Any

import click

from jelly_rdflib.cli.commands import OrderedGroup
from jelly_rdflib.cli.live_options import following_options, open_live
from jelly_rdflib.cli.options import chosen_limits
from jelly_rdflib.cli.printable import count, say, tell


@click.group("replica", cls=OrderedGroup)
def command() -> None:
    """Keep a copy of a dataset that follows its changes: a folder with the data.

    \b
    Examples:
      jellyp replica follow https://example.org/history copy
      jellyp replica follow kafka://localhost:9092/changes copy
    """


@command.command()
@click.argument("url", metavar="LOG-OR-URL")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@following_options("the data and their position")
def follow(
    url: str,
    folder: str,
    store_every: float,
    timeout: float | None,
    settings: dict[str, str],
    secret_settings: dict[str, str],
    strict: bool,
    as_json: bool,
) -> None:
    """Bring the replica in DIR up to date, and apply each new patch as it comes, until Ctrl+C.

    Each patch counts once, however often the command is interrupted and started again. For
    LOG-OR-URL see jellyp publish --help. jellyp log replay brings a replica up to date and ends.

    \b
    Examples:
      jellyp replica follow history copy
      jellyp replica follow --timeout 5 mqtt://localhost/changes copy --setting session=copy
      jellyp replica follow kafka://localhost:9092/changes copy --setting bad=skip
    """
    from jelly_rdflib.live import connect
    from jelly_rdflib.log import Replica

    replica = Replica(folder, limits=chosen_limits())
    options = {"timeout": timeout, "limits": chosen_limits(), **secret_settings, **settings}

    def progress(patch: Any) -> None:
        if as_json:
            say(json.dumps({"version": replica.version, "operations": len(patch)}))
        else:
            tell(f"version {replica.version}: {count(len(patch), 'operation')}")

    with open_live(connect, url, **options) as source:
        replica.follow(source, save_every=store_every, strict=strict, progress=progress)

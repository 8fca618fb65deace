"""``jellyp log`` and its commands."""

from __future__ import annotations

import click

from jelly_rdflib.cli.lazy import Commands

__all__ = ["command"]

COMMANDS = (
    "init",
    "append",
    "show",
    "verify",
    "replay",
    "checkout",
    "snapshot",
    "squash",
    "upgrade",
)


@click.command("log", cls=Commands, package=__package__, names=COMMANDS)
def command() -> None:
    """Keep patches in a log: a folder with a file for each.

    Each patch names the one before it. The n-th patch makes version n of the data; version 0 is
    empty. A version is given by its number or by the id of its patch.

    \b
    Examples:
      jellyp log init history
      jellyp log append history monday.jellyp
      jellyp log show history
      jellyp log checkout history 1 -o then.nq
    """

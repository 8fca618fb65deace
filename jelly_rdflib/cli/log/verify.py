"""``jellyp log verify``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, open_log, timeout_option
from jelly_rdflib.cli.printable import say


@click.command("verify")
@click.argument("log", metavar="LOG", type=LOG)
@click.option("--deep", is_flag=True, help="Compare snapshots with what the patches make.")
@limit_option
@timeout_option
@click.pass_context
def command(context: click.Context, log: str, deep: bool) -> None:
    """Look for all that is wrong with a log: every file is read to its end.

    Each problem is a line; the exit code is 1 if there is one.

    \b
    Examples:
      jellyp log verify history
      jellyp log verify --deep history && echo all is well
    """
    problems = open_log(log).verify(deep=deep)
    for problem in problems:
        say(problem)
    context.exit(1 if problems else 0)

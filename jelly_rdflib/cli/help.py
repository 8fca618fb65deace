"""``jellyp help``: the help of a command, and the limits of inputs."""

from __future__ import annotations

import inspect
import re

import click

from jelly_rdflib.cli.printable import say

_LIMIT = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


@click.command("help")
@click.argument("topic", metavar="[COMMAND|limits]...", nargs=-1)
@click.pass_context
def command(context: click.Context, topic: tuple[str, ...]) -> None:
    """Show the help of a command, or the limits of inputs.

    \b
    Examples:
      jellyp help
      jellyp help log list
      jellyp help limits
    """
    if topic == ("limits",):
        _show_limits()
        return
    shown = context.find_root()
    for name in topic:
        group = shown.command
        found = group.get_command(shown, name) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"there is no command or topic {' '.join(topic)!r}")
        shown = click.Context(found, info_name=name, parent=shown)
    say(shown.get_help())


def _show_limits() -> None:
    """Print each limit with its default and the first sentence of its description."""
    from jelly_rdflib.options import Limits

    texts = dict(_LIMIT.findall(inspect.getdoc(Limits) or ""))
    formatter = click.HelpFormatter()
    formatter.write_text(
        "Input that exceeds a limit is refused. Each command accepts --limit NAME=NUMBER, which"
        " overrides a limit and may be repeated. K, M, G and T stand for powers of 1024."
    )
    formatter.write_paragraph()
    rows = []
    for name, value in vars(Limits()).items():
        text = re.sub(r"\s+", " ", texts.get(name, "")).replace("`", "")
        text = text.replace("jelly_rdflib.", "").partition(". ")[0].rstrip(".")
        rows.append((f"{name}={_short(value)}", text))
    formatter.write_dl(rows, col_max=40)
    say(formatter.getvalue(), end="")


def _short(number: int) -> str:
    """Return a number as ``--limit`` accepts it, with a unit if it is a multiple of the unit."""
    units = ["", *"KMGT"]
    while number >= 1024 and number % 1024 == 0:
        number //= 1024
        units.pop(0)
    return f"{number}{units[0]}"

"""``jellyp log show``."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, VERSION, open_log, timeout_option


@click.command("show")
@click.argument("log", metavar="LOG", type=LOG)
@click.option("--since", type=VERSION, help="Show what comes after this version.")
@click.option("--upto", type=VERSION, help="Show what comes up to this version.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object a line.")
@limit_option
@timeout_option
def command(log: str, since: int | str | None, upto: int | str | None, as_json: bool) -> None:
    """List the patches of a log, the oldest first.

    \b
    Examples:
      jellyp log show history
      jellyp log show --since 10 history
      jellyp log show --json history | jq -r .id
    """
    opened = open_log(log)
    entries = opened.patches(since, upto)
    if as_json:
        for entry in entries:
            click.echo(json.dumps(_as_dict(entry), ensure_ascii=False))
        return

    from rich import box
    from rich.table import Table

    from jelly_rdflib.cli.tables import make_console

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("version", "bytes"):
        table.add_column(name, justify="right")
    for name in ("id", "snapshot"):
        table.add_column(name, no_wrap=True)
    snapshots = set(opened.snapshots)
    for entry in entries:
        is_single = entry.first == entry.version
        table.add_row(
            f"{entry.version}" if is_single else f"{entry.first}-{entry.version}",
            f"{entry.size:,}",
            str(entry.id),
            "yes" if entry.version in snapshots else "",
        )
    make_console().print(table)


def _as_dict(entry: Any) -> dict[str, Any]:
    return {
        "version": entry.version,
        "first": entry.first,
        "id": entry.id,
        "prev": entry.prev,
        "bytes": entry.size,
        "digest": entry.digest,
        "time": entry.time.isoformat(),
        "path": os.fspath(entry.path),
    }

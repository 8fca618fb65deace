"""``jellyp spark diff``."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import VERSION
from jelly_rdflib.cli.spark.arguments import (
    FROM,
    ORDER_BY,
    PATHS,
    output_options,
    session_options,
)
from jelly_rdflib.cli.spark.outputs import OF_CHANGES, Output


@click.command("diff")
@PATHS
@output_options(*OF_CHANGES)
@click.option("--old", type=VERSION, help="The version it is for. [default: 0, which is empty]")
@click.option("--new", type=VERSION, help="What it makes of it. [default: the newest version]")
@FROM
@ORDER_BY
@limit_option
@session_options
def command(
    paths: tuple[str, ...],
    output: str,
    to: str | None,
    overwrite: bool,
    old: int | str | None,
    new: int | str | None,
    from_: str | None,
    order_by: str | None,
    **session: Any,
) -> None:
    """Write the patch that turns the quads of one version into those of another.

    With --order-by, versions are values of that column, and --old has to be given.

    \b
    Examples:
      jellyp spark diff history --old 3 --new 7
      jellyp spark diff history --old 7 --new 3 -o undo.jellyp
    """
    from jelly_rdflib.cli.spark.inputs import Changes
    from jelly_rdflib.cli.spark.session import open_session

    if old is None:
        if order_by is not None:
            raise click.UsageError("with --order-by there is no version 0: --old has to be given")
        old = 0
    changes = Changes(paths, from_)
    out = Output(output, to, OF_CHANGES, overwrite=overwrite)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import diff, replay

        rows, marks = changes.load(spark)
        before = replay(rows, None, old, order_by, marks=marks)
        after = replay(rows, None, new, order_by, marks=marks)
        out.write(diff(before, after))

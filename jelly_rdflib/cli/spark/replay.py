"""``jellyp spark replay``."""

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
from jelly_rdflib.cli.spark.outputs import OF_QUADS, Output


@click.command("replay")
@PATHS
@output_options(*OF_QUADS)
@click.option("--upto", type=VERSION, help="The version that is wanted. [default: the newest]")
@click.option(
    "--base",
    metavar="TABLE",
    help="The quads of version 0: a folder of Parquet, a table that jellyp spark ingest made, or"
    " .jelly files. [default: none]",
)
@FROM
@ORDER_BY
@limit_option
@session_options
def command(
    paths: tuple[str, ...],
    output: str,
    to: str | None,
    overwrite: bool,
    upto: int | str | None,
    base: str | None,
    from_: str | None,
    order_by: str | None,
    **session: Any,
) -> None:
    """Write the quads of a version, of the newest by default.

    With --order-by, --upto is a value of that column.

    \b
    Examples:
      jellyp spark replay history -o now.parquet
      jellyp spark replay history --upto 3 | sort > then.nq
      jellyp spark replay 'changes/*.jellyp' --order-by file -o now.jelly
    """
    from jelly_rdflib.cli.spark.inputs import Changes, load_quads
    from jelly_rdflib.cli.spark.session import open_session

    changes = Changes(paths, from_)
    out = Output(output, to, OF_QUADS, overwrite=overwrite)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import replay

        rows, marks = changes.load(spark)
        start = None if base is None else load_quads(spark, base)
        out.write(replay(rows, start, upto, order_by, marks=marks))

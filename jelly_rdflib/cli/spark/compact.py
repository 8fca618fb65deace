"""``jellyp spark compact``."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.spark.arguments import (
    FROM,
    ORDER_BY,
    PATHS,
    output_options,
    session_options,
)
from jelly_rdflib.cli.spark.outputs import OF_CHANGES, Output


@click.command("compact")
@PATHS
@output_options(*OF_CHANGES)
@FROM
@ORDER_BY
@click.option(
    "--after",
    metavar="ID",
    help="The patch that the first one comes after and that is not there. [default: none]",
)
@limit_option
@session_options
def command(
    paths: tuple[str, ...],
    output: str,
    to: str | None,
    overwrite: bool,
    from_: str | None,
    order_by: str | None,
    after: str | None,
    **session: Any,
) -> None:
    """Write the smallest patch that does what all patches do.

    Of the operations on a quad, the last one stays; aborted transactions are left out.

    \b
    Examples:
      jellyp spark compact history -o small.jellyp
      jellyp spark compact 'changes/*.jellyp' --order-by file | grep -c '^D'
      jellyp spark compact 'since-monday/*.jellyp' --after urn:uuid:1
    """
    from jelly_rdflib.cli.spark.inputs import Changes
    from jelly_rdflib.cli.spark.session import open_session

    if after is not None and order_by is not None:
        raise click.UsageError("--after is for the chain of patches; with --order-by there is none")
    changes = Changes(paths, from_)
    out = Output(output, to, OF_CHANGES, overwrite=overwrite)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import compact

        rows, marks = changes.load(spark)
        out.write(compact(rows, order_by, marks=marks, after=after))

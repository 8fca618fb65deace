"""``jellyp spark ingest``."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.spark.arguments import FROM, ORDER_BY, session_options


@click.command("ingest")
@click.argument("path", metavar="PATH")
@click.argument("table", metavar="TABLE")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    required=True,
    help="Where Spark keeps which files are in the table; it belongs to the table.",
)
@click.option("--follow", is_flag=True, help="Go on with files that come, until interrupted.")
@click.option(
    "--max-files",
    metavar="COUNT",
    type=click.IntRange(min=1),
    help="How many files make a version of the table at the most. [default: all there are]",
)
@FROM
@ORDER_BY
@limit_option
@session_options
def command(
    path: str,
    table: str,
    checkpoint: str,
    follow: bool,
    max_files: int | None,
    from_: str | None,
    order_by: str | None,
    **session: Any,
) -> None:
    """Keep a table of the current quads up to date with the files of a folder.

    TABLE is a folder of Parquet that can be read at all times (jelly_rdflib.spark.pipeline's
    read_maintained, or --base of jellyp spark replay). Each file is taken exactly once, whenever
    this is stopped and started again.

    \b
    Examples:
      jellyp spark ingest incoming table --checkpoint table.checkpoint
      jellyp spark ingest incoming table --checkpoint table.checkpoint --follow
    """
    from jelly_rdflib.cli.spark.inputs import Changes, reader_limits
    from jelly_rdflib.cli.spark.session import open_session

    changes = Changes([path], from_)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import maintain
        from jelly_rdflib.spark.pipeline.quad_table import QuadTable

        reader = spark.readStream.format(changes.format).options(**reader_limits())
        if max_files is not None:
            reader = reader.option("maxFilesPerTrigger", max_files)
        query = maintain(
            reader.load(changes.paths[0]),
            table,
            checkpoint,
            order_by=order_by,
            trigger=None if follow else {"availableNow": True},
        )
        query.awaitTermination()
        click.echo(f"patches: {QuadTable(spark, table).last_commit().version:,}")

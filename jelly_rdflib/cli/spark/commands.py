"""The commands of ``jellyp spark``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from jelly_rdflib.cli.commands import OrderedGroup
from jelly_rdflib.cli.log import version
from jelly_rdflib.cli.options import limit_option
from jelly_rdflib.cli.spark.inputs import FORMATS, Changes, load_quads, reader_limits
from jelly_rdflib.cli.spark.outputs import OF_CHANGES, OF_QUADS, Output
from jelly_rdflib.cli.spark.session import open_session

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _all_of(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return a decorator that adds options, in this order in the help."""

    def add(function: _Command) -> _Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


paths_argument = click.argument("paths", metavar="PATH...", nargs=-1, required=True)
common_options = _all_of(
    click.option(
        "--from",
        "from_",
        type=click.Choice(FORMATS),
        help="The format of the files, if the first path does not tell it. [default: jelly-patch]",
    ),
    click.option(
        "--order-by",
        metavar="COLUMN",
        help="The column that orders the patches in place of their headers: file, for files in the"
        " order of their names.",
    ),
)
session_options = _all_of(
    limit_option,
    click.option(
        "--master",
        metavar="URL",
        help="The cluster, as spark-submit takes it. [default: all cores of this machine]",
    ),
    click.option(
        "--conf",
        metavar="KEY=VALUE",
        multiple=True,
        help="A setting of Spark, such as spark.driver.memory=4g. May be repeated.",
    ),
    click.option(
        "--spark-log",
        metavar="FILE",
        type=click.Path(dir_okay=False, writable=True),
        help="Where to write the log of Spark. [default: nowhere]",
    ),
)


def output_options(formats: tuple[str, ...]) -> Callable[[_Command], _Command]:
    """Return the options of `Output`; the first format is the default."""
    return _all_of(
        click.option(
            "-o",
            "--output",
            metavar="OUT",
            default="-",
            help="The folder to write. [default: text to standard output]",
        ),
        click.option(
            "--to",
            type=click.Choice(formats),
            help=f"The format of OUT, if its name does not tell it. [default: {formats[0]}]",
        ),
        click.option("--overwrite", is_flag=True, help="Replace OUT if it exists."),
    )


@click.group("spark", cls=OrderedGroup)
def command() -> None:
    """Work with changes on Apache Spark: more than one processor, or one machine, can take.

    Each command starts a session on all cores of this machine, or uses the cluster that --master
    names. Files of changes are given as files, folders, globs or the folder of a log (see jellyp
    log). The headers id and prev order the patches, and the n-th patch makes version n of the data.
    The output is a folder with a file for each part of the data, as Spark writes it.

    \b
    Examples:
      jellyp spark replay history --upto 7 -o then.parquet
      jellyp spark replay 'changes/*.jellyp' | sort > now.nq
      jellyp spark diff history --old 3 --new 7 -o changes.jellyp
      jellyp spark compact history -o small.jellyp
      jellyp spark ingest incoming table --checkpoint table.checkpoint
    """


@command.command()
@paths_argument
@output_options(OF_QUADS)
@click.option("--upto", type=version, help="The version to write. [default: the newest]")
@click.option(
    "--base",
    metavar="TABLE",
    help="The quads of version 0: a folder of Parquet, a table that jellyp spark ingest made, or"
    " .jelly files. [default: none]",
)
@common_options
@session_options
def replay(
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
    """Write the quads of a version, by default of the newest one.

    With --order-by, --upto is a value of that column.

    \b
    Examples:
      jellyp spark replay history -o now.parquet
      jellyp spark replay history --upto 3 | sort > then.nq
      jellyp spark replay 'changes/*.jellyp' --order-by file -o now.jelly
    """
    changes = Changes(paths, from_)
    out = Output(output, to, OF_QUADS, overwrite=overwrite)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import replay

        rows, marks = changes.load(spark)
        start = None if base is None else load_quads(spark, base)
        out.write(replay(rows, start, upto, order_by, marks=marks))


@command.command()
@paths_argument
@output_options(OF_CHANGES)
@click.option("--old", type=version, help="The old version. [default: 0, which is empty]")
@click.option("--new", type=version, help="The new version. [default: the newest]")
@common_options
@session_options
def diff(
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
    """Write the patch that turns the quads of the old version into those of the new version.

    With --order-by, versions are values of that column, and --old is required.

    \b
    Examples:
      jellyp spark diff history --old 3 --new 7
      jellyp spark diff history --old 7 --new 3 -o undo.jellyp
    """
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


@command.command()
@paths_argument
@output_options(OF_CHANGES)
@common_options
@click.option(
    "--after",
    metavar="ID",
    help="The id of a patch before the first one that is not among the files. [default: none]",
)
@session_options
def compact(
    paths: tuple[str, ...],
    output: str,
    to: str | None,
    overwrite: bool,
    from_: str | None,
    order_by: str | None,
    after: str | None,
    **session: Any,
) -> None:
    """Write the smallest patch with the same effect as all patches.

    It has the last operation on each quad; aborted transactions are left out.

    \b
    Examples:
      jellyp spark compact history -o small.jellyp
      jellyp spark compact 'changes/*.jellyp' --order-by file | grep -c '^D'
      jellyp spark compact 'since-monday/*.jellyp' --after urn:uuid:1
    """
    if after is not None and order_by is not None:
        raise click.UsageError("--after is for the chain of patches; with --order-by there is none")
    changes = Changes(paths, from_)
    out = Output(output, to, OF_CHANGES, overwrite=overwrite)
    with open_session(**session) as spark:
        from jelly_rdflib.spark.pipeline import compact

        rows, marks = changes.load(spark)
        out.write(compact(rows, order_by, marks=marks, after=after))


@command.command()
@click.argument("path", metavar="PATH")
@click.argument("table", metavar="TABLE")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    required=True,
    help="The folder where Spark stores which files are in the table; it belongs to the table.",
)
@click.option("--follow", is_flag=True, help="Wait for more files, until interrupted.")
@click.option(
    "--max-files",
    metavar="COUNT",
    type=click.IntRange(min=1),
    help="The largest number of files of a version of the table. [default: all files]",
)
@common_options
@session_options
def ingest(
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
    read_maintained, or --base of jellyp spark replay). Each file is read exactly once, even if this
    command is stopped and started again.

    \b
    Examples:
      jellyp spark ingest incoming table --checkpoint table.checkpoint
      jellyp spark ingest incoming table --checkpoint table.checkpoint --follow
    """
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

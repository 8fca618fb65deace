"""The commands of ``jellyp spark``."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeVar

import click

from jelly_rdflib.cli.commands import OrderedGroup
from jelly_rdflib.cli.log import version
from jelly_rdflib.cli.options import overwrite_option, repeated_option
from jelly_rdflib.cli.printable import tell
from jelly_rdflib.cli.spark.job import (
    FORMATS,
    OF_CHANGES,
    OF_QUADS,
    Job,
    format_of,
    load_quads,
    reader_options,
)
from jelly_rdflib.cli.spark.session import open_session

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _all_of(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return a decorator that adds options, which the help lists in this order."""
    return lambda function: reduce(lambda made, add: add(made), reversed(options), function)


common_options = _all_of(
    click.option(
        "--from",
        "from_",
        type=click.Choice(FORMATS),
        help="The format of the files, if the first path does not show it. [default: jelly-patch]",
    ),
    click.option(
        "--order-by",
        metavar="COLUMN",
        help="The column that orders the patches in place of their headers: file, for files in the"
        " order of their names.",
    ),
    repeated_option,
    click.option(
        "--master",
        metavar="URL",
        help="The cluster, as for spark-submit. [default: all cores of this machine]",
    ),
    click.option(
        "--conf",
        metavar="KEY=VALUE",
        multiple=True,
        help="A Spark setting, such as spark.driver.memory=4g. May be repeated.",
    ),
    click.option(
        "--spark-log",
        metavar="FILE",
        type=click.Path(dir_okay=False, writable=True),
        help="Where to write Spark's log. [default: nowhere]",
    ),
)


def job_options(formats: tuple[str, ...]) -> Callable[[_Command], _Command]:
    """Return the arguments of `Job`; the first format of the output is the default."""
    return _all_of(
        click.argument("paths", metavar="PATH...", nargs=-1, required=True),
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
            help=f"The format of OUT, if its name does not show it. [default: {formats[0]}]",
        ),
        overwrite_option,
        common_options,
    )


@click.group("spark", cls=OrderedGroup)
def command() -> None:
    """Work with large histories of changes on Apache Spark.

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


def _version(text: str | None, job: Job) -> int | str | None:
    """Return a version; with --order-by, a value of that column, which Spark compares as text."""
    return text if text is None or job.order_by is not None else version(text)


@command.command()
@click.option("--upto", metavar="VERSION", help="The version to write. [default: the newest]")
@click.option(
    "--base",
    metavar="TABLE",
    help="The quads of version 0: a Delta table, such as jellyp spark ingest makes, a folder of"
    " Parquet files, or .jelly files. [default: none]",
)
@job_options(OF_QUADS)
def replay(upto: str | None, base: str | None, **options: Any) -> None:
    """Write the quads of a version, by default of the newest one.

    With --order-by, --upto is a value of that column: with file, the path of one of the files.

    \b
    Examples:
      jellyp spark replay history -o now.parquet
      jellyp spark replay history --upto 3 | sort > then.nq
      jellyp spark replay 'changes/*.jellyp' --order-by file -o now.jelly
    """
    job = Job(OF_QUADS, **options)
    with job.open(base) as (changes, marks):
        from jelly_rdflib.spark.pipeline import replay

        start = None if base is None else load_quads(changes.sparkSession, base)
        job.write(replay(changes, start, _version(upto, job), job.order_by, marks=marks))


@command.command()
@click.option("--old", metavar="VERSION", help="The old version. [default: 0, which is empty]")
@click.option("--new", metavar="VERSION", help="The new version. [default: the newest]")
@job_options(OF_CHANGES)
def diff(old: str | None, new: str | None, **options: Any) -> None:
    """Write the patch from an old version to a new one.

    With --order-by, versions are values of that column, and --old is required.

    \b
    Examples:
      jellyp spark diff history --old 3 --new 7
      jellyp spark diff history --old 7 --new 3 -o undo.jellyp
    """
    job = Job(OF_CHANGES, **options)
    if old is None and job.order_by is not None:
        raise click.UsageError("with --order-by there is no version 0: --old has to be given")
    with job.open() as (changes, marks):
        from jelly_rdflib.spark.pipeline import diff, replay

        before, after = (
            replay(changes, None, _version(upto, job), job.order_by, marks=marks)
            for upto in ("0" if old is None else old, new)
        )
        job.write(diff(before, after))


@command.command()
@click.option(
    "--after",
    metavar="ID",
    help="The prev of the first patch, if no file has the patch with this id.",
)
@job_options(OF_CHANGES)
def compact(after: str | None, **options: Any) -> None:
    """Write the smallest patch with the same effect as all patches.

    It contains the last operation on each quad; aborted transactions are left out.

    \b
    Examples:
      jellyp spark compact history -o small.jellyp
      jellyp spark compact 'changes/*.jellyp' --order-by file | grep -c '^D'
      jellyp spark compact 'since-monday/*.jellyp' --after urn:uuid:1
    """
    job = Job(OF_CHANGES, **options)
    if after is not None and job.order_by is not None:
        raise click.UsageError("--after is for a chain of patches, which --order-by does not use")
    with job.open() as (changes, marks):
        from jelly_rdflib.spark.pipeline import compact

        job.write(compact(changes, job.order_by, marks=marks, after=after))


@command.command()
@click.argument("path", metavar="PATH")
@click.argument("table", metavar="TABLE")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    required=True,
    help="The folder where Spark records which files the table has read; only for this table.",
)
@click.option("-f", "--follow", is_flag=True, help="Wait for more, until Ctrl+C.")
@click.option(
    "--max-files",
    metavar="COUNT",
    type=click.IntRange(min=1),
    help="The maximum number of files that one table version adds. [default: all files]",
)
@common_options
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
    """Keep a Delta table of the current quads up to date.

    TABLE is the table's folder, or its name as SCHEMA.TABLE. Any reader of Delta tables can read
    it at all times, and so can --base of jellyp spark replay. Each file is read exactly once, even
    if this command is stopped and started again.

    This needs Delta Lake: pip install 'jelly-rdflib[delta]'. Spark gets its jars from Maven
    Central, unless --conf sets spark.jars or spark.jars.packages.

    \b
    Examples:
      jellyp spark ingest incoming table --checkpoint table.checkpoint
      jellyp spark ingest incoming table --checkpoint table.checkpoint --follow
    """
    format = format_of(path, from_)
    with open_session(**session, has_delta=True) as spark:
        from jelly_rdflib.spark.pipeline import maintain
        from jelly_rdflib.spark.pipeline.quad_table import QuadTable

        reader = spark.readStream.format(format).options(**reader_options())
        if max_files is not None:
            reader = reader.option("maxFilesPerTrigger", max_files)
        trigger = None if follow else {"availableNow": True}
        changes = reader.load(path)
        maintain(changes, table, checkpoint, order_by=order_by, trigger=trigger).awaitTermination()
        state = QuadTable(spark, table).last()[1]
        # With --order-by there is no number of patches.
        if state is None or state.version is not None:
            tell(f"patches: {0 if state is None else state.version:,}")

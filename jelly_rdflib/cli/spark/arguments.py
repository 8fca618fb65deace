"""What the commands of ``jellyp spark`` are called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

FORMATS = ("jelly-patch", "rdf-patch")

PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True)
FROM = click.option(
    "--from",
    "from_",
    type=click.Choice(FORMATS),
    help="What the files are, if the first path does not say it. [default: jelly-patch]",
)
ORDER_BY = click.option(
    "--order-by",
    metavar="COLUMN",
    help="What orders the patches in place of their headers: file, for files in the order of their"
    " names.",
)

_SESSION = (
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
        help="Where Spark's own messages go. [default: nowhere]",
    ),
)


def session_options(function: _Command) -> _Command:
    """Add the options that `jelly_rdflib.cli.spark.session.open_session` takes."""
    for option in reversed(_SESSION):
        function = option(function)
    return function


def output_options(*formats: str) -> Callable[[_Command], _Command]:
    """Add the options that `jelly_rdflib.cli.spark.outputs.Output` takes.

    Args:
        formats: What the output may be; the first is the default.
    """
    options = (
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
            help=f"What OUT is to be, if its name does not say it. [default: {formats[0]}]",
        ),
        click.option("--overwrite", is_flag=True, help="Replace OUT if it is there."),
    )

    def add(function: _Command) -> _Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add

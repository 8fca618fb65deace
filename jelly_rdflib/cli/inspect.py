"""``jellyp inspect``: reports on the structure of a file."""

from __future__ import annotations

import json

import click

from jelly_rdflib.cli.formats import from_option
from jelly_rdflib.cli.inputs import INPUT, InputArgument, InputError, open_argument
from jelly_rdflib.cli.limits import reading_options
from jelly_rdflib.cli.printable import say


@click.command("inspect")
@click.argument("file", metavar="[FILE]", default="-", type=INPUT)
@from_option("FILE")
@click.option(
    "--frames", "by_frame", is_flag=True, help="Print a line for each frame of Jelly instead."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print it as JSON; with --frames, an object a line."
)
@reading_options
def command(file: str, from_: str | None, by_frame: bool, as_json: bool) -> None:
    """Show the structure of a file: options, frames, rows, lookups, sizes.

    FILE is best a stream of Jelly-Patch or Jelly-RDF; other formats have less to show. Without
    FILE, standard input is read. If FILE breaks a rule, the part before the error is shown.

    \b
    Examples:
      jellyp inspect changes.jellyp
      jellyp inspect --frames changes.jellyp.gz | sort -n -k 3 | tail -1
      jellyp inspect --json data.jelly | jq .lookups.name
    """
    with open_argument(file, from_) as input_:
        if by_frame:
            _show_frames(input_, as_json=as_json)
        else:
            _show_stream(input_, as_json=as_json)


def _show_stream(input_: InputArgument, *, as_json: bool) -> None:
    """Print a report on a whole input."""
    from jelly_rdflib.inspection.inspect import inspect

    report = inspect(
        input_.file, limits=input_.limits, format=input_.format_name, isolated=input_.isolated
    )
    if as_json:
        say(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        from jelly_rdflib.cli.reports import print_report

        print_report(report, input_.name)
    if report.error is not None:
        raise InputError(input_.name, report.error)


def _show_frames(input_: InputArgument, *, as_json: bool) -> None:
    """Print a line for each frame as soon as it is read."""
    from jelly_rdflib.errors import DecodeError
    from jelly_rdflib.inspection.inspect import inspect_frames

    try:
        frames = inspect_frames(input_.file, limits=input_.limits, format=input_.format_name)
    except ValueError as error:
        raise click.UsageError(f"{input_.name}: {error}") from error
    if not as_json:
        click.echo(" frame       offset      bytes     rows  entries  statements  metadata")
    try:
        for frame in frames:
            if as_json:
                say(json.dumps(frame.as_dict(), ensure_ascii=False))
            else:
                click.echo(
                    f"{frame.number:6} {frame.offset:12} {frame.size:10} {frame.rows:8}"
                    f" {frame.entries:8} {frame.statements:11} {len(frame.metadata):9}"
                )
    except DecodeError as error:
        raise InputError(input_.name, error) from error
    finally:
        frames.close()

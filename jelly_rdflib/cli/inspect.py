"""``jellyp inspect``: reports on the structure of a file."""

from __future__ import annotations

import json
from contextlib import closing

import click

from jelly_rdflib.cli.inputs import InputArgument, open_argument
from jelly_rdflib.cli.options import INPUT, from_option, reading_options
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
    from jelly_rdflib.inspection.inspect import inspect

    with open_argument(file, from_) as input_:
        if by_frame:
            _show_frames(input_, as_json=as_json)
            return
        report = inspect(input_.file, isolated=input_.isolated, **input_.reading)
        if as_json:
            say(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
        else:
            from jelly_rdflib.cli.tables import print_parts
            from jelly_rdflib.inspection.report_tables import report_parts

            print_parts(report_parts(report), input_.name)
        if report.error is not None:
            raise report.error


def _show_frames(input_: InputArgument, *, as_json: bool) -> None:
    """Print a line for each frame as soon as it is read."""
    from jelly_rdflib.inspection.inspect import inspect_frames

    try:
        frames = inspect_frames(input_.file, **input_.reading)
    except ValueError as error:
        raise click.UsageError(f"{input_.name}: {error}") from error
    if not as_json:
        click.echo(" frame       offset      bytes     rows  entries  statements  metadata")
    with closing(frames):
        for frame in frames:
            if as_json:
                say(json.dumps(frame.as_dict(), ensure_ascii=False))
            else:
                click.echo(
                    f"{frame.number:6} {frame.offset:12} {frame.size:10} {frame.rows:8}"
                    f" {frame.entries:8} {frame.statements:11} {len(frame.metadata):9}"
                )

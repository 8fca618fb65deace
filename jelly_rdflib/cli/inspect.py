"""``jellyp inspect``: reports on the structure of a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.input_errors import InputError
from jelly_rdflib.cli.inputs import InputArgument, open_argument
from jelly_rdflib.cli.options import InputPath, from_option, isolated_option
from jelly_rdflib.cli.printable import say

if TYPE_CHECKING:
    from jelly_rdflib.inspection.inspect import StreamReport


@click.command("inspect")
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=InputPath("jellyp log show --json names the files of its patches"),
)
@from_option("FILE")
@click.option(
    "--frames", "by_frame", is_flag=True, help="Print a line for each frame of Jelly instead."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print it as JSON; with --frames, an object a line."
)
@isolated_option
def command(files: tuple[str, ...], from_: str | None, by_frame: bool, as_json: bool) -> None:
    """Show the structure of a file: options, frames, rows, lookups, sizes.

    FILE is best a stream of Jelly-Patch or Jelly-RDF; other formats have less to show. Without
    FILE, standard input is read. If FILE breaks a rule, the part before the error is shown. Of
    several files a line for each is shown, and their total.

    \b
    Examples:
      jellyp inspect changes.jellyp
      jellyp inspect archive/*.jellyp
      jellyp inspect --frames changes.jellyp.gz | sort -n -k 3 | tail -1
      jellyp inspect --json data.jelly | jq .lookups.name
    """
    if len(files) <= 1:
        for file in files or ("-",):
            with open_argument(file, from_) as input_:
                if by_frame:
                    _show_frames(input_, as_json=as_json)
                else:
                    _show(input_, as_json=as_json)
        return
    if by_frame:
        raise click.UsageError("--frames is for one FILE")
    _show_all(files, from_, as_json=as_json)


def _inspect(input_: InputArgument) -> StreamReport:
    from jelly_rdflib.inspection.inspect import inspect

    return inspect(input_.file, isolated=input_.isolated, **input_.reading)


def _show(input_: InputArgument, *, as_json: bool) -> None:
    report = _inspect(input_)
    if as_json:
        say(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        from jelly_rdflib.cli.tables import print_parts
        from jelly_rdflib.inspection.report_tables import report_parts

        print_parts(report_parts(report), input_.name)
    if report.error is not None:
        raise report.error


def _show_all(files: Sequence[str], from_: str | None, *, as_json: bool) -> None:
    """Show a summary of several files; the first of their errors is raised behind it."""
    from jelly_rdflib.inspection.report_tables import summary_table, total_of

    reports = []
    for file in files:
        with open_argument(file, from_) as input_:
            reports.append((input_.name, _inspect(input_)))
    if as_json:
        fields = {
            "files": [{"file": name, **report.as_dict()} for name, report in reports],
            "total": total_of(report for _, report in reports),
        }
        say(json.dumps(fields, indent=2, ensure_ascii=False))
    else:
        from jelly_rdflib.cli.tables import print_parts

        print_parts([summary_table(reports)])
    for name, report in reports:
        if report.error is not None:
            raise InputError(name, report.error)


def _show_frames(input_: InputArgument, *, as_json: bool) -> None:
    """Print a line for each frame as soon as it is read."""
    from jelly_rdflib.inspection.inspect import inspect_frames

    try:
        frames = inspect_frames(input_.file, **input_.reading)
    except ValueError as error:
        raise click.UsageError(f"{input_.name}: {error}") from error
    if not as_json:
        say(" frame       offset      bytes     rows  entries  statements  metadata")
    with closing(frames):
        for frame in frames:
            if as_json:
                say(json.dumps(frame.as_dict(), ensure_ascii=False))
            else:
                say(
                    f"{frame.number:6} {frame.offset:12} {frame.size:10} {frame.rows:8}"
                    f" {frame.entries:8} {frame.statements:11} {len(frame.metadata):9}"
                )

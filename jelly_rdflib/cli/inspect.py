"""``jellyp inspect``: reports on the structure of a file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.input_errors import InputError, naming
from jelly_rdflib.cli.inputs import InputArgument, open_argument
from jelly_rdflib.cli.options import InputPath, chosen_limits, from_option, isolated_option
from jelly_rdflib.cli.printable import count, say, tell
from jelly_rdflib.cli.progress import show_progress

if TYPE_CHECKING:
    from jelly_rdflib.inspection.inspect import StreamReport


@click.command("inspect")
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=InputPath("jellyp log list --json names the files of its patches"),
)
@from_option("FILE")
@click.option(
    "--frames", "by_frame", is_flag=True, help="Print a line for each Jelly frame instead."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the report as JSON; with --frames, one object on each line.",
)
@click.option(
    "--index",
    "with_index",
    is_flag=True,
    help="Write an index to FILE.idx instead. It lists parts of FILE, which Spark can read in"
    " parallel without scanning the file first.",
)
@isolated_option
def command(
    files: tuple[str, ...], from_: str | None, by_frame: bool, as_json: bool, with_index: bool
) -> None:
    """Show the structure of a file: options, frames, lookups.

    FILE should be a stream of Jelly-Patch or Jelly-RDF, since other formats have less to show.
    Without FILE, standard input is read. If FILE breaks a rule, the part before the error is
    shown. For several files, a line for each file and a total are shown.

    \b
    Examples:
      jellyp inspect changes.jellyp
      jellyp inspect archive/*.jellyp
      jellyp inspect --frames changes.jellyp.gz | sort -n -k 3 | tail -1
      jellyp inspect --json data.jelly | jq .lookups.name
      jellyp inspect --index history.jellyp
    """
    if with_index:
        if by_frame or as_json or from_ is not None or not files or "-" in files:
            raise click.UsageError("--index is for files, and excludes all other options")
        for file in files:
            _save_index(file)
        return
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


def _save_index(path: str) -> None:
    from jelly_rdflib.core.source import is_compressed
    from jelly_rdflib.options import StreamOptions
    from jelly_rdflib.streams.index import find_parts, write_index
    from jelly_rdflib.streams.open_input import open_input

    if is_compressed(path):
        raise InputError(path, "a compressed file can't be read in parts: unpack it first")
    limits = chosen_limits()
    with naming(path):
        opened = open_input(path, limits=limits, is_quiet=True)
        with closing(opened.batches()) as batches:
            next(batches, None)
            options = batches.options
        if options is None or opened.look().is_text:
            raise InputError(path, "only Jelly-Patch and Jelly-RDF files can have an index")
        is_statements = isinstance(options, StreamOptions)
        try:
            with show_progress(os.path.basename(path), os.path.getsize(path)) as advance:
                parts = find_parts(
                    path,
                    is_statements=is_statements,
                    limits=limits,
                    advance=advance,
                    keep_going=False,
                    on_repeated_options="error",
                )
        except ValueError as error:
            # This happens if the file is damaged or has too many parts.
            raise InputError(path, error) from error
    target = write_index(path, parts, is_statements=is_statements)
    tell(f"{target}: {count(len(parts), 'part')}, {os.path.getsize(target):,} bytes")


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
    """Show a summary of several files, then raise the first of their errors."""
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

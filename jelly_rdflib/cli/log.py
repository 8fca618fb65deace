"""``jellyp log`` and its commands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from jelly_rdflib.cli.formats import FORMAT, from_option, output_format
from jelly_rdflib.cli.groups import OrderedGroup
from jelly_rdflib.cli.inputs import INPUT, InputError, open_argument
from jelly_rdflib.cli.limits import chosen_limits, limit_option
from jelly_rdflib.cli.outputs import open_output, output_option
from jelly_rdflib.cli.printable import say
from jelly_rdflib.cli.progress import Progress

if TYPE_CHECKING:
    from jelly_rdflib.log import LogEntry, PatchLog
    from jelly_rdflib.operations import Operation

_Command = TypeVar("_Command", bound=Callable[..., Any])

# The same as `jelly_rdflib.log.database.DEFAULT_TIMEOUT`, so that the help needs no import of it.
DEFAULT_TIMEOUT = 30.0


def version(text: str) -> int | str:
    """Read a version from the command line: its number, or the id of its patch."""
    try:
        return int(text)
    except ValueError:
        return text


timeout_option = click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(0, 86400),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    help="How long to wait for others who write to the log.",
)
compression_option = click.option(
    "--compression", type=click.Choice(["zst"]), help="Compress the files that are written."
)
version_argument = click.argument("version", metavar="[VERSION]", required=False, type=version)
log_argument = click.argument("log", metavar="LOG", type=click.Path(exists=True, file_okay=False))


def log_options(function: _Command) -> _Command:
    """Add the options of a command that opens a log."""
    return limit_option(timeout_option(function))


def _open_log(path: str, timeout: float) -> PatchLog:
    from jelly_rdflib.log import PatchLog

    return PatchLog(path, limits=chosen_limits(), timeout=timeout)


@click.group("log", cls=OrderedGroup)
def command() -> None:
    """Keep patches in a log: a folder with a file for each patch.

    Each patch names the one before it. The n-th patch makes version n of the data; version 0 is
    empty. A version is given by its number or by the id of its patch.

    \b
    Examples:
      jellyp log init history
      jellyp log append history monday.jellyp
      jellyp log show history
      jellyp log checkout history 1 -o then.nq
    """


@command.command()
@click.argument("log", metavar="LOG", type=click.Path(file_okay=False))
@compression_option
@timeout_option
def init(log: str, compression: str | None, timeout: float) -> None:
    """Make a new log in the folder LOG.

    \b
    Examples:
      jellyp log init history
      jellyp log init --compression zst history
    """
    from jelly_rdflib.log import PatchLog

    try:
        PatchLog.create(log, compression=compression, timeout=timeout)
    except FileExistsError as error:
        raise click.UsageError(str(error)) from error


@command.command()
@log_argument
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=INPUT)
@click.option("--prev", metavar="ID", help="The id of the patch that the first PATCH follows.")
@from_option("PATCH")
@log_options
def append(
    log: str, patches: tuple[str, ...], prev: str | None, from_: str | None, timeout: float
) -> None:
    """Append patches to a log, one after the other; a file may have several patches.

    A version is printed after its patch is on the disk. The command stops with exit code 1 at a
    patch that does not follow the newest patch of the log: because another process appended first,
    or because --prev or the patch itself names another one.

    \b
    Examples:
      jellyp log append history monday.jellyp tuesday.rdfp
      jellyp diff old.nq new.nq | jellyp log append history - --from rdf-patch
      jellyp log append history --prev urn:uuid:4ad5bd1f-1a62-4b8f-ae0e-ac8d0ec4d6b4 next.jellyp
    """
    from jelly_rdflib.errors import DecodeError, EncodeError, LogError
    from jelly_rdflib.log.names import parse_patch_id
    from jelly_rdflib.streams.reading import read_operations

    if prev is not None:
        try:
            prev = parse_patch_id(prev)
        except LogError as error:
            raise click.BadParameter(str(error), param_hint="'--prev'") from error
    opened = _open_log(log, timeout)
    for patch in patches:
        with open_argument(patch, from_) as input_:
            try:
                reader = read_operations(
                    input_.file, limits=input_.limits, normalize=False, format=input_.format_name
                )
                with closing(reader):
                    for operations in _split(reader):
                        entry = opened.append(operations, prev=prev)
                        click.echo(f"version {entry.version}: {entry.id}")
                        prev = None
            except (DecodeError, EncodeError, LogError) as error:
                raise InputError(input_.name, error) from error
            except ValueError as error:
                # --prev and the patch itself name different patches.
                raise click.UsageError(str(error)) from error


def _split(operations: Iterator[Operation]) -> Iterator[Iterator[Operation]]:
    """Split operations into patches; each patch must be read to its end before the next one."""
    from jelly_rdflib.operations import Op

    end = (Op.END,)
    for first in operations:
        yield iter(()) if first == end else chain([first], iter(operations.__next__, end))


@command.command()
@log_argument
@click.option("--since", type=version, help="Show only patches after this version.")
@click.option("--upto", type=version, help="Show only patches up to this version.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object a line.")
@log_options
def show(
    log: str, since: int | str | None, upto: int | str | None, as_json: bool, timeout: float
) -> None:
    """List the patches of a log, the oldest first.

    \b
    Examples:
      jellyp log show history
      jellyp log show --since 10 history
      jellyp log show --json history | jq -r .id
    """
    opened = _open_log(log, timeout)
    entries = opened.patches(since, upto)
    if as_json:
        for entry in entries:
            click.echo(json.dumps(_as_dict(entry), ensure_ascii=False))
        return

    from jelly_rdflib.cli.tables import make_console, make_table

    table = make_table()
    for name in ("version", "bytes"):
        table.add_column(name, justify="right")
    for name in ("id", "snapshot"):
        table.add_column(name, no_wrap=True)
    snapshots = set(opened.snapshots)
    for entry in entries:
        is_single = entry.first == entry.version
        table.add_row(
            f"{entry.version}" if is_single else f"{entry.first}-{entry.version}",
            f"{entry.size:,}",
            str(entry.id),
            "yes" if entry.version in snapshots else "",
        )
    make_console().print(table)


def _as_dict(entry: LogEntry) -> dict[str, Any]:
    return {
        "version": entry.version,
        "first": entry.first,
        "id": entry.id,
        "prev": entry.prev,
        "bytes": entry.size,
        "digest": entry.digest,
        "time": entry.time.isoformat(),
        "path": os.fspath(entry.path),
    }


@command.command()
@log_argument
@click.option("--deep", is_flag=True, help="Compare snapshots with the versions they stand for.")
@log_options
@click.pass_context
def verify(context: click.Context, log: str, deep: bool, timeout: float) -> None:
    """Check a log: read every file to its end, and print each problem on a line.

    The exit code is 1 if there is a problem.

    \b
    Examples:
      jellyp log verify history
      jellyp log verify --deep history && echo all is well
    """
    problems = _open_log(log, timeout).verify(deep=deep)
    for problem in problems:
        say(problem)
    context.exit(1 if problems else 0)


@command.command()
@log_argument
@click.argument("replica", metavar="REPLICA", type=click.Path(file_okay=False))
@click.option("--upto", type=version, help="The version to stop at. [default: the newest]")
@compression_option
@log_options
def replay(
    log: str, replica: str, upto: int | str | None, compression: str | None, timeout: float
) -> None:
    """Bring a replica up to date: a folder with the data as Jelly-RDF.

    The replica stores the version of its data. So each patch is applied exactly once, even if this
    command is stopped and started again.

    \b
    Examples:
      jellyp log replay history replica
      jellyp log replay history replica --upto 7
      jellyp convert replica/*.jelly data.nq
    """
    from jelly_rdflib.log import Replica

    opened = _open_log(log, timeout)
    target = Replica(replica, compression=compression, limits=chosen_limits(), timeout=timeout)
    before = target.version
    total = len(opened.patches(target.id, upto))
    with Progress("replaying", total, is_bytes=False) as bar:
        after = target.update(opened, upto=upto, progress=lambda entry: bar.advance(1))
    click.echo(f"version {after}" if before == after else f"version {before} to {after}")


@command.command()
@log_argument
@version_argument
@output_option("OUT", "the data", "standard output")
@click.option(
    "--to",
    type=FORMAT,
    help="The format of OUT, if its name does not tell it. [default for standard output: N-Quads]",
)
@log_options
def checkout(
    log: str, version: int | str | None, output: str, to: str | None, timeout: float
) -> None:
    """Write the data of a version, by default of the newest one.

    The data are replayed from the nearest snapshot before the version, see jellyp log snapshot.

    \b
    Examples:
      jellyp log checkout history -o now.trig
      jellyp log checkout history 3 | sort > then.nq
    """
    from jelly_rdflib.cli.datasets import save

    format = output_format(output, to, for_stdout="nq")
    opened = _open_log(log, timeout)
    with Progress("replaying", None, is_bytes=False) as bar:
        dataset = opened.checkout(version, progress=lambda entry: bar.advance(1))
    with open_output(output) as destination:
        save(dataset, destination, format)


@command.command()
@log_argument
@version_argument
@log_options
def snapshot(log: str, version: int | str | None, timeout: float) -> None:
    """Store a whole version, which makes checkouts of it and of later versions faster.

    The path of the snapshot's file is printed.

    \b
    Examples:
      jellyp log snapshot history
      jellyp log snapshot history 100
    """
    # The printed path starts with LOG as it was given.
    path = _open_log(log, timeout).snapshot(version)
    click.echo(os.path.join(log, path.parent.name, path.name))


@command.command()
@log_argument
@click.argument("first", metavar="FIRST", type=version)
@click.argument("last", metavar="LAST", type=version)
@log_options
def squash(log: str, first: int | str, last: int | str, timeout: float) -> None:
    """Replace the patches of the versions FIRST to LAST by one patch with the same effect.

    The versions between them are gone then, and a replica at one of them can't follow any more.

    \b
    Examples:
      jellyp log squash history 1 100
    """
    entry = _open_log(log, timeout).squash(first, last)
    click.echo(f"versions {entry.first} to {entry.version}: {entry.size:,} bytes")


@command.command()
@log_argument
@log_options
def upgrade(log: str, timeout: float) -> None:
    """Convert a log of the earlier format, which had no database.

    All of its files are checked first, and are not changed. Nobody else may write to the log
    meanwhile. An upgrade that was stopped can be run again. A log of the current format stays as it
    is.

    \b
    Examples:
      jellyp log upgrade history
    """
    from jelly_rdflib.log import upgrade

    upgraded = upgrade(log, limits=chosen_limits(), timeout=timeout)
    click.echo(f"version {upgraded.version}")

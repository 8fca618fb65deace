"""``jellyp log append``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.formats import FORMAT
from jelly_rdflib.cli.inputs import INPUT, InputError, open_input
from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, open_log, timeout_option

if TYPE_CHECKING:
    from jelly_rdflib.operations import Operation


@click.command("append")
@click.argument("log", metavar="LOG", type=LOG)
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=INPUT)
@click.option("--prev", metavar="ID", help="The id of the patch that the first one is to follow.")
@click.option("--from", "from_", type=FORMAT, help="What PATCH is, if its name does not say it.")
@limit_option
@timeout_option
def command(log: str, patches: tuple[str, ...], prev: str | None, from_: str | None) -> None:
    """Append patches to a log, one after the other; a file may have several.

    When a version is printed, its patch is on the disk. If another process was first, or the log's
    newest patch is not the one that --prev or the patch itself names, neither it nor what follows
    it is appended, and the exit code is 1.

    \b
    Examples:
      jellyp log append history monday.jellyp tuesday.rdfp
      jellyp diff old.nq new.nq | jellyp log append history - --from rdf-patch
      jellyp log append history --prev urn:uuid:4ad5bd1f-1a62-4b8f-ae0e-ac8d0ec4d6b4 next.jellyp
    """
    from jelly_rdflib.errors import DecodeError, EncodeError, LogError
    from jelly_rdflib.streams.reading import read_operations

    if prev is not None:
        prev = _check_id(prev)
    opened = open_log(log)
    for patch in patches:
        with open_input(patch, from_) as input_:
            try:
                reader = read_operations(
                    input_.file, limits=input_.limits, normalize=False, format=input_.format
                )
                with closing(reader):
                    for operations in _split(reader):
                        entry = opened.append(operations, prev=prev)
                        click.echo(f"version {entry.version}: {entry.id}")
                        prev = None
            except (DecodeError, EncodeError, LogError) as error:
                raise InputError(input_.name, error) from error
            except ValueError as error:
                # --prev is not what the patch itself says.
                raise click.UsageError(str(error)) from error


def _split(operations: Iterator[Operation]) -> Iterator[Iterator[Operation]]:
    """Iterate over patches, each of which is to be gone through before the next is asked for."""
    from jelly_rdflib.operations import Op

    end = (Op.END,)
    for first in operations:
        yield iter(()) if first == end else chain([first], iter(operations.__next__, end))


def _check_id(prev: str) -> str:
    from jelly_rdflib.errors import LogError
    from jelly_rdflib.log.names import parse_patch_id

    try:
        return parse_patch_id(prev)
    except LogError as error:
        raise click.BadParameter(str(error), param_hint="'--prev'") from error

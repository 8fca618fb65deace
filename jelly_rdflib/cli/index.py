"""``jellyp index``: saves an index of the parts in which a long file can be read."""

from __future__ import annotations

import os
from contextlib import closing

import click

from jelly_rdflib.cli.input_errors import InputError
from jelly_rdflib.cli.options import repeated_option, chosen_limits, chosen_repeated_options
from jelly_rdflib.cli.printable import count, say, tell
from jelly_rdflib.cli.progress import show_progress


@click.command("index")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False),
)
@click.option(
    "--spacing",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="MIB",
    help="The length of the parts, in MiB.",
)
@click.option("--check", is_flag=True, help="Only check whether indexes are up to date.")
@repeated_option
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], spacing: int, check: bool) -> None:
    """Save an index beside each file, in FILE.idx: the parts in which the file can be read.

    With an index, Spark reads the parts of a long file in parallel without scanning it first. An
    index stores the file's size, time and first and last bytes; an outdated index is not used.
    Compressed files can't be read in parts.

    With --check the exit code is 1 if an index is missing or out of date.

    \b
    Examples:
      jellyp index history.jellyp
      jellyp index --spacing 16 data.jelly
      jellyp index --check *.jellyp
    """
    if chosen_repeated_options() == "restart":
        raise click.UsageError(
            "an index is for one stream: jellyp convert makes one of several that were joined"
        )
    is_good = True
    for path in files:
        try:
            if check:
                is_good &= _check(path)
            else:
                _make(path, spacing << 20)
        except ValueError as error:  # noqa: PERF203
            # The file is damaged, or has too many parts.
            raise InputError(path, error) from error
    context.exit(0 if is_good else 1)


def _is_statements(path: str) -> bool:
    """Return whether a file is Jelly-RDF, and not Jelly-Patch, by its first frame."""
    from jelly_rdflib.options import StreamOptions
    from jelly_rdflib.streams.open_input import open_input

    opened = open_input(path, limits=chosen_limits(), is_quiet=True)
    with closing(opened.batches()) as batches:
        next(batches, None)
        options = batches.options
    if options is None or opened.look().is_text:
        raise InputError(path, "only files of Jelly-Patch and Jelly-RDF have indexes")
    return isinstance(options, StreamOptions)


def _make(path: str, spacing: int) -> None:
    from jelly_rdflib.core.source import is_compressed
    from jelly_rdflib.streams.index import find_parts, write_index

    if is_compressed(path):
        raise InputError(path, "a compressed file can't be read in parts: unpack it first")
    is_statements = _is_statements(path)
    with show_progress(os.path.basename(path), os.path.getsize(path)) as advance:
        parts = find_parts(
            path,
            is_statements=is_statements,
            spacing=spacing,
            limits=chosen_limits(),
            advance=advance,
            keep_going=False,
            on_repeated_options=chosen_repeated_options(),
        )
    target = write_index(path, parts, is_statements=is_statements)
    tell(f"{target}: {count(len(parts), 'part')}, {os.path.getsize(target):,} bytes")


def _check(path: str) -> bool:
    from jelly_rdflib.streams.index import StaleIndexError, index_path, load_index

    try:
        parts = load_index(path, is_statements=_is_statements(path), spacing=1)
    except StaleIndexError as error:
        say(error)
        return False
    if parts is None:
        say(f"{index_path(path)}: there is no index")
    return parts is not None

"""``jellyp split``: writes changes to several files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from jelly_rdflib.cli.options import (
    INPUT,
    chosen_limits,
    from_option,
    limit_option,
    read_number,
)
from jelly_rdflib.cli.outputs import check_folder, open_output, patch_format
from jelly_rdflib.cli.printable import say


@click.command("split")
@click.argument("patch", metavar="PATCH", type=INPUT)
@click.option(
    "-o",
    "--output",
    "template",
    metavar="TEMPLATE",
    help="The names of the files, with the place of their number, as in 'part-{:04}.jellyp'; the"
    " extension tells the format. [default: as PATCH, with a number]",
)
@click.option(
    "--by",
    type=click.Choice(["patch", "transaction", "change"]),
    default="patch",
    show_default=True,
    help="The unit that is never cut.",
)
@click.option(
    "--max-changes",
    metavar="NUMBER",
    type=read_number,
    help="Changes of statements and prefixes in a file, such as 100K.",
)
@click.option(
    "--max-bytes",
    metavar="NUMBER",
    type=read_number,
    help="Bytes of a file, before compression, such as 1M.",
)
@from_option("PATCH")
@limit_option
def command(patch: str, template: str | None, from_: str | None, **how: Any) -> None:
    """Write the changes in PATCH to several files, and print their names.

    Without a maximum each patch, or each transaction, gets a file; changes outside of transactions
    are as one until the next transaction starts. With a maximum a file gets as many as may be in
    it, and a larger one has a file of its own. Only --by change cuts transactions, which become
    several then.

    A patch that is cut has its headers in the first of its files, and its id in the last, so that
    concat of them has the effect of the patch. PATCH is read twice, the first time before any
    file is written.

    \b
    Examples:
      jellyp split changes.jellyp
      jellyp split changes.jellyp --by transaction --max-bytes 1M -o 'parts/{:06}.jellyp.gz'
      zcat year.rdfp.gz | jellyp split - --max-changes 100K -o 'year-{:03}.rdfp'
    """
    from jelly_rdflib.cli.input_errors import naming
    from jelly_rdflib.formats import find_format, guess_by_name
    from jelly_rdflib.patch.split import How, check_template, read_parts
    from jelly_rdflib.streams.writing import PatchWriter

    if how["by"] == "change" and how["max_changes"] is None and how["max_bytes"] is None:
        raise click.UsageError("--by change needs --max-changes or --max-bytes")
    found = guess_by_name(patch) if from_ is None else find_format(from_)
    if found is not None and not found.holds_changes:
        raise click.UsageError(f"{patch} has statements; a patch has changes")
    if template is None:
        if patch == "-":
            raise click.UsageError("standard input has no name for the files: give them one by -o")
        stem, dot, extension = (
            os.path.basename(patch).replace("{", "{{").replace("}", "}}").partition(".")
        )
        template = f"{stem}-{{:04}}{dot}{extension}"
    try:
        check_template(template)
        chosen = How(**how, to=patch_format(template, None).name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    check_folder(template.format(1))
    name = "standard input" if patch == "-" else patch
    format = None if found is None else found.name
    with naming(name), _open(patch) as source:
        for part in read_parts(source, chosen, limits=chosen_limits(), format=format):
            path = template.format(part.number)
            with (
                open_output(path) as destination,
                PatchWriter(destination, part.options, format=chosen.to) as writer,
            ):
                part.write(writer)
            say(path)


@contextmanager
def _open(path: str) -> Iterator[Any]:
    """Give a path that can be read twice, or an open pipe."""
    if path == "-":
        yield sys.stdin.buffer
    elif os.path.isfile(path):
        yield path
    else:
        with open(path, "rb") as pipe:
            yield pipe

"""``jellyp patch split``: writes changes to several files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.inputs import (
    argument_name,
    error_of_statements,
    open_argument,
    rereadable,
)
from jelly_rdflib.cli.options import (
    CHANGES,
    from_option,
    is_log,
    overwrite_option,
    read_number,
    repeated_option,
)
from jelly_rdflib.cli.outputs import (
    check_folder,
    check_not_input,
    error_of_existing,
    open_output,
    patch_format,
)
from jelly_rdflib.cli.printable import say

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import BatchSource


@click.command("split")
@click.argument("patch", metavar="PATCH", type=CHANGES)
@click.option(
    "-o",
    "--output",
    "template",
    metavar="TEMPLATE",
    help="The names of the files, with a placeholder for the number, as in 'part-{:04}.jellyp'."
    " The extension sets the format. [default: in the current folder, PATCH with a number]",
)
@click.option(
    "--by",
    type=click.Choice(["patch", "transaction", "change"]),
    default="patch",
    show_default=True,
    help="The unit that is never split.",
)
@click.option(
    "--max-changes",
    metavar="NUMBER",
    type=read_number,
    help="The maximum number of changes of statements and prefixes in a file, such as 100K.",
)
@click.option(
    "--max-bytes",
    metavar="NUMBER",
    type=read_number,
    help="The maximum number of bytes in a file, before compression, such as 1M.",
)
@overwrite_option
@from_option("PATCH")
@repeated_option
def command(
    patch: str, template: str | None, overwrite: bool, from_: str | None, **how: Any
) -> None:
    """Write the changes in PATCH to several files.

    The names of the files are printed.

    Without a maximum each unit (see --by) gets a file; consecutive changes outside of transactions
    count as a transaction. With a maximum each file gets as many units as fit, and a larger unit
    gets its own file. Only --by change cuts a transaction, which then becomes several.

    If a patch is cut, its first file has its headers, but its last file has its id. So jellyp
    patch concat restores the patch from the files. PATCH is read twice, the first time before any
    file is written. It may be the folder of a patch log. Existing files are replaced only with
    --overwrite.

    \b
    Examples:
      jellyp patch split changes.jellyp
      mkdir parts && jellyp patch split --max-bytes 1M changes.jellyp -o 'parts/{:06}.jellyp.gz'
      zcat year.rdfp.gz | jellyp patch split - --max-changes 100K -o 'year-{:03}.rdfp'
    """
    from jelly_rdflib.formats import find_format, guess_by_name
    from jelly_rdflib.patch.split import How, check_template, read_parts
    from jelly_rdflib.streams.writing import PatchWriter

    if how["by"] == "change" and how["max_changes"] is None and how["max_bytes"] is None:
        raise click.UsageError("--by change needs --max-changes or --max-bytes")
    found = guess_by_name(patch) if from_ is None else find_format(from_)
    if found is not None and not found.holds_changes:
        raise error_of_statements(patch)
    if template is None:
        template = _template_for(patch)
    try:
        check_template(template)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    format = patch_format(template, None, advice="give -o an extension that determines it")
    check_folder(template.format(1))
    with (
        rereadable(patch) as source,
        open_argument(source, from_, name=argument_name(patch)) as input_,
    ):

        def reopen() -> BatchSource:
            input_.rewind()
            return input_.open_changes()

        for part in read_parts(reopen, How(**how, to=format.name)):
            if part.number == 1:
                paths = (template.format(number) for number in range(1, part.total + 1))
                _check_outputs(paths, patch, overwrite=overwrite)
            path = template.format(part.number)
            with (
                open_output(path) as destination,
                PatchWriter(destination, part.options, format=format.name) as writer,
            ):
                part.write(writer)
            say(path)


def _template_for(patch: str) -> str:
    """Return the template for the files of an input, in the current folder."""
    if patch == "-":
        raise click.UsageError("standard input has no name for the files: name them with -o")
    name = os.path.basename(os.path.abspath(patch)).replace("{", "{{").replace("}", "}}")
    if is_log(patch):
        name += ".jellyp"
    stem, dot, extension = name.partition(".")
    return f"{stem}-{{:04}}{dot}{extension}"


def _check_outputs(paths: Iterable[str], patch: str, *, overwrite: bool) -> None:
    """Raise a UsageError if a file exists that must not be replaced."""
    for path in paths:
        if os.path.exists(path):
            check_not_input(path, patch)
            if not overwrite:
                raise error_of_existing(path)

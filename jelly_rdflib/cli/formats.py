"""The options ``--from`` and ``--to``: formats by name, file extension or media type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from jelly_rdflib.formats import Format


class FormatName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """The name of a format, one of its extensions or media types."""

    name = "format"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> str:
        """Return the format's name."""
        from jelly_rdflib.formats import find_format

        try:
            return find_format(value).name
        except LookupError as error:
            self.fail(str(error), param, context)

    def shell_complete(
        self, context: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that start with the typed text."""
        from jelly_rdflib.formats import FORMATS

        names = (format.name for format in FORMATS)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


FORMAT = FormatName()


def from_option(argument: str) -> Callable[[Any], Any]:
    """Return the option ``--from``, for the format of an argument."""
    return click.option(
        "--from",
        "from_",
        type=FORMAT,
        help=f"The format of {argument}, if its name does not tell it.",
    )


def to_option(output: str) -> Callable[[Any], Any]:
    """Return the option ``--to``, for the format of an output."""
    return click.option(
        "--to", type=FORMAT, help=f"The format of {output}, if its name does not tell it."
    )


def output_format(
    path: str,
    format: str | None,
    *,
    for_stdout: str | None = None,
    for_file: str | None = None,
    advice: str = "give it by --to",
) -> Format:
    """Find the format of an output.

    Args:
        path: The path of the output, or "-".
        format: The name that ``--to`` gives.
        for_stdout: The name of the default for standard output.
        for_file: The name of the default for a file whose name does not tell.
        advice: The end of the message if nothing tells the format.

    Raises:
        UsageError: Nothing tells the format.
    """
    from jelly_rdflib.formats import find_format, guess_by_name

    if format is None:
        found = guess_by_name(path)
        if found is not None:
            return found
        format = for_stdout if path == "-" else for_file
    if format is None:
        output = "standard output" if path == "-" else repr(path)
        raise click.UsageError(f"the format of {output} is not known: {advice}")
    return find_format(format)


def patch_format(path: str, format: str | None, *, for_file: str | None = None) -> Format:
    """Find the format of an output PATCH, by default RDF Patch on standard output.

    Raises:
        UsageError: Nothing tells the format, or it is for statements.
    """
    found = output_format(path, format, for_stdout="rdf-patch", for_file=for_file)
    if not found.holds_changes:
        raise click.UsageError(f"PATCH can't be {found.name}: that is for statements")
    return found

"""Formats as the command line takes them: names, extensions and media types of encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from jelly_rdflib.formats import Encoding


class Format(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """The name of an encoding, one of its extensions or media types."""

    name = "format"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> str:
        """Return the encoding's name."""
        from jelly_rdflib.formats import find_encoding

        try:
            return find_encoding(value).name
        except LookupError as error:
            self.fail(str(error), param, context)

    def shell_complete(
        self, context: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that start like what was typed."""
        from jelly_rdflib.formats import ENCODINGS

        names = (encoding.name for encoding in ENCODINGS)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


FORMAT = Format()


def output_encoding(path: str, format: str | None, option: str) -> Encoding:
    """Find the encoding of an output.

    Args:
        path: Its path, or "-".
        format: The name of the encoding, if it was given.
        option: The option that gives it.

    Raises:
        UsageError: Neither says it.
    """
    from jelly_rdflib.formats import find_encoding, guess_by_name

    encoding = guess_by_name(path) if format is None else find_encoding(format)
    if encoding is None:
        what = "standard output" if path == "-" else f"{path!r}, by its name,"
        raise click.UsageError(f"{what} may be anything: say what by {option}")
    return encoding

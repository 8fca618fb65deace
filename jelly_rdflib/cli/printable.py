"""Prints text, with terminal control sequences escaped, since the text may be untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jelly_rdflib.display.words import count as count
from jelly_rdflib.display.words import printable as printable

STANDARD_OUTPUT = "standard output"


@contextmanager
def name_errors(name: str) -> Iterator[None]:
    """Add a file's name to each OSError in the block that lacks one, such as for a full disk."""
    try:
        yield
    except OSError as error:
        # An error without a number stays as it is: with a file name its text would be lost.
        if error.errno is not None:
            error.filename = error.filename or name
        raise


def say(text: Any, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may contain parts of an input; with ``err``, to standard error."""
    import click

    with name_errors("standard error" if err else STANDARD_OUTPUT):
        click.echo(printable(str(text)) + end, err=err, nl=False)


def tell(text: Any) -> None:
    """Print a line that reports success, unless ``--quiet`` was given."""
    from jelly_rdflib.cli.options import is_quiet

    if not is_quiet():
        say(text)

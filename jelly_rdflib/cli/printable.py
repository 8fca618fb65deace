"""Makes text of strangers safe to print: it may have control sequences for the terminal."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.display.words import count as count
from jelly_rdflib.display.words import printable as printable


def say(text: Any, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may have parts of an input; with ``err`` to standard error."""
    import click

    click.echo(printable(str(text)) + end, err=err, nl=False)

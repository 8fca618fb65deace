"""Errors of inputs: they name the inputs, and say what to give on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

# What encoders advise, and the option that does it.
_OPTIONS = {
    "options need rdf_star=True": "--rdf-star",
    "options need generalized_statements=True": "--generalized",
    "options need a type with graphs, such as QUADS": "--stream-type quads",
}
_REPEATED = re.compile(r"choose on_repeated_options=.* goes on with its lookups", re.DOTALL)


class InputError(click.ClickException):
    """An input is invalid; the message starts with the input's name."""

    exit_code = 1

    def __init__(self, name: str, error: object) -> None:
        super().__init__(f"{name}: {advise(str(error))}")


@contextmanager
def naming(*names: str) -> Iterator[None]:
    """Turn an error of the data in the block into an InputError, which names the inputs."""
    from jelly_rdflib.errors import JellyError, MergeConflict

    try:
        yield
    except MergeConflict:
        raise
    except JellyError as error:
        raise InputError(" and ".join(names) if len(names) < 3 else "the inputs", error) from error


def advise(message: str) -> str:
    """Put what to give on the command line in the place of arguments of Python."""
    params = click.get_current_context().command.params
    known = {name for param in params for name in param.opts}
    for advice, option in _OPTIONS.items():
        # Other commands write what their inputs declare, and a text declares nothing.
        way = f"make Jelly-Patch of the input first, by jellyp convert {option}"
        if option.partition(" ")[0] in known:
            way = f"give {option}"
        message = message.replace(advice, way)
    way = "jellyp transcode makes one stream of several that were joined"
    if "--repeated-options" in known:
        way += (
            ", and --repeated-options restart reads them; --repeated-options continue is for a"
            " producer that repeats its options and goes on with its lookups"
        )
    message = _REPEATED.sub(way, message)
    return message.replace(
        "the output has ended", "a flat stream, or a bare frame, has ended with its patch"
    )

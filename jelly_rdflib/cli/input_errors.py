"""Errors in inputs, with the name of the input and the option that helps."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

# Options that a stream may lack (`EncodeError.needs`), and the command-line option that sets each.
_OPTIONS = {
    "rdf_star": "--rdf-star",
    "generalized_statements": "--generalized",
    "graphs": "--stream-type quads",
}


class InputError(click.ClickException):
    """An input is invalid; the message starts with the input's name."""

    exit_code = 1

    def __init__(self, name: str, error: object) -> None:
        super().__init__(f"{name}: {_in_words(error)}")


def check_start(wanted: range | None, last: int, kind: str, name: str) -> None:
    """Raise an InputError if a range starts past the last number of an input.

    A range without an end may also start at the number after the last: "3.." asks for what came
    after 2, which may be nothing.
    """
    if wanted is not None and wanted.start > last + (wanted.stop == sys.maxsize):
        kinds = "patches" if kind == "patch" else f"{kind}s"
        has = f"the last one is {last}" if last else f"there are no {kinds}"
        raise InputError(name, f"there is no {kind} {wanted.start}: {has}")


@contextmanager
def naming(*names: str) -> Iterator[None]:
    """Turn a data error in the block into an InputError that names the inputs."""
    from jelly_rdflib.errors import JellyError, MergeConflict

    try:
        yield
    except MergeConflict:
        raise
    except JellyError as error:
        raise InputError(" and ".join(names) if len(names) < 3 else "the inputs", error) from error


def _in_words(error: object) -> str:
    """Return an error's message, with Python arguments replaced by command-line options."""
    from jelly_rdflib.errors import ApplyError, DecodeError, EncodeError
    from jelly_rdflib.rules import Rule

    params = click.get_current_context().command.params
    known = {name for param in params for name in param.opts}
    if isinstance(error, EncodeError) and error.needs is not None:
        option = _OPTIONS[error.needs]
        if option.partition(" ")[0] in known:
            return f"{error.message}: give {option}"
        # Without this option, a command uses what its inputs declare, and text formats declare
        # nothing.
        return f"{error.message}: convert the input to Jelly-Patch first: jellyp convert {option}"
    if "--merge-graphs" in known and "named graphs" in str(error):
        return f"{error}, or give --merge-graphs"
    if isinstance(error, DecodeError) and error.rule is Rule.REPEATED_OPTIONS:
        message = (
            "the stream repeats its options, which is ambiguous: if several streams were joined,"
            " jellyp convert --repeated-options restart makes them one stream"
        )
        if "--repeated-options" in known:
            message += (
                ", and --repeated-options restart reads them; --repeated-options continue is for a"
                " producer that repeats its options but keeps its lookups"
            )
        error = copy.copy(error)
        error.message = message
    if (
        isinstance(error, DecodeError)
        and error.message == "the input is empty"
        and "--from" in known
    ):
        error = copy.copy(error)
        error.message += ": if that is right, give a text format with --from"
    # Leave out the error's own name for the input: here the input may have another name, such as
    # "standard input".
    return error.text if isinstance(error, (DecodeError, ApplyError)) else str(error)

"""Outputs: files that are written completely or not at all, and standard output."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from jelly_rdflib.cli.printable import STANDARD_OUTPUT, name_errors

if TYPE_CHECKING:
    from jelly_rdflib.formats import Format


def output_format(
    path: str,
    format: str | None,
    *,
    for_stdout: str | None = None,
    for_file: str | None = None,
    advice: str = "give it with --to",
) -> Format:
    """Find the format of an output; ``advice`` ends the UsageError if the format is unknown.

    The ``format`` given by ``--to`` takes precedence, then the name of the output, then a default.
    """
    from jelly_rdflib.formats import find_format, guess_by_name

    found = guess_by_name(path) if format is None else find_format(format)
    if found is None:
        default = for_stdout if path == "-" else for_file
        if default is None:
            output = "standard output" if path == "-" else repr(path)
            raise click.UsageError(f"the format of {output} is not known: {advice}")
        found = find_format(default)
    check_terminal(path, found)
    return found


def check_terminal(path: str, format: Format | None) -> None:
    """Raise a UsageError if an output is a terminal and the format is not text.

    The format None means HTML. With the option ``-o -`` no error is raised.
    """
    if path != "-" or (format is not None and format.is_text) or not sys.stdout.isatty():
        return
    if click.get_current_context().get_parameter_source("output") is ParameterSource.DEFAULT:
        what = "HTML" if format is None else format.title
        raise click.UsageError(f"{what} is not for a terminal: give -o FILE, or -o - to print it")


def patch_format(path: str, format: str | None, **more: Any) -> Format:
    """Find the format of an output PATCH, by default RDF Patch on standard output.

    ``more`` are arguments of `output_format`.
    """
    found = output_format(path, format, for_stdout="rdf-patch", **more)
    if not found.holds_changes:
        raise click.UsageError(f"PATCH can't be {found.name}: that is for statements")
    return found


def error_of_existing(path: str) -> click.UsageError:
    """Return the error for an output that exists and would be replaced."""
    return click.UsageError(f"{path} already exists: --overwrite replaces it")


def check_not_input(path: str, input_: str) -> None:
    """Raise a UsageError if an output is the input's file."""
    if os.path.exists(path) and os.path.exists(input_) and os.path.samefile(path, input_):
        raise click.UsageError(f"{path} is the input: it can't be replaced")


def check_folder(path: str) -> None:
    """Raise a UsageError if the folder of a file does not exist."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise click.UsageError(f"there is no folder {folder!r}")


@contextmanager
def open_output(path: str) -> Iterator[Any]:
    """Open an output for the duration of a block; yield a ``destination`` for a writer.

    The destination is a binary file, or a path with the same extension and so the same compression.
    A regular file is written under a temporary name in its folder, and renamed at the end of the
    block. An exception in the block deletes it.
    """
    if path == "-":
        with name_errors(STANDARD_OUTPUT):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    from jelly_rdflib.streams.destination import naming_target

    # Resolve a symbolic link, so that its target is replaced, not the link.
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        # A device or a pipe can't be replaced.
        with name_errors(path):
            yield target
        return
    check_folder(target)
    folder, name = os.path.split(target)
    # Use a name that can't be guessed, so that an attacker with access to the folder can't put a
    # link there.
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}-{name}")
    try:
        # Do this inside `try`, since a signal may arrive as soon as the file exists.
        with naming_target(temporary, path):
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            with name_errors(path):
                yield temporary
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            os.replace(temporary, target)
    except BaseException:
        # Show the first error, not one that follows from it.
        with suppress(OSError):
            os.unlink(temporary)
        raise

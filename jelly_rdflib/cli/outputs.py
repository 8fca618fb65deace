"""Outputs: files that are written completely or not at all, and standard output."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

OUTPUT = click.Path(dir_okay=False, writable=True, allow_dash=True)


def output_option(metavar: str, content: str, default: str) -> Callable[[Any], Any]:
    """Return the option ``-o``, "-" by default.

    Args:
        metavar: The name of the value in the help.
        content: The name of the content in the help.
        default: A description of the default.
    """
    return click.option(
        "-o",
        "--output",
        metavar=metavar,
        default="-",
        type=OUTPUT,
        help=f"Where to write {content}. [default: {default}]",
    )


def check_folder(path: str) -> None:
    """Check that the folder of a file exists.

    Raises:
        UsageError: It does not.
    """
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise click.UsageError(f"there is no folder {folder!r}")


@contextmanager
def open_output(path: str) -> Iterator[Any]:
    """Open an output for the time of a block; gives a ``destination`` for a writer.

    The destination is a binary file, or a path with the same extension and so the same compression.
    A regular file is written under a temporary name in its folder, and renamed at the end of the
    block. An exception in the block deletes it.

    Raises:
        UsageError: The folder does not exist.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    # A symbolic link stays, and its target is replaced.
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        # A device or a pipe can't be replaced.
        yield target
        return
    check_folder(target)
    folder, name = os.path.split(target)
    # The name can't be guessed. So an attacker with access to the folder can't put a link there.
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}-{name}")
    try:
        # Inside `try`: a signal may come as soon as the file exists.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise

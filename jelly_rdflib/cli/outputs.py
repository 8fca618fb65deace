"""Files that are written whole or not at all, and standard output."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

OUTPUT = click.Path(dir_okay=False, writable=True, allow_dash=True)


def check_folder(path: str) -> None:
    """Check that the folder is there that a file is to be in.

    Raises:
        UsageError: It is not.
    """
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise click.UsageError(f"there is no folder {folder!r}")


@contextmanager
def open_output(path: str) -> Iterator[Any]:
    """Open an output for the time of a block: what a writer's ``destination`` may be.

    A regular file is written beside its place, under another name, and takes its place at the end
    of the block; if an exception ends the block there is nothing of it.

    Args:
        path: Where it is to be, or "-" for standard output.

    Returns:
        A binary file, or a path with the same ending, and so the same compression.

    Raises:
        UsageError: There is no such folder.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    # A link stays a link.
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        # A device or a pipe can't be replaced.
        yield target
        return
    check_folder(target)
    folder, name = os.path.split(target)
    # A name that nobody can guess: who may write to the folder might have put a link there.
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}-{name}")
    try:
        # In the block: a signal may come as soon as it is there.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def write_binary(data: bytes) -> None:
    """Write to standard output, and hand on what is written."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

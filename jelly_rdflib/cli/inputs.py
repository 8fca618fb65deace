"""The inputs that arguments name: files or standard input; errors name the input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.limits import chosen_limits, is_isolated
from jelly_rdflib.cli.progress import Progress

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import Batch
    from jelly_rdflib.formats import Format
    from jelly_rdflib.streams.open_input import Input

INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)


class InputError(click.ClickException):
    """An input is invalid; the message starts with the input's name."""

    exit_code = 1

    def __init__(self, name: str, error: object) -> None:
        super().__init__(f"{name}: {error}")


class _CountingFile:
    """A binary file that reports each read to a progress bar."""

    def __init__(self, file: Any, progress: Progress) -> None:
        self._file = file
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        # `read1` returns available bytes: data from a pipe is processed at once.
        data: bytes = self._file.read1(size)
        self._progress.advance(len(data))
        return data


class InputArgument:
    """An open input of a command.

    Attributes:
        name: The name of the input in messages.
        file: The bytes to read.
        format: None before anything tells it: the file's name, ``--from`` or the first bytes.
        options: The options of a Jelly stream, after the first batch.
        limits: The limits that the user chose.
        isolated: Whether to parse other syntaxes in a child process.
    """

    def __init__(self, path: str, file: Any, format: Format | None) -> None:
        self.name = "standard input" if path == "-" else path
        self.file = file
        self.format = format
        self.options: Any = None
        self.limits = chosen_limits()
        self.isolated = is_isolated()

    @property
    def format_name(self) -> str | None:
        """The name of the format; None before anything tells it."""
        return None if self.format is None else self.format.name

    def look(self) -> tuple[Input, Format]:
        """Find the format, by the first bytes if necessary.

        Raises:
            InputError: The bytes can't be decompressed.
            UsageError: The bytes may be of more than one syntax of RDF.
        """
        from jelly_rdflib.errors import DecodeError
        from jelly_rdflib.formats import UntoldFormatError
        from jelly_rdflib.streams.open_input import open_input

        input_ = open_input(
            self.file, limits=self.limits, format=self.format_name, isolated=self.isolated
        )
        try:
            self.format = input_.look()
        except UntoldFormatError as error:
            raise click.UsageError(f"{self.name}: {error.message} (--from)") from error
        except DecodeError as error:
            raise InputError(self.name, error) from error
        self.file = input_.source
        return input_, self.format

    def known_encoding(self) -> Format:
        """Return the format, which is known after `look` or the first batch."""
        assert self.format is not None
        return self.format

    def batches(self) -> Iterator[Batch]:
        """Read the batches, once.

        Raises:
            InputError: The input breaks a rule.
            UsageError: The first bytes don't tell the format.
        """
        from jelly_rdflib.errors import DecodeError
        from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
        from jelly_rdflib.options import StreamOptions

        input_, format = self.look()
        batches = input_.open()
        try:
            for batch in batches:
                self.options = batches.options
                if self.options is not None and format in (JELLY, JELLY_PATCH):
                    # The options tell which Jelly it is, whatever the file's name says.
                    is_rdf = isinstance(self.options, StreamOptions)
                    self.format = JELLY if is_rdf else JELLY_PATCH
                yield batch
        except DecodeError as error:
            raise InputError(self.name, error) from error
        finally:
            batches.close()


@contextmanager
def open_argument(path: str, format: str | None = None) -> Iterator[InputArgument]:
    """Open the input that an argument names, with a progress bar.

    Args:
        path: The path of a file, or "-".
        format: The name of the format that ``--from`` gives.
    """
    from jelly_rdflib.formats import find_format, guess_by_name

    found = guess_by_name(path) if format is None else find_format(format)
    file: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
    try:
        status = os.fstat(file.fileno())
        # A pipe has no size.
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        with Progress(os.path.basename(path), size) as progress:
            yield InputArgument(path, _CountingFile(file, progress), found)
    finally:
        if path != "-":
            file.close()


def check_stdin_once(*paths: str) -> None:
    """Check that at most one path is "-".

    Raises:
        UsageError: More than one is.
    """
    if paths.count("-") > 1:
        raise click.UsageError("standard input can be read only once")

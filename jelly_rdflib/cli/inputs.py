"""Files and standard input as batches, with errors that name the file."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.limits import chosen_limits, is_isolated
from jelly_rdflib.cli.progress import Progress, show_progress

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import Batch
    from jelly_rdflib.formats import Encoding
    from jelly_rdflib.streams.open_input import Input as OpenInput

INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)


class InputError(click.ClickException):
    """The input is at fault.

    Args:
        name: What the input is called.
        error: What is wrong.
    """

    exit_code = 1

    def __init__(self, name: str, error: object) -> None:
        super().__init__(f"{name}: {error}")


class _CountingFile:
    """A binary file that tells what was read of it."""

    def __init__(self, file: Any, progress: Progress) -> None:
        self._file = file
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        # What there is: what comes through a pipe is not kept waiting.
        data: bytes = self._file.read1(size)
        self._progress.advance(len(data))
        return data


class Input:
    """An input that is open.

    Args:
        path: Where it is, or "-".
        file: What to read.
        encoding: What it is; None if its first bytes say.

    Attributes:
        name: What it is called in messages.
        encoding: What it is; None before anything says it.
        options: The options of a Jelly stream, after the first batch.
        limits: What to accept of it.
        isolated: Whether a child process parses it, if it is of another syntax.
    """

    def __init__(self, path: str, file: Any, encoding: Encoding | None) -> None:
        self.name = "standard input" if path == "-" else path
        self.file = file
        self.encoding = encoding
        self.options: Any = None
        self.limits = chosen_limits()
        self.isolated = is_isolated()

    @property
    def format(self) -> str | None:
        """The name of its encoding; None if its first bytes are yet to say what it is."""
        return None if self.encoding is None else self.encoding.name

    def look(self) -> OpenInput:
        """Look at the first bytes, if nothing else says what it is; return the open input.

        Raises:
            InputError: The bytes can't be unpacked.
            UsageError: They may be of more than one syntax of RDF.
        """
        from jelly_rdflib.errors import DecodeError
        from jelly_rdflib.formats import UntoldEncodingError
        from jelly_rdflib.streams.open_input import open_input

        input_ = open_input(
            self.file, limits=self.limits, format=self.format, isolated=self.isolated
        )
        try:
            self.encoding = input_.look()
        except UntoldEncodingError as error:
            raise click.UsageError(f"{self.name}: {error.message} (--from)") from error
        except DecodeError as error:
            raise InputError(self.name, error) from error
        self.file = input_.source
        return input_

    def has_changes(self) -> bool:
        """Has it changes, and not statements? The first batch must have been read."""
        assert self.encoding is not None
        return self.encoding.holds_changes

    def has_prefixes(self) -> bool:
        """Can it have prefixes? The first batch must have been read."""
        assert self.encoding is not None
        return self.encoding.has_prefixes

    def batches(self) -> Iterator[Batch]:
        """Read the batches, once. After the first of them it is clear what the encoding is.

        Raises:
            InputError: The input breaks a rule.
            UsageError: Its first bytes don't say what it is.
        """
        from jelly_rdflib.errors import DecodeError

        batches = self.look().open()
        try:
            for batch in batches:
                self._set_options(batches.options)
                yield batch
        except DecodeError as error:
            raise InputError(self.name, error) from error
        finally:
            batches.close()

    def _set_options(self, options: Any) -> None:
        """Keep a stream's options, which say which Jelly it is, whatever it is called."""
        from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
        from jelly_rdflib.options import StreamOptions

        self.options = options
        if options is not None and self.encoding in (JELLY, JELLY_PATCH):
            self.encoding = JELLY if isinstance(options, StreamOptions) else JELLY_PATCH


@contextmanager
def open_input(path: str, format: str | None = None) -> Iterator[Input]:
    """Open an input, with a bar for what is read of it.

    Args:
        path: Where it is, or "-".
        format: The encoding's name; None if the path's name says it, or the first bytes.
    """
    from jelly_rdflib.formats import find_encoding, guess_by_name

    encoding = guess_by_name(path) if format is None else find_encoding(format)
    file: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
    try:
        with show_progress(os.path.basename(path), _size_of(file)) as progress:
            yield Input(path, _CountingFile(file, progress), encoding)
    finally:
        if path != "-":
            file.close()


def _size_of(file: Any) -> int | None:
    """Return a file's size in bytes; None of what has none, such as a pipe."""
    status = os.fstat(file.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None

"""The inputs that arguments name: files or standard input; errors name the input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.options import chosen_limits, is_isolated
from jelly_rdflib.cli.progress import show_progress

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import Batch
    from jelly_rdflib.formats import Format
    from jelly_rdflib.streams.open_input import Input


class InputError(click.ClickException):
    """An input is invalid; the message starts with the input's name."""

    exit_code = 1

    def __init__(self, name: str, error: object) -> None:
        super().__init__(f"{name}: {error}")


@dataclass
class _CountingFile:
    """A binary file that tells how many bytes each read gives."""

    file: Any
    advance: Callable[[int], None]

    def read(self, size: int = -1) -> bytes:
        # `read1` returns available bytes: data from a pipe is processed at once.
        data: bytes = self.file.read1(size)
        self.advance(len(data))
        return data


class InputArgument:
    """An open input of a command; ``name`` is for messages, and ``file`` has the bytes.

    The ``format`` is None before anything tells it: the file's name, ``--from``, the first bytes.
    The ``options`` of a Jelly stream are known after the first batch.
    """

    def __init__(self, name: str, file: Any, format: Format | None) -> None:
        self.name = name
        self.file: Any = file
        self.format: Any = format
        self.options: Any = None
        self.isolated = is_isolated()

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments ``limits`` and ``format`` of the library's readers."""
        format = None if self.format is None else self.format.name
        return {"limits": chosen_limits(), "format": format}

    def look(self, **settings: Any) -> Input:
        """Find the format, by the first bytes if necessary; ``settings`` are for `open_input`."""
        from jelly_rdflib.formats import UntoldFormatError
        from jelly_rdflib.streams.open_input import open_input

        input_ = open_input(self.file, isolated=self.isolated, **self.reading, **settings)
        try:
            self.format = input_.look()
        except UntoldFormatError as error:
            raise click.UsageError(f"{self.name}: {error.message} (--from)") from error
        self.file = input_.source
        return input_

    def look_for_changes(self) -> None:
        """Find the format; statements are a UsageError."""
        self.look()
        if not self.format.holds_changes:
            raise click.UsageError(f"{self.name} has statements; a patch has changes")

    def batches(self, **settings: Any) -> Iterator[Batch]:
        """Read the batches, once; ``settings`` are for `open_input`."""
        from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
        from jelly_rdflib.options import StreamOptions

        with closing(self.look(**settings).open()) as batches:
            for batch in batches:
                self.options = batches.options
                if self.options is not None and self.format in (JELLY, JELLY_PATCH):
                    # The options tell which Jelly it is, whatever the file's name says.
                    is_rdf = isinstance(self.options, StreamOptions)
                    self.format = JELLY if is_rdf else JELLY_PATCH
                yield batch


def _name_of(path: str) -> str:
    return "standard input" if path == "-" else path


@contextmanager
def open_argument(path: str, format: str | None = None) -> Iterator[InputArgument]:
    """Open the input that an argument names, with a progress bar; ``--from`` gives the format.

    An error of the data in the block becomes an InputError, which names the input.
    """
    from jelly_rdflib.errors import JellyError
    from jelly_rdflib.formats import find_format, guess_by_name

    found = guess_by_name(path) if format is None else find_format(format)
    name = _name_of(path)
    file: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
    try:
        status = os.fstat(file.fileno())
        # A pipe has no size.
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        with show_progress(os.path.basename(path), size) as advance:
            yield InputArgument(name, _CountingFile(file, advance), found)
    except JellyError as error:
        raise InputError(name, error) from error
    finally:
        if path != "-":
            file.close()


class StartedInput:
    """An input whose format and options are known from the start; its errors name it.

    A file is opened each time that its batches are wanted; a pipe once. ``settings`` are for
    `open_input`.
    """

    def __init__(self, path: str, format: str | None = None, **settings: Any) -> None:
        self.name = _name_of(path)
        # A stream of Jelly has options; each new one of a file with several has its own.
        self.options: Any = None
        self.format: Any = None
        self.can_reopen = os.path.isfile(path)
        self._arguments = path, format
        self._settings = settings
        # What is read for this of a pipe is kept.
        started = self._read()
        first = list(islice(started, 1))
        self._started: Iterator[Batch] | None = chain(first, started)
        if self.can_reopen:
            started.close()
            self._started = None

    def batches(self) -> Generator[Batch, None, None]:
        """Read the batches."""
        started, self._started = self._started, None
        yield from self._read() if started is None else started

    def _read(self) -> Generator[Batch, None, None]:
        with open_argument(*self._arguments) as input_:
            for batch in input_.batches(**self._settings):
                self.options, self.format = input_.options, input_.format
                yield batch
            if self.format is None:
                # An empty input.
                self.format = input_.format


def check_stdin_once(*paths: str) -> None:
    """Raise a UsageError if more than one path is "-"."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input can be read only once")

"""The inputs that arguments name: files, standard input or patch logs; errors name the input."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.input_errors import InputError, naming
from jelly_rdflib.cli.options import (
    chosen_directions,
    chosen_limits,
    chosen_repeated_options,
    is_isolated,
    is_log,
)
from jelly_rdflib.cli.progress import show_progress

if TYPE_CHECKING:
    from jelly_rdflib.core.batch import Batch, BatchSource, OperationReader
    from jelly_rdflib.formats import Format
    from jelly_rdflib.log import LogEntry, PatchLog
    from jelly_rdflib.streams.open_input import Input

# The seconds between two checks of an input that is followed.
PAUSE = 0.25
# The maximum number of bytes to read for the first line of an input without a name.
MAX_LINE = 1 << 20
FROM_STATEMENTS = "jellyp diff makes a patch from two datasets, and jellyp cat from one"


@dataclass
class _CountingFile:
    """A binary file that reports how many bytes each read returns."""

    file: Any
    advance: Callable[[int], None]
    name: str

    def read(self, size: int = -1) -> bytes:
        try:
            # `read1` does not wait for more bytes than are available, so that data from a pipe
            # are processed immediately.
            data: bytes = self.file.read1(size)
        except OSError as error:
            error.filename = error.filename or self.name
            raise
        self.advance(len(data))
        return data

    def rewind(self) -> None:
        """Go back to the start."""
        self.advance(-self.file.tell())
        self.file.seek(0)


class _GrowingFile(_CountingFile):
    """A file that waits for more bytes at its end."""

    def read(self, size: int = -1) -> bytes:
        while not (data := super().read(size)):
            if os.fstat(self.file.fileno()).st_size < self.file.tell():
                raise InputError(self.name, "the file became shorter while it was followed")
            time.sleep(PAUSE)
        return data


@dataclass
class _StartedFile:
    """A binary file whose first bytes have been read; ``read_piece`` returns these first."""

    read_piece: Callable[[int], bytes]

    def read(self, size: int = 1 << 16) -> bytes:
        return self.read_piece(size)


class InputArgument:
    """An open input of a command; ``name`` is for messages, and ``file`` has the bytes.

    ``format`` is None until it is known from ``--from``, the file's name or the first bytes.
    The ``options`` of a Jelly stream are known after the first batch. If the input is a patch log,
    ``patches`` returns its patches, each with a function that reads its batches. If it is a file,
    it can be opened again by its ``path``.
    """

    path: str | None = None
    patches: Callable[[], Iterator[tuple[LogEntry, Callable[[], Any]]]] | None = None

    def __init__(self, name: str, file: Any, format: Format | None) -> None:
        self.name = name
        self.file: Any = file
        self._start: Any = file
        self.format: Any = format
        self.options: Any = None
        self.isolated = is_isolated()
        # Whether the input has no bytes, and its name does not show a format.
        self._is_empty = False

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments ``limits`` and ``format`` for the library's reporting functions."""
        format = None if self.format is None else self.format.name
        return {"limits": chosen_limits(), "format": format}

    def look(self, **settings: Any) -> Input:
        """Find the format, from the first bytes if necessary; ``settings`` are for `open_input`."""
        from jelly_rdflib.core.source import ByteSource
        from jelly_rdflib.formats import UntoldFormatError
        from jelly_rdflib.streams.open_input import open_input

        chosen = {"on_repeated_options": chosen_repeated_options()}
        settings = {**chosen, "directions": chosen_directions(), **settings}
        input_ = open_input(self.file, isolated=self.isolated, **self.reading, **settings)
        try:
            self.format = input_.look()
        except UntoldFormatError as error:
            raise click.UsageError(f"{self.name}: {error.message} (--from)") from error
        self.file = source = input_.source
        if self.path is not None and isinstance(source, ByteSource):
            source.reopen = self._reopen
        return input_

    def _reopen(self) -> Any:
        from jelly_rdflib.core.source import open_source

        return open_source(self.path, chosen_limits())

    def rewind(self) -> None:
        """Go back to the start, to read the input once more; see `rereadable`."""
        self._start.rewind()
        self.file = self._start

    def look_for_statement(self) -> None:
        """Choose N-Quads if the first line is a statement; N-Triples are N-Quads, too.

        If the text is Turtle after all, the reader raises an error at its next lines.
        """
        from jelly_rdflib.core.input_start import look_at_start
        from jelly_rdflib.core.source import ByteSource, with_start
        from jelly_rdflib.errors import JellyError
        from jelly_rdflib.formats import UntoldFormatError, find_format, guess_by_start
        from jelly_rdflib.streams.reading import read_statements

        start, source = look_at_start(ByteSource(self.file.read, lambda: None))
        self._is_empty = not start
        read = source.read  # type: ignore[union-attr]
        try:
            guess_by_start(start, holds_changes=None)
        except UntoldFormatError:
            start = b""
            while b"\n" not in start and len(start) < MAX_LINE and (piece := read(1 << 12)):
                start += piece
            read = with_start(start, read)
            line = start.partition(b"\n")[0]
            with suppress(JellyError):
                if len(list(read_statements(line, format="n-quads"))) == 1:
                    self.format = find_format("n-quads")
        self.file = _StartedFile(read)

    def allow_nothing(self) -> None:
        """Treat an input without bytes as an empty patch, since ``jellyp diff`` may print one."""
        from jelly_rdflib.formats import find_format

        if self._is_empty:
            self.format = find_format("rdf-patch")

    def look_for_changes(self) -> None:
        """Find the format; raise a UsageError for statements."""
        self.allow_nothing()
        self.look()
        if not self.format.holds_changes:
            raise error_of_statements(self.name)

    def open_changes(self) -> BatchSource:
        """Return batches of changes, readable only once; raise a UsageError for statements."""
        self.look_for_changes()
        return self.look(holds_changes=True).open()

    def operations(self, *, is_held: bool = False) -> OperationReader:
        """Return the operations, readable only once; raise a UsageError for statements.

        For ``is_held`` see `Input.is_held`.
        """
        from jelly_rdflib.core.batch import OperationReader

        return OperationReader(self.open_changes(), limits=chosen_limits() if is_held else None)

    def batches(self, **settings: Any) -> Iterator[Batch]:
        """Yield the batches, which can be read only once; ``settings`` are for `open_input`."""
        from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
        from jelly_rdflib.options import StreamOptions

        with closing(self.look(**settings).open()) as batches:
            for batch in batches:
                self.options = batches.options
                if self.options is not None and self.format in (JELLY, JELLY_PATCH):
                    # The stream's options, not the file's name, decide which kind of Jelly it is.
                    is_rdf = isinstance(self.options, StreamOptions)
                    self.format = JELLY if is_rdf else JELLY_PATCH
                yield batch


def error_of_statements(name: str) -> click.UsageError:
    """Return the error for an input that has statements where changes are needed."""
    return click.UsageError(f"{name} has statements; a patch has changes: {FROM_STATEMENTS}")


def argument_name(path: str) -> str:
    """Return the name of an argument's input, for messages."""
    return "standard input" if path == "-" else path


class LogArgument(InputArgument):
    """A patch log as an input: its patches in order.

    Args:
        log: The log.
        name: For messages.
        advance: Called with each patch that is read.
        is_followed: Whether to wait for patches that other processes append.
    """

    def __init__(
        self, log: PatchLog, name: str, advance: Callable[[int], None], *, is_followed: bool
    ) -> None:
        from jelly_rdflib.formats.jelly import JELLY_PATCH

        super().__init__(name, io.BytesIO(), JELLY_PATCH)
        self._log = log
        self._advance = advance
        self._is_followed = is_followed
        # The version before the first patch that is read, and the number of patches that were read.
        self._since = self._read = 0
        self.patches = self.read_patches

    def keep_last(self, number: int) -> bool:
        """Keep only the last ``number`` patches; return whether these are all patches."""
        left_out = self._log.patches()[:-number]
        if left_out:
            self._since = left_out[-1].version
            self._advance(len(left_out))
        return not left_out

    def rewind(self) -> None:
        """Go back to the first patch."""
        self._advance(-self._read)
        self._read = 0

    def read_patches(self) -> Iterator[tuple[LogEntry, Callable[[], Any]]]:
        """Yield each patch with a function that reads its batches."""
        log, since = self._log, self._since
        for entry in log.follow(since) if self._is_followed else log.patches(since):
            yield entry, entry.batches
            self._advance(1)
            self._read += 1

    def batches(
        self, *, keeps_directions: bool = False, **settings: Any
    ) -> Generator[Batch, None, None]:
        """Yield the batches of all patches; patches have no base directions.

        Raises:
            ValueError: Other ``settings`` are given, none of which apply to a log.
        """
        if settings:
            raise ValueError(f"a patch log can't be read with {', '.join(settings)}")
        for _, read in self.read_patches():
            with closing(read()) as batches:
                yield from batches

    def open_changes(self) -> BatchSource:
        """Return the batches of all patches, which can be read only once."""
        from jelly_rdflib.core.batch import GeneratedBatches

        return GeneratedBatches(self.batches())


@contextmanager
def open_argument(
    path: str, format: str | None = None, *, is_followed: bool = False, name: str | None = None
) -> Iterator[InputArgument]:
    """Open the input that an argument names, with a progress bar; ``--from`` gives the format.

    A folder, or an address, is a patch log. With ``is_followed`` reading waits for more at the end
    of a file or a log. A data error in the block becomes an InputError that names the input by
    ``name``, or else by ``path``.
    """
    from jelly_rdflib.formats import find_format

    name = name or argument_name(path)
    with naming(name):
        if is_log(path):
            with _open_log(path, format, is_followed=is_followed) as log:
                yield log
            return
        found = _format_of(path) if format is None else find_format(format)
        file: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
        try:
            status = os.fstat(file.fileno())
            # A pipe has no size.
            size = status.st_size if stat.S_ISREG(status.st_mode) else None
            kind = _GrowingFile if is_followed and size is not None else _CountingFile
            label = os.path.basename(argument_name(path))
            with show_progress(label, size, is_shown=not is_followed) as advance:
                input_ = InputArgument(name, kind(file, advance, name), found)
                if path != "-" and size is not None:
                    input_.path = path
                if found is None:
                    input_.look_for_statement()
                yield input_
        finally:
            if path != "-":
                file.close()


@contextmanager
def _open_log(path: str, format: str | None, *, is_followed: bool) -> Iterator[LogArgument]:
    from jelly_rdflib.log import PatchLog

    if format is not None:
        raise click.UsageError(f"{path} is a patch log: --from is for files")
    log = PatchLog(path, limits=chosen_limits())
    total = len(log.patches())
    label = os.path.basename(os.path.abspath(path))
    with show_progress(label, total, is_bytes=False, is_shown=not is_followed) as advance:
        yield LogArgument(log, path, advance, is_followed=is_followed)


def _format_of(path: str) -> Format | None:
    """Return the format of a file by its name, unless its first bytes show that the name is wrong.

    The name decides between text formats, since several look alike. The bytes decide only if they
    and the name disagree on whether the file is text or Jelly.
    """
    from jelly_rdflib.core.input_start import has_control_characters, is_frame, look_at_start
    from jelly_rdflib.core.source import ByteSource, open_source
    from jelly_rdflib.errors import JellyError
    from jelly_rdflib.formats import UntoldFormatError, guess_by_name, guess_by_start

    found = guess_by_name(path)
    if found is None or not stat.S_ISREG(os.stat(path).st_mode):
        return found
    try:
        source = open_source(path, chosen_limits())
        try:
            start, _ = look_at_start(source)
        finally:
            if isinstance(source, ByteSource):
                source.close()
        is_text = not (has_control_characters(start) or is_frame(start))
        if start and found.is_text != is_text:
            guessed = guess_by_start(start, holds_changes=None)
            if guessed.is_text == is_text:
                # For Jelly the format stays open: only the stream's options distinguish
                # Jelly-Patch from Jelly-RDF.
                return guessed if is_text else None
    except (UntoldFormatError, JellyError):
        # The reader of the named format will report the error.
        pass
    return found


@contextmanager
def rereadable(path: str) -> Iterator[str]:
    """Yield a path that `open_argument` can open more than once; a pipe is copied to a file."""
    if path != "-" and (os.path.isfile(path) or is_log(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="jellyp-") as folder:
        # Keep the name, since its extension may show the format.
        copy = os.path.join(folder, os.path.basename(path))
        pipe: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
        with open(copy, "wb") as file:
            shutil.copyfileobj(pipe, file)
        if path != "-":
            pipe.close()
        yield copy


class StartedInput:
    """An input whose format and options are known from the start; its errors name it.

    A file is opened each time that its batches are requested, a pipe only once. ``settings`` are
    for `open_input`. With ``may_be_empty`` a pipe without bytes is a patch without operations.
    """

    def __init__(
        self, path: str, format: str | None = None, *, may_be_empty: bool = False, **settings: Any
    ) -> None:
        self.name = argument_name(path)
        # The options of a Jelly stream. If a file has several streams, each has its own options.
        self.options: Any = None
        self.format: Any = None
        self.can_reopen = os.path.isfile(path)
        self._arguments = path, format
        self._settings = settings
        self._may_be_empty = may_be_empty
        # Read the first batch now, to know format and options; keep it, since a pipe can't be read
        # again.
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
            if self._may_be_empty:
                input_.allow_nothing()
            for batch in input_.batches(**self._settings):
                self.options, self.format = input_.options, input_.format
                yield batch
            if self.format is None:
                # The input had no batch.
                self.format = input_.format


def check_stdin_once(*paths: str) -> None:
    """Raise a UsageError if more than one path is "-"."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input can be read only once")

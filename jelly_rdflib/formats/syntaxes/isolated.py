"""Parses RDF syntaxes in a child process, so that a crash of the parser doesn't end the caller.

Untrusted text may make the parser, pyoxigraph, crash, hang or fill the memory. So the operating
system limits the child, and the child's answers are checked like any input.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jelly_rdflib
from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.core.jelly_decoder import StatementFrameDecoder
from jelly_rdflib.core.warning import warn_of_dropped
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.formats.format import Format, Reading
from jelly_rdflib.formats.syntaxes import messages
from jelly_rdflib.formats.syntaxes.hashed_text import HashedText
from jelly_rdflib.options import MAX_FRAME_SIZE, Limits
from jelly_rdflib.rules import Rule

# The child uses the import path of this process, but imports nothing from the current directory.
_START = (
    "import sys; sys.path[:] = sys.argv[1:];"
    "from jelly_rdflib.formats.syntaxes.parser_process import main; main()"
)
# Limits on a frame from the child: on its bytes besides the text, and on its rows and its terms.
_FRAME_SIZE = 8 << 20
_FRAME_COUNT = 1 << 20
# In bytes: how much of the child's error output is read, and how much of it is shown.
_MAX_TOLD = 1 << 16
_MAX_SHOWN = 200
# The limit on the child's wall-clock time, as a multiple of the limit on its processor time.
_PATIENCE = 10
# In seconds: how long a child may take to end, and how long a socket waits at most.
_TIME_TO_END = 10
_MAX_WAIT = 1 << 20
# Writing to a dead child must raise an error, even if SIGPIPE would end the caller's process.
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
_TAG = re.compile("[A-Za-z]+(-[A-Za-z0-9]+)*(--ltr|--rtl)?")
# The messages of Rust and Python when they are out of memory.
_NO_MEMORY = re.compile(rb"^memory allocation of \d+ bytes failed|^MemoryError", re.MULTILINE)


class IsolatedBatches(Iterator[Batch]):
    """Iterates over the batches of a text that a child process parses.

    The child is started for the first batch. It ends with `close`, or with this object.

    A NotImplementedError is raised if the operating system can't limit processes, or if Python is
    embedded in another program, so that no interpreter can be started.
    """

    def __init__(self, format: Format, text: HashedText, reading: Reading) -> None:
        self._source = text
        self._source_error: DecodeError | None = None
        self._child: _Child | None = None
        if importlib.util.find_spec("resource") is None:
            raise NotImplementedError(
                "isolated=True needs limits for processes, which this operating system lacks"
            )
        if not sys.executable or getattr(sys, "frozen", False):
            raise NotImplementedError("isolated=True needs a Python interpreter to start")
        limits = self._limits = reading.limits
        plain_limits = dataclasses.asdict(limits)
        prefixes = reading.label_prefix, reading.made_label_prefix
        plain = format.name, plain_limits, reading.strict, reading.base, reading.directions
        settings = [*plain, *prefixes]
        self._settings = json.dumps(settings).encode()
        self._factory = reading.factory
        # The child applies the caller's limits to the text. The frames of its answers differ in
        # size from the caller's frames, so they get their own limits.
        most = min(_FRAME_SIZE + 4 * limits.max_text_size, MAX_FRAME_SIZE)
        self._frame_limits = Limits(
            max_frame_size=most,
            max_frame_rows=_FRAME_COUNT,
            max_frame_terms=_FRAME_COUNT,
            max_nesting_depth=limits.max_nesting_depth,
            max_string_size=limits.max_string_size,
            max_text_size=most,
        )

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the child, and close the source."""
        child, self._child = self._child, None
        if child is not None:
            child.end()
        self._source.close()

    def __next__(self) -> Batch:
        child = self._child
        if child is None:
            child = self._child = _Child(self._limits)
            child.send(self._settings)
        while True:
            kind, size = child.receive_answer()
            if kind == messages.WANT:
                self._give(child, size)
            elif kind == messages.HASH:
                child.send(self._source.digest().encode())
            elif kind == messages.FRAME and size <= self._frame_limits.max_frame_size:
                try:
                    return self._decode(child.receive(size))
                except DecodeError as error:
                    raise child.error(f"the parser's process sent a bad frame: {error}") from error
            elif kind == messages.DROPPED:
                warn_of_dropped()
            elif kind == messages.ERROR and messages.TOLD.size <= size <= _MAX_TOLD:
                raise self._told_error(child.receive(size))
            elif kind == messages.END:
                raise StopIteration
            else:
                raise child.error("the parser's process sent an unexpected message")

    def _decode(self, frame: bytearray) -> Batch:
        """Decode a frame; language tags with a base direction are its only allowed fault."""
        faults: list[DecodeError] = []
        decoder = StatementFrameDecoder(self._factory, self._frame_limits, faults=faults)
        batch = decoder.decode_frame(frame)
        terms = batch.terms
        tags = {
            terms.text_of(extra)
            for kind, extra in zip(terms.kinds, terms.extras, strict=True)
            if faults and kind == TermKind.LANGUAGE_LITERAL
        }
        for fault in faults:
            # Of all recoverable faults, only those of language tags have the rule FORMAT.
            if fault.rule is not Rule.FORMAT or not all(map(_TAG.fullmatch, tags)):
                raise fault
        return batch

    def _give(self, child: _Child, size: int) -> None:
        """Send the child bytes of the text; this may wait for a live source."""
        try:
            data = self._source.read(min(size, messages.PIECE_SIZE))
        except DecodeError as error:
            # Raise the error later, since the child still has statements from before it. Keep a
            # copy, since the traceback of the original would keep the child alive.
            self._source_error = copy.copy(error)
            child.send(None)
        else:
            child.send(data)
            child.position += len(data)

    def _told_error(self, told: bytearray) -> DecodeError:
        is_limit, is_of_source, *places = messages.TOLD.unpack_from(told)
        offset, line, column = (None if place < 0 else place for place in places)
        if is_of_source and self._source_error is not None:
            if self._source_error.offset is None:
                self._source_error.offset = offset
            return self._source_error
        limit, _, message = map(_printable, told[messages.TOLD.size :].partition(b"\n"))
        message = message or "the parser's process gave no reason"
        if not is_limit:
            return DecodeError(message, offset=offset, line=line, column=column)
        error = LimitError(message, offset=offset, line=line, column=column)
        if limit:
            error.limit, error.value = limit, getattr(self._limits, limit, None)
        return error


class _Child:
    """A child process with a parser, bounded by ``max_parser_memory`` and ``max_parser_seconds``.

    ``position`` is the number of bytes of the text that were sent to the child.
    """

    def __init__(self, limits: Limits) -> None:
        self.position = 0
        self._limits = limits
        self._patience = min(_PATIENCE * limits.max_parser_seconds, _MAX_WAIT)
        self._deadline = 0.0
        self._parent = os.getpid()
        self._socket, theirs = socket.socketpair()
        # Add this package's folder, since sys.path may lack it: an import hook may have found it.
        places = [*filter(os.path.isabs, sys.path), str(Path(jelly_rdflib.__file__).parents[1])]
        command = [sys.executable, "-I", "-c", _START, *places]
        end = theirs.fileno()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    command, bufsize=0, stdin=end, stdout=end, stderr=subprocess.PIPE
                )
            except BaseException:
                self._socket.close()
                raise

    def send(self, data: bytes | None) -> None:
        """Send bytes that the child waits for, or None if the source failed."""
        size = messages.SOURCE_FAILED if data is None else len(data)
        self._start_waiting()
        with self._explained():
            self._socket.sendall(messages.INPUT.pack(size) + (data or b""), _NO_SIGNAL)

    def receive_answer(self) -> tuple[bytes, int]:
        """Return the kind of the next answer, and its size."""
        self._start_waiting()
        kind, size = messages.ANSWER.unpack(self.receive(messages.ANSWER.size))
        return kind, size

    def receive(self, size: int) -> bytearray:
        """Return the next ``size`` bytes of an answer."""
        data = bytearray()
        with self._explained():
            while len(data) < size:
                self._socket.settimeout(max(self._deadline - time.monotonic(), 0.001))
                more = self._socket.recv(min(size - len(data), messages.PIECE_SIZE))
                if not more:
                    raise ConnectionError
                data += more
        return data

    def end(self) -> None:
        """End the child, unless this process is a fork of the process that started the child."""
        self._socket.close()
        if self._parent == os.getpid():
            self._process.kill()
        else:
            self._process.returncode = 0
        # The with statement waits for the child, too.
        with self._process:
            pass

    def _start_waiting(self) -> None:
        if self._parent != os.getpid():
            raise RuntimeError("this text is read by the process from which this one was forked")
        self._deadline = time.monotonic() + self._patience
        self._socket.settimeout(max(self._patience, 0.001))

    def error(self, message: str, limit: str | None = None) -> DecodeError:
        """Make an error whose offset is the end of the bytes that were sent to the child."""
        if limit is None:
            return DecodeError(message, offset=self.position)
        value = getattr(self._limits, limit)
        return LimitError(message, limit=limit, value=value, offset=self.position)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn socket errors into errors that show whether the child hangs or has ended."""
        try:
            yield
        except TimeoutError:
            raise self.error(
                f"the parser's process has not answered for {self._patience} seconds, which is"
                f" {_PATIENCE} times the limit",
                "max_parser_seconds",
            ) from None
        except ConnectionError:
            raise self._explain_end() from None

    def _explain_end(self) -> DecodeError:
        """Return the error of a child that ended too early."""
        try:
            status = self._process.wait(_TIME_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        assert self._process.stderr is not None
        told = self._process.stderr.read(_MAX_TOLD)
        limits = self._limits
        if status == -signal.SIGXCPU:
            return self.error(
                f"the parser takes more than {limits.max_parser_seconds} seconds of processor time"
                f" for {messages.TEXT_PER_TIME} MiB of text",
                "max_parser_seconds",
            )
        if status == messages.NO_MEMORY or _NO_MEMORY.search(told):
            return self.error(
                f"the parser takes more than {limits.max_parser_memory} bytes of memory",
                "max_parser_memory",
            )
        how = f"ended with status {status}"
        if status < 0:
            how = f"was ended by signal {-status} ({signal.strsignal(-status)})"
        last = _printable(told.strip().rpartition(b"\n")[2][-_MAX_SHOWN:])
        return self.error(f"the parser's process {how}{': ' if last else ''}{last}")


def _printable(text: bytes | bytearray) -> str:
    return "".join(
        each if each.isprintable() else f"\\u{ord(each):04X}"
        for each in text.decode(errors="replace")
    )

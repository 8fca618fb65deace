"""Batches of a file that several threads decode: each a part of it, as its index cuts it."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import zstandard

from jelly_rdflib.core.batch import Batch, BatchSource, PlacedBatches
from jelly_rdflib.core.jelly_decoder import BatchReader
from jelly_rdflib.core.source import is_compressed
from jelly_rdflib.core.warning import warn
from jelly_rdflib.formats.format import Reading
from jelly_rdflib.formats.jelly import make_decoders
from jelly_rdflib.options import StreamOptions
from jelly_rdflib.streams.index import Part, index_path, load_index, part_source
from jelly_rdflib.streams.open_input import open_input

# Shorter parts of an index are joined: a decoder is restored in the time that it takes to decode
# 300 KB.
LEAST_PART = 4 << 20
# The caller decodes so many frames at once. Fewer make it wait for the GIL more often, and the
# memory of more is not in the processor's cache any more.
_FRAMES_AT_ONCE = 16

# A batch, the stream's options, and the offset and the number of its frame.
Placed: TypeAlias = tuple[Batch, Any, int, int]


def open_parallel(source: Any, *, threads: int, **settings: Any) -> BatchSource:
    """Return the batches of an indexed file; errors and settings are those of `read_batches`."""
    if not isinstance(source, (str, os.PathLike)):
        raise ValueError(
            "several threads read a file by its path, with the index beside it; one thread reads"
            f" {type(source).__name__}"
        )
    # The caller may go to another folder.
    path = os.path.abspath(source)
    if is_compressed(path):
        raise ValueError(f"{path} is compressed, so that only one thread can read it: unpack it")
    status = os.stat(path)
    opened = open_input(path, **settings)
    with closing(opened):
        format = opened.look()
        if format.options_type is None or format.is_text:
            raise ValueError(f"{format.title} can be read by one thread only: it has no index")
        parts = load_index(path, is_statements=None, spacing=LEAST_PART)
    if parts is None:
        raise FileNotFoundError(
            errno.ENOENT,
            f"several threads need an index, made by: jellyp index {path}",
            index_path(path),
        )
    # This checks the settings, too.
    batches = open_input(path, **settings).open()
    if len(parts) == 1:
        return batches
    batches.close()
    batches = PlacedBatches(_Parts(path, status, parts, opened.reading, threads).read())
    batches.name = os.fsdecode(source)
    return batches


@dataclass
class _Decoded:
    """What a thread has made of a part; ``end`` is the state of its decoder behind the part."""

    batches: list[Placed] = field(default_factory=list)
    end: bytes | None = None
    error: Exception | None = None


class _Parts:
    """The parts of a file, and those that are decoded already.

    The caller takes the parts in order. If no helper has begun a part, the caller decodes it, some
    batches at a time: they use the memory of those before, which is in the processor's cache.
    Helpers decode later parts as a whole. A number of parts bounds how far they run ahead. A number
    of batches would make a helper stop within its part, until the caller comes there.
    """

    def __init__(
        self,
        path: str,
        status: os.stat_result,
        parts: list[Part],
        reading: Reading,
        threads: int,
    ) -> None:
        self._path = path
        self._status = status
        self._parts = parts
        self._reading = reading
        self._threads = threads
        self._process = os.getpid()
        self._is_statements: bool | None = None  # None: no thread helps yet
        # For what follows, which the threads share.
        self._changed = threading.Condition()
        self._current = 0
        self._begun: set[int] = set()
        self._decoded: dict[int, _Decoded] = {}
        self._is_stopped = False

    def read(self) -> Generator[Placed, None, None]:
        """Yield the batches in order. Threads end with it; they know nothing of the generator."""
        state = None
        try:
            for number, part in enumerate(self._parts):
                if os.getpid() != self._process:
                    raise RuntimeError(
                        "this process was forked, and threads that read for it are not in it"
                    )
                if state != part.load_state(self._reading.limits):
                    self._stop()
                    warn(
                        f"from byte {part.start} on, one thread reads {self._path}: its index was"
                        " made with other limits, or a stream starts anew before that"
                    )
                    rest = zstandard.compress(state or b"")
                    part = Part(part.start, self._parts[-1].end, True, None, rest)
                    yield from self._read_part(part)
                    return
                is_begun = self._go_to(number)
                state = yield from self._take(number) if is_begun else self._read_part(part)
        finally:
            self._stop()

    def _read_part(self, part: Part) -> Generator[Placed, None, bytes | None]:
        with closing(self._open(part)) as reader:
            while batches := reader.read_ahead(_FRAMES_AT_ONCE):
                if self._is_statements is None and (options := reader.options) is not None:
                    self._start_helpers(isinstance(options, StreamOptions))
                yield from _used_up(batches)
            return None if part.is_last else reader.save()

    def _take(self, number: int) -> Generator[Placed, None, bytes | None]:
        """Yield the batches of a part that a helper has begun.

        To decode another part meanwhile gains nothing: it would have to be kept, too.
        """
        with self._changed:
            while number not in self._decoded:
                self._changed.wait()
            decoded = self._decoded.pop(number)
        yield from _used_up(decoded.batches)
        if decoded.error is not None:
            try:
                raise decoded.error
            finally:
                del decoded
        return decoded.end

    def _open(self, part: Part) -> BatchReader:
        limits = self._reading.limits
        patches, statements = make_decoders(self._reading)
        state = part.load_state(limits)
        if state is None:
            source = part_source(self._path, part, status=self._status)
            return BatchReader(source, patches, limits, statements, is_last=part.is_last)
        decoder = statements if self._is_statements else patches
        decoder.restore(state)
        source = part_source(self._path, part, status=self._status)
        return BatchReader(source, decoder, limits, offset=part.start, is_last=part.is_last)

    def _go_to(self, number: int) -> bool:
        """Say that the caller is there; return whether another has begun that part."""
        with self._changed:
            self._current = number
            self._changed.notify_all()
            is_begun = number in self._begun
            self._begun.add(number)
            return is_begun

    def _choose(self) -> int | None:
        """Choose a part to be decoded ahead; None: enough of them are.

        One part for each thread is left to the caller, as long as there are others.
        """
        end = min(self._current + 2 * self._threads, len(self._parts))
        free = [number for number in range(self._current + 1, end) if number not in self._begun]
        return min(free, key=lambda number: (number % self._threads == 0, number), default=None)

    def _start_helpers(self, is_statements: bool) -> None:
        self._is_statements = is_statements
        for _ in range(min(self._threads, len(self._parts)) - 1):
            # Daemons: Python need not wait for them where it ends in the middle of a file.
            threading.Thread(target=self._help, name="jelly-rdflib", daemon=True).start()

    def _help(self) -> None:
        while True:
            with self._changed:
                while (number := self._choose()) is None and not self._is_over():
                    self._changed.wait()
                if number is None or self._is_stopped:
                    return
                self._begun.add(number)
            self._decode(number)

    def _is_over(self) -> bool:
        return self._is_stopped or len(self._begun) == len(self._parts)

    def _decode(self, number: int) -> None:
        decoded = _Decoded()
        part = self._parts[number]
        try:
            with closing(self._open(part)) as reader:
                while not self._is_stopped and (batches := reader.read_ahead()):
                    decoded.batches += batches
                if not part.is_last:
                    decoded.end = reader.save()
        except Exception as error:
            # The caller raises it when it is there.
            decoded.error = error
        with self._changed:
            if not self._is_stopped:
                self._decoded[number] = decoded
            self._changed.notify_all()

    def _stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            self._decoded.clear()
            self._changed.notify_all()


def _used_up(batches: list[Placed]) -> Iterator[Placed]:
    """Yield the batches, and keep none: the frames that are decoded next can use its memory."""
    batches.reverse()
    while batches:
        yield batches.pop()

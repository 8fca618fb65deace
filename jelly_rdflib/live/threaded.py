"""Sources of patch logs, whose client can only be waited for: a thread does that."""

from __future__ import annotations

import queue
import threading
from abc import abstractmethod
from collections.abc import Generator
from contextlib import closing

from jelly_rdflib.log.names import InvalidId
from jelly_rdflib.log.source import Source
from jelly_rdflib.log.versions import Point, Version, position_of, version_at
from jelly_rdflib.patch.patch import Patch

# Patches that are received before the reader asks for them: then the transport has to wait.
_MOST_AHEAD = 16
# The seconds after which a thread that waits for the reader looks whether the source is closed.
_INTERVAL = 0.25


class ThreadedSource(Source):
    """The patches of a log, which a thread reads ahead, by a few patches.

    The `position` is the version that the last patch makes, and its id.
    """

    def __init__(self, url: str, timeout: float | None = None) -> None:
        super().__init__(url, timeout)
        self._start: str | None = None
        self._last: Point | None = None
        # It has no bound, but costs a tenth of one that has.
        self._ahead: queue.SimpleQueue[tuple[Patch, Point] | BaseException] = queue.SimpleQueue()
        self._has_room = threading.Event()
        self._reader: threading.Thread | None = None

    @abstractmethod
    def _read(self, version: Version) -> Generator[tuple[Patch, Point], None, None]:
        """Yield the patches after a version, or None for the start, each with what it makes."""

    @property
    def _position(self) -> str | None:
        return self._start if self._last is None else position_of(self._last)

    @property
    def _version(self) -> int | None:
        return None if self._last is None else self._last.version

    def _acknowledge(self) -> None:
        """Do nothing: the server keeps no account of its readers."""

    def resume(self, position: str) -> None:
        """Go on from a `position`, before the first patch was received."""
        try:
            version_at(position)
        except InvalidId:
            raise ValueError(f"{self.url}: {position!r} is no position in it") from None
        self._start = position

    def _receive(self, wait: float) -> Patch | None:
        if self._reader is None:
            # A daemon, since its client may be waiting for long when the program ends.
            self._reader = threading.Thread(target=self._run, name=repr(self), daemon=True)
            self._reader.start()
        try:
            found = self._ahead.get(timeout=wait) if wait else self._ahead.get_nowait()
        except queue.Empty:
            return None
        if not self._has_room.is_set() and self._ahead.qsize() < _MOST_AHEAD // 2:
            self._has_room.set()
        if isinstance(found, BaseException):
            # The reader has ended: the next call starts another one.
            self._reader = None
            self._start = self._position
            raise found
        patch, self._last = found
        return patch

    def _run(self) -> None:
        try:
            with closing(self._read(version_at(self._start))) as items:
                for item in items:
                    if not self._put(item):
                        return
            raise ConnectionError(f"{self.url}: the stream has ended")
        except BaseException as error:
            self._put(error)

    def _put(self, item: tuple[Patch, Point] | BaseException) -> bool:
        """Hand something over; False if the source was closed meanwhile."""
        while not self._is_closed.is_set():
            if self._ahead.qsize() < _MOST_AHEAD:
                self._ahead.put(item)
                return True
            self._has_room.clear()
            if self._ahead.qsize() >= _MOST_AHEAD:
                self._has_room.wait(_INTERVAL)
        return False

"""Sources for patch logs whose blocking clients run in a thread."""

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

# How many patches may be received ahead of the reader; after these the transport must wait.
_MOST_AHEAD = 16
# The seconds after which a waiting thread checks again whether the source is closed.
_INTERVAL = 0.25


class ThreadedSource(Source):
    """The patches of a log; a thread reads a few of them ahead.

    The `position` consists of the version that the last patch makes, and the patch's id.
    """

    def __init__(self, url: str, timeout: float | None = None) -> None:
        super().__init__(url, timeout)
        self._start: str | None = None
        self._last: Point | None = None
        # This queue is unbounded, since a bounded one takes ten times as long. `_has_room` limits
        # it.
        self._ahead: queue.SimpleQueue[tuple[Patch, Point] | BaseException] = queue.SimpleQueue()
        self._has_room = threading.Event()
        self._reader: threading.Thread | None = None

    @abstractmethod
    def _read(self, version: Version) -> Generator[tuple[Patch, Point], None, None]:
        """Yield the patches after a version, each with the version that it makes."""

    @property
    def _position(self) -> str | None:
        return self._start if self._last is None else position_of(self._last)

    @property
    def _version(self) -> int | None:
        return None if self._last is None else self._last.version

    def _acknowledge(self) -> None:
        """Do nothing: the server does not track its readers."""

    def resume(self, position: str) -> None:
        """Go on from a `position`; call this before the first patch is received."""
        try:
            version_at(position)
        except InvalidId:
            raise ValueError(f"{self.url}: {position!r} is not a position in a log") from None
        self._start = position

    def _receive(self, wait: float) -> Patch | None:
        if self._reader is None:
            # Use a daemon thread: it may still be waiting when the program ends.
            self._reader = threading.Thread(target=self._run, name=repr(self), daemon=True)
            self._reader.start()
        try:
            found = self._ahead.get(timeout=wait) if wait else self._ahead.get_nowait()
        except queue.Empty:
            return None
        if not self._has_room.is_set() and self._ahead.qsize() < _MOST_AHEAD // 2:
            self._has_room.set()
        if isinstance(found, BaseException):
            # The reader has ended: the next call starts a new one.
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
        """Pass an item to the reader; return False if the source has been closed."""
        while not self._is_closed.is_set():
            if self._ahead.qsize() < _MOST_AHEAD:
                self._ahead.put(item)
                return True
            self._has_room.clear()
            if self._ahead.qsize() >= _MOST_AHEAD:
                self._has_room.wait(_INTERVAL)
        return False

"""Server-sent events: tells followers of each new patch of a log."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync

from jelly_rdflib.errors import JellyError, LogError, MissingVersion
from jelly_rdflib.live.http.wire import HEARTBEAT, MAX_INLINE
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.tables import entry_fields

_log = logging.getLogger(__name__)

# How many events are kept, for the followers that come next.
_MOST_KEPT = 256


class Feed:
    """The news of a log, for any number of followers.

    The log is a folder, to which other processes append, too: so the feed looks for new patches
    while there are followers, every ``interval`` seconds.

    Args:
        find_version: Returns the newest version.
        find_patches: Returns some of the patches after a version.
        interval: In seconds.
        most: How many followers there may be.
    """

    def __init__(
        self,
        find_version: Callable[[], int],
        find_patches: Callable[[int], Sequence[LogEntry]],
        *,
        interval: float,
        most: int,
    ) -> None:
        self._find_version = find_version
        self._find_patches = find_patches
        self._interval = interval
        self._most = most
        self._version = 0
        self._followers = 0
        self._is_closed = False
        self._news = asyncio.Event()
        self._wanted = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._error = ""
        # Each event by the digest of its segment; squashing gives a version another one.
        self._events: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Feed: version {self._version}, {self._followers} followers>"

    @property
    def is_full(self) -> bool:
        """Whether no more followers may come."""
        return self._followers >= self._most

    def open(self) -> None:
        """Let followers come, also after `close`."""
        self._is_closed = False

    def close(self) -> None:
        """Let all followers go."""
        self._is_closed = True
        self._announce()
        self._wanted.set()

    def look(self) -> None:
        """Look for new patches at once: one was appended."""
        self._wanted.set()

    async def _watch(self) -> None:
        """Look for new patches while there are followers."""
        while self._followers and not self._is_closed:
            version = await run_sync(self._look)
            if version != self._version:
                self._version = version
                self._announce()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), self._interval)
            self._wanted.clear()

    def _look(self) -> int:
        try:
            version, self._error = self._find_version(), ""
        except (JellyError, OSError) as error:
            # It may work the next time, and followers wait for that.
            if str(error) != self._error:
                _log.error("the log can't be read: %s", error)
            self._error = str(error)
            return self._version
        return version

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def follow(self, since: int) -> AsyncIterator[bytes]:
        """Yield an event for each patch after a version, and a comment when there is none."""
        try:
            async with aclosing(self.entries(since)) as entries:
                async for entry in entries:
                    if entry is None:
                        yield b": no news\n\n"
                    else:
                        yield await run_sync(self._event, entry)
        except MissingVersion as error:
            yield _event("gone", json.dumps({"message": str(error)}))

    async def entries(self, since: int) -> AsyncGenerator[LogEntry | None, None]:
        """Yield each patch after a version; None when there is none for some seconds.

        A MissingVersion says that the next one was squashed.
        """
        self._followers += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        self.look()
        try:
            while not self._is_closed:
                news = self._news
                found = await run_sync(self._find_patches, since)
                for entry in found:
                    yield entry
                    since = entry.version
                if found:
                    continue
                try:
                    await asyncio.wait_for(news.wait(), HEARTBEAT)
                except asyncio.TimeoutError:
                    yield None
        finally:
            self._followers -= 1

    def _event(self, entry: LogEntry) -> bytes:
        with self._lock:
            event = self._events.get(entry.digest)
        if event is not None:
            return event
        fields = entry_fields(entry)
        if entry.size <= MAX_INLINE:
            # Who asks for a damaged patch itself gets the error.
            with suppress(LogError, OSError):
                stored: Any = entry.stored()
                data = stored.read_bytes() if isinstance(stored, Path) else stored
                fields["patch"] = base64.b64encode(data).decode()
        event = _event("patch", json.dumps(fields), str(entry.version))
        with self._lock:
            self._events[entry.digest] = event
            if len(self._events) > _MOST_KEPT:
                self._events.popitem(last=False)
        return event


def _event(kind: str, data: str, id: str | None = None) -> bytes:
    first = "" if id is None else f"id: {id}\n"
    return f"{first}event: {kind}\ndata: {data}\n\n".encode()

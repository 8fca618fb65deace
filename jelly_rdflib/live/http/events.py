"""Server-sent events: tells followers of each new patch of a log."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync

from jelly_rdflib.errors import JellyError, LogError, MissingVersion
from jelly_rdflib.live.http.wire import HEARTBEAT, MAX_INLINE
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import History
from jelly_rdflib.log.tables import entry_fields

_log = logging.getLogger(__name__)

# How many events are kept, for the followers that come next; how many a follower gets at once.
_MOST_KEPT, _PAGE = 256, 16


class Feed:
    """The news of a log, for any number of followers.

    The log is a folder, to which other processes append, too: so the feed looks for new patches
    while there are followers, every ``interval`` seconds.

    Args:
        history: The folder.
        interval: In seconds.
        most: How many followers there may be. A client may be half of them.
    """

    def __init__(self, history: History, *, interval: float, most: int) -> None:
        self._history = history
        self._interval = interval
        self._most = most
        self._followers: Counter[str] = Counter()
        self._version = 0
        self._is_closed = False
        self._news = asyncio.Event()
        self._wanted = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._error = ""

    def __repr__(self) -> str:
        return f"<Feed: version {self._version}, {self._followers.total()} followers>"

    def has_room(self, client: str) -> bool:
        """May this client follow, once more?"""
        is_full = self._followers.total() >= self._most
        return not is_full and self._followers[client] < (self._most + 1) // 2

    def close(self) -> None:
        """Let all followers go."""
        self._is_closed = True
        self._announce()

    def look(self) -> None:
        """Look for new patches at once: one was appended."""
        self._wanted.set()

    async def _watch(self) -> None:
        """Look for new patches while there are followers."""
        while self._followers and not self._is_closed:
            version = await run_sync(self._find_version)
            if version != self._version:
                self._version = version
                self._announce()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), self._interval)
            self._wanted.clear()

    def _find_version(self) -> int:
        try:
            with self._history.reading() as state:
                version, self._error = state.version(), ""
                return version
        except (JellyError, OSError) as error:
            # It may work the next time, and followers wait for that.
            if str(error) != self._error:
                _log.error("the log can't be read: %s", error)
            self._error = str(error)
            return self._version

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def follow(self, since: int, client: str) -> AsyncIterator[bytes]:
        """Yield an event for each patch after a version, and another now and then without one."""
        self._followers[client] += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        self.look()
        try:
            while not self._is_closed:
                news = self._news
                try:
                    events = await run_sync(self._after, since)
                except MissingVersion as error:
                    yield _event("gone", {"message": str(error)})
                    return
                for version, event in events:
                    since = version
                    yield event
                if not events:
                    try:
                        await asyncio.wait_for(news.wait(), HEARTBEAT)
                    except asyncio.TimeoutError:
                        yield _event("idle", {"version": since})
        finally:
            self._followers[client] -= 1
            # Those with 0 go.
            self._followers += Counter()

    def _after(self, since: int) -> list[tuple[int, bytes]]:
        with self._history.reading() as state:
            entries = state.after(since, _PAGE)
        return [(entry.version, _news_of(entry)) for entry in entries]


@lru_cache(_MOST_KEPT)
def _news_of(entry: LogEntry) -> bytes:
    """Return the event of a patch; with the patch itself, if that is small."""
    fields = entry_fields(entry)
    if entry.size <= MAX_INLINE:
        # Who asks for a damaged patch itself gets the error.
        with suppress(LogError, OSError):
            stored: Any = entry.stored()
            data = stored.read_bytes() if isinstance(stored, Path) else stored
            fields["patch"] = base64.b64encode(data).decode()
    return f"id: {entry.version}\n".encode() + _event("patch", fields)


def _event(kind: str, fields: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(fields)}\n\n".encode()

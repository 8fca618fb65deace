"""Events that report each new patch of a log to its followers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from fastapi import HTTPException

from jelly_rdflib.errors import JellyError, LogConflict, LogError, MissingVersion
from jelly_rdflib.live.http import wire
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import History
from jelly_rdflib.log.tables import entry_fields
from jelly_rdflib.log.versions import Point, point_of

_log = logging.getLogger(__name__)

# How many events are cached for other followers, and how many a follower gets at once.
_MOST_KEPT, _PAGE = 256, 16
# The seconds between two checks for patches from other processes.
_INTERVAL = 0.1
# A version that neither a log nor a follower can have.
_NOWHERE = Point(-1, None)


class Followers:
    """The followers of all logs of a server: at most ``most``, and half as many from one host."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.hosts: Counter[str] = Counter()
        self.is_ending: Callable[[], bool] = lambda: False
        """Returns whether the server is shutting down; then followers are disconnected."""

    def check_room(self, host: str) -> None:
        """Raise an HTTPException if a host may not have another follower."""
        if max(self.hosts.total(), 2 * self.hosts[host]) >= self._most:
            raise HTTPException(503, "there are too many followers", {"Retry-After": "60"})


class Feed:
    """The new patches of a log, for any number of followers.

    Other processes may append to the log's folder, too, so the feed polls for new patches while
    anyone follows.
    """

    def __init__(self, history: History, followers: Followers) -> None:
        self._history = history
        self._all = followers
        self.counts: Counter[str] = Counter()
        """The numbers that the metrics show for this log."""
        self._forget()
        self._news = asyncio.Event()
        self._wanted = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Check for new patches at once, since one was appended."""
        self._wanted.set()

    @contextmanager
    def appending(self) -> Iterator[None]:
        """Count the patch that the block appends, and report it to followers."""
        try:
            yield
        except LogConflict:
            self.counts["conflicts"] += 1
            raise
        self.counts["appends"] += 1
        self.look()

    def check_log(self) -> None:
        """Check whether the log can be read; set the state of its link."""
        problem = None
        try:
            self.counts["version"] = point_of(self._history.read_log()[2]).version
        except (JellyError, OSError) as error:
            problem = error
        self.counts["readable"] = int(problem is None)
        self._history.link.set(problem)

    def _forget(self) -> None:
        # The version at the last check, and the first few patches that were new at that check.
        self._point = _NOWHERE
        self._fresh: list[LogEntry] = []

    async def _watch(self) -> None:
        """Check for new patches while the log has followers."""
        while self.counts["followers"]:
            point = self._point
            self._point, self._fresh, problem = await run_sync(self._look, point)
            self._history.link.set(problem)
            if self._point != point or self._all.is_ending():
                news, self._news = self._news, asyncio.Event()
                news.set()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), _INTERVAL)
            self._wanted.clear()
        self._forget()

    def _look(self, since: Point) -> tuple[Point, list[LogEntry], Exception | None]:
        """Return the newest version, the first patches after ``since``, and an error or None.

        The list of patches is empty if ``since`` is unknown, or if a patch in it is squashed or
        damaged: then each follower reads the log itself, and gets the error. The list is also empty
        if the log can't be read at all.
        """
        newest = _NOWHERE
        try:
            with self._history.reading() as state:
                newest = point_of(state.newest())
                if 0 <= since.version < newest.version:
                    page = state.after(since, _PAGE)
                    # Fill the cache: all followers will want these events soon.
                    _events_of(page, wire.EVENTS_WITH_PATCHES)
                    return newest, page, None
        except MissingVersion:
            pass
        except LogConflict as error:
            # Keep the list, since the next check may succeed: with an empty list each follower
            # would read the log now, and all threads would wait for its lock.
            return since, self._fresh, error
        except (JellyError, OSError) as error:
            return _NOWHERE, [], error
        return newest, [], None

    async def follow(self, since: Point, host: str, media_type: str) -> AsyncIterator[bytes]:
        """Yield an event for each patch after a version, and sometimes an event without a patch."""
        try:
            async with aclosing(self.pages(since, host)) as pages:
                async for page in pages:
                    make = partial(_events_of, page, media_type)
                    for event in make() if page is self._fresh else await run_sync(make):
                        yield event
                    since = point_of(page[-1]) if page else since
                    if not page:
                        yield _event("idle", {"version": since.version}, media_type)
        except MissingVersion as error:
            yield _event("gone", {"message": str(error)}, media_type)
        except (LogConflict, OSError):
            # The client will ask again, and get the reason then.
            return
        except LogError as error:
            # A damaged log stays damaged: a follower should not try again.
            _log.error("events", exc_info=error)
            yield _event("failed", {"message": wire.answer_to(error)[1]["detail"]}, media_type)

    async def pages(self, since: Point, host: str) -> AsyncGenerator[list[LogEntry], None]:
        """Yield the patches after a version, a few at a time, and sometimes an empty list.

        If the version was squashed since then, a MissingVersion is raised.
        """
        self.counts["followers"] += 1
        self._all.hosts[host] += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        self.look()
        try:
            while not self._all.is_ending():
                news = self._news
                if self._fresh and since == (self._fresh[0].first - 1, self._fresh[0].prev):
                    page = self._fresh
                elif since == self._point:
                    page = []
                else:
                    page = await run_sync(self._after, since)
                if page:
                    yield page
                    since = point_of(page[-1])
                    continue
                try:
                    await asyncio.wait_for(news.wait(), wire.HEARTBEAT)
                except asyncio.TimeoutError:
                    yield []
        except Exception:
            self.counts["failures"] += 1
            raise
        finally:
            self.counts["followers"] -= 1
            self._all.hosts -= Counter([host])

    def _after(self, since: Point) -> list[LogEntry]:
        with self._history.reading() as state:
            return list(state.after(since, _PAGE))


def _events_of(page: list[LogEntry], media_type: str) -> list[bytes]:
    return [_news_of(entry, media_type) for entry in page]


@lru_cache(_MOST_KEPT)
def _news_of(entry: LogEntry, media_type: str) -> bytes:
    """Return the event for a patch, including the patch itself if it is small."""
    data = b""
    if media_type == wire.EVENTS_WITH_PATCHES and entry.size <= wire.MAX_INLINE:
        # Leave out a damaged patch: a client that asks for it gets the error.
        with suppress(LogError, OSError):
            stored: Any = entry.stored()
            data = stored.read_bytes() if isinstance(stored, Path) else stored
    return _event("patch", entry_fields(entry), media_type, data)


def _event(kind: str, fields: dict[str, Any], media_type: str, patch: bytes = b"") -> bytes:
    if media_type == wire.EVENTS:
        id = f"id: {fields['version']}\n" if kind == "patch" else ""
        return f"{id}event: {kind}\ndata: {json.dumps(fields)}\n\n".encode()
    return json.dumps({"event": kind, "inline": len(patch), **fields}).encode() + b"\n" + patch

"""Limits the connections of ``jellyp log serve``, so that idle clients don't lock out others."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_Protocol: Any = AutoHTTPProtocol
_MOST = 2000
# How many seconds a request's headers may take to arrive; in the worst case twice as many.
_HEAD_SECONDS = 15.0


def most_connections() -> int:
    """Return the allowed number of connections: half of the process's limit on open files.

    This limit is raised first, as far as the system allows it.
    """
    try:
        import resource
    except ModuleNotFoundError:
        # Windows has no limit on open files.
        return _MOST
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST if most == resource.RLIM_INFINITY else min(2 * _MOST, most)
    if files == resource.RLIM_INFINITY:
        return _MOST
    if files < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return min(_MOST, max(files, wanted) // 2)


def protocol(most: int, seconds: float = _HEAD_SECONDS) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol, with limits that uvicorn does not have.

    At most ``most`` connections are open at once, and at most half of these from one host. The
    headers of each request have to arrive within about ``seconds``.
    """
    hosts: Counter[str] = Counter()

    class Protocol(_Protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._host = self.client[0] if self.client else ""
            hosts[self._host] += 1
            if max(len(self.connections), 2 * hosts[self._host]) > most:
                transport.abort()
            self._timer = self.loop.call_later(seconds, self._look, None)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            hosts[self._host] -= 1
            if not hosts[self._host]:
                del hosts[self._host]
            self._timer.cancel()

        def _look(self, before: Any) -> None:
            """Close the connection if it has waited for a request since the last check."""
            is_waiting = self.cycle is None or self.cycle.response_complete
            if is_waiting and self.cycle is before:
                self.transport.abort()
            now = self.cycle if is_waiting else self
            self._timer = self.loop.call_later(seconds, self._look, now)

    return Protocol

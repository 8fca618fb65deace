"""An HTTP client that a hostile server can't keep busy or flood."""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import httpx2

from jelly_rdflib.live.waiting import LEAST_SPEED

GRACE = 60.0
"""The seconds that a response may take in addition to the allowed silence of the server."""
_CONNECT_TIMEOUT = 10.0


class Unanswered(ConnectionError):
    """A request may have reached the server, but its outcome is unknown."""


class Watch(threading.Thread):
    """A thread that waits for the end of a response, and cuts the connection if it takes too long.

    This is needed since httpx limits only each single wait, so a server could send a response's
    headers byte by byte, without end.
    """

    def __init__(self, cut: Callable[[], None], seconds: float) -> None:
        super().__init__(name="Watch", daemon=True)
        self._cut = cut
        self.ended = threading.Event()
        self.is_late = False
        self.seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Restart the time limit."""
        self._end = time.monotonic() + self.seconds

    def run(self) -> None:
        """Wait for the end of the response, or cut its connection."""
        while (left := self._end - time.monotonic()) > 0:
            if self.ended.wait(left):
                return
        self.is_late = True
        self._cut()

    def allow(self, size: int) -> None:
        """Extend the time limit for ``size`` received bytes."""
        self._end += size / LEAST_SPEED


class WatchedClient:
    """An httpx client whose responses are watched; ``options`` are arguments of httpx's client.

    ``address`` is for messages.
    """

    def __init__(self, address: str, **options: Any) -> None:
        self._address = address
        self._http, self._sockets = httpx2.Client(**options), set[socket.socket]()
        # Use `finalize`, which also closes a client that its user forgets to close.
        self.close = weakref.finalize(self, _close, self._http, self._sockets, os.getpid())
        """Closes all connections: a thread that reads a response gets an error."""

    @contextmanager
    def stream(
        self, method: str, url: str, silence: float, **options: Any
    ) -> Iterator[tuple[httpx2.Response, Watch]]:
        """Send a request; yield the response, whose body the block may read.

        The server may be silent for ``silence`` seconds, and the whole response may take `GRACE`
        seconds more. A ConnectionError is raised if the server can't be reached, or an
        `Unanswered` if the request may have reached it.
        """
        silence = silence or _CONNECT_TIMEOUT
        timeout = httpx2.Timeout(silence, connect=_CONNECT_TIMEOUT)
        watch = Watch(partial(_cut, self._sockets), silence + GRACE)
        late = httpx2.ReadTimeout(f"the response did not arrive within {watch.seconds:g} seconds")
        options["extensions"] = {"trace": partial(self._trace, watch)}
        try:
            with self._http.stream(method, url, timeout=timeout, **options) as answer:
                yield answer, watch
                # Check this here, since a body whose connection was cut may seem complete.
                if watch.is_late:
                    raise late
        except Exception as found:
            error = late if watch.is_late else found
            what = f"{self._address}: {str(error) or type(error).__name__}"
            if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
                raise ConnectionError(what) from error
            if isinstance(error, httpx2.HTTPError | httpx2.StreamError):
                raise Unanswered(what) from error
            raise
        finally:
            watch.ended.set()

    def _trace(self, watch: Watch, event: str, info: dict[str, Any]) -> None:
        """Receive httpx's events about a request."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            # Forget closed sockets; these have no file number.
            self._sockets -= {each for each in self._sockets.copy() if each.fileno() < 0}
            self._sockets.add(info["return_value"].get_extra_info("socket"))
        # Start the watch now, not when the request was sent: a proxy may have responded before the
        # server did.
        elif event.endswith(".receive_response_headers.started") and watch.ident is None:
            watch.renew()
            watch.start()


def start_of(answer: httpx2.Response, most: int = 1 << 16) -> bytearray:
    """Return the first bytes of a body: 64 KiB by default, enough for an error."""
    data = bytearray()
    # httpx's decoders return at most 1 MiB at a time.
    for part in answer.iter_bytes():
        data += part
        if len(data) >= most:
            break
    del data[most:]
    return data


def _cut(sockets: set[socket.socket]) -> None:
    # Shut the sockets down, since closing one would not wake a thread that reads it. Call the
    # method of `socket`: that of `SSLSocket` would end TLS while another thread is reading.
    for each in sockets.copy():
        with suppress(OSError):
            socket.socket.shutdown(each, socket.SHUT_RDWR)


def _close(client: httpx2.Client, sockets: set[socket.socket], process: int) -> None:
    # A forked process must not cut its parent's connections, which the parent still uses.
    if process == os.getpid():
        _cut(sockets)
    client.close()

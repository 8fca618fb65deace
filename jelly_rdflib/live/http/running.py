"""Runs a `LogServer` until a signal ends it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from types import FrameType

import uvicorn

from jelly_rdflib.live.http.server import LogServer

# How long requests may go on that were there when the signal came.
_LAST_SECONDS = 10
# With more of them there is an answer 503.
_MOST_CONNECTIONS = 2000


class _Server(uvicorn.Server):
    """A server that lets its followers go when it is to end: they would never go themselves."""

    def __init__(
        self,
        config: uvicorn.Config,
        close: Callable[[], None],
        beside: AbstractAsyncContextManager[object],
    ) -> None:
        super().__init__(config)
        self._close = close
        self._beside = beside
        self.error: OSError | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._close()
        super().handle_exit(sig, frame)

    async def main_loop(self) -> None:
        try:
            async with self._beside:
                await super().main_loop()
        except OSError as error:
            # Raised after the shutdown.
            self.error = error


def run(
    server: LogServer,
    host: str,
    port: int,
    *,
    certificate: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    started: Callable[[str], object] | None = None,
    beside: AbstractAsyncContextManager[object] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM comes, which is raised again after the last request.

    Args:
        server: The server of the log.
        host: The name or address to listen at.
        port: The port; 0: one that is free.
        certificate, key: The files of a TLS certificate and its key; None: HTTP without TLS.
        started: Called with the address when the port is open.
        beside: Entered before the first request, in the same event loop, and left after the last.

    Raises:
        OSError: The port can't be used, or a file can't be read.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        config = uvicorn.Config(
            server.app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=_LAST_SECONDS,
            limit_concurrency=_MOST_CONNECTIONS,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        # Now, so that a wrong certificate is an error before the address is told.
        config.load()
        if started is not None:
            name = f"[{host}]" if ":" in host else host
            scheme = "http" if certificate is None else "https"
            started(f"{scheme}://{name}:{listening.getsockname()[1]}")
        running = _Server(config, server.feed.close, beside or nullcontext())
        running.run([listening])
        if running.error is not None:
            raise running.error

"""Servers for tests, and calls that use bytes instead of messages."""

import asyncio
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from jelly_rdflib.live.grpc.log_server import PatchLogServer
from tests.live.http.support import Program


@contextmanager
def served(folder: Path, *, tls: tuple[Path, Path] | None = None, **options: Any) -> Iterator[str]:
    """Serve a log from a thread; yield its address."""
    found, end = threading.Event(), asyncio.Event()
    address, loops = [], []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        certificate, key = tls or (None, None)
        server = PatchLogServer(folder, **options)
        async with server.serving("127.0.0.1", 0, certificate=certificate, key=key) as url:
            address.append(url)
            found.set()
            await end.wait()

    # Closing waits for the threads of cancelled calls.
    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert found.wait(20)
        yield address[0]
    finally:
        loops[0].call_soon_threadsafe(end.set)
        thread.join()


class Server(Program):
    """``jellyp log serve --grpc-port``, on the same port each time it is started."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        super().__init__(folder, "--grpc-port", str(port), *arguments)
        self.url = f"grpc://127.0.0.1:{port}"

    def start(self) -> None:
        super().start()
        line = self.process.stdout.readline()
        assert re.search(rf" is at {self.url}$", line), line + self.process.stderr.read()

    def restart(self, number: signal.Signals) -> None:
        self.end(number)
        self.start()


def call(address: str, kind: str, method: str, request: Any, *metadata: tuple[str, Any]) -> Any:
    """Make a call with bytes; return the responses and the status code."""
    host, _, topic = address.partition("://")[2].partition("/")
    metadata = ("topic-bin", topic.encode()), *metadata
    with grpc.insecure_channel(host) as channel:
        if kind.startswith("stream"):
            request = iter(request)
        answers: list[bytes] = []
        try:
            found = getattr(channel, kind)(method)(request, metadata=metadata, timeout=20)
            answers += [found] if isinstance(found, bytes) else found
        except grpc.RpcError as error:
            details: Any = error
            return answers, details.code().name, details.details()
        return answers, "OK", ""

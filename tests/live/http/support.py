"""Servers for tests: in this process, in another process, and behind a faulty network."""

from __future__ import annotations

import random
import re
import select
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from jelly_rdflib.live.http.server import LogServer
from tests.cli.support import COMMAND, ENVIRONMENT


class Client(TestClient):
    """A client without a server; it checks that the interface describes each response."""

    def __init__(self, app: Any) -> None:
        super().__init__(app, base_url="http://localhost", raise_server_exceptions=False)
        paths = app.openapi()["paths"]
        self._paths = {re.compile(re.sub(r"{\w+}", "[^/]+", path)): paths[path] for path in paths}

    def request(self, method: str, url: Any, **options: Any) -> Any:
        answer = super().request(method, url, **options)
        for path, methods in self._paths.items():
            if path.fullmatch(answer.request.url.path) and method.lower() in methods:
                known = methods[method.lower()]["responses"][str(answer.status_code)]
                media_type = answer.headers.get("content-type", "").partition(";")[0]
                assert (media_type or None) in known.get("content", {None: None})
        return answer


@contextmanager
def served(folder: Path, http: Any = "auto", **options: Any) -> Iterator[str]:
    """Serve a log from a thread; yield its address."""
    server = LogServer(folder, **options)
    config = uvicorn.Config(
        server.app, http=http, log_level="critical", timeout_graceful_shutdown=5
    )
    running = uvicorn.Server(config)
    server.followers.is_ending = lambda: running.should_exit
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # `jellyp log serve` has the same setting.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        thread = threading.Thread(target=running.run, args=[[listening]])
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            running.should_exit = True
            thread.join()


class Program:
    """``jellyp log serve``, on the same port each time it is started."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._command = [*COMMAND, "log", "serve", str(folder), *arguments]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self.process: Any = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*self._command, "--port", str(self._port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        line = self.process.stdout.readline()
        assert re.search(r" is at https?://", line), line + self.process.stderr.read()

    def end(self, signal: int) -> tuple[int, str]:
        """Send a signal; return the exit code and the standard error."""
        self.process.send_signal(signal)
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err

    def __enter__(self) -> Program:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Network:
    """A proxy before a server: it resets connections mid-transfer, until `mend` is called.

    Each connection is reset after a random number of bytes, fewer than ``most``, in one direction
    or the other; with 0 no connection is. Nothing is transmitted in the first ``delay`` seconds.
    """

    def __init__(
        self, target: str, seed: int, most: int = 3000, port: int = 0, *, delay: float = 0
    ) -> None:
        self._target = int(target.rpartition(":")[2])
        self._random = random.Random(seed)
        self._most = most
        self._is_broken = most > 0
        self._delay = delay
        self.breaks = 0
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", port))
        self._port = self._listening.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Close all connections, and accept no new ones."""
        for each in (self._listening, *self._open):
            # This wakes the thread that waits for a connection; `close` alone would not.
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def start(self) -> None:
        """Accept connections again."""
        self._listening = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def mend(self) -> None:
        """Stop resetting new connections."""
        self._is_broken = False

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._open.add(client)
                left = self._random.randrange(self._most) if self._is_broken else None
                threading.Thread(target=self._pass_on, args=(client, left), daemon=True).start()

    def _pass_on(self, client: socket.socket, left: int | None) -> None:
        time.sleep(self._delay)
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._target)) as to:
            others = {client: to, to: client}
            while True:
                ready, _, _ = select.select([client, to], [], [], 60)
                for one in ready:
                    data = one.recv(4096 if left is None else max(1, min(4096, left)))
                    if not data:
                        return
                    if left is not None:
                        left -= len(data)
                    others[one].sendall(data)
                    if left is not None and left <= 0:
                        self.breaks += 1
                        # Closing a socket with unread bytes resets it, as this option does.
                        for each in others:
                            each.setsockopt(
                                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                            )
                        return

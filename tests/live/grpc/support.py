"""Servers for tests, calls of bytes, and the peer of generated stubs."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_tools import protoc

from jelly_rdflib.live.grpc.log_server import PatchLogServer
from tests.cli.support import COMMAND, ENVIRONMENT
from tests.live.http.support import Program
from tests.oracle.schema import PROTO_DIR


@contextmanager
def served(folder: Path, *, tls: tuple[Path, Path] | None = None, **options: Any) -> Iterator[str]:
    """Serve a log from a thread; yield its address."""
    loop = asyncio.new_event_loop()
    found, end = threading.Event(), asyncio.Event()
    address = []

    async def run() -> None:
        certificate, key = tls or (None, None)
        server = PatchLogServer(folder, **options)
        async with server.serving("127.0.0.1", 0, certificate=certificate, key=key) as url:
            address.append(url)
            found.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[run()])
    thread.start()
    try:
        assert found.wait(20)
        yield address[0]
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()


def kill_at_random(arguments: Sequence[str], times: int, seed: int, *, most: float = 1.5) -> None:
    """Run ``jellyp`` and kill it after up to so many seconds, again and again."""
    moments, pipe = random.Random(seed), subprocess.PIPE
    for _ in range(times):
        command = [*COMMAND, *arguments]
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=pipe, stderr=pipe)
        time.sleep(moments.uniform(0.2, most))
        process.send_signal(signal.SIGKILL)
        _, err = process.communicate()
        # It ran until it was killed.
        assert process.returncode == -signal.SIGKILL, err.decode()


class Server(Program):
    """``jellyp log serve --grpc-port``, at the same port each time that it is started."""

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
    """Make a call with bytes; return its answers and its code."""
    with grpc.insecure_channel(address.partition("://")[2]) as channel:
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


class Peer:
    """Runs ``peer.py``, whose generated modules are in a folder."""

    def __init__(self, folder: Path) -> None:
        arguments = [f"--proto_path={PROTO_DIR}", f"--python_out={folder}"]
        files = ["rdf.proto", "patch.proto", "grpc.proto", "patch_grpc.proto"]
        done = protoc.main(["protoc", *arguments, f"--grpc_python_out={folder}", *files])
        assert done == 0
        self._environment = {**os.environ, "PYTHONPATH": str(folder)}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", str(Path(__file__).with_name("peer.py")), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, env=self._environment, cwd="/"
        )

    def run(self, mode: str, address: str, *arguments: str, frames: Iterable[bytes] = ()) -> Any:
        """Return what one call of the peer found."""
        process = self.start(mode, address.partition("://")[2], *arguments)
        given = "".join(f"{bytes(frame).hex()}\n" for frame in frames)
        out, _ = process.communicate(given, timeout=60)
        found = json.loads(out)
        found["frames"] = [bytes.fromhex(frame) for frame in found["frames"]]
        return found

    @contextmanager
    def serving(self) -> Iterator[tuple[str, Any]]:
        """Serve Jelly-RDF; yield the address, and where it prints what was asked for."""
        process = self.start("serve")
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        try:
            yield f"grpc://127.0.0.1:{port}", process.stdout
        finally:
            process.communicate(timeout=20)

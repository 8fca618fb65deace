"""Runs a Java server, built with Maven, in a local process that tests may kill."""

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import maven

SECONDS = 120


def free_port() -> int:
    """Return a port on which no process listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Return whether a process on this machine listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def wait_for(
    process: subprocess.Popen[Any], is_ready: Callable[[], bool], log: Path, what: str
) -> None:
    """Wait until a process is ready.

    If the process ends or takes too long, raise a RuntimeError with the last lines of its log.
    """
    deadline = time.monotonic() + SECONDS
    while not is_ready():
        if time.monotonic() > deadline or process.poll() is not None:
            text = log.read_text("utf-8", "replace")
            raise RuntimeError(f"{what} did not start:\n{text[-3000:]}")
        time.sleep(0.2)


class JavaServer:
    """A server from the jars of a Maven project; it keeps its files in a folder.

    Raises:
        tests.maven.UnavailableError: Maven can't get the jars.
    """

    def __init__(self, project: Path, folder: Path, port: int) -> None:
        self._classpath = ":".join(maven.build(project))
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.address = f"127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start_main(self, main: str, *arguments: str) -> None:
        """Start the main class, and wait until the server answers."""
        log = self.folder / "server.log"
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                self.command(main, *arguments), cwd=self.folder, stdout=file, stderr=file
            )
        wait_for(self._process, self.answers, log, main)

    def answers(self) -> bool:
        """Return whether the server is ready."""
        return listens(int(self.address.split(":")[1]))

    def process_id(self) -> int:
        """Return the id of the running process."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill the process if it is running."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def command(self, main: str, *arguments: str) -> list[str]:
        """Return the command that runs a class."""
        # Runs are short, so most time is spent on Java's start and its JIT compiler.
        java = ("java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        return [*java, "-cp", self._classpath, main, *arguments]

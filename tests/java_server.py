"""A server in Java on this machine, by Maven: one process, which tests may kill."""

import socket
import subprocess
import time
from pathlib import Path

from tests import maven

SECONDS = 60


def free_port() -> int:
    """Return a port that no other process listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class JavaServer:
    """A server of the jars of a Maven project, which keeps its files in a folder.

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
        """Start a class, and wait until it answers."""
        log = self.folder / "server.log"
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                self.command(main, *arguments), cwd=self.folder, stdout=file, stderr=file
            )
        deadline = time.monotonic() + SECONDS
        while not self.answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                text = log.read_text("utf-8", "replace")
                raise RuntimeError(f"{main} did not start:\n{text[-3000:]}")
            time.sleep(0.2)

    def answers(self) -> bool:
        """Return whether the server is ready."""
        host, port = self.address.split(":")
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
        return True

    def process_id(self) -> int:
        """Return the number of the process that runs."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """End the process without a word, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def command(self, main: str, *arguments: str) -> list[str]:
        """Return the command that runs a class."""
        # Short runs: what costs is to start, and to compile.
        java = ("java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        return [*java, "-cp", self._classpath, main, *arguments]

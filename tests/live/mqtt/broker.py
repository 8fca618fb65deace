"""Runs a real mosquitto broker. Tests may stop and kill it."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

# Debian installs mosquitto in a folder that is only in root's path.
PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
CONFIGURATION = """
listener {port} 127.0.0.1
allow_anonymous {anonymous}
persistence true
persistence_location {folder}/
max_queued_messages 0
user root
"""


class Mosquitto:
    """A broker that always uses the same port, and keeps its sessions in a folder."""

    def __init__(self, folder: Path, *lines: str, anonymous: str = "true") -> None:
        if PROGRAM is None:
            pytest.skip("mosquitto is not installed: apt install mosquitto")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._configuration = folder / "mosquitto.conf"
        text = CONFIGURATION.format(port=self.port, folder=folder, anonymous=anonymous)
        # If two lines have the same key, the last one wins.
        self._configuration.write_text(text + "".join(f"{line}\n" for line in lines), "utf-8")
        self._process: Any = None

    def start(self) -> None:
        command = [PROGRAM or "", "-c", str(self._configuration)]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for _ in range(200):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            time.sleep(0.05)
        raise AssertionError("mosquitto does not start")

    def stop(self) -> None:
        """Stop the broker, which stores its sessions before it exits."""
        self._process.terminate()
        self._process.wait(30)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Suspend the broker for the block; its connections stay open."""
        self._process.send_signal(signal.SIGSTOP)
        yield
        self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Mosquitto:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

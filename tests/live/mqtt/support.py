"""A real broker, mosquitto, which tests may stop and kill; and messages of strangers."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

__all__ = ["Broker", "numbers", "patch_of", "publish"]

# Debian's packages put it where only root looks for programs.
PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
CONFIGURATION = """
listener {port} 127.0.0.1
allow_anonymous {anonymous}
persistence true
persistence_location {folder}/
max_queued_messages 0
user root
"""


class Broker:
    """A broker on the same port each time that it is started, whose sessions stay in a folder."""

    def __init__(self, folder: Path, *lines: str, anonymous: str = "true") -> None:
        if PROGRAM is None:
            pytest.skip("mosquitto is not installed: apt install mosquitto")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._configuration = folder / "mosquitto.conf"
        text = CONFIGURATION.format(port=self.port, folder=folder, anonymous=anonymous)
        # The last of two equal lines wins.
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
        """Let the broker store its sessions, and end."""
        self._process.terminate()
        self._process.wait(30)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the broker be silent in the block; its connections stay."""
        self._process.send_signal(signal.SIGSTOP)
        yield
        self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Broker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def publish(
    broker: Broker,
    topic: str,
    *messages: bytes,
    stamps: Sequence[tuple[str, int]] = (),
    retain: bool = False,
) -> None:
    """Send messages by the bare client, with the stream and the number of each if given."""
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for number, message in enumerate(messages):
        properties: Any = Properties(PacketTypes.PUBLISH)
        if stamps:
            stream, sequence = stamps[number]
            properties.UserProperty = [("stream", stream), ("sequence", str(sequence))]
        sent = client.publish(topic, message, 1, retain, properties=properties)
        sent.wait_for_publish(10)
    client.disconnect()
    client.loop_stop()


def patch_of(number: int, size: int = 1) -> jr.Patch:
    rows = [
        (Op.A, URIRef(f"urn:{number}-{n}"), URIRef("urn:p"), Literal(number), URIRef("urn:g"))
        for n in range(size)
    ]
    return jr.Patch([(Op.TX,), *rows, (Op.TC,)])


def numbers(patches: Any) -> list[int]:
    """Return the numbers of patches that `patch_of` has made."""
    return [int(next(row[3] for row in patch if row[0] == Op.A)) for patch in patches]

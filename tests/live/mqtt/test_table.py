"""Tests each fault in the fault table that can happen to an MQTT topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jelly_rdflib import live
from tests.live.fault_table import OF_TOPICS, Fault, Peer
from tests.live.mqtt.broker import Mosquitto
from tests.live.mqtt.support import publish


class MqttPeer(Peer):
    """A topic whose followers have a session that was created before the patches were sent."""

    silence = 1.0

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._broker = Mosquitto(folder)
        self.url, self.settings = f"{self._broker.url}/t", {"session": "s"}

    def __enter__(self) -> MqttPeer:
        self._broker.start()
        live.connect(self.url, **self.settings).close()
        return self

    def __exit__(self, *_: object) -> None:
        self._broker.stop()

    def exchange(self) -> None:
        self._broker.stop()
        (self._folder / "mosquitto.db").unlink()
        self._broker.start()

    def send_bad(self, data: bytes) -> str:
        publish(self._broker, "t", data)
        return rf"{self.url}: message t packet \d+: "


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[MqttPeer]:
    with MqttPeer(tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    # Deleted patches are not tested: a gap shows only when the same sink sends more (see
    # test_faults.py), and a new session never receives earlier patches.
    "fault",
    [each for each in OF_TOPICS if "deleted" not in each.__name__],
)
def test_fault(fault: Fault, peer: MqttPeer, tmp_path: Path) -> None:
    fault(peer, tmp_path)

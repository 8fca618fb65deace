"""Sends messages as a program other than this package would."""

from collections.abc import Sequence
from typing import Any

from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.live.mqtt.broker import Mosquitto


def publish(
    broker: Mosquitto,
    topic: str,
    *messages: bytes,
    stamps: Sequence[tuple[str, int]] = (),
    retain: bool = False,
) -> None:
    """Send messages with the plain client, with the stream and number of each if given."""
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for number, message in enumerate(messages):
        properties: Any = Properties(PacketTypes.PUBLISH)
        if stamps:
            stream, sequence = stamps[number]
            properties.UserProperty = ("jelly-patch", f"{stream}/{sequence}")
        sent = client.publish(topic, message, 1, retain, properties=properties)
        sent.wait_for_publish(10)
    client.disconnect()
    client.loop_stop()

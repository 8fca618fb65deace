"""MQTT topics: each message contains one patch, as a complete stream."""

from jelly_rdflib.live.mqtt.sink import MqttSink as open_sink
from jelly_rdflib.live.mqtt.source import MqttSource as open_source

__all__ = ["open_sink", "open_source"]

"""Kafka topics: each message is a bare frame, and its key names the stream of the frame."""

from jelly_rdflib.live.kafka.sink import KafkaSink as open_sink
from jelly_rdflib.live.kafka.source import KafkaSource as open_source

__all__ = ["open_sink", "open_source"]

"""Tests each fault in the fault table that can happen to a Kafka topic."""

from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.live.fault_table import OF_TOPICS, Fault, Peer
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import delete, produce


class KafkaPeer(Peer):
    """A peer that is a topic with one partition."""

    silence = 2.0

    def __init__(self, broker: Broker, topic: str) -> None:
        self._broker, self._topic = broker, topic
        self.url = f"kafka://{broker.address}/{topic}"

    def exchange(self) -> None:
        self._broker.delete_topic(self._topic)
        self._broker.create_topic(self._topic)

    def delete(self) -> None:
        delete(self._broker, self._topic)

    def send_bad(self, data: bytes) -> str:
        produce(self._broker, self._topic, (None, data))
        consumer = Consumer({"bootstrap.servers": self._broker.address, "group.id": "bare"})
        offset = consumer.get_watermark_offsets(TopicPartition(self._topic, 0), 10)[1] - 1
        consumer.close()
        return rf"{self.url}: {self._topic}/0/{offset}, key None: "


@pytest.mark.parametrize("fault", OF_TOPICS)
def test_fault(fault: Fault, broker: Broker, topic: str, tmp_path: Path) -> None:
    fault(KafkaPeer(broker, topic), tmp_path)

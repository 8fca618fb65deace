"""The plain Kafka client, and the numbers of patches in a topic."""

from typing import Any

from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.live.kafka.broker import Broker
from tests.live.patches import patch_of, take_all

# A patch with more than 16 rows needs several frames.
long_options = jr.PatchOptions(frame_rows=16)


def frame_of(encoder: jr.PatchEncoder, *numbers: int) -> bytes:
    """Return a frame of several patches."""
    rows: list[Any] = []
    for number in numbers:
        rows += [*patch_of(number), (Op.END,)]
    return encoder.encode_frame(rows)


def produce(broker: Broker, topic: str, *messages: tuple[Any, Any], partition: int = 0) -> None:
    """Send messages, each a key and a value, with the plain client."""
    producer = Producer({"bootstrap.servers": broker.address, "message.max.bytes": 20_000_000})
    for key, value in messages:
        producer.produce(topic, value, key, partition)
    assert producer.flush(30) == 0


def consume(broker: Broker, topic: str, partitions: int = 1) -> list[Any]:
    """Return all messages of a topic, read with the plain client."""
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": "bare"})
    consumer.assign([TopicPartition(topic, each, 0) for each in range(partitions)])
    found = []
    # A message without a value has a length of 0.
    while (message := consumer.poll(1.5)) is not None:
        assert message.error() is None
        found.append(message)
    consumer.close()
    return found


def delete(broker: Broker, topic: str, offset: int = OFFSET_END) -> None:
    """Delete all messages before an offset, as the topic's retention does."""
    place = TopicPartition(topic, 0, offset)
    broker.admin.delete_records([place])[place].result(30)


def read(url: str, count: int, **settings: Any) -> list[int]:
    """Return the numbers of all patches of a topic, and check their count."""
    with live.connect(url, **settings) as source:
        return take_all(source, count)

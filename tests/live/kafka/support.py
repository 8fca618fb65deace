"""Patches with numbers, and the bare client of Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.live.kafka.broker import Broker

__all__ = [
    "consume",
    "delete",
    "frame_of",
    "long_options",
    "numbers",
    "patch_of",
    "produce",
    "read",
]

P, G = URIRef("urn:p"), URIRef("urn:g")
# A patch of more than some rows takes several frames.
long_options = jr.PatchOptions(frame_rows=16)


def patch_of(number: int, size: int = 1, sink: str = "s") -> jr.Patch:
    rows = [(Op.A, URIRef(f"urn:{sink}/{number}/{n}"), P, Literal(number), G) for n in range(size)]
    return jr.Patch([(Op.TX,), *rows, (Op.TC,)])


def numbers(patches: Iterable[jr.Patch]) -> list[int]:
    return [int(next(row[3] for row in patch if row[0] == Op.A)) for patch in patches]


def frame_of(encoder: jr.PatchEncoder, *numbers: int) -> bytes:
    """Return a frame of several patches."""
    rows: list[Any] = []
    for number in numbers:
        rows += [*patch_of(number), (Op.END,)]
    return encoder.encode_frame(rows)


def produce(broker: Broker, topic: str, *messages: tuple[Any, Any], partition: int = 0) -> None:
    """Send messages, each a key and a value, by the bare client."""
    producer = Producer({"bootstrap.servers": broker.address, "message.max.bytes": 20_000_000})
    for key, value in messages:
        producer.produce(topic, value, key, partition)
    assert producer.flush(30) == 0


def consume(broker: Broker, topic: str, partitions: int = 1) -> list[Any]:
    """Return all messages of a topic, by the bare client."""
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
    """Delete what comes before an offset, as the topic's retention does."""
    place = TopicPartition(topic, 0, offset)
    broker.admin.delete_records([place])[place].result(30)


def read(url: str, **settings: Any) -> list[int]:
    """Return the numbers of all patches of a topic."""
    with live.connect(url, timeout=2, **settings) as source:
        return numbers(source)

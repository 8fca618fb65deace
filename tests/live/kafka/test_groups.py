"""Tests groups of sources, which share the partitions of a topic."""

import time
from typing import Any

from confluent_kafka import Consumer, TopicPartition

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.live import Source
from jelly_rdflib.live.frames import LiveEncoder
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import frame_of, long_options, produce, read
from tests.live.patches import numbers, patch_of, take, take_all


def test_what_was_acknowledged_does_not_come_again(broker: Broker, topic: str, url: str) -> None:
    # Two interleaved streams of long patches, and frames with three patches.
    first, second = LiveEncoder(long_options), LiveEncoder(long_options)
    encoder = jr.PatchEncoder()
    messages: list[tuple[Any, Any]] = []
    for number in range(0, 30, 5):
        pairs = zip(
            first.encode(patch_of(number, 60)), second.encode(patch_of(number + 1, 60)), strict=True
        )
        messages += [(key, bytes(f)) for pair in pairs for key, f in zip("ab", pair, strict=True)]
        messages.append(("c", frame_of(encoder, number + 2, number + 3, number + 4)))
    produce(broker, topic, *messages)
    expected = read(url, 30)
    assert sorted(expected) == list(range(30))
    found: list[int] = []
    while len(found) < 30:
        with live.connect(url, group="g") as source:
            found += take(source, 4 if len(found) < 28 else 2)
            source.acknowledge()
            if len(found) < 30:
                # The patch was received but not acknowledged, so it is received again.
                take(source, 1)
    assert found == expected
    with live.connect(url, group="g", timeout=3) as source:
        assert list(source) == []


def test_the_group_has_the_offset_of_the_next_patch(broker: Broker, topic: str, url: str) -> None:
    with live.open_sink(url) as sink:
        for number in range(5):
            sink.send(patch_of(number))
    with live.connect(url, group="g") as source:
        take(source, 3)
        source.acknowledge()
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": "g"})
    (committed,) = consumer.committed([TopicPartition(topic, 0)], timeout=10)
    assert (committed.offset, committed.metadata) == (3, "[0, 3, 0, 0]")
    # An administrator resets the offset.
    consumer.commit(offsets=[TopicPartition(topic, 0, 0)], asynchronous=False)
    consumer.close()
    with live.connect(url, group="g") as source:
        assert take_all(source, 5) == [0, 1, 2, 3, 4]


def test_a_group_that_starts_with_the_latest_loses_nothing_from_then_on(url: str) -> None:
    with live.open_sink(url, restart=1) as sink:
        sink.send(patch_of(0))
        sink.flush()
        with live.connect(url, group="g", start="latest") as source:
            # The group has not assigned a partition to the source yet.
            sink.send(patch_of(1))
            assert take(source, 1) == [1]
        sink.send(patch_of(2))
    with live.connect(url, group="g", start="latest") as source:
        assert take_all(source, 2) == [1, 2]


def test_two_sources_share_a_topic_while_patches_are_in_the_middle(
    broker: Broker, topic: str
) -> None:
    broker.create_topic(f"{topic}-4", 4)
    url = f"kafka://{broker.address}/{topic}-4"
    encoders = [LiveEncoder(long_options, restart_every=50) for _ in range(4)]
    waiting: list[list[tuple[bytes, bytes]]] = [[], [], [], []]

    def send(first: int, count: int) -> None:
        """Send patches to each partition, but only half of the last patch."""
        for at, encoder in enumerate(encoders):
            frames = waiting[at]
            for number in range(first, first + count):
                frames += [(b"k", bytes(f)) for f in encoder.encode(patch_of(number * 4 + at, 60))]
            produce(broker, f"{topic}-4", *frames[:-2], partition=at)
            waiting[at] = frames[-2:]

    settings = {"group": "g", "session.timeout.ms": "6000", "heartbeat.interval.ms": "500"}
    kept: list[int] = []

    def take_one(source: Source, wait: float) -> bool:
        patch = source.receive(wait)
        if patch is not None:
            kept.extend(numbers([patch]))
            source.acknowledge()
        return patch is not None

    send(0, 10)
    with live.connect(url, **settings) as one:
        for _ in range(20):
            assert take_one(one, 30)
        with live.connect(url, **settings) as other:
            takers = set()
            for turn in range(200):
                takers |= {name for name, each in (("1", one), ("2", other)) if take_one(each, 0.1)}
                if turn in (20, 40):
                    send(turn // 2, 10)
                if takers == {"1", "2"} and len(kept) >= 4 * 30 - 4:
                    break
            assert takers == {"1", "2"}
        # The other source has left, so its partitions come back with the rest of their patches.
        for at, frames in enumerate(waiting):
            produce(broker, f"{topic}-4", *frames, partition=at)
        while take_one(one, 10 if len(kept) < 120 else 2):
            pass
    assert sorted(kept) == list(range(120))
    for at in range(4):
        mine = [number for number in kept if number % 4 == at]
        assert mine == sorted(mine)


def test_a_source_that_took_too_long_goes_on_where_it_was(url: str) -> None:
    with live.open_sink(url) as sink:
        for number in range(5):
            sink.send(patch_of(number))
    settings = {"group": "g", "session.timeout.ms": "6000", "max.poll.interval.ms": "6000"}
    with live.connect(url, **settings) as source:
        found = take(source, 3)
        time.sleep(7.5)
        # The group has revoked the source's partition.
        source.acknowledge()
        assert found + take_all(source, 2) == [0, 1, 2, 3, 4]
        source.acknowledge()
    with live.connect(url, group="g", timeout=3) as source:
        assert list(source) == []

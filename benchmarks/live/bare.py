"""Bare clients that send bytes and count received messages.

The clock starts after the first message was sent or received, when all clients are connected.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from jelly_rdflib.live.frames import starts_stream

from . import workload

__all__ = ["RECEIVE", "SEND"]

_PATCHES = "/jelly_rdflib.live.v1.RdfPatchStreamService"


def _parts(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.netloc, parts.path.lstrip("/")


def send_kafka(url: str, count: int) -> float:
    from confluent_kafka import Producer

    host, topic = _parts(url)
    producer = Producer({"bootstrap.servers": host, "enable.idempotence": True})
    first, *messages = workload.frames(1000, count)
    producer.produce(topic, first, b"bare")
    producer.flush()
    start = time.perf_counter()
    for message in messages:
        while True:
            try:
                producer.produce(topic, message, b"bare")
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    producer.flush()
    return time.perf_counter() - start


def receive_kafka(url: str, count: int) -> float:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    host, topic = _parts(url)
    consumer = Consumer(
        {"bootstrap.servers": host, "group.id": "bare", "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    start = 0.0
    while count > 0:
        message = consumer.poll(10)
        assert message is not None, f"{count} messages are missing"
        count -= message.error() is None
        start = start or time.perf_counter()
    seconds = time.perf_counter() - start
    consumer.close()
    return seconds


def _mqtt(url: str, session: str) -> tuple[Any, str]:
    from paho.mqtt import client as paho
    from paho.mqtt.enums import CallbackAPIVersion

    host, topic = _parts(url)
    name, _, port = host.partition(":")
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=session, protocol=paho.MQTTv5)
    client.max_inflight_messages_set(100)
    client.connect(name, int(port or 1883), clean_start=True)
    client.loop_start()
    while not client.is_connected():
        time.sleep(0.01)
    return client, topic


def send_mqtt(url: str, count: int) -> float:
    client, topic = _mqtt(url, "bare-sender")
    first, *messages = workload.frames(1, count)
    client.publish(topic, first, qos=1).wait_for_publish()
    start = time.perf_counter()
    sent = [client.publish(topic, message, qos=1) for message in messages]
    for each in sent:
        each.wait_for_publish()
    seconds = time.perf_counter() - start
    client.disconnect()
    client.loop_stop()
    return seconds


def receive_mqtt(url: str, count: int) -> float:
    client, topic = _mqtt(url, "bare-receiver")
    found: list[float] = []
    is_done = threading.Event()

    def take(*_: object) -> None:
        found.append(time.perf_counter())
        if len(found) == count:
            is_done.set()

    client.on_message = take
    client.on_subscribe = lambda *_: print("ready", flush=True)
    client.subscribe(topic, qos=1)
    assert is_done.wait(120), f"{count - len(found)} messages are missing"
    client.disconnect()
    return found[-1] - found[0]


def send_http(url: str, count: int) -> float:
    import httpx2

    messages = workload.bodies(count)
    headers = {"Content-Type": "application/x-jelly-rdf-patch", "If-Match": "*"}
    with httpx2.Client(base_url=url) as client:
        start = 0.0
        for message in messages:
            client.post("/patches", content=message, headers=headers).raise_for_status()
            start = start or time.perf_counter()
        return time.perf_counter() - start


def receive_http(url: str, count: int) -> float:
    import httpx2

    start, held = 0.0, b""
    headers = {"Accept": "application/x-jelly-patch-events", "Accept-Encoding": "identity"}
    with (
        httpx2.Client(base_url=url, headers=headers) as client,
        client.stream("GET", "/events", params={"since": 0}, timeout=60) as answer,
    ):
        for part in answer.iter_raw():
            held += part
            while count and (end := held.find(b"\n") + 1):
                size = end + int(held[:end].partition(b'"inline": ')[2].partition(b",")[0])
                if len(held) < size:
                    break
                held = held[size:]
                count -= 1
                start = start or time.perf_counter()
            if count == 0:
                break
    return time.perf_counter() - start


def send_grpc(url: str, count: int) -> float:
    import grpc

    messages = workload.frames(sys.maxsize, count)
    with grpc.insecure_channel(_parts(url)[0]) as channel:
        start = 0.0
        for _ in channel.stream_stream(f"{_PATCHES}/PublishPatches")(iter(messages)):
            start = start or time.perf_counter()
        return time.perf_counter() - start


def receive_grpc(url: str, count: int) -> float:
    import grpc

    with grpc.insecure_channel(_parts(url)[0]) as channel:
        start = 0.0
        # Subscribe from version 0.
        call = channel.unary_stream(f"{_PATCHES}/SubscribePatches")(b"\x18\x00")
        for frame in call:
            count -= starts_stream(frame)
            start = start or time.perf_counter()
            if count == 0:
                break
        seconds = time.perf_counter() - start
        call.cancel()
    return seconds


SEND: dict[str, Callable[[str, int], float]] = {
    "kafka": send_kafka, "mqtt": send_mqtt, "http": send_http, "grpc": send_grpc
}  # fmt: skip
RECEIVE: dict[str, Callable[[str, int], float]] = {
    "kafka": receive_kafka, "mqtt": receive_mqtt, "http": receive_http, "grpc": receive_grpc
}  # fmt: skip

"""The servers that carry the patches, each on this machine, started for one measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import jelly_rdflib as jr
from tests.live.http.support import Program

__all__ = ["SERVERS"]


@contextmanager
def kafka(folder: Path) -> Iterator[str]:
    """A broker with a topic of one partition; its Java is warm."""
    from tests.live.kafka.broker import Broker

    from . import bare, workload

    broker = Broker(folder / "kafka")
    broker.start()
    try:
        for topic in ("warm", "changes"):
            broker.create_topic(topic, 1)
        warm, count = f"kafka://{broker.address}/warm", len(workload.frames(1000))
        bare.send_kafka(warm, count)
        bare.receive_kafka(warm, count)
        yield f"kafka://{broker.address}/changes"
    finally:
        broker.kill()


@contextmanager
def mqtt(folder: Path) -> Iterator[str]:
    """A broker that keeps any number of messages for a slow receiver."""
    from tests.live.mqtt.broker import Mosquitto

    with Mosquitto(folder, "max_queued_messages 0") as broker:
        yield f"{broker.url}/changes"


@contextmanager
def http(folder: Path) -> Iterator[str]:
    """A server of a new patch log."""
    jr.PatchLog.create(folder / "log")
    with Program(folder / "log") as program:
        yield program.address


@contextmanager
def grpc(folder: Path) -> Iterator[str]:
    """A server of a new patch log, by gRPC."""
    from tests.live.grpc.support import Server

    jr.PatchLog.create(folder / "log")
    server = Server(folder / "log")
    with server:
        yield server.url


SERVERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "kafka": kafka, "mqtt": mqtt, "http": http, "grpc": grpc
}  # fmt: skip
"""What starts each server in a folder, and yields the address of the stream."""

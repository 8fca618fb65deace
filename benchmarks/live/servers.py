"""Start a server on this machine for one measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import jelly_rdflib as jr
from tests.live.http.support import Program

__all__ = ["SERVERS"]


@contextmanager
def kafka(folder: Path) -> Iterator[str]:
    """Run a broker with a topic of one partition, and warm up its JVM."""
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
    """Run a broker that queues any number of messages for a slow receiver."""
    from tests.live.mqtt.broker import Mosquitto

    with Mosquitto(folder, "max_queued_messages 0") as broker:
        yield f"{broker.url}/changes"


@contextmanager
def http(folder: Path) -> Iterator[str]:
    """Run a server for a new patch log."""
    jr.PatchLog.create(folder / "log")
    with Program(folder / "log") as program:
        yield program.address


@contextmanager
def grpc(folder: Path) -> Iterator[str]:
    """Run a gRPC server for a new patch log."""
    from tests.live.grpc.support import Server

    jr.PatchLog.create(folder / "log")
    server = Server(folder / "log")
    with server:
        yield server.url


SERVERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "kafka": kafka, "mqtt": mqtt, "http": http, "grpc": grpc
}  # fmt: skip
"""Functions that start a server in a folder and yield the address of the stream."""

"""Measure operations per second, and compare with bare clients sending the same patches."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ..data import CACHE
from . import workload
from .servers import SERVERS

__all__ = ["Throughput", "measure"]

PAIRS = (("bare", "bare"), ("ours", "bare"), ("bare", "ours"), ("bare", "tuples"))
"""Senders and receivers; the other end is a bare client, since that costs less."""
PATCHES = {"kafka": 20_000, "mqtt": 2_000, "http": 400, "grpc": 400}
"""The number of patches. For Kafka there are more than fit in a client's queues. HTTP and gRPC
append to a log, which syncs each patch to disk."""


@dataclass(frozen=True)
class Throughput:
    """The seconds to send and to receive all patches, by the kind of client."""

    transport: str
    send: dict[str, list[float]]
    receive: dict[str, list[float]]

    @property
    def patches(self) -> int:
        """The number of patches."""
        return PATCHES[self.transport]

    def speed(self, seconds: list[float]) -> float:
        """Return the operations per second, without those of the first patch."""
        count = workload.operations(self.patches) - workload.operations(1)
        return count / median(seconds)

    def ratio(self, seconds: dict[str, list[float]], whose: str) -> float:
        """Return the speed as a fraction of the bare client's speed."""
        return median(seconds["bare"]) / median(seconds[whose])


def measure(transport: str, rounds: int) -> Throughput:
    """Send and receive all patches with each client in turn, each time through a new server."""
    result = Throughput(transport, defaultdict(list), defaultdict(list))
    CACHE.mkdir(parents=True, exist_ok=True)
    workload.patches()
    for _ in range(rounds):
        for sender, receiver in PAIRS:
            with (
                tempfile.TemporaryDirectory(dir=CACHE) as folder,
                SERVERS[transport](Path(folder)) as url,
            ):
                sent, received = _once(transport, sender, receiver, url)
            if receiver == "bare":
                result.send[sender].append(sent)
            if sender == "bare":
                result.receive[receiver].append(received)
    return result


def _once(transport: str, sender: str, receiver: str, url: str) -> tuple[float, float]:
    count = str(PATCHES[transport])
    if transport == "mqtt":
        # An MQTT broker does not send earlier messages to a late receiver.
        receiving = _start("receive", receiver, url, count)
        assert receiving.stdout is not None
        assert receiving.stdout.readline() == "ready\n"
        sending = _start("send", sender, url, count)
    else:
        sending = _start("send", sender, url, count)
        sending.wait()
        receiving = _start("receive", receiver, url, count)
    return _seconds(sending), _seconds(receiving)


def _start(what: str, whose: str, url: str, count: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.live.client", what, whose, url, count],
        stdout=subprocess.PIPE,
        text=True,
    )


def _seconds(process: subprocess.Popen[str]) -> float:
    out, _ = process.communicate(timeout=600)
    if process.returncode:
        raise RuntimeError(f"{process.args!r} failed")
    return float(out.split()[-1])

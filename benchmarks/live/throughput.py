"""How many operations a second go through, beside the bare client with the same bytes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ..data import CACHE
from . import workload
from .servers import SERVERS

__all__ = ["Throughput", "measure"]

WHOSE = ("bare", "ours", "tuples")


@dataclass(frozen=True)
class Throughput:
    """Seconds to send and to receive all patches, by whose client it was."""

    transport: str
    send: dict[str, list[float]]
    receive: dict[str, list[float]]

    def ratio(self, seconds: dict[str, list[float]], whose: str) -> float:
        """How fast it is, as a part of the bare client's speed."""
        return median(seconds["bare"]) / median(seconds[whose])


def measure(transport: str, rounds: int) -> Throughput:
    """Send and receive all patches, in turns, each time through a new server."""
    result = Throughput(transport, {whose: [] for whose in WHOSE}, {whose: [] for whose in WHOSE})
    CACHE.mkdir(parents=True, exist_ok=True)
    workload.patches()
    for _ in range(rounds):
        for whose in WHOSE:
            with (
                tempfile.TemporaryDirectory(dir=CACHE) as folder,
                SERVERS[transport](Path(folder)) as url,
            ):
                sent, received = _once(transport, whose, url)
            result.receive[whose].append(received)
            if whose != "tuples":
                result.send[whose].append(sent)
    return result


def _once(transport: str, whose: str, url: str) -> tuple[float, float]:
    sender = "ours" if whose == "tuples" else whose
    count = str(len(workload.patches()))
    if transport == "mqtt":
        # A broker of MQTT gives nothing to who comes later.
        receiving = _start("receive", whose, url, count)
        assert receiving.stdout is not None
        assert receiving.stdout.readline() == "ready\n"
        sending = _start("send", sender, url, count)
    else:
        sending = _start("send", sender, url, count)
        sending.wait()
        receiving = _start("receive", whose, url, count)
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

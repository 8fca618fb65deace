"""Measure the time from an append until a follower has applied the patch."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.graph.graphs import empty_dataset

from ..data import CACHE
from .servers import SERVERS

__all__ = ["Latency", "measure"]

S, P = URIRef("urn:s"), URIRef("urn:p")


@dataclass(frozen=True)
class Latency:
    """Seconds from just before each append until its patch was applied elsewhere.

    ``rate`` is the wanted number of appended patches per second; 0 for as many as possible. The
    appender waits for the response after every ``commit`` patches. ``reached`` is the actual rate.
    """

    transport: str
    rate: int
    commit: int
    reached: float
    seconds: list[float]

    def at(self, part: float) -> float:
        """Return the seconds within which the fraction ``part`` of all patches was applied."""
        found = sorted(self.seconds)
        return found[min(len(found) - 1, int(part * len(found)))]


def measure(transport: str, rate: int, commit: int, seconds: float) -> Latency:
    """Append small patches at a rate for some seconds, and follow in another process."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=CACHE) as folder,
        SERVERS[transport](Path(folder)) as url,
    ):
        follower = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.live.latency", url],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert follower.stdout is not None
        assert follower.stdout.readline() == "ready\n"
        with live.open_sink(url, options=jr.PatchOptions.small()) as sink:
            sink.send(_patch())
            sink.flush()
            count, start = 0, time.time()
            while time.time() < start + seconds:
                for _ in range(commit):
                    sink.send(_patch())
                sink.flush()
                count += commit
                if rate:
                    time.sleep(max(0.0, start + count / rate - time.time()))
            reached = count / (time.time() - start)
            sink.send([(jr.Op.H, "end", Literal(True))])
        # The first patch is not counted: the follower and its dataset are still cold.
        found = [float(line) for line in follower.communicate(timeout=120)[0].split()][1:]
    assert len(found) == count, (len(found), count)
    return Latency(transport, rate, commit, reached, found)


def _patch() -> jr.Patch:
    """Make a patch with one statement that contains the time of its append."""
    return jr.Patch([(jr.Op.TX,), (jr.Op.A, S, P, Literal(str(time.time_ns())), None), (jr.Op.TC,)])


def follow(url: str) -> None:
    """Apply patches as they arrive, and print the age of each."""
    data = empty_dataset("Jelly")
    found: list[float] = []
    with live.connect(url, start="latest") as source:
        print("ready", flush=True)
        for patch in source:
            if "end" in patch.header:
                break
            jr.apply(patch, data)
            now = time.time_ns()
            found += [(now - int(str(row[3]))) / 1e9 for row in patch if row[0] == jr.Op.A]
    print(*found, sep="\n")


if __name__ == "__main__":
    follow(sys.argv[1])

"""Measure a log server with many followers and several appenders at once."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import live
from tests.live.http.support import Program

from ..data import CACHE

__all__ = ["Crowd", "measure"]


@dataclass(frozen=True)
class Crowd:
    """The measurements of a server: ``memory`` is in MB, after equal shares of the patches."""

    followers: int
    appenders: int
    patches: int
    seconds: float
    memory: list[float]


def measure(followers: int = 100, appenders: int = 10, patches: int = 2_000) -> Crowd:
    """Append from several threads while others follow; each must receive every patch, in order."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        jr.PatchLog.create(f"{folder}/log")
        with Program(Path(folder, "log")) as program:
            following = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.live.crowd", program.address,
                 str(followers), str(patches)],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert following.stdout is not None
            assert following.stdout.readline() == "ready\n"
            memory: list[float] = []
            start = time.perf_counter()
            share = patches // appenders
            threads = [
                threading.Thread(target=_append, args=(program.address, number, share))
                for number in range(appenders)
            ]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                time.sleep(1)
                memory.append(_memory(program.process.pid))
            assert following.communicate(timeout=120)[0].split() == ["whole"] * followers
            seconds = time.perf_counter() - start
            memory.append(_memory(program.process.pid))
    return Crowd(followers, appenders, patches, seconds, memory)


def _append(url: str, number: int, patches: int) -> None:
    s, p = URIRef(f"urn:appender:{number}"), URIRef("urn:p")
    with live.open_sink(url) as sink:
        for value in range(patches):
            sink.send([(jr.Op.TX,), (jr.Op.A, s, p, Literal(value), None), (jr.Op.TC,)])


def _memory(pid: int) -> float:
    fields = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) / 1024


def follow(url: str, followers: int, patches: int) -> None:
    """Follow from many threads; print the outcome of each."""
    lock = threading.Lock()

    def run() -> None:
        versions = []
        for entry in jr.PatchLog(url).follow(0):
            versions.append(entry.version)
            if len(versions) == patches:
                break
        with lock:
            print("whole" if versions == list(range(1, patches + 1)) else "broken", flush=True)

    threads = [threading.Thread(target=run) for _ in range(followers)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    follow(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

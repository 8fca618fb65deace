"""Write the page ``docs/live/benchmarks.md``."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path

from ..peers.machine import machine
from .crowd import Crowd
from .latency import Latency
from .throughput import PATCHES, Throughput

__all__ = ["write_page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "live" / "benchmarks.md"
HEAD = """# Benchmarks of live changes

`make bench-live` makes the measurements and writes this page; no figure is entered by hand. Each
client and each server has a process of its own, but in *Many followers at once* all followers share
one process, and all appenders another. All share one machine: {machine}, Python {python}, {date}.

## Through each transport

Each patch has slightly more than 512 operations, and is one frame. The bare client sends the same
patches, encoded in advance, and counts the messages that arrive. Our client encodes, sends and
waits for all responses, or receives and decodes to batches; for the last two columns it makes a
tuple of rdflib nodes from each operation. The figures are thousands of operations a second, and the
ratio to the bare client's speed. HTTP and gRPC send {few:,} patches to a log server, which puts
each patch on disk before it responds; {some:,} go through MQTT, and {many:,} through Kafka.

| | sent | of bare |
| --- | ---: | ---: |
"""
RECEIVED = """
| | received | of bare | as tuples | of bare |
| --- | ---: | ---: | ---: | ---: |
"""
LATENCY = """
The server or broker and the clients share the cores, so additional work counts: our client spends
time on encoding and decoding a frame of 30 kB, and the bare client does not. Over MQTT each message
is a stream of its own, and has properties.

## From append to applied

Patches of one statement are appended; a follower in another process applies each to a dataset. The
time of a patch is measured from just before it is sent. After each commit the appender waits for
the response: over HTTP from a log server, which has put the patch on disk; with Kafka from the
broker.

| | patches a second | reached | patches a commit | median, ms | 99th percentile, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
"""
SIZES = """
## Bytes on the wire

The same patches; gzip compresses each message separately.

| | MB |
| --- | ---: |
"""


def write_page(
    through: list[Throughput], late: list[Latency], crowd: Crowd, sizes: dict[str, int]
) -> None:
    """Write the page."""
    text = HEAD.format(
        machine=machine(), python=platform.python_version(), date=date.today(),
        few=PATCHES["http"], some=PATCHES["mqtt"], many=PATCHES["kafka"],
    )  # fmt: skip
    for each in through:
        text += f"| {each.transport} | {_speed(each, each.send, 'ours')} |\n"
    text += RECEIVED
    for each in through:
        cells = [_speed(each, each.receive, whose) for whose in ("ours", "tuples")]
        text += f"| {each.transport} | {' | '.join(cells)} |\n"
    text += LATENCY
    for one in late:
        rate = f"{one.rate:,}" if one.rate else "as many as one appender can"
        times = f"{one.at(0.5) * 1000:.1f} | {one.at(0.99) * 1000:.1f}"
        text += f"| {one.transport} | {rate} | {one.reached:,.0f} | {one.commit} | {times} |\n"
    text += f"""
## Many followers at once

{crowd.followers} followers of a log server got all {crowd.patches:,} patches of
{crowd.appenders} appenders, in order, within {crowd.seconds:.0f} s. The server had
{crowd.memory[0]:.0f} MB after the first second, {max(crowd.memory):.0f} MB at most, and
{crowd.memory[-1]:.0f} MB at the end.
"""
    text += SIZES + "".join(f"| {name} | {size / 1e6:.1f} |\n" for name, size in sizes.items())
    PAGE.write_text(text, encoding="utf-8")


def _speed(one: Throughput, seconds: dict[str, list[float]], whose: str) -> str:
    """Return two cells: the speed, and its ratio to the bare client's speed."""
    speed = one.speed(seconds[whose]) / 1000
    return f"{speed:,.0f} | {one.ratio(seconds, whose):.2f}\u202f\u00d7"

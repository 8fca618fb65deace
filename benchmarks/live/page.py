"""The page ``docs/live/benchmarks.md``."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path
from statistics import median

from ..peers.machine import machine
from . import workload
from .crowd import Crowd
from .latency import Latency
from .throughput import Throughput

__all__ = ["write_page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "live" / "benchmarks.md"
HEAD = """# Benchmarks of live changes

`make bench-live` measures, and writes this page; no figure in it is set by hand. Each client has a
process of its own, and so has each server; all of them share the machine. {machine}, Python
{python}, {date}.

## Through each transport

{patches:,} patches with {operations:,} operations, each patch one frame. The bare client sends the
same bytes, and counts the messages that come. Ours encodes, sends and waits for all answers, or
receives and decodes to batches; the last columns make a tuple of rdflib's nodes of each operation.
The figures are operations a second, and a part of the bare client's speed.

| transport | sent a second | of bare | received a second | of bare | as tuples | of bare |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
LATENCY = """
## From append to applied

A patch is appended to a log server; a follower in another process applies it to
a dataset. The clock starts before the append, which is on the disk when it is answered.

| statements a second | reached | in a patch | median, ms | 99th percentile, ms |
| ---: | ---: | ---: | ---: | ---: |
"""
SIZES = """
## Bytes on the wire

The same patches; gzip packs each message.

| | MB |
| --- | ---: |
"""


def write_page(
    through: list[Throughput], late: list[Latency], crowd: Crowd, sizes: dict[str, int]
) -> None:
    """Write the page."""
    operations = workload.operations()
    text = HEAD.format(
        machine=machine(), python=platform.python_version(), date=date.today(),
        patches=len(workload.patches()), operations=operations,
    )  # fmt: skip
    for each in through:
        cells = []
        for seconds, whose in (
            (each.send, "ours"), (each.receive, "ours"), (each.receive, "tuples")
        ):  # fmt: skip
            speed = operations / median(seconds[whose])
            cells += [f"{speed:,.0f}", f"{each.ratio(seconds, whose):.2f} \u00d7"]
        text += f"| {each.transport} | {' | '.join(cells)} |\n"
    text += LATENCY
    for one in late:
        rate = f"{one.rate:,}" if one.rate else "as many as one appender can"
        times = f"{one.at(0.5) * 1000:.1f} | {one.at(0.99) * 1000:.1f}"
        text += f"| {rate} | {one.reached:,.0f} | {one.batch} | {times} |\n"
    text += f"""
## Many at once

{crowd.followers} followers got all {crowd.patches:,} patches of {crowd.appenders} appenders, in
order, within {crowd.seconds:.0f} s. The server had {crowd.memory[0]:.0f} MB after the first second,
{max(crowd.memory):.0f} MB at most, and {crowd.memory[-1]:.0f} MB at the end.
"""
    text += SIZES + "".join(f"| {name} | {size / 1e6:.1f} |\n" for name, size in sizes.items())
    PAGE.write_text(text, encoding="utf-8")

"""Measure live changes, and write their page: ``make bench-live``."""

from __future__ import annotations

import argparse

from rich.progress import track

from . import crowd, latency, throughput, workload
from .page import write_page
from .servers import SERVERS

RATES = (
    ("http", 1, 1, 20.0), ("http", 100, 1, 10.0), ("http", 0, 1, 10.0),
    ("kafka", 1, 1, 20.0), ("kafka", 100, 1, 10.0), ("kafka", 0, 1, 10.0),
    ("kafka", 10_000, 100, 10.0)
)  # fmt: skip
"""The transport, patches per second, patches per commit, seconds."""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--transport", choices=SERVERS, action="append")
    arguments = parser.parse_args()
    chosen = arguments.transport or list(SERVERS)
    through = [
        throughput.measure(name, arguments.rounds) for name in track(chosen, "Sending, receiving")
    ]
    late = [latency.measure(*rate) for rate in track(RATES, "From append to applied")]
    write_page(through, late, crowd.measure(), workload.sizes())


if __name__ == "__main__":
    main()

"""Compare the `JellyStore` with other stores, and write the docs' page: ``make bench-store``.

``python -m benchmarks.store memory STORE`` prints the memory that the quads need in a store; it
runs in a separate process.
"""

from __future__ import annotations

import gc
import json
import logging
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from rdflib import Dataset
from rich.progress import track

import jelly_rdflib as jr

from .bars import BAR_HEIGHT, WIDTH, draw_bars
from .compare import Comparison, Ratio, compare
from .peers.machine import machine
from .reliability.section import replace_section
from .store_works import COUNT, STORE_WORKS, additions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "store-details.md"
PICTURE = ROOT / "docs" / "store.svg"
OURS, TARGET = "#c2185b", "#90a4ae"


def main() -> None:
    """Measure everything, and write the page's table and picture."""
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    ratios = [
        compare(
            Comparison(each.ours, each.theirs, each.target, each.rounds, 1, lambda _: COUNT),
            None,  # type: ignore[arg-type]  # the quads are made up
            each.rounds,
            lambda: None,
        )
        for each in track(STORE_WORKS, "measuring")
    ]
    memory = {store: measure_memory(store) for store in ("Jelly", "default")}
    replace_section(PAGE, "figures", section(ratios, memory))
    draw(ratios)


def measure_memory(store: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.store", "memory", store]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    sizes: dict[str, float] = json.loads(done.stdout)
    return sizes


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def peak() -> int:
    # `ru_maxrss` would start with the memory of the parent process.
    [line] = [
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM:")
    ]
    return int(line.split()[1]) * 1024


def run_memory(store: str) -> dict[str, float]:
    """Return the bytes per quad: after loading, at the peak, and after every index was used.

    Also return the longest time of a look-up that had to sort an index, in milliseconds.
    """
    path = additions()
    for _ in jr.read_batches(path):
        pass
    gc.collect()
    idle = resident()
    dataset = Dataset(store=store)
    jr.apply(path, dataset)
    gc.collect()
    loaded, most = resident() - idle, peak() - idle
    s, p, o, g = next(dataset.quads())
    longest = 0.0
    for graph in (None, dataset.get_context(g)):
        for pattern in ((s, None, None), (None, p, None), (None, None, o)):
            start = time.perf_counter()
            next(iter(dataset.store.triples(pattern, graph)))
            longest = max(longest, time.perf_counter() - start)
    gc.collect()
    sizes = {"loaded": loaded, "peak": most, "indexed": resident() - idle}
    return {name: size / COUNT for name, size in sizes.items()} | {"first": longest * 1000}


def section(ratios: list[Ratio], memory: dict[str, Any]) -> str:
    ours, theirs = memory["Jelly"], memory["default"]
    rows = [
        f"| {each.ours.partition(': ')[2]} | {peer_of(each)} | {each.median:.1f}\u00a0\u00d7"
        f" | {min(each.our_seconds):.3f}\u00a0s | {min(each.peer_seconds):.3f}\u00a0s |"
        for each in ratios
    ]
    return "\n".join(
        [
            f"{COUNT:,} quads. The seconds are processor time, the minimum of several rounds;"
            f" *times as fast* is the median of the ratios. {machine()}.",
            "",
            "| work | compared with | times as fast | JellyStore | the other |",
            "|---|---|---:|---:|---:|",
            *rows,
            "",
            f"Memory: **{ours['loaded']:.0f} bytes a quad** after loading"
            f" ({ours['peak']:.0f} at the peak), {ours['indexed']:.0f} once all six orders"
            " have been used, a quarter of which the allocator may reuse for other things;"
            f" rdflib's Memory takes {theirs['loaded']:,.0f}. The first look-up in an order sorts"
            f" the order, which takes up to {ours['first']:.0f} ms.",
        ]
    )


def peer_of(ratio: Ratio) -> str:
    return "Memory" if ratio.peer.startswith("Memory") else ratio.peer


def draw(ratios: list[Ratio]) -> None:
    """Draw each ratio with its target."""
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(WIDTH, BAR_HEIGHT * (len(ratios) + 2)), layout="constrained")
        axes = figure.subplots()
        names = [f"{each.ours.partition(': ')[2]}, {peer_of(each)}" for each in ratios]
        values = [each.median for each in ratios]
        draw_bars(axes, names, values, [OURS] * len(ratios), "%.1f \u00d7")
        targets = [each.target or 1 for each in ratios]
        axes.plot(targets, range(len(ratios)), "|", color=TARGET, markersize=11)
        axes.set_xscale("log")
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xlabel("times as fast as the other; grey: the target", fontsize=9)
        figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        print(json.dumps(run_memory(sys.argv[2])))
    else:
        main()

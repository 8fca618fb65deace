"""Print the results of a run as a table, or return them as JSON."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from .compare import Ratio
from .difference import Difference
from .latency import Latency
from .log_size import LogSize
from .memory import Peak
from .threads import Threads

__all__ = ["Measured", "as_json", "print_table"]

PEERS = ("protobuf", "pyjelly", "pyoxigraph", "rdflib")
MEGABYTE = 1e6


@dataclass(frozen=True)
class Measured:
    """All measurements of a run; None means that a measurement was not requested."""

    about: str
    """The data used for most measurements."""
    ratios: list[Ratio]
    peak: Peak | None
    latency: Latency | None
    size: LogSize | None
    differences: list[Difference]
    threads: list[Threads]
    sizes: list[tuple[str, int, int]]
    """The bytes of the same statements in each version of Jelly-RDF, uncompressed and with zstd."""


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in PEERS}}


def print_table(measured: Measured, *, is_quick: bool) -> None:
    """Print the medians of all measurements, and the ranges of the ratios."""
    ratios, peak, latency = measured.ratios, measured.peak, measured.latency
    console = Console()
    if not console.is_terminal:
        # Without a width, the table would be truncated to 80 columns in a log file.
        console.width = 140
    console.print(f"Measured on {measured.about}. What needs other data makes it.")
    if ratios:
        console.print(table_of_ratios(ratios, is_quick=is_quick))
    if peak is not None:
        console.print(
            f"Peak memory of read_batches over an idle process: [bold]"
            f"{peak.over_idle / MEGABYTE:.1f} MB[/] for {peak.stream / MEGABYTE:,.0f} MB through a"
            f" pipe ({peak.operations:,} operations); target: < {peak.target / MEGABYTE:.0f} MB,"
            f" {verdict(peak.is_met)}"
        )
    if latency is not None:
        console.print(
            f"Appending a small patch to a log, on the disk when it returns: [bold]"
            f"{milliseconds(latency.append)} ms[/]; {latency.over_write:.2f} times the"
            f" {milliseconds(latency.write)} ms of write and fsync alone, [bold]"
            f"{latency.over_commit:.2f}[/] times the {milliseconds(latency.commit)} ms of write,"
            f" fsync, rename, fsync of the folder and a commit by SQLite (medians of"
            f" {len(latency.append)}); target: at most {latency.target:g},"
            f" {verdict(latency.is_met)}"
        )
    size = measured.size
    if size is not None:
        console.print(
            f"A log of {size.versions:,} versions: opened in [bold]{milliseconds(size.opening)}"
            f" ms[/], all listed in [bold]{milliseconds(size.listing)} ms[/] (medians of"
            f" {len(size.opening)}); targets: {size.opening_target * 1e3:g} and"
            f" {size.listing_target * 1e3:g} ms, {verdict(size.is_met)}"
        )
    for name, plain, compressed in measured.sizes:
        console.print(
            f"{name}: {plain / MEGABYTE:.2f} MB, {compressed / MEGABYTE:.2f} MB with zstd"
        )
    for each in measured.differences:
        target = "" if each.target is None else f"; target: < {each.target / MEGABYTE:.0f} MB, "
        console.print(
            f"Memory of a difference by {each.kind} beside two graphs of {each.triples:,} triples:"
            f" [bold]{each.peak / MEGABYTE:.1f} MB[/], and {each.seconds:.1f} s"
            f"{target}{verdict(each.is_met)}"
        )
    for scaling in measured.threads:
        target = "" if scaling.target is None else f"; target: {scaling.target:g}, "
        console.print(
            f"{scaling.name}: two threads are [bold]{scaling.median:.2f}[/] times as fast as one,"
            f" {min(scaling.ratios):.2f}-{max(scaling.ratios):.2f} ({len(scaling.ratios)})"
            f"{target}{verdict(scaling.is_met)}"
        )
    missed = [f"{each.ours} vs {each.peer}" for each in ratios if each.is_met is False]
    missed += ["peak memory"] if peak is not None and not peak.is_met else []
    missed += ["append latency"] if latency is not None and not latency.is_met else []
    missed += ["a log of many versions"] if size is not None and not size.is_met else []
    missed += [
        f"difference by {each.kind}" for each in measured.differences if each.is_met is False
    ]
    missed += [f"{each.name}, threads" for each in measured.threads if each.is_met is False]
    if missed:
        console.print(f"[bold]Missed targets:[/] {'; '.join(missed)}")
    console.print(", ".join(f"{name} {number}" for name, number in versions().items()), style="dim")


def table_of_ratios(ratios: list[Ratio], *, is_quick: bool) -> Table:
    scope = "; a quick run, on a part of the data" if is_quick else ""
    table = Table(title=f"How many times as fast as its peers{scope}")
    # Cells are wrapped, since a truncated number says nothing.
    table.add_column("ours", overflow="fold")
    table.add_column("peer", overflow="fold")
    for heading in ("quads", "ours\nM quads/s", "peer\nM quads/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ratio", justify="right", style="bold", no_wrap=True)
    table.add_column("least-most\n(rounds)", justify="right", no_wrap=True)
    table.add_column("target", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for each in ratios:
        table.add_row(
            each.ours,
            each.peer,
            f"{each.quads:,}",
            rate(each.quads, each.our_seconds),
            rate(each.quads, each.peer_seconds),
            f"{each.median:.2f}",
            f"{min(each.ratios):.2f}-{max(each.ratios):.2f} ({len(each.ratios)})",
            "" if each.target is None else f"{each.target:g}",
            verdict(each.is_met),
        )
    return table


def rate(quads: int, seconds: list[float]) -> str:
    return f"{quads / median(seconds) / 1e6:.3g}"


def milliseconds(seconds: list[float]) -> str:
    return f"{median(seconds) * 1e3:.2f}"


def verdict(is_met: bool | None) -> str:
    if is_met is None:
        return ""
    return "[green]met[/]" if is_met else "[red]missed[/]"


def as_json(measured: Measured, *, is_quick: bool) -> dict[str, Any]:
    """Return all measurements, round by round."""
    peak, latency = measured.peak, measured.latency
    return {
        "quick": is_quick,
        "data": measured.about,
        "versions": versions(),
        "ratios": [
            {**asdict(each), "ratio": each.median, "is_met": each.is_met}
            for each in measured.ratios
        ],
        "memory": peak and {**asdict(peak), "over_idle": peak.over_idle, "is_met": peak.is_met},
        "latency": latency and {**asdict(latency), "is_met": latency.is_met},
        "log_size": measured.size and {**asdict(measured.size), "is_met": measured.size.is_met},
        "sizes": measured.sizes,
        "differences": [{**asdict(each), "is_met": each.is_met} for each in measured.differences],
        "threads": [
            {**asdict(each), "ratio": each.median, "is_met": each.is_met}
            for each in measured.threads
        ],
    }

"""Measure time and memory: ``python -m benchmarks.reliability [--no-page] [--to FOLDER]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.peers.machine import machine

from .curves import GROUPS, MAX_SLOPE, POINTS, Curve, measure
from .plot import draw_memory, draw_time
from .section import replace_section

ROOT = Path(__file__).resolve().parents[2]
SECTION = "time and memory"
TIME, MEMORY = "reliability-time.svg", "reliability-memory.svg"


def main() -> int:
    """Measure, and return the exit code: 1 if time or memory grows faster than it should."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parser.add_argument("--no-page", action="store_true", help="print results, but write no files")
    parser.add_argument("--only", metavar="TEXT", default="", help="kinds with TEXT in their names")
    parser.add_argument(
        "--to",
        type=Path,
        default=ROOT / "docs",
        metavar="FOLDER",
        help="the folder of tried.md and its pictures",
    )
    arguments = parser.parse_args()
    kinds = {
        title: [kind for kind in kinds if arguments.only in kind.name]
        for title, kinds in GROUPS.items()
    }
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description:50}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=sum(map(len, kinds.values())) * POINTS)
        groups: dict[str, list[Curve]] = {}
        for title, some in kinds.items():
            groups[title] = []
            for kind in some:
                bar.update(task, description=kind.name)
                groups[title].append(measure(kind, lambda: bar.advance(task)))
    print(table(groups))
    problems = [text for some in groups.values() for curve in some for text in curve.problems()]
    for problem in problems:
        errors.print(f"[bold red]{problem}[/]")
    if not arguments.no_page and not arguments.only:
        draw_time(groups, arguments.to / TIME)
        draw_memory(groups, arguments.to / MEMORY)
        replace_section(arguments.to / "tried.md", SECTION, text(groups))
    return 1 if problems else 0


def text(groups: Mapping[str, list[Curve]]) -> str:
    """Return the generated section of the page."""
    curves = [curve for some in groups.values() for curve in some]
    steepest = max(curves, key=lambda curve: curve.slope)
    largest = max(curves, key=lambda curve: max(point.peak for point in curve.points))
    peak = max(point.peak for point in largest.points)
    return (
        f"![Time over size]({TIME})\n\n![Memory over size]({MEMORY})\n\n"
        f"The steepest curve is *{steepest.kind.name}*: its time grows with the power"
        f" {steepest.slope:.2f} of the size. If a slope exceeds {MAX_SLOPE}, the command fails."
        f" *{largest.kind.name}* takes the most memory: {peak / 1e6:.0f} MB, including the"
        " interpreter and all modules."
        f"\n\n{table(groups)}\n{machine()}, on {date.today().isoformat()}.\n"
    )


def table(groups: Mapping[str, list[Curve]]) -> str:
    """Return all curves as a Markdown table."""
    lines = [
        "| input, use | largest size | its time | MB/s | slope | memory at an eighth of the size"
        " | memory at the size |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    ]
    for title, curves in groups.items():
        lines.append(f"| **{title}** | | | | | | |\n")
        for curve in curves:
            last = curve.points[-1]
            speed = last.size / 1e6 / last.seconds
            lines.append(
                f"| {curve.kind.name} | {last.size / 1e6:.2f} MB | {last.seconds:.2f} s"
                f" | {speed:.{1 if speed > 1 else 3}f} | {curve.slope:.2f}"
                f" | {curve.points[-4].peak / 1e6:.0f} MB | {last.peak / 1e6:.0f} MB |\n"
            )
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())

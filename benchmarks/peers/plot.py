"""The pictures: how many statements a second, as bars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from .page import FORMATS, TITLES
from .results import Result
from .task import APPLY, READ, WRITE

__all__ = ["draw"]

OURS = "#c2185b"
PEERS = "#90a4ae"
ROWS = ((READ, WRITE), (APPLY, APPLY))


def draw(result: Result, path: Path) -> None:
    """Draw the speeds of each kind of task, and save them as SVG."""
    # The same figures are to make the same file.
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        rows: list[list[Any]] = [list(row) for row in ROWS if row[0] in result.kinds]
        # Bars, and as much as five for the titles.
        heights = [max(len(result.ranking(kind)) for kind in row) + 5 for row in rows]
        figure = Figure(figsize=(11, 0.22 * sum(heights)), layout="constrained")
        for kind, axes in figure.subplot_mosaic(rows, height_ratios=heights).items():
            tasks = result.ranking(kind)[::-1]
            names = [f"{task.who}, {FORMATS[task.format]}, {task.how}" for task in tasks]
            colors = [OURS if task.is_ours else PEERS for task in tasks]
            bars = axes.barh(names, [result.rate(task) for task in tasks], color=colors)
            axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=7)
            axes.margins(x=0.12)
            axes.tick_params(labelsize=7)
            axes.set_title(TITLES[kind], fontsize=10)
            axes.set_xlabel("millions of statements a second", fontsize=8)
            axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})

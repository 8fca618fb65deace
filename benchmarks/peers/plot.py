"""The pictures: how many statements a second, as bars."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from .page import FORMATS, TITLES
from .results import Result
from .task import READ, WRITE

__all__ = ["draw"]

OURS = "#c2185b"
PEERS = "#90a4ae"


def draw(result: Result, path: Path) -> None:
    """Draw the speeds of reading and of writing, and save them as SVG."""
    # The same figures are to make the same file.
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(11, 4.6), layout="constrained")
        for axes, kind in zip(figure.subplots(1, 2), (READ, WRITE), strict=True):
            tasks = sorted((task for task in result.tasks if task.kind == kind), key=result.rate)
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

"""Draw the pictures: statements per second, as bars."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.bars import BAR_HEIGHT, WIDTH, draw_bars

from .page import FORMATS, TITLES
from .results import Result

__all__ = ["draw"]

OURS = "#c2185b"
PEERS = "#90a4ae"


def draw(result: Result, path: Path) -> None:
    """Draw the speeds for each kind of task, and save them as SVG."""
    # Without these settings, equal figures would result in different files.
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        # The height of the bars, plus that of two or three more for the titles.
        heights = [len(result.ranking(kind)) + 2.5 for kind in result.kinds]
        figure = Figure(figsize=(WIDTH, BAR_HEIGHT * sum(heights)), layout="constrained")
        places = figure.subplots(len(heights), height_ratios=heights, squeeze=False).flat
        for axes, kind in zip(places, result.kinds, strict=True):
            tasks = result.ranking(kind)
            names = [f"{task.who}, {FORMATS[task.format]}, {task.how}" for task in tasks]
            colors = [OURS if task.is_ours else PEERS for task in tasks]
            draw_bars(axes, names, [result.rate(task) for task in tasks], colors, "%.2f")
            axes.set_title(f"{TITLES[kind]}: millions of statements a second", fontsize=10)
        figure.savefig(path, metadata={"Date": None})

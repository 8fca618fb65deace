"""Draw the pictures: time and memory over the size of the input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from .curves import MAX_PEAK, Curve, Point

__all__ = ["draw_memory", "draw_time"]

COLORS = [mpl.colormaps[name](number) for name in ("tab20", "tab20b") for number in range(20)]


def draw_time(groups: Mapping[str, list[Curve]], path: Path) -> None:
    """Draw time over size, with lines that show linear growth."""

    def finish(axes: Any, curves: list[Curve]) -> None:
        axes.set_yscale("log")
        sizes = [point.size / 1e6 for curve in curves for point in curve.points]
        low, high = min(sizes), max(sizes)
        for seconds in (0.001, 0.1, 10):
            axes.plot([low, high], [seconds * low, seconds * high], ":", color="#90a4ae", lw=0.8)
        slowest = max(point.seconds for curve in curves for point in curve.points)
        axes.set_ylim(1e-4, max(10, 2 * slowest))

    _draw(groups, path, "seconds of processor time", lambda point: point.seconds, finish)


def draw_memory(groups: Mapping[str, list[Curve]], path: Path) -> None:
    """Draw memory over size."""

    def finish(axes: Any, _: list[Curve]) -> None:
        axes.set_ylim(0, MAX_PEAK / 1e6)

    _draw(groups, path, "peak memory, MB", lambda point: point.peak / 1e6, finish)


def _draw(
    groups: Mapping[str, list[Curve]],
    path: Path,
    label: str,
    value: Callable[[Point], float],
    finish: Callable[[Any, list[Curve]], None],
) -> None:
    # Without these settings, equal figures would result in different files.
    with mpl.rc_context({"svg.hashsalt": "jelly-rdflib", "svg.fonttype": "none"}):
        figure = Figure(figsize=(4.8, 17), layout="constrained")
        places = figure.subplots(4)
        for axes, (title, curves) in zip(places, groups.items(), strict=True):
            for number, curve in enumerate(curves):
                axes.plot(
                    [point.size / 1e6 for point in curve.points],
                    [value(point) for point in curve.points],
                    "-" if curve.kind.is_ordinary else "--",
                    label=curve.kind.name,
                    color=COLORS[number % len(COLORS)],
                    linewidth=2 if curve.kind.is_ordinary else 1.2,
                    marker=".",
                    markersize=3,
                )
            axes.set_xscale("log")
            finish(axes, curves)
            axes.set_title(title, fontsize=11)
            axes.set_xlabel("millions of bytes", fontsize=9)
            axes.set_ylabel(label, fontsize=9)
            axes.tick_params(labelsize=8)
            # The legend is below the curves, so that it does not hide them.
            place = {"loc": "upper left", "bbox_to_anchor": (-0.17, -0.18)}
            axes.legend(fontsize=7.5, frameon=False, ncols=2, **place)
            axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})

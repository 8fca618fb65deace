"""Draw bars that are readable on a phone: narrow, with the name above each bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["BAR_HEIGHT", "WIDTH", "draw_bars"]

# In inches. A phone shows the picture at about 80 %, other screens show it at full size.
WIDTH = 4.8
BAR_HEIGHT = 0.34


def draw_bars(
    axes: Any, names: Sequence[str], values: Sequence[float], colors: Sequence[str], form: str
) -> None:
    """Draw bars, the first at the top, with formatted values at their ends."""
    bars = axes.barh(range(len(names)), values, height=0.3, color=colors)
    axes.bar_label(bars, fmt=form, padding=3, fontsize=8)
    for place, name in enumerate(names):
        axes.annotate(
            name,
            (0, place),
            xycoords=("axes fraction", "data"),
            xytext=(2, 6),
            textcoords="offset points",
            fontsize=8,
        )
    axes.set_ylim(len(names) - 0.5, -0.9)
    axes.set_yticks([])
    axes.margins(x=0.16)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)

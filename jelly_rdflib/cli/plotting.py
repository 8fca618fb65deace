"""Draws counts as a picture in a file, with matplotlib."""

from __future__ import annotations

import logging
from typing import Any

import click

from jelly_rdflib.cli.outputs import check_folder, open_output
from jelly_rdflib.extras import advice
from jelly_rdflib.inspection.stats import NameCounts, StreamStats, TransactionSizes

ADDED = "#2a9d8f"
DELETED = "#d1495b"
MAX_LABEL = 60
_THOUSANDS = "{x:,.0f}"


def check_picture(path: str) -> None:
    """Check that an image can be written; the path's extension gives its format."""
    if _kind_of(path) not in _import_figure()().canvas.get_supported_filetypes():
        message = f"{path!r} needs the extension of an image format, such as .png or .svg"
        raise click.BadParameter(message, param_hint="'--plot'")
    check_folder(path)


def _kind_of(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _import_figure() -> Any:
    # matplotlib would log to standard error when it is used for the first time.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    with advice("a picture", "jelly-rdflib[plot]"):
        from matplotlib.figure import Figure
    return Figure


def plot_counts(counts: StreamStats, path: str, name: str, top: int) -> None:
    """Draw counts, with the ``top`` graphs and predicates that have the most operations."""
    rankings = [
        ("predicates", counts.predicates, counts.predicates.ranking()[:top]),
        ("graphs", counts.graphs, counts.graphs.ranking()[:top]),
    ]
    heights = [2.2, *(0.9 + 0.28 * len(rows) for _, _, rows in rankings)]
    figure = _import_figure()(figsize=(10, sum(heights)), layout="constrained")
    figure.suptitle(_escape(name))
    first, *others = figure.subplots(3, 1, height_ratios=heights)
    _plot_transactions(first, counts.transactions)
    for axis, (title, names, rows) in zip(others, rankings, strict=True):
        _plot_ranking(axis, title, names, rows)
    kind = _kind_of(path)
    with open_output(path) as destination:
        # Leave out the date, so that the same input gives the same picture.
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(destination, format=kind, metadata=metadata)


def _plot_transactions(axis: Any, sizes: TransactionSizes) -> None:
    starts = [i * sizes.step for i in range(len(sizes.added))]
    deleted = [-count for count in sizes.deleted]
    axis.bar(starts, sizes.added, sizes.step, align="edge", color=ADDED, label="added")
    axis.bar(starts, deleted, sizes.step, align="edge", color=DELETED, label="deleted")
    axis.axhline(0, color="black", linewidth=0.5)
    together = "" if sizes.step == 1 else f", {sizes.step:,} to a bar"
    axis.set_title(f"statements by transaction, in order{together}", loc="left")
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.xaxis.set_major_formatter(_THOUSANDS)
    axis.yaxis.set_major_formatter(_THOUSANDS)


def _plot_ranking(
    axis: Any, title: str, counts: NameCounts, rows: list[tuple[str, int, int]]
) -> None:
    # A long name is cut at its start.
    labels = [
        _escape(name if len(name) <= MAX_LABEL else "…" + name[-MAX_LABEL + 1 :])
        for name, _, _ in rows
    ]
    places = range(len(rows))
    added = [count for _, count, _ in rows]
    axis.barh(places, added, color=ADDED)
    axis.barh(places, [count for _, _, count in rows], left=added, color=DELETED)
    axis.set_yticks(places, labels)
    axis.invert_yaxis()
    axis.xaxis.set_major_formatter(_THOUSANDS)
    shown = "" if counts.distinct == f"{len(rows):,}" else f", {len(rows)} of {counts.distinct}"
    axis.set_title(f"{title}{shown}", loc="left")


def _escape(text: str) -> str:
    """Escape the dollar sign, which starts a formula in matplotlib."""
    return text.replace("$", r"\$")

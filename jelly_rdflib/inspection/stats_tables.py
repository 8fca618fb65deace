"""Shows the counts of a stream as lines and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jelly_rdflib.display.table import Bar, Part, Table

if TYPE_CHECKING:
    from jelly_rdflib.inspection.stats import NameCounts, StreamStats, TransactionSizes

_LINE_WIDTH = 60
_LEVELS = " ▁▂▃▄▅▆▇█"


def stats_parts(stats: StreamStats, top: int) -> Iterator[Part]:
    """Yield lines and tables, with the ``top`` graphs and predicates by number of statements."""
    counts = stats.as_dict()["operations"]
    if counts:
        yield Table(("operation", "count"), list(counts.items()), "operations")
    sizes = stats.transactions
    # A file of statements has no transactions.
    if "END" in counts:
        yield (
            f"patches: {stats.patches:,}; transactions: {sizes.count:,},"
            f" {stats.committed:,} committed, {stats.aborted:,} aborted"
        )
        if sizes.count > 1:
            yield (
                f"statements in a transaction: {sizes.smallest:,} to {sizes.largest:,}, median"
                f" {sizes.median:,}"
            )
            yield f"in order: {_draw_line(sizes)}"
    yield from _ranking("graph", stats.graphs, top)
    yield from _ranking("predicate", stats.predicates, top)


def _draw_line(sizes: TransactionSizes) -> str:
    """Draw the sizes of transactions in order; each character shows the largest of a group."""
    totals = [added + deleted for added, deleted in zip(sizes.added, sizes.deleted, strict=True)]
    width = min(_LINE_WIDTH, len(totals))
    peaks = [
        max(totals[i * len(totals) // width : (i + 1) * len(totals) // width]) for i in range(width)
    ]
    highest = max(peaks) or 1
    return "".join(_LEVELS[-(-peak * (len(_LEVELS) - 1) // highest)] for peak in peaks)


def _ranking(thing: str, counts: NameCounts, top: int) -> Iterator[Part]:
    ranking, has_others = counts.ranking(), any(counts.others)
    if not ranking and not has_others:
        return
    shown = ranking[:top]
    is_all = len(shown) == len(ranking) and not has_others
    title = f"{thing}s" if is_all else f"{thing}s, {len(shown)} of {counts.distinct}"
    most = sum(ranking[0][1:]) if ranking else 0
    rows: list[tuple[object, ...]] = [
        (name, added, deleted, Bar(added, deleted, most)) for name, added, deleted in shown
    ]
    if has_others:
        rows.append(("others", *counts.others))
    yield Table((thing, "added", "deleted", ""), rows, title, left=(0, 3))
    if has_others:
        yield f"others: {thing}s that are not counted one by one, as they are too many or too long"

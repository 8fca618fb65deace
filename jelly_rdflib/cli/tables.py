"""Counts as tables and bars in a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jelly_rdflib.cli.counting import Counts, NameCounts, Sizes, rank
from jelly_rdflib.cli.printable import printable
from jelly_rdflib.operations import Op

BAR_WIDTH = 24
LINE_WIDTH = 60
# Where lines may be of any length, as in a file, IRIs are not cut.
FILE_WIDTH = 250
_LEVELS = " ▁▂▃▄▅▆▇█"


class _PipeConsole(Console):
    """A console that tells of a broken pipe: rich's own ends the process with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console() -> Console:
    """Make a console on standard output; lines are cut for a terminal only."""
    console = _PipeConsole(highlight=False)
    return console if console.is_terminal else _PipeConsole(highlight=False, width=FILE_WIDTH)


def print_counts(counts: Counts, name: str, top: int) -> None:
    """Print counts.

    Args:
        counts: What was counted.
        name: What the input is called.
        top: How many graphs, and how many predicates, are shown.
    """
    console = make_console()
    console.print(Text(printable(name), "bold"))
    _print_operations(console, counts)
    _print_transactions(console, counts)
    _print_ranking(console, "graph", counts.graphs, top)
    _print_ranking(console, "predicate", counts.predicates, top)


def _print_operations(console: Console, counts: Counts) -> None:
    table = Table(box=box.SIMPLE_HEAD, title="operations", title_justify="left")
    table.add_column("operation")
    table.add_column("count", justify="right")
    for op in Op:
        if counts.operations[op]:
            table.add_row(op.name, f"{counts.operations[op]:,}")
    console.print(table)


def _print_transactions(console: Console, counts: Counts) -> None:
    sizes = counts.sizes
    if counts.operations[Op.END] == 0:
        # Statements are in no transaction.
        return
    console.print(
        f"patches: {counts.patches:,}; transactions: {sizes.count:,},"
        f" {counts.committed:,} committed, {counts.aborted:,} aborted"
    )
    if sizes.count > 1:
        console.print(
            f"statements in a transaction: {min(sizes.histogram):,} to {max(sizes.histogram):,},"
            f" median {sizes.median:,}"
        )
        console.print(Text("in order: ").append(_draw_line(sizes), "cyan"))


def _draw_line(sizes: Sizes) -> str:
    """Draw how large transactions are, in order; each character is the largest of some."""
    totals = [added + deleted for added, deleted in zip(sizes.added, sizes.deleted, strict=True)]
    width = min(LINE_WIDTH, len(totals))
    peaks = [
        max(totals[i * len(totals) // width : (i + 1) * len(totals) // width]) for i in range(width)
    ]
    highest = max(peaks) or 1
    return "".join(_LEVELS[-(-peak * (len(_LEVELS) - 1) // highest)] for peak in peaks)


def _print_ranking(console: Console, what: str, counts: NameCounts, top: int) -> None:
    rows = rank(counts)
    if not rows and not counts.others:
        return
    is_all = len(rows) <= top and not counts.others
    title = f"{what}s" if is_all else f"{what}s, {min(top, len(rows))} of {counts.distinct}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column(what, overflow="ellipsis", no_wrap=True)
    table.add_column("added", justify="right")
    table.add_column("deleted", justify="right")
    table.add_column("")
    most = sum(rows[0][1:]) if rows else 0
    for name, added, deleted in rows[:top]:
        table.add_row(
            Text(printable(name)), f"{added:,}", f"{deleted:,}", _draw_bar(added, deleted, most)
        )
    if counts.others:
        table.add_row("others", f"{counts.others[Op.A]:,}", f"{counts.others[Op.D]:,}")
    console.print(table)
    if counts.others:
        console.print(
            f"others: {what}s that are not counted one by one, being too many or too long"
        )


def _draw_bar(added: int, deleted: int, most: int) -> Text:
    """Draw a bar; what is there at all is seen."""
    bar = Text()
    for count, color in ((added, "green"), (deleted, "red")):
        bar.append("█" * -(-count * BAR_WIDTH // most), color)
    return bar

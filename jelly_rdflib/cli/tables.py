"""Counts as tables and bars in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jelly_rdflib.cli.counting import Counts, NameCounts, Sizes, rank
from jelly_rdflib.cli.printable import printable
from jelly_rdflib.operations import Op

BAR_WIDTH = 24
LINE_WIDTH = 60
# Wide enough that IRIs in a file are not cut.
FILE_WIDTH = 250
_LEVELS = " ▁▂▃▄▅▆▇█"


class _PipeConsole(Console):
    """A console that raises BrokenPipeError; that of rich ends the process with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console() -> Console:
    """Make a console on standard output; it cuts lines only on a terminal."""
    console = _PipeConsole(highlight=False)
    return console if console.is_terminal else _PipeConsole(highlight=False, width=FILE_WIDTH)


def make_table(title: str | None = None) -> Table:
    """Make an empty table."""
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Print a table of names and values; nothing if it has no rows."""
    if not rows:
        return
    table = make_table(title)
    table.add_column(columns[0])
    for column in columns[1:]:
        table.add_column(column, justify="right")
    for name, *values in rows:
        table.add_row(name, *(Text(_show(value)) for value in values))
    console.print(table)


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A stranger may have chosen a text, such as a stream's name.
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def print_counts(counts: Counts, name: str, top: int) -> None:
    """Print counts; of graphs and of predicates the ``top`` ones with most operations."""
    console = make_console()
    console.print(Text(printable(name), "bold"))
    operations = [(op.name, counts.operations[op]) for op in Op if counts.operations[op]]
    print_table(console, "operations", ["operation", "count"], operations)
    _print_transactions(console, counts)
    _print_ranking(console, "graph", counts.graphs, top)
    _print_ranking(console, "predicate", counts.predicates, top)


def _print_transactions(console: Console, counts: Counts) -> None:
    sizes = counts.sizes
    if counts.operations[Op.END] == 0:
        # A file of statements has no transactions.
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
    """Draw the sizes of transactions in order; a character shows the largest of a few."""
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
    table = make_table(title)
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
            f"others: {what}s that are not counted one by one, as they are too many or too long"
        )


def _draw_bar(added: int, deleted: int, most: int) -> Text:
    """Draw a bar; a count above 0 gets at least one character."""
    bar = Text()
    for count, color in ((added, "green"), (deleted, "red")):
        bar.append("█" * -(-count * BAR_WIDTH // most), color)
    return bar

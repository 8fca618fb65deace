"""Reports and counts as tables and bars in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jelly_rdflib.cli.printable import count, printable

if TYPE_CHECKING:
    from jelly_rdflib.cli.counting import Counts, NameCounts, Sizes
    from jelly_rdflib.inspection.inspect import StreamReport

BAR_WIDTH = 24
LINE_WIDTH = 60
# Wide enough that IRIs in a file are not cut.
FILE_WIDTH = 250
_LEVELS = " ▁▂▃▄▅▆▇█"
# The columns of a table of lookups, and the fields of a `LookupReport` in them.
_LOOKUP_COLUMNS = {
    "size": "size",
    "highest id": "highest_id",
    "set": "entries",
    "replaced": "replaced",
    "unused": "unused",
    "bytes of text": "text_size",
    "references": "references",
}


class _PipeConsole(Console):
    """A console that raises BrokenPipeError; that of rich ends the process with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(title: str | None = None) -> Console:
    """Make a console on standard output, and print a title; only a terminal's lines are cut."""
    console = _PipeConsole(highlight=False)
    if not console.is_terminal:
        console.width = FILE_WIDTH
    if title is not None:
        console.print(Text(printable(title), "bold"))
    return console


def make_table(title: str | None = None) -> Table:
    """Make an empty table."""
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")


def _print_table(
    console: Console, title: str, columns: Iterable[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Print a table of names and values; nothing if it has no rows."""
    if not rows:
        return
    table = make_table(title)
    for column in columns:
        table.add_column(column, justify="right" if table.columns else "left")
    for name, *values in rows:
        table.add_row(name, *(Text(_show(value)) for value in values))
    console.print(table)


def _print_numbers(console: Console, thing: str, numbers: dict[str, int]) -> None:
    rows = [(name, number) for name, number in numbers.items() if number > 0]
    _print_table(console, f"{thing}s", (thing, "count"), rows)


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A stranger may have chosen a text, such as a stream's name.
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def print_report(report: StreamReport, name: str) -> None:
    """Print the report on an input."""
    console = make_console(name)
    for line in _describe(report):
        console.print(Text(line))
    options = report.as_dict()["options"] or {}
    _print_table(console, "options", ("option", "value"), list(options.items()))
    rows = [
        (kind, tally.count, tally.size, f"{100 * tally.size / report.size:.1f} %")
        for kind, tally in {**report.rows, "(metadata)": report.metadata}.items()
        if tally.count > 0
    ]
    _print_table(console, "rows", ("row", "count", "bytes", "share"), rows)
    fields = attrgetter(*_LOOKUP_COLUMNS.values())
    lookups = [(kind, *fields(lookup)) for kind, lookup in report.lookups.items() if lookup.size]
    _print_table(console, "lookups", ("lookup", *_LOOKUP_COLUMNS), lookups)
    repeated = {f"repeated {position}": n for position, n in report.repeated_terms.items()}
    _print_numbers(console, "term", {**report.terms, **repeated})
    _print_numbers(console, "operation", report.operations)


def _describe(report: StreamReport) -> Iterator[str]:
    text = f"{report.format or 'unknown format'}: {count(report.size, 'byte')}"
    if report.lines is not None:
        text += f", {count(report.lines, 'line')}"
    if report.compression is not None and report.stored_size > 0:
        stored = f"{count(report.stored_size, 'byte')} as {report.compression}"
        text += f"; {stored}, {report.size / report.stored_size:.1f} to 1"
    yield text
    if report.is_delimited:
        frames, largest = count(report.frames, "frame"), count(report.largest_frame, "byte")
        yield f"{frames}, the largest of {largest}"
    elif report.is_delimited is not None:
        yield "a bare frame"
    parts = []
    if report.statements > 0:
        each = report.size / report.statements
        parts.append(f"{count(report.statements, 'statement')}, {each:.1f} bytes each")
    if report.patches > 0:
        patches = f"{report.patches:,} {'patch' if report.patches == 1 else 'patches'}"
        ends = f"{report.committed:,} committed, {report.aborted:,} aborted"
        parts.append(f"{patches}, transactions: {ends}")
    if parts:
        yield "; ".join(parts)


def print_counts(counts: Counts, name: str, top: int) -> None:
    """Print counts; of graphs and of predicates the ``top`` ones with most operations."""
    console = make_console(name)
    operations = {op.name: number for op, number in sorted(counts.operations.items())}
    _print_numbers(console, "operation", operations)
    sizes = counts.sizes
    # A file of statements has no transactions.
    if "END" in operations:
        console.print(
            f"patches: {counts.patches:,}; transactions: {sizes.count:,},"
            f" {counts.committed:,} committed, {counts.aborted:,} aborted"
        )
        if sizes.count > 1:
            console.print(
                f"statements in a transaction: {min(sizes.histogram):,} to"
                f" {max(sizes.histogram):,}, median {sizes.median:,}"
            )
            console.print(Text("in order: ").append(_draw_line(sizes), "cyan"))
    _print_ranking(console, "graph", counts.graphs, top)
    _print_ranking(console, "predicate", counts.predicates, top)


def _draw_line(sizes: Sizes) -> str:
    """Draw the sizes of transactions in order; a character shows the largest of a few."""
    totals = [added + deleted for added, deleted in zip(sizes.added, sizes.deleted, strict=True)]
    width = min(LINE_WIDTH, len(totals))
    peaks = [
        max(totals[i * len(totals) // width : (i + 1) * len(totals) // width]) for i in range(width)
    ]
    highest = max(peaks) or 1
    return "".join(_LEVELS[-(-peak * (len(_LEVELS) - 1) // highest)] for peak in peaks)


def _print_ranking(console: Console, thing: str, counts: NameCounts, top: int) -> None:
    rows, has_others = counts.ranking(), any(counts.others)
    if not rows and not has_others:
        return
    is_all = len(rows) <= top and not has_others
    title = f"{thing}s" if is_all else f"{thing}s, {len(rows[:top])} of {counts.distinct}"
    table = make_table(title)
    table.add_column(thing, overflow="ellipsis", no_wrap=True)
    table.add_column("added", justify="right")
    table.add_column("deleted", justify="right")
    table.add_column("")
    most = sum(rows[0][1:]) if rows else 0
    for name, *numbers in rows[:top]:
        bar = Text()
        for number, color in zip(numbers, ("green", "red"), strict=True):
            # A number above 0 gets at least one character.
            bar.append("█" * -(-number * BAR_WIDTH // most), color)
        table.add_row(Text(printable(name)), *(f"{number:,}" for number in numbers), bar)
    if has_others:
        table.add_row("others", *(f"{number:,}" for number in counts.others))
    console.print(table)
    if has_others:
        console.print(
            f"others: {thing}s that are not counted one by one, as they are too many or too long"
        )

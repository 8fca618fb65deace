"""Reports as tables and bars in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as TerminalTable
from rich.text import Text

from jelly_rdflib.cli.printable import printable
from jelly_rdflib.display.table import Bar, Part, Table, cell_text

BAR_WIDTH = 24
# Wide enough that IRIs in a file are not cut.
FILE_WIDTH = 250


class _PipeConsole(Console):
    """A console that raises BrokenPipeError; that of rich ends the process with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(title: str | None = None, *, err: bool = False) -> Console:
    """Make a console on standard output, or on standard error, and print a title.

    Only a terminal's lines are cut.
    """
    console = _PipeConsole(highlight=False, stderr=err)
    if not console.is_terminal:
        console.width = FILE_WIDTH
    if title is not None:
        console.print(Text(printable(title), "bold"))
    return console


def print_parts(parts: Iterable[Part], title: str | None = None, *, err: bool = False) -> None:
    """Print the lines and tables of a report, below a title; with ``err`` to standard error."""
    console = make_console(title, err=err)
    for part in parts:
        console.print(_terminal_table(part) if isinstance(part, Table) else Text(printable(part)))


def _terminal_table(table: Table) -> TerminalTable:
    result = TerminalTable(box=box.SIMPLE_HEAD, title=table.title, title_justify="left")
    bars = {i for row in table.rows for i, value in enumerate(row) if isinstance(value, Bar)}
    for number, name in enumerate(table.columns):
        justify: Any = "left" if number in table.left else "right"
        # Where a terminal is too narrow, rich narrows the columns that may wrap: those of names.
        result.add_column(name, justify=justify, no_wrap=justify == "right" or number in bars)
    for row in table.rows:
        result.add_row(*map(_cell, row))
    return result


class _Name:
    """A text that is cut at its start where there is no room: IRIs differ at their ends."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, Text(self._text, no_wrap=True))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text, width = self._text, options.max_width
        if cell_len(text) > width:
            text = f"…{text[-width + 1 :]}" if width > 1 else "…"
        yield Text(text, no_wrap=True, overflow="ellipsis")


def _cell(value: object) -> Text | _Name:
    if isinstance(value, str):
        return _Name(cell_text(value))
    if not isinstance(value, Bar):
        return Text(cell_text(value))
    bar = Text()
    for number, color in ((value.added, "green"), (value.deleted, "red")):
        # A number above 0 gets at least one character.
        bar.append("█" * -(-number * BAR_WIDTH // value.most), color)
    return bar

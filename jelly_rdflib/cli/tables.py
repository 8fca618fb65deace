"""Reports as tables and bars in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Console
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


def make_console(title: str | None = None) -> Console:
    """Make a console on standard output, and print a title; only a terminal's lines are cut."""
    console = _PipeConsole(highlight=False)
    if not console.is_terminal:
        console.width = FILE_WIDTH
    if title is not None:
        console.print(Text(printable(title), "bold"))
    return console


def print_parts(parts: Iterable[Part], title: str | None = None) -> None:
    """Print the lines and tables of a report, below a title."""
    console = make_console(title)
    for part in parts:
        console.print(_terminal_table(part) if isinstance(part, Table) else Text(printable(part)))


def _terminal_table(table: Table) -> TerminalTable:
    result = TerminalTable(box=box.SIMPLE_HEAD, title=table.title, title_justify="left")
    for number, name in enumerate(table.columns):
        justify: Any = "left" if number in table.left else "right"
        # A long name is cut, and not broken into lines.
        result.add_column(name, justify=justify, overflow="ellipsis", no_wrap=justify == "left")
    for row in table.rows:
        result.add_row(*map(_cell, row))
    return result


def _cell(value: object) -> Text:
    if not isinstance(value, Bar):
        return Text(cell_text(value))
    bar = Text()
    for number, color in ((value.added, "green"), (value.deleted, "red")):
        # A number above 0 gets at least one character.
        bar.append("█" * -(-number * BAR_WIDTH // value.most), color)
    return bar

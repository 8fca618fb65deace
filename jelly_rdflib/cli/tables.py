"""Shows reports as tables and bars in a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as TerminalTable
from rich.text import Text

from jelly_rdflib.cli.printable import STANDARD_OUTPUT, name_errors, printable
from jelly_rdflib.display.table import Bar, Part, Table, cell_text

BAR_WIDTH = 24
# The width that other columns get before bars get any: on a narrow terminal names matter more.
_OTHERS_WIDTH = 46
# The minimum width of a name, on any terminal.
_LEAST_NAME = 8
# The width of a table in a file, so that IRIs are not cut there.
FILE_WIDTH = 250
_TRAILING_BLANKS = re.compile("[ \t]+$", re.MULTILINE)
# The replacements for block characters in an encoding without them.
_BLOCKS = str.maketrans("▁▂▃▄▅▆▇█", ".:-=+*#@")


class _PipeConsole(Console):
    """A console that raises BrokenPipeError; rich's own would end the process with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _TrimmedOutput:
    """Standard output without blanks at the ends of lines; rich writes whole lines."""

    encoding = property(lambda self: sys.stdout.encoding)

    def write(self, text: str) -> int:
        with name_errors(STANDARD_OUTPUT):
            return sys.stdout.write(_TRAILING_BLANKS.sub("", text))

    def flush(self) -> None:
        with name_errors(STANDARD_OUTPUT):
            sys.stdout.flush()

    def isatty(self) -> bool:
        return False


def make_console(title: str | None = None, *, color: str = "auto", err: bool = False) -> Console:
    """Make a console on standard output, or on standard error, and print a title.

    ``color`` is the value of ``--color``.

    Lines end at the width of a terminal, or at ``COLUMNS`` if that is set.
    """
    file: Any = None if err or sys.stdout.isatty() else _TrimmedOutput()
    system: Any = {"always": "standard", "never": None}.get(color, "auto")
    console = _PipeConsole(highlight=False, file=file, color_system=system, stderr=err)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console.width = FILE_WIDTH
    if title is not None:
        console.print(Text(printable(title), "bold"))
    return console


def print_parts(parts: Iterable[Part], title: str | None = None) -> None:
    """Print the lines and tables of a report, below a title."""
    console = make_console(title)
    is_ascii = console.options.ascii_only
    bar = ("#" if is_ascii else "█") * min(BAR_WIDTH, max(0, console.width - _OTHERS_WIDTH))
    for part in parts:
        if isinstance(part, Table):
            table = _terminal_table(part, bar)
            whole = console.measure(table, options=console.options.update(width=FILE_WIDTH))
            if whole.maximum > console.width:
                table.padding = (0, 1, 0, 0)
            # Don't cut the row: a truncated number would read as another number.
            console.print(table, crop=False)
        else:
            line = printable(part)
            console.print(Text(line.translate(_BLOCKS) if is_ascii else line))


def _terminal_table(table: Table, bar: str) -> TerminalTable:
    result = TerminalTable(box=box.SIMPLE_HEAD, title=table.title, title_justify="left")
    bars = {i for row in table.rows for i, value in enumerate(row) if isinstance(value, Bar)}
    for number, name in enumerate(table.columns):
        justify: Any = "left" if number in table.left else "right"
        # On a terminal that is too narrow, rich cuts names and wraps the titles of numbers.
        cells = [cell for row in table.rows for cell in row[number : number + 1]]
        least = max(
            (cell_len(cell_text(cell)) for cell in cells if not isinstance(cell, Bar)), default=0
        )
        if justify == "left":
            least = min(least, _LEAST_NAME)
        else:
            least = max(least, *map(len, name.split()))
        result.add_column(name, justify=justify, no_wrap=number in bars, min_width=least)
    for row in table.rows:
        result.add_row(*(_cell(value, bar) for value in row))
    return result


class _Name:
    """Text that is cut at its start if it is too wide, since IRIs differ at their ends."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, Text(self._text, no_wrap=True))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text, width = self._text, options.max_width
        if cell_len(text) > width:
            text = f"…{text[-width + 1 :]}" if width > 1 else "…"
        yield Text(text, no_wrap=True, overflow="ellipsis")


def _cell(value: object, longest: str) -> Text | _Name:
    if isinstance(value, str):
        return _Name(cell_text(value))
    if not isinstance(value, Bar):
        return Text(cell_text(value))
    bar = Text()
    for number, color in ((value.added, "green"), (value.deleted, "red")):
        # A number above 0 gets at least one character.
        bar.append(longest[: -(-number * len(longest) // value.most)], color)
    return bar


def print_side_by_side(
    rows: Iterable[tuple[str | None, ...]],
    color: str = "auto",
    *,
    columns: Sequence[tuple[str, str]] = (("old", "red"), ("new", "green")),
    err: bool = False,
) -> None:
    """Print texts side by side, without cutting them; None leaves a side empty.

    ``color`` is the value of the option ``--color``, and ``columns`` are titles and their colours.
    """
    console = make_console(color=color, err=err)
    table = TerminalTable(box=box.SIMPLE_HEAD)
    for title, style in columns:
        table.add_column(title, style=style, overflow="fold", ratio=1 if style else None)
    table.expand = console.is_terminal
    for sides in rows:
        table.add_row(*(Text(printable(side or "")) for side in sides))
    console.print(table)

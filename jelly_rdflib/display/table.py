"""Describes tables as data, which both a terminal and a notebook can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from jelly_rdflib.display.words import printable


@dataclass(frozen=True)
class Bar:
    """A bar in a cell, for added and deleted statements; ``most`` statements fill the cell."""

    added: int
    deleted: int
    most: int


@dataclass(frozen=True)
class Table:
    """A table whose cells are strings, numbers or a `Bar`.

    Args:
        columns: The titles of the columns.
        rows: The cells of each row. Strings may be untrusted.
        title: The text above the table.
        left: The indexes of the left-aligned columns; all others are right-aligned.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str | None = None
    left: tuple[int, ...] = (0,)


Part: TypeAlias = str | Table
"""A part of a report: a line of text, or a table."""


def cell_text(value: Any) -> str:
    """Return the text of a cell that is not a bar, without control characters.

    Examples:
        >>> cell_text(1000), cell_text(True), cell_text("x")
        ('1,000', 'yes', 'x')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))

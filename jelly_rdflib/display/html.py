"""Makes HTML for notebooks: reports of lines and tables that can be folded.

Background colours are transparent and text has no colour, so reports fit dark themes, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from jelly_rdflib.display.table import Bar, Part, Table, cell_text
from jelly_rdflib.display.words import printable, shorten

GREEN, RED = "rgba(46, 160, 67, {})", "rgba(248, 81, 73, {})"
_TITLE = "text-align:left; vertical-align:top; min-width:0; padding:1px 8px"
CELL = f"{_TITLE}; overflow-wrap:anywhere"
_NUMBER = "text-align:right; vertical-align:top; min-width:0; padding:1px 8px"
# The number of rows above which a report is folded.
FEW_ROWS = 100
# The number of rows that a table shows; further rows are only counted.
MOST_ROWS = 1000


def report_html(heading: str, parts: Iterable[Part]) -> str:
    """Return a report as HTML: a heading, and below it the lines and tables."""
    parts = list(parts)
    rows = sum(len(part.rows) for part in parts if isinstance(part, Table))
    body = (
        table_html(_rows(part), part.title)
        if isinstance(part, Table)
        else f"<div>{html_text(part)}</div>"
        for part in parts
    )
    return folded(heading, "".join(body), is_open=rows <= FEW_ROWS)


def folded(heading: str, body: str, *, is_open: bool) -> str:
    """Return HTML under a heading, which folds and unfolds it."""
    start = "<details open>" if is_open else "<details>"
    return f"{start}<summary>{html_text(heading)}</summary>{body}</details>"


def table_html(rows: Iterable[str], title: str | None = None) -> str:
    """Return an HTML table with the given rows, which are already HTML."""
    caption = ""
    if title is not None:
        style = "caption-side:top; text-align:left; font-style:italic; padding:8px 8px 2px"
        caption = f'<caption style="{style}">{html_text(title)}</caption>'
    return f'<table style="border-collapse:collapse">{caption}{"".join(rows)}</table>'


def _rows(table: Table) -> Iterator[str]:
    styles = [CELL if i in table.left else _NUMBER for i in range(len(table.columns))]
    # Titles must not break within a word, or a narrow table would show one letter per line.
    titles = [_TITLE if style is CELL else style for style in styles]
    yield _row("th", titles, map(html_text, table.columns))
    for row in table.rows[:MOST_ROWS]:
        yield _row("td", styles, map(_cell, row))
    if len(table.rows) > MOST_ROWS:
        more = len(table.rows) - MOST_ROWS
        yield f'<tr><td colspan={len(table.columns)} style="{CELL}">… {more:,} more</td></tr>'


def _row(tag: str, styles: list[str], cells: Iterable[str]) -> str:
    # A row may have fewer cells than there are columns.
    pairs = zip(cells, styles, strict=False)
    parts = (f'<{tag} style="{style}">{cell}</{tag}>' for cell, style in pairs)
    return f"<tr>{''.join(parts)}</tr>"


def _cell(value: object) -> str:
    if not isinstance(value, Bar):
        return html_text(cell_text(value))
    parts = ((value.added, GREEN), (value.deleted, RED))
    return "".join(
        f'<span style="display:inline-block; height:0.8em; width:{12 * number / value.most:.2f}em;'
        f' min-width:1px; background:{colour.format(0.7)}"></span>'
        for number, colour in parts
        if number > 0
    )


def html_text(text: str) -> str:
    """Return untrusted text as HTML; a long text is cut."""
    return escape(printable(shorten(text)))

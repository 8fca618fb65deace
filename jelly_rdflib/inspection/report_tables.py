"""Shows the report on a stream as lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from jelly_rdflib.display.table import Part, Table
from jelly_rdflib.display.words import count

if TYPE_CHECKING:
    from jelly_rdflib.inspection.inspect import StreamReport

# The columns of the table of lookups, with the fields of `LookupReport` that they show.
_LOOKUP_COLUMNS = {
    "size": "size",
    "highest id": "highest_id",
    "set": "entries",
    "replaced": "replaced",
    "unused": "unused",
    "bytes of text": "text_size",
    "references": "references",
}

# The fields of a report that are added up for several inputs, by column.
_TOTALS = {
    "bytes": "size",
    "stored": "stored_size",
    "frames": "frames",
    "statements": "statements",
    "patches": "patches",
}


def total_of(reports: Iterable[StreamReport]) -> dict[str, int]:
    """Return the totals of several reports, by the names of their fields."""
    kept = list(reports)
    return {field: sum(getattr(report, field) for report in kept) for field in _TOTALS.values()}


def summary_table(reports: Sequence[tuple[str, StreamReport]]) -> Table:
    """Return a table with a line for each of several named inputs, and a line of totals."""
    numbers = attrgetter(*_TOTALS.values())
    rows: list[tuple[Any, ...]] = [
        (name, report.format or "unknown", *numbers(report)) for name, report in reports
    ]
    total = total_of(report for _, report in reports)
    rows.append((count(len(reports), "file"), "", *total.values()))
    return Table(("file", "format", *_TOTALS), rows, left=(0, 1))


def report_parts(report: StreamReport) -> Iterator[Part]:
    """Yield the lines and the tables that are not empty."""
    yield from _describe(report)
    for table in _tables(report):
        if table.rows:
            yield table


def _tables(report: StreamReport) -> Iterator[Table]:
    options = {**(report.as_dict()["options"] or {}), **(report.draft_options or {})}
    yield Table(("option", "value"), list(options.items()), "options")
    rows = [
        (kind, tally.count, tally.size, f"{100 * tally.size / report.size:.1f} %")
        for kind, tally in {**report.rows, "(metadata)": report.metadata}.items()
        if tally.count > 0
    ]
    yield Table(("row", "count", "bytes", "share"), rows, "rows")
    fields = attrgetter(*_LOOKUP_COLUMNS.values())
    lookups = [(kind, *fields(lookup)) for kind, lookup in report.lookups.items() if lookup.size]
    yield Table(("lookup", *_LOOKUP_COLUMNS), lookups, "lookups")
    repeated = {f"repeated {position}": n for position, n in report.repeated_terms.items()}
    yield _counts("term", {**report.terms, **repeated})
    yield _counts("operation", report.operations)


def _counts(thing: str, numbers: dict[str, int]) -> Table:
    rows: list[Any] = [(name, number) for name, number in numbers.items() if number > 0]
    return Table((thing, "count"), rows, f"{thing}s")


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
    if report.rows and report.rows["options"].count > 1:
        rows = report.rows["options"].count
        yield f"{rows:,} options rows, counted as one stream: it may be several that were joined"
    parts = []
    if report.statements > 0:
        each = report.size / report.statements
        parts.append(f"{count(report.statements, 'statement')}, {each:.1f} bytes each")
    if report.patches > 0:
        patches = count(report.patches, "patch", "patches")
        ends = f"{report.committed:,} committed, {report.aborted:,} aborted"
        parts.append(f"{patches}, transactions: {ends}")
    if parts:
        yield "; ".join(parts)

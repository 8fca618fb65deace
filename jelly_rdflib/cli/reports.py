"""Reports of streams as tables in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from jelly_rdflib.cli.printable import printable
from jelly_rdflib.cli.tables import make_console, print_table
from jelly_rdflib.inspection.inspect import StreamReport


def print_report(report: StreamReport, name: str) -> None:
    """Print the report on an input."""
    console = make_console()
    console.print(Text(printable(name), "bold"))
    for line in (_describe_input(report), _describe_frames(report), _describe_patches(report)):
        if line:
            console.print(Text(line))
    options = report.as_dict()["options"]
    if options is not None:
        print_table(console, "options", ["option", "value"], list(options.items()))
    if report.is_delimited is not None:
        _print_rows(console, report)
        _print_lookups(console, report)
        _print_terms(console, report)
    operations = [(code, count) for code, count in report.operations.items() if count > 0]
    print_table(console, "operations", ["operation", "count"], operations)


def _describe_input(report: StreamReport) -> str:
    text = f"{report.format or 'unknown format'}: {_count(report.size, 'byte')}"
    if report.lines is not None:
        text += f", {_count(report.lines, 'line')}"
    if report.compression is not None and report.stored_size > 0:
        text += (
            f"; {_count(report.stored_size, 'byte')} as {report.compression},"
            f" {report.size / report.stored_size:.1f} to 1"
        )
    return text


def _describe_frames(report: StreamReport) -> str:
    if report.is_delimited is None:
        return ""
    if not report.is_delimited:
        return "a bare frame"
    return (
        f"{_count(report.frames, 'frame')}, the largest of {_count(report.largest_frame, 'byte')}"
    )


def _describe_patches(report: StreamReport) -> str:
    parts = []
    if report.statements > 0:
        each = report.size / report.statements
        parts.append(f"{_count(report.statements, 'statement')}, {each:.1f} bytes each")
    if report.patches > 0:
        parts.append(
            f"{report.patches:,} {'patch' if report.patches == 1 else 'patches'}, transactions:"
            f" {report.committed:,} committed, {report.aborted:,} aborted"
        )
    return "; ".join(parts)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _print_rows(console: Console, report: StreamReport) -> None:
    tallies = {**report.rows, "(metadata)": report.metadata}
    rows = [
        (kind, tally.count, tally.size, f"{100 * tally.size / report.size:.1f} %")
        for kind, tally in tallies.items()
        if tally.count > 0
    ]
    print_table(console, "rows", ["row", "count", "bytes", "share"], rows)


def _print_lookups(console: Console, report: StreamReport) -> None:
    columns = ["size", "highest id", "set", "replaced", "unused", "bytes of text", "references"]
    lookups = [
        (
            kind,
            lookup.size,
            lookup.highest_id,
            lookup.entries,
            lookup.replaced,
            lookup.unused,
            lookup.text_size,
            lookup.references,
        )
        for kind, lookup in report.lookups.items()
        if lookup.size > 0
    ]
    print_table(console, "lookups", ["lookup", *columns], lookups)


def _print_terms(console: Console, report: StreamReport) -> None:
    terms = [(kind, count) for kind, count in report.terms.items() if count > 0]
    repeated = [
        (f"repeated {position}", count)
        for position, count in report.repeated_terms.items()
        if count > 0
    ]
    print_table(console, "terms", ["term", "count"], [*terms, *repeated])

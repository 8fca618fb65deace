"""Shows operations as HTML or as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import OWL, RDF, RDFS, XSD
from rdflib.term import Node, URIRef

from jelly_rdflib.display.html import (
    CELL,
    FEW_ROWS,
    GREEN,
    MOST_ROWS,
    RED,
    folded,
    html_text,
    table_html,
)
from jelly_rdflib.display.terms import show
from jelly_rdflib.display.words import count, printable, shorten
from jelly_rdflib.operations import Op, Operation

_KNOWN = {
    str(iri): prefix for prefix, iri in (("owl", OWL), ("rdf", RDF), ("rdfs", RDFS), ("xsd", XSD))
}
_COLOURS = {Op.A: GREEN.format(0.18), Op.D: RED.format(0.18)}
_CODES = frozenset(Op)
_SIGNS = {Op.A: "+", Op.D: "-", Op.PA: "+ prefix", Op.PD: "- prefix", Op.H: "header"}


def operations_html(
    name: str,
    operations: Iterable[Operation],
    number: int,
    *,
    prefixes: Mapping[str, str] | None = None,
    also: str = "",
) -> str:
    """Return a table of operations: additions green, deletions red, names with their prefixes.

    Args:
        name: The name of the patch or log in the heading.
        operations: The operations; the first thousand are read and shown. They need not be valid.
        number: The number of all operations.
        prefixes: Prefixes by their IRIs, in addition to those that the operations bind.
        also: Text to add to the heading.
    """
    rows = list(islice(operations, MOST_ROWS))
    codes = [row[0] if _has_code(row) else None for row in rows]
    pairs = zip(rows, codes, strict=True)
    bound = {str(row[2]): str(row[1]) for row, code in pairs if code == Op.PA and len(row) > 2}
    prefixes = {**_KNOWN, **(prefixes or {}), **bound}
    heading = f"{name}: {count(number, 'operation')}"
    if number == len(rows):
        heading += f", {codes.count(Op.A):,} added, {codes.count(Op.D):,} deleted"
    lines = [_line(row, prefixes) for row in rows]
    if number > len(rows):
        lines.append(f"<tr><td colspan=5>… {number - len(rows):,} more</td></tr>")
    return folded(heading + also, table_html(lines), is_open=number <= FEW_ROWS)


def operation_text(operation: Operation) -> str:
    """Return an operation in one line; the default graph is left out, and long terms are cut.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> operation_text((Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None))
        'A <urn:s> <urn:p> "o"'
    """
    op, *fields = operation
    return " ".join([Op(op).name, *(_text(field, _KNOWN) for field in _shown(op, fields))])


def _has_code(operation: Any) -> bool:
    """Return whether an object is a tuple that starts with a code; a patch may contain anything."""
    return (
        isinstance(operation, tuple)
        and len(operation) > 0
        and isinstance(operation[0], int)
        and operation[0] in _CODES
    )


def _line(operation: Operation, prefixes: Mapping[str, str]) -> str:
    if not _has_code(operation):
        return f'<tr><td colspan=5 style="{CELL}">{html_text(show(operation))}</td></tr>'
    op, *fields = operation
    if not fields:
        return f'<tr><td colspan=5 style="{CELL}; opacity:0.6">{Op(op).name}</td></tr>'
    if op in (Op.PA, Op.PD):
        prefixes = {}
    shown = (_field(field, prefixes) for field in _shown(op, fields))
    cells = [_SIGNS.get(op, Op(op).name), *shown]
    style = f' style="background:{_COLOURS[op]}"' if op in _COLOURS else ""
    return f"<tr{style}>{''.join(f'<td style={CELL!r}>{each}</td>' for each in cells)}</tr>"


def _shown(op: int, fields: Sequence[Any]) -> list[Any]:
    """Return the fields of an operation to show, without None and the default graph."""
    if op != Op.H and fields and fields[-1] == DATASET_DEFAULT_GRAPH_ID:
        fields = fields[:-1]
    return [field for field in fields if field is not None]


def _field(field: Any, prefixes: Mapping[str, str]) -> str:
    text = escape(_text(field, prefixes))
    return f'<span title="{html_text(field)}">{text}</span>' if isinstance(field, URIRef) else text


def _text(field: Any, prefixes: Mapping[str, str]) -> str:
    """Return a field as text: a term, or the key of a header or the name of a prefix."""
    is_term = isinstance(field, Node)
    return show(field, prefixes) if is_term else printable(shorten(str(field)))

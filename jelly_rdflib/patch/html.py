"""A patch as HTML, for notebooks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import OWL, RDF, RDFS, XSD
from rdflib.term import BNode, Literal, URIRef

from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.terms import TripleTerm

_MOST_ROWS = 1000
# A longer patch is folded.
_FEW_ROWS = 100
_MOST_CHARACTERS = 300
_KNOWN = {
    str(iri): prefix for prefix, iri in (("owl", OWL), ("rdf", RDF), ("rdfs", RDFS), ("xsd", XSD))
}
_LOCAL_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_COLOURS = {Op.A: "rgba(46, 160, 67, 0.18)", Op.D: "rgba(248, 81, 73, 0.18)"}
_SIGNS = {Op.A: "+", Op.D: "-", Op.PA: "+ prefix", Op.PD: "- prefix", Op.H: "header"}
_CELL = "text-align:left; vertical-align:top; overflow-wrap:anywhere; padding:1px 8px"


def patch_html(operations: Iterable[Operation], count: int) -> str:
    """Return a table of operations: additions green, deletions red, names with their prefixes.

    Args:
        operations: The operations; the first thousand are shown.
        count: How many there are.
    """
    rows = list(islice(operations, _MOST_ROWS))
    prefixes = {**_KNOWN, **{str(row[2]): row[1] for row in rows if row[0] == Op.PA}}
    counts = Counter(row[0] for row in rows)
    summary = f"Patch: {count:,} operations"
    if count == len(rows):
        summary += f", {counts[Op.A]:,} added, {counts[Op.D]:,} deleted"
    lines = [_line(row, prefixes) for row in rows]
    if count > len(rows):
        lines.append(f"<tr><td colspan=5>… {count - len(rows):,} more</td></tr>")
    return (
        f"<details{' open' if count <= _FEW_ROWS else ''}><summary>{summary}</summary>"
        f'<table style="border-collapse:collapse">{"".join(lines)}</table></details>'
    )


def _line(operation: Operation, prefixes: dict[str, str]) -> str:
    op, *fields = operation
    if not fields:
        return f'<tr><td colspan=5 style="{_CELL}; opacity:0.6">{Op(op).name}</td></tr>'
    if op in (Op.PA, Op.PD):
        prefixes = {}
    # The graph, which is the last.
    if fields[-1] == DATASET_DEFAULT_GRAPH_ID and op != Op.H:
        fields.pop()
    shown = [field for field in fields if field is not None]
    cells = [_SIGNS[op], *(_field(field, prefixes) for field in shown)]
    style = f"background:{_COLOURS[op]}" if op in _COLOURS else ""
    return (
        f'<tr style="{style}">{"".join(f"<td style={_CELL!r}>{each}</td>" for each in cells)}</tr>'
    )


def _field(field: Any, prefixes: dict[str, str]) -> str:
    """Return a term, or the key of a header or the name of a prefix, which are text."""
    if isinstance(field, URIRef):
        return f'<span title="{escape(field)}">{escape(_short(str(field), prefixes))}</span>'
    return escape(_text(field, prefixes))


def _text(term: Any, prefixes: dict[str, str]) -> str:
    if isinstance(term, URIRef):
        return _short(str(term), prefixes)
    if isinstance(term, TripleTerm):
        parts = (_text(each, prefixes) for each in (term.s, term.p, term.o))
        return f"<< {' '.join(parts)} >>"
    if isinstance(term, BNode):
        return f"_:{term}"
    text = str(term)
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}… ({len(text):,} characters)"
    if not isinstance(term, Literal):
        return text
    if term.language:
        return f'"{text}"@{term.language}'
    return f'"{text}"' if term.datatype is None else f'"{text}"^^{_text(term.datatype, prefixes)}'


def _short(iri: str, prefixes: dict[str, str]) -> str:
    """Return an IRI with the longest prefix that leaves a simple name."""
    for end in _ends(iri):
        prefix = prefixes.get(iri[:end])
        if prefix is not None and _LOCAL_NAME.fullmatch(iri, end):
            return f"{prefix}:{iri[end:]}"
    return f"<{iri}>"


def _ends(iri: str) -> Iterator[int]:
    """Yield where a namespace may end, the longest first."""
    for end in range(len(iri), 0, -1):
        if iri[end - 1] in "#/:":
            yield end

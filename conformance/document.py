"""The canonical form of a stream: its options, and its patches, each a list of operations.

A document is ``{"options": …, "patches": [[operation, …], …]}``. Operations and terms are tuples in
Python and arrays in JSON, with the same items; the README lists them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

__all__ = [
    "DEFAULT",
    "OPTIONS",
    "Document",
    "Plain",
    "difference",
    "dump",
    "load",
    "text",
]

Plain: TypeAlias = tuple[Any, ...]
Document: TypeAlias = dict[str, Any]

DEFAULT: Plain = ("default",)
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

STREAM_TYPES = ("UNSPECIFIED", "FRAME", "FLAT", "PUNCTUATED")
STATEMENT_TYPES = ("UNSPECIFIED", "TRIPLES", "QUADS")
OPTIONS = (
    "stream_type",
    "statement_type",
    "generalized_statements",
    "rdf_star",
    "max_name_table_size",
    "max_prefix_table_size",
    "max_datatype_table_size",
    "version",
)
"""The names of all options. A document has all of them."""

_LENGTHS = {"A": 5, "D": 5, "PA": 4, "PD": 4, "H": 3, "TX": 1, "TC": 1, "TA": 1}


def dump(document: Document) -> str:
    """Return a document as JSON, with one operation per line."""
    lines = [f'{{"options": {json.dumps(document["options"])},', '"patches": [']
    for number, patch in enumerate(document["patches"]):
        rows = [json.dumps(operation, ensure_ascii=False) for operation in patch]
        inner = "\n  " + ",\n  ".join(rows) + "\n" if rows else ""
        comma = "," if number < len(document["patches"]) - 1 else ""
        lines.append(f"[{inner}]{comma}")
    return "\n".join([*lines, "]}"]) + "\n"


def load(source: str | bytes) -> Document:
    """Return the document that a JSON text represents.

    Raises:
        ValueError: The text is not JSON, or not a document.
    """
    value = json.loads(source)
    if not isinstance(value, dict) or value.keys() != {"options", "patches"}:
        raise ValueError('a document is an object with "options" and "patches", and no more')
    options, patches = value["options"], value["patches"]
    if not isinstance(options, dict) or set(options) != set(OPTIONS):
        raise ValueError(f"options must have the fields {', '.join(OPTIONS)}, and no more")
    if not isinstance(patches, list) or not all(isinstance(patch, list) for patch in patches):
        raise ValueError("patches must be an array of arrays")
    return {"options": options, "patches": [[_operation(o) for o in patch] for patch in patches]}


def _operation(value: Any) -> Plain:
    operation = _tuple(value)
    if not isinstance(operation, tuple) or not operation or operation[0] not in _LENGTHS:
        raise ValueError(f"{json.dumps(value)[:100]} is not an operation")
    if len(operation) != _LENGTHS[operation[0]]:
        raise ValueError(f"{operation[0]} has {_LENGTHS[operation[0]]} items, not {len(operation)}")
    return operation


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


# -- comparison ----------------------------------------------------------------------------------


def difference(expected: Document, found: Document) -> str | None:
    """Return how a document differs from the expected one; None if it does not.

    If no options are expected, any are accepted, and the default graph equals no graph. The labels
    of blank nodes (renamed one to one in the whole document), the case of language tags, and the
    datatype xsd:string are ignored. The IRI of PD may be missing.
    """
    for name, value in expected.get("options", {}).items():
        if value != found["options"][name]:
            return f"{name} is {found['options'][name]!r} instead of {value!r}"
    if "options" not in expected:
        found = {"patches": [[_without_default(o) for o in patch] for patch in found["patches"]]}
    counts = len(expected["patches"]), len(found["patches"])
    if counts[0] != counts[1]:
        return f"{counts[1]} patches instead of {counts[0]}"
    labels: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for number, (wanted, got) in enumerate(zip(expected["patches"], found["patches"], strict=True)):
        for row, (a, b) in enumerate(zip(wanted, got, strict=False)):
            if not _same(_canonical(a, b), _canonical(b, a), labels):
                return (
                    f"patch {number}, operation {row}: {json.dumps(b, ensure_ascii=False)}"
                    f" instead of {json.dumps(a, ensure_ascii=False)}"
                )
        if len(wanted) != len(got):
            return f"patch {number} has {len(got)} operations instead of {len(wanted)}"
    return None


def _without_default(operation: Plain) -> Plain:
    return tuple(None if item == DEFAULT else item for item in operation)


def _canonical(operation: Plain, other: Plain) -> Plain:
    """Return an operation for comparison: PD loses its IRI if the other PD has none."""
    if operation[0] == other[0] == "PD" and None in (operation[2], other[2]):
        return (*operation[:2], None, operation[3])
    return operation


def _same(a: Any, b: Any, labels: tuple[dict[str, str], dict[str, str]]) -> bool:
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return bool(type(a) is type(b) and a == b)
    if a[:1] != b[:1] or len(a) != len(b):
        return False
    if a[0] == "bnode":
        there, back = labels
        return bool(there.setdefault(a[1], b[1]) == b[1] and back.setdefault(b[1], a[1]) == a[1])
    if a[0] == "literal":
        return _literal(a) == _literal(b)
    return all(_same(x, y, labels) for x, y in zip(a[1:], b[1:], strict=True))


def _literal(term: Plain) -> Plain:
    _, lex, language, datatype = term
    if language is not None:
        return (lex, str(language).lower(), None)
    return (lex, None, None if datatype == XSD_STRING else datatype)


# -- RDF Patch text --------------------------------------------------------------------------------


def text(document: Document) -> str | None:
    """Return the patches as RDF Patch text; None if the text can't express them.

    Each patch but the last ends with ``Z .``. The text has neither options nor quoted triples. In
    the default graph, a statement has three terms, and a namespace has no graph.
    """
    out: list[str] = []
    for number, patch in enumerate(document["patches"]):
        if number:
            out.append("Z .\n")
        for operation in patch:
            if any(_quoted(item) for item in operation):
                return None
            out.append(" ".join([*_row(operation), "."]) + "\n")
    return "".join(out)


def _quoted(item: Any) -> bool:
    return isinstance(item, tuple) and item[0] == "triple"


def _row(operation: Plain) -> Iterator[str]:
    code = operation[0]
    yield code
    items: Sequence[Any] = operation[1:]
    if code in ("H", "PA", "PD"):
        yield _string(items[0])
        items = items[1:]
    if code == "PD":
        # In the text, a deleted namespace has no IRI.
        items = items[1:]
    for item in items:
        if item is not None and item != DEFAULT:
            yield _term(item)


def _term(term: Plain) -> str:
    if term[0] == "iri":
        return f"<{_escape(term[1], '<>' + chr(34) + '{}|^`' + chr(92), ' ')}>"
    if term[0] == "bnode":
        return f"<_:{_escape(term[1], '<>' + chr(34) + '{}|^`' + chr(92), ' ')}>"
    _, lex, language, datatype = term
    if language is not None:
        return f"{_string(lex)}@{language}"
    return _string(lex) if datatype is None else f"{_string(lex)}^^{_term(('iri', datatype))}"


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _string(value: str) -> str:
    return (
        '"'
        + "".join(_ESCAPES.get(c, c) if c >= " " or c in _ESCAPES else _u(c) for c in value)
        + '"'
    )


def _escape(value: str, characters: str, last: str) -> str:
    return "".join(_u(c) if c <= last or c in characters else c for c in value)


def _u(character: str) -> str:
    return f"\\u{ord(character):04X}"

"""Converts operations to rows and terms to N-Triples by the rules, in plain Python."""

import re
from typing import Any

from tests.oracle.terms import DEFAULT_GRAPH, Plain

# These character classes are those of BLANK_NODE_LABEL in N-Triples.
BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
FIRST = re.compile(f"[{BASE}_:0-9]")
INNER = re.compile(f"[{BASE}_:0-9\\-\u00b7\u0300-\u036f\u203f-\u2040.]")
STRING_ESCAPES = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def escape(c: str) -> str:
    return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"


def spell_label(label: str) -> str:
    result = "_:"
    for i, c in enumerate(label):
        allowed = (FIRST if i == 0 else INNER).match(c) and not (c == "." and i == len(label) - 1)
        result += c if allowed else escape(c)
    return result


def spell_string(text: str) -> str:
    result = ""
    for c in text:
        if c in STRING_ESCAPES:
            result += "\\" + STRING_ESCAPES[c]
        elif ord(c) < 0x20 or ord(c) in (0x7F, 0xFFFE, 0xFFFF):
            result += escape(c)
        else:
            result += c
    return f'"{result}"'


def spell_iri(iri: str) -> str:
    return "<" + "".join(escape(c) if c <= " " or c in '<>"{}|^`\\' else c for c in iri) + ">"


def spell(term: Plain) -> str:
    """Return the canonical spelling of a term."""
    if term[0] == "iri":
        return spell_iri(term[1])
    if term[0] == "bnode":
        return spell_label(term[1])
    if term[0] == "triple":
        return f"<< {spell(term[1])} {spell(term[2])} {spell(term[3])} >>"
    _, lexical, language, datatype = term
    if language is not None:
        return f"{spell_string(lexical)}@{language}"
    if datatype is not None:
        return f"{spell_string(lexical)}^^{spell_iri(datatype)}"
    return spell_string(lexical)


def spell_or_none(term: Plain | None) -> str | None:
    return None if term is None or term == DEFAULT_GRAPH else spell(term)


def rows_of(operations: list[Plain]) -> list[dict[str, Any]]:
    """Return the row of each operation, with None for the default graph."""
    rows = []
    patch = 1
    transactions = 0
    explicit: int | None = None
    implicit: int | None = None
    for seq, operation in enumerate(operations):
        op = operation[0]
        s = p = o = g = name = None
        transaction = explicit
        if op in ("A", "D"):
            s, p, o, g = (spell_or_none(term) for term in operation[1:])
            s, p, o = (spell(term) for term in operation[1:4])
        elif op == "H":
            name, o = operation[1], spell(operation[2])
        elif op in ("PA", "PD"):
            name = operation[1]
            o = None if operation[2] is None else spell(operation[2])
            g = spell_or_none(operation[3])
        if op == "TX":
            transaction = explicit = transactions
            transactions += 1
            implicit = None
        elif op in ("TC", "TA"):
            explicit = None
        elif op in ("A", "D", "PA", "PD") and explicit is None:
            if implicit is None:
                implicit = transactions
                transactions += 1
            transaction = implicit
        rows.append(
            {
                "patch": patch,
                "txn": None if transaction is None else transaction + 1,
                "seq": seq,
                "op": op,
                "s": s,
                "p": p,
                "o": o,
                "g": g,
                "name": name,
            }
        )
        if op == "END":
            patch += 1
            implicit = None
    return rows

"""Cases of one history in all combinations of types, features, lookups and frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance import rows as b
from conformance.cases.case import DEFAULT, XSD, Case, E, bytes_of, options, text
from conformance.document import Document, Plain
from conformance.spelling import frames

__all__ = ["cases", "documents"]

_FEATURES = {
    "rdf_1_1": {},
    "rdf_star": {"rdf_star": True},
    "generalized": {"generalized_statements": True},
    "all": {"rdf_star": True, "generalized_statements": True},
}
_LOOKUPS = {
    "": {},
    "small": {"max_name_table_size": 16, "max_prefix_table_size": 3, "max_datatype_table_size": 1},
    "no_prefixes": {"max_prefix_table_size": 0},
}


def _iri(name: str) -> Plain:
    return ("iri", E + name)


def _statements(features: dict[str, Any]) -> list[Plain]:
    """Return statements, as quads."""
    blank, graph, p = ("bnode", "b0"), _iri("g"), _iri("ns#p")
    out: list[Plain] = [
        ("A", _iri("s"), p, _iri("o"), graph),
        ("A", _iri("s"), p, text("chat", "fr"), graph),
        ("D", _iri("s"), p, text("chat", "fr"), DEFAULT),
        ("A", blank, _iri("q"), text("01", None, XSD + "integer"), DEFAULT),
        ("A", blank, _iri("q"), text("2024-01-01", None, XSD + "date"), ("bnode", "g")),
        ("D", blank, _iri("q"), text("é \n"), ("bnode", "g")),
        ("A", ("iri", "urn:a:b"), ("iri", "http://example.com/#x"), blank, ("iri", "urn:g")),
    ]
    quoted = ("triple", blank, p, text("x"))
    if features.get("rdf_star"):
        nested = ("triple", quoted, p, ("triple", _iri("s"), p, quoted))
        out += [("A", quoted, p, nested, graph), ("D", quoted, p, quoted, DEFAULT)]
    if features.get("generalized_statements"):
        out += [
            ("A", text("s"), blank, _iri("o"), text("g", "en")),
            ("D", _iri("s"), text("1", None, XSD + "integer"), blank, text("g", "en")),
        ]
    if len(features) == 2:
        out.append(("A", _iri("s"), quoted, ("triple", text("x"), blank, text("y")), graph))
    return out


def _patches(kind: str, features: dict[str, Any]) -> list[list[Plain]]:
    rows = _statements(features)
    first: list[Plain] = [
        ("H", "id", ("iri", "urn:uuid:4f5a8c3e-0000-4000-8000-000000000001")),
        ("H", "note", text("une note", "fr")),
        ("TX",),
        ("PA", "ex", ("iri", E), DEFAULT),
        ("PA", "", _iri("ns#"), _iri("g")),
        *rows,
        ("TC",),
    ]
    second: list[Plain] = [
        ("TX",),
        *(("D" if row[0] == "A" else "A", *row[1:]) for row in reversed(rows)),
        ("PD", "ex", None, DEFAULT),
        ("TA",),
        rows[0],
        ("H", "late", ("bnode", "b0")),
    ]
    return [first + second] if kind == "FLAT" else [first, second]


def documents() -> Iterator[tuple[str, str, Document]]:
    """Yield the name, the names of rules, and the document of each combination."""
    for kind in ("FRAME", "FLAT", "PUNCTUATED"):
        for statements in ("TRIPLES", "QUADS"):
            for feature, flags in _FEATURES.items():
                for lookups, sizes in _LOOKUPS.items():
                    if lookups and feature not in ("rdf_1_1", "all"):
                        continue
                    patches = _patches(kind, flags)
                    if statements == "TRIPLES":
                        patches = [[_triple(row) for row in patch] for patch in patches]
                    words = [kind.lower(), statements.lower(), feature, *filter(None, [lookups])]
                    given = options(stream_type=kind, statement_type=statements, **flags, **sizes)
                    document = {"options": given, "patches": patches}
                    yield "_".join(words), "row-meaning stream-type " + statements.lower(), document


def _triple(row: Plain) -> Plain:
    if row[0] in ("A", "D", "PA", "PD"):
        return (*row[:-1], None)
    return row


def cases() -> list[Case]:
    """Return the cases to read."""
    out: list[Case] = []
    for name, rules, document in documents():
        shapes = {
            "compact": b.delimited(map(bytes_of, frames(document, compact=True))),
            "explicit": b.delimited(map(bytes_of, frames(document, compact=False))),
        }
        if not name.endswith(("small", "no_prefixes")):
            small = frames(document, compact=True, rows=5)
            shapes["small_frames"] = b.delimited(map(bytes_of, small))
        for shape, data in shapes.items():
            out.append(_case(f"{name}_{shape}", rules, document, data))
        # In a stream of any type, one frame can contain one patch.
        one = {**document, "patches": document["patches"][:1]}
        (rows,) = frames(one, compact=True)
        out.append(_case(f"{name}_bare", rules, one, bytes_of(rows)))
    return out


def _case(name: str, rules: str, document: Document, data: bytes) -> Case:
    return Case(
        name=f"shapes/pos_{name}",
        rules=tuple(rules.split()),
        comment=f"All operations: {name.replace('_', ' ')}.",
        data=data,
        document=document,
    )

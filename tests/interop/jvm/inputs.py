"""Operations and statements in plain form: handmade ones for each feature, and real data."""

import functools
from pathlib import Path

import pytest

import jelly_rdflib as jr
from benchmarks.schemaorg import releases
from tests.oracle.terms import DEFAULT_GRAPH, Plain, plain, plain_operation, with_default_graph

ROOT = Path(__file__).resolve().parents[3]
XSD = "http://www.w3.org/2001/XMLSchema#"
END = ("END",)

PRESETS = {
    f"{size}_{name}": {"rdf_star": star, "generalized_statements": generalized}
    for size in ("SMALL", "BIG")
    for name, star, generalized in (
        ("STRICT", False, False),
        ("GENERALIZED", False, True),
        ("RDF_STAR", True, False),
        ("ALL_FEATURES", True, True),
    )
}
"""Jelly-JVM's presets and the features that they allow."""


def preset_fields(preset: str) -> dict[str, int | bool]:
    """Return the fields of an options row for a Jelly-JVM preset."""
    sizes = (128, 16, 16) if preset.startswith("SMALL") else (4000, 150, 32)
    names = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
    return {**dict(zip(names, sizes, strict=True)), **PRESETS[preset]}


def iri(name: str) -> Plain:
    return ("iri", "http://example.org/" + name)


def text(lex: str) -> Plain:
    return ("literal", lex, None, None)


def typed(lex: str, name: str) -> Plain:
    return ("literal", lex, None, XSD + name)


def add_prefix(prefix: str, value: str, graph: Plain) -> Plain:
    return ("PA", prefix, ("iri", value), graph)


S, P, G = map(iri, ("s", "p", "g"))
THING = iri("o")
B = ("bnode", "b0")
QUOTED = ("triple", B, P, text("x"))

STATEMENTS = [
    ("A", S, P, THING, G),
    ("A", S, P, iri("a#b"), G),
    ("A", S, iri("ns#p"), text("plain"), G),
    ("D", S, P, THING, G),
    ("A", B, P, ("literal", "chat", "fr", None), G),
    ("A", B, P, ("literal", "colour", "en-GB", None), DEFAULT_GRAPH),
    ("A", B, P, ("bnode", "other.label-1"), DEFAULT_GRAPH),
    ("D", ("bnode", "B0"), P, B, ("bnode", "graph")),
    ("A", S, P, typed("01", "integer"), ("bnode", "graph")),
    ("A", S, P, typed("+1.50", "decimal"), G),
    ("A", S, P, typed("1e3", "double"), G),
    ("A", S, P, typed("TRUE", "boolean"), G),
    ("A", S, P, typed("2024-02-30", "date"), G),
    ("A", S, P, text(""), G),
    ("A", S, P, text('"\\\t\r\n\x00\ufeff é 日本 \U0001f600'), G),
    (
        "A",
        ("iri", "urn:x"),
        ("iri", "http://例え.テスト/パス#フ"),
        ("iri", "urn:y:z"),
        ("iri", "urn:g"),
    ),
]

FEATURES: dict[str, list[Plain]] = {
    "nothing": [END],
    "statements": [*STATEMENTS, END],
    "headers": [
        ("H", "id", ("iri", "urn:uuid:4f5a8c3e-0000-4000-8000-000000000001")),
        ("H", "prev", ("iri", "urn:uuid:4f5a8c3e-0000-4000-8000-000000000000")),
        ("H", "note", ("literal", "une note", "fr", None)),
        ("H", "number", typed("007", "integer")),
        ("H", "node", B),
        *STATEMENTS[:3],
        ("H", "late", text("after statements")),
        END,
    ],
    "transactions": [
        ("TX",),
        *STATEMENTS[:4],
        ("TC",),
        ("TX",),
        *STATEMENTS[4:8],
        ("TA",),
        ("A", S, P, THING, G),
        ("TX",),
        ("TC",),
        END,
    ],
    "several patches": [
        ("H", "id", ("iri", "urn:uuid:1")),
        ("TX",),
        *STATEMENTS[:4],
        ("TC",),
        END,
        ("H", "id", ("iri", "urn:uuid:2")),
        ("TX",),
        *STATEMENTS[2:6],
        ("TC",),
        END,
        ("A", S, P, THING, G),
        END,
    ],
    "prefixes": [
        add_prefix("ex", "http://example.org/", G),
        add_prefix("", "http://example.org/ns#", G),
        add_prefix("urn", "urn:", DEFAULT_GRAPH),
        ("A", S, P, THING, iri("h")),
        add_prefix("h", "http://example.org/ns#", iri("h")),
        add_prefix("b", "http://example.com/", ("bnode", "graph")),
        # The graph is that of the last statement, not that of the last row.
        ("A", S, P, iri("a"), iri("h")),
        ("PD", "ex", None, G),
        ("PD", "", None, G),
        ("PD", "urn", None, DEFAULT_GRAPH),
        ("A", S, P, THING, DEFAULT_GRAPH),
        END,
    ],
    "quoted triples": [
        ("H", "about", QUOTED),
        ("A", QUOTED, P, QUOTED, G),
        ("A", ("triple", QUOTED, P, ("triple", S, P, QUOTED)), P, THING, G),
        ("D", QUOTED, P, THING, G),
        END,
    ],
    "generalized": [
        ("A", text("subject"), B, THING, G),
        ("A", typed("1", "integer"), text("predicate"), THING, typed("1", "integer")),
        ("D", S, ("literal", "p", "en", None), THING, ("literal", "g", "en", None)),
        END,
    ],
    "both": [
        ("A", S, QUOTED, ("triple", text("s"), text("p"), text("o")), text("g")),
        END,
    ],
    "many names": [
        *(
            ("A", iri(f"n{n * 7 % 500}"), iri(f"v{n % 23}/p{n % 9}"), iri(f"x{n % 40}#o{n}"), G)
            for n in range(2000)
        ),
        END,
    ],
}
"""Operations for each feature, in a quad stream."""

NEEDS = {
    "quoted triples": {"rdf_star"},
    "generalized": {"generalized_statements"},
    "both": {"rdf_star", "generalized_statements"},
}
"""The options that each feature needs."""


def allows(preset: str, name: str) -> bool:
    """Return whether a preset allows the feature `name`."""
    return all(PRESETS[preset][field] for field in NEEDS.get(name, ()))


def feature(name: str, *, quads: bool = True) -> list[Plain]:
    """Return the operations of a feature, with or without graphs."""
    operations = FEATURES[name]
    if quads:
        return operations
    return [
        (*operation[:-1], None) if operation[0] in ("A", "D", "PA", "PD") else operation
        for operation in operations
    ]


def patches_of(operations: list[Plain]) -> int:
    return operations.count(END)


# -- real data -----------------------------------------------------------------------------------


@functools.cache
def schema_org() -> list[Plain]:
    """Return the history of schema.org: from each release to the next, a patch in a transaction."""
    operations: list[Plain] = []
    old: set[Plain] = set()
    for number, (_, text) in enumerate(releases()):
        rows = jr.read_statements(text.encode(), format="nt", normalize=False)
        ordered = [tuple(map(plain, row[:3])) for row in rows]
        new = set(ordered)
        operations += [
            ("H", "id", ("iri", f"urn:x-release:{number}")),
            ("TX",),
            add_prefix("schema", "http://schema.org/", DEFAULT_GRAPH),
            *(("D", *row, DEFAULT_GRAPH) for row in sorted(old - new, key=repr)),
            *(("A", *row, DEFAULT_GRAPH) for row in ordered if row not in old),
            ("TC",),
            END,
        ]
        old = new
    return operations


@functools.cache
def brick() -> list[Plain]:
    """Return the log that the demo makes from the Brick ontology."""
    folder = ROOT / ".cache" / "brick-log"
    if not folder.exists():
        pytest.skip("the log of the Brick ontology is not there: make demo makes it")
    return [
        with_default_graph(plain_operation(operation))
        for entry in jr.PatchLog(folder).patches()
        for operation in entry.operations()
    ]

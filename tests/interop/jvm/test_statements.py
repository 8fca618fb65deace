"""Tests Jelly-RDF and N-Quads: each side reads the statements that the other side writes."""

import io
from collections.abc import Sequence

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from tests.interop.jvm.forms import with_jenas_terms
from tests.interop.jvm.inputs import (
    FEATURES,
    PRESETS,
    allows,
    iri,
    preset_fields,
    schema_org,
)
from tests.interop.jvm.peer import Peer
from tests.oracle.terms import Plain, node, plain

NAMESPACES = [("ex", "http://example.org/"), ("", "http://example.org/ns#"), ("é", "urn:")]

physical_types = pytest.mark.parametrize("physical", ["TRIPLES", "QUADS", "GRAPHS"])
NAMES = ["statements", "quoted triples", "generalized", "both", "many names"]
CASES = [(name, preset) for name in NAMES for preset in PRESETS if allows(preset, name)]


def statements_of(operations: list[Plain], physical: str) -> list[Plain]:
    size = 4 if physical == "TRIPLES" else 5
    return [row[1:size] for row in operations if row[0] == "A"]


def additions_by_release(physical: str) -> list[Plain]:
    """Return the statements that each release of schema.org added, in one graph per release."""
    statements: list[Plain] = []
    number = 0
    for row in schema_org():
        number += row == ("END",)
        if row[0] == "A":
            graph = () if physical == "TRIPLES" else (iri(f"release/{number}"),)
            statements.append((*row[1:4], *graph))
    return statements


def write(
    statements: list[Plain],
    options: jr.StreamOptions,
    namespaces: Sequence[tuple[str, str]] = (),
) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for prefix, value in namespaces:
            writer.add_namespace(prefix, URIRef(value))
        writer.write_all(tuple(map(node, row)) for row in statements)
    return file.getvalue()


def read(data: bytes) -> tuple[list[Plain], list[tuple[str, str]]]:
    frames = list(jr.read_frames(data, normalize=False))
    statements = [tuple(map(plain, row)) for frame in frames for row in frame.statements]
    namespaces = [(prefix, str(value)) for frame in frames for prefix, value in frame.namespaces]
    return statements, namespaces


def check(
    peer: Peer,
    statements: list[Plain],
    *,
    physical: str,
    preset: str,
    delimited: bool = True,
    namespaces: Sequence[tuple[str, str]] = (),
) -> tuple[int, int]:
    """Check the statements that both sides read; return the sizes of our stream and theirs."""
    options = jr.StreamOptions(
        physical_type=physical,
        delimited=delimited,
        namespace_declarations=bool(namespaces),
        **preset_fields(preset),
    )
    expected = (list(map(with_jenas_terms, statements)), list(namespaces))
    ours = write(statements, options, namespaces)
    assert peer.read_statements(ours, "jelly") == expected

    theirs = peer.write_statements(
        statements,
        "jelly",
        statements=physical,
        preset=preset,
        rows=256,
        delimited=delimited,
        namespaces=bool(namespaces),
        prefixes=namespaces,
    )
    assert read(theirs) == expected
    reader = jr.read_statements(theirs)
    list(reader)
    if delimited:
        assert reader.options == options
    return len(ours), len(theirs)


@physical_types
@pytest.mark.parametrize(("name", "preset"), CASES)
def test_features(peer: Peer, physical: str, name: str, preset: str) -> None:
    statements = statements_of(FEATURES[name], physical)
    ours, theirs = check(peer, statements, physical=physical, preset=preset)
    assert ours <= theirs


@physical_types
def test_namespaces(peer: Peer, physical: str) -> None:
    statements = statements_of(FEATURES["statements"], physical)
    check(peer, statements, physical=physical, preset="BIG_STRICT", namespaces=NAMESPACES)


@physical_types
@pytest.mark.parametrize("preset", ["SMALL_STRICT", "BIG_STRICT"])
def test_releases_of_schema_org(peer: Peer, physical: str, preset: str) -> None:
    ours, theirs = check(peer, additions_by_release(physical), physical=physical, preset=preset)
    assert ours <= theirs

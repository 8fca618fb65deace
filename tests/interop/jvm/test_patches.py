"""Tests Jelly-Patch and RDF Patch: each side reads the operations that the other side writes.

For Jelly-Patch, `test_conformance` covers each feature, and `test_random` all options.
"""

import io
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.interop.jvm.forms import (
    seen_by_jena,
    without_default_graph,
    without_last_end,
)
from tests.interop.jvm.inputs import (
    END,
    FEATURES,
    THING,
    G,
    P,
    S,
    brick,
    feature,
    patches_of,
    preset_fields,
    schema_org,
)
from tests.interop.jvm.peer import Peer
from tests.oracle.terms import DEFAULT_GRAPH, Plain, operation
from tests.support import read, write

# The maximum number of bytes that encode the length of a frame.
LENGTH = 3


def check_ours(
    peer: Peer, operations: list[Plain], *, preset: str, delimited: bool = True, **types: str
) -> bytes:
    """Check that the peer reads the stream that we write, and return the stream."""
    options = jr.PatchOptions(
        stream_type=types["stream"],
        statement_type=types["statements"],
        delimited=delimited,
        **preset_fields(preset),
    )
    data = write(operations, options)
    found = peer.read_changes(data, "jellyp")
    if types["stream"] == "FLAT":
        found.append(("END",))
    assert found == seen_by_jena(operations)
    return data


def check_theirs(
    peer: Peer, operations: list[Plain], *, preset: str, delimited: bool = True, **types: str
) -> bytes:
    """Check that we read the stream that the peer writes, and return the stream."""
    data = peer.write_changes(
        operations, "jellyp", preset=preset, rows=512, delimited=delimited, **types
    )
    assert read(data) == without_default_graph(seen_by_jena(operations))
    options = jr.read_patches(data)
    list(options)
    assert options.options == jr.PatchOptions(
        stream_type=types["stream"], statement_type=types["statements"], **preset_fields(preset)
    )
    return data


def test_no_graph_is_the_default_graph(peer: Peer) -> None:
    """Jena's readers of RDF Patch return no graph for the default graph, which is equivalent."""
    operations = [("A", S, P, THING, None), ("A", S, P, THING, G), ("D", S, P, THING, None), END]
    expected = [(*row[:-1], DEFAULT_GRAPH) if row[-1] is None else row for row in operations]
    types = {"stream": "PUNCTUATED", "statements": "QUADS", "preset": "BIG_STRICT"}
    theirs = peer.write_changes(operations, "jellyp", rows=512, delimited=True, **types)
    assert read(theirs) == operations
    assert peer.read_changes(write(operations), "jellyp") == expected


@pytest.mark.parametrize(
    ("history", "stream", "preset"),
    [
        (brick, "FLAT", "SMALL_STRICT"),
        (brick, "PUNCTUATED", "BIG_STRICT"),
        (schema_org, "FRAME", "SMALL_STRICT"),
        (schema_org, "FLAT", "BIG_STRICT"),
        (schema_org, "PUNCTUATED", "SMALL_STRICT"),
    ],
)
def test_real_histories(peer: Peer, history: Any, stream: str, preset: str) -> None:
    operations = history()
    if stream == "FLAT":
        operations = [*without_ends(operations), ("END",)]
    types = {"preset": preset, "stream": stream, "statements": "QUADS"}
    ours = check_ours(peer, seen_by_jena(operations), **types)
    theirs = check_theirs(peer, operations, **types)
    check_size(ours, theirs, marks_of(operations, stream))


def marks_of(operations: list[Plain], stream: str) -> int:
    """Return the number of punctuation marks in a delimited stream."""
    return patches_of(operations) if stream == "PUNCTUATED" else 0


def check_size(ours: bytes, theirs: bytes, marks: int) -> None:
    """Check that our stream is not larger than theirs.

    We end a frame at each punctuation mark, as the draft specification requires, but Jelly-JVM does
    not. So our stream may have one more frame for each mark, with the bytes of its length.
    """
    assert len(ours) <= len(theirs) + LENGTH * marks


def without_ends(operations: list[Plain]) -> list[Plain]:
    return [each for each in without_last_end(operations) if each != END]


# --- RDF Patch as text and in Thrift -------------------------------------------------------------

FORMATS = {"rdfp": "rdf-patch", "rdfpb": "rdf-patch-thrift"}

formats = pytest.mark.parametrize("extension", FORMATS)


def check_rdf_patch(peer: Peer, operations: list[Plain], extension: str) -> None:
    format: Any = FORMATS[extension]
    expected = without_last_end(without_default_graph(seen_by_jena(operations)))
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        writer.write_all(map(operation, operations))
    found = peer.read_changes(file.getvalue(), extension)
    assert without_last_end(without_default_graph(found)) == expected
    theirs = peer.write_changes(operations, extension)
    assert without_last_end(read(theirs, format=format)) == expected


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("statements", ["TRIPLES", "QUADS"])
@formats
def test_features_of_rdf_patch(peer: Peer, name: str, statements: str, extension: str) -> None:
    check_rdf_patch(peer, feature(name, quads=statements == "QUADS"), extension)


@pytest.mark.parametrize("history", [brick, schema_org])
@formats
def test_real_histories_of_rdf_patch(peer: Peer, history: Any, extension: str) -> None:
    check_rdf_patch(peer, history(), extension)

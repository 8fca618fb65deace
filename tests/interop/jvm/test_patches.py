"""Jelly-Patch: we and Jelly-JVM read the same operations from what the other writes."""

from __future__ import annotations

from typing import Any

import pytest

import jelly_rdflib as jr

from ...oracle.terms import Plain
from ...support import read, write
from .forms import seen_by_jena, without_last_end
from .inputs import FEATURES, NEEDS, PRESETS, brick, feature, patches_of, preset_fields, schema_org
from .peer import Peer

# Of a frame, at the most.
LENGTH = 3

STREAM_TYPES = ["FRAME", "FLAT", "PUNCTUATED"]

stream_types = pytest.mark.parametrize("stream", STREAM_TYPES)
statement_types = pytest.mark.parametrize("statements", ["TRIPLES", "QUADS"])
presets = pytest.mark.parametrize("preset", PRESETS)
features = pytest.mark.parametrize("name", FEATURES)


def choose(name: str, preset: str, stream: str, statements: str) -> list[Plain]:
    """Return a feature's operations; skip what the options rule out."""
    allowed = {field for field, is_allowed in PRESETS[preset].items() if is_allowed}
    if not NEEDS.get(name, set()) <= allowed:
        pytest.skip(f"{preset} rules it out")
    operations = feature(name, quads=statements == "QUADS")
    if stream == "FLAT" and patches_of(operations) > 1:
        pytest.skip("a FLAT stream is one patch")
    return operations


def check_ours(
    peer: Peer, operations: list[Plain], *, preset: str, delimited: bool = True, **types: str
) -> bytes:
    """Check that the peer reads what we write, and return it."""
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
    """Check that we read what the peer writes, and return it."""
    data = peer.write_changes(
        operations, "jellyp", preset=preset, rows=512, delimited=delimited, **types
    )
    assert read(data) == seen_by_jena(operations)
    options = jr.read_patches(data)
    list(options)
    assert options.options == jr.PatchOptions(
        stream_type=types["stream"], statement_type=types["statements"], **preset_fields(preset)
    )
    return data


@features
@stream_types
@statement_types
@presets
class TestFeatures:
    def test_what_we_write(
        self, peer: Peer, name: str, stream: str, statements: str, preset: str
    ) -> None:
        operations = choose(name, preset, stream, statements)
        check_ours(peer, operations, preset=preset, stream=stream, statements=statements)

    def test_what_they_write(
        self, peer: Peer, name: str, stream: str, statements: str, preset: str
    ) -> None:
        if name == "nothing" and stream != "PUNCTUATED":
            pytest.skip("Jelly-JVM writes options with the first row only: see test_differences")
        operations = choose(name, preset, stream, statements)
        check_theirs(peer, operations, preset=preset, stream=stream, statements=statements)


@features
@stream_types
@statement_types
class TestBareFrames:
    def test_both_ways(self, peer: Peer, name: str, stream: str, statements: str) -> None:
        operations = choose(name, "BIG_ALL_FEATURES", stream, statements)
        if stream == "FRAME" and patches_of(operations) > 1:
            pytest.skip("a bare frame is one patch of a FRAME stream")
        types: dict[str, Any] = {
            "preset": "BIG_ALL_FEATURES",
            "delimited": False,
            "stream": stream,
            "statements": statements,
        }
        check_ours(peer, operations, **types)
        if name != "nothing" or stream == "PUNCTUATED":
            check_theirs(peer, operations, **types)


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
    """Return how many punctuation marks a delimited stream has."""
    return patches_of(operations) if stream == "PUNCTUATED" else 0


def check_size(ours: bytes, theirs: bytes, marks: int) -> None:
    """Check that ours is no larger.

    We end a frame with each punctuation mark, as the specification's draft wants it, and Jelly-JVM
    does not: then there may be a frame more for each mark, which costs its length.
    """
    assert len(ours) <= len(theirs) + LENGTH * marks


def without_ends(operations: list[Plain]) -> list[Plain]:
    return [operation for operation in without_last_end(operations) if operation != ("END",)]

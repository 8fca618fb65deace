"""For the same input and the same options, what we write is no larger than what Jelly-JVM writes.

Both cut a frame after the row that makes it so many rows long, entries of lookups and options
counted; ours also cuts by bytes, which is put out of the way here.
"""

from __future__ import annotations

from typing import Any

import pytest

import jelly_rdflib as jr

from ...oracle.terms import Plain
from ...support import write
from . import test_statements
from .forms import seen_by_jena
from .inputs import FEATURES, PRESETS, brick, feature, preset_fields, schema_org
from .peer import Peer
from .test_patches import STREAM_TYPES, choose, without_ends

NO_LIMIT = {"frame_bytes": (1 << 31) - 1}


# Of a frame.
LENGTH = 3


def check_patch_sizes(
    peer: Peer,
    operations: list[Plain],
    *,
    preset: str,
    stream: str,
    statements: str = "QUADS",
    rows: int = 512,
    delimited: bool = True,
) -> None:
    """Check that we write no more than the peer.

    We end a frame with each punctuation mark, as the specification's draft wants it, and Jelly-JVM
    does not: then there may be a frame more for each mark, which costs its length.
    """
    options = jr.PatchOptions(
        stream_type=stream,
        statement_type=statements,
        frame_rows=rows,
        delimited=delimited,
        **preset_fields(preset),
        **NO_LIMIT,
    )
    theirs = peer.write_changes(
        operations,
        "jellyp",
        preset=preset,
        stream=stream,
        statements=statements,
        rows=rows,
        delimited=delimited,
    )
    marks = operations.count(("END",)) if stream == "PUNCTUATED" and delimited else 0
    assert len(write(operations, options)) <= len(theirs) + LENGTH * marks


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("stream", STREAM_TYPES)
@pytest.mark.parametrize("statements", ["TRIPLES", "QUADS"])
@pytest.mark.parametrize("preset", ["SMALL_ALL_FEATURES", "BIG_ALL_FEATURES"])
@pytest.mark.parametrize("rows", [1, 512])
def test_features(
    peer: Peer, name: str, stream: str, statements: str, preset: str, rows: int
) -> None:
    if name == "nothing" and stream != "PUNCTUATED":
        pytest.skip("Jelly-JVM writes no options then, which makes it no stream")
    operations = choose(name, preset, stream, statements)
    types: dict[str, Any] = {"preset": preset, "stream": stream, "statements": statements}
    check_patch_sizes(peer, operations, rows=rows, **types)


@pytest.mark.parametrize("name", ["statements", "many names"])
@pytest.mark.parametrize("preset", PRESETS)
def test_bare_frames(peer: Peer, name: str, preset: str) -> None:
    check_patch_sizes(peer, feature(name), preset=preset, stream="FLAT", delimited=False)


@pytest.mark.parametrize("history", [brick, schema_org])
@pytest.mark.parametrize("stream", STREAM_TYPES)
@pytest.mark.parametrize("preset", ["SMALL_STRICT", "BIG_STRICT"])
def test_real_histories(peer: Peer, history: Any, stream: str, preset: str) -> None:
    operations = history()
    if stream == "FLAT":
        operations = [*without_ends(operations), ("END",)]
    check_patch_sizes(peer, seen_by_jena(operations), preset=preset, stream=stream)


@test_statements.physical_types
@pytest.mark.parametrize("preset", ["SMALL_STRICT", "BIG_STRICT"])
@pytest.mark.parametrize("name", ["statements", "many names", "schema.org"])
def test_statement_streams(peer: Peer, physical: str, preset: str, name: str) -> None:
    if name == "schema.org":
        statements = test_statements.additions_by_release(physical)
    else:
        statements = test_statements.choose(name, preset, physical)
    options = jr.StreamOptions(physical_type=physical, **preset_fields(preset), **NO_LIMIT)
    theirs = peer.write_statements(
        statements,
        "jelly",
        statements=physical,
        preset=preset,
        rows=256,
        delimited=True,
        namespaces=False,
    )
    assert len(test_statements.write(statements, options)) <= len(theirs)

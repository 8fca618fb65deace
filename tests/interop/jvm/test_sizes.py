"""For the same input and the same options, what we write is no larger than what Jelly-JVM writes.

Both cut a frame after the row that makes it so many rows long, entries of lookups and options
counted; ours also cuts by bytes, which is put out of the way here. Real histories and random
streams are measured where they are compared.
"""

from __future__ import annotations

from typing import Any

import pytest

import jelly_rdflib as jr
from tests.interop.jvm import test_statements
from tests.interop.jvm.inputs import FEATURES, PRESETS, feature, preset_fields
from tests.interop.jvm.peer import Peer
from tests.interop.jvm.test_patches import FORMS, check_size, has_options, marks_of
from tests.oracle.terms import Plain
from tests.support import write

NO_LIMIT = {"frame_bytes": (1 << 31) - 1}


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
    """Check that we write no more than the peer."""
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
    check_size(write(operations, options), theirs, marks_of(operations, stream) * delimited)


@pytest.mark.parametrize(
    ("name", "stream", "statements"), [form for form in FORMS if has_options(*form[:2])]
)
@pytest.mark.parametrize("preset", ["SMALL_ALL_FEATURES", "BIG_ALL_FEATURES"])
@pytest.mark.parametrize("rows", [1, 512])
def test_features(
    peer: Peer, name: str, stream: str, statements: str, preset: str, rows: int
) -> None:
    operations = feature(name, quads=statements == "QUADS")
    types: dict[str, Any] = {"preset": preset, "stream": stream, "statements": statements}
    check_patch_sizes(peer, operations, rows=rows, **types)


@pytest.mark.parametrize("name", ["statements", "many names"])
@pytest.mark.parametrize("preset", PRESETS)
def test_bare_frames(peer: Peer, name: str, preset: str) -> None:
    check_patch_sizes(peer, feature(name), preset=preset, stream="FLAT", delimited=False)


@test_statements.physical_types
@pytest.mark.parametrize("preset", ["SMALL_STRICT", "BIG_STRICT"])
@pytest.mark.parametrize("name", ["statements", "many names", "schema.org"])
def test_statement_streams(peer: Peer, physical: str, preset: str, name: str) -> None:
    if name == "schema.org":
        statements = test_statements.additions_by_release(physical)
    else:
        statements = test_statements.statements_of(FEATURES[name], physical)
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

"""RDF Patch as text and in Thrift: Jena reads what we write, and we read what Jena writes."""

from __future__ import annotations

import io
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.interop.jvm.forms import seen_by_jena, without_default_graph, without_last_end
from tests.interop.jvm.inputs import FEATURES, brick, feature, schema_org
from tests.interop.jvm.peer import Peer
from tests.oracle.terms import Plain, operation, plain_operation

FORMATS = {"rdfp": "rdf-patch", "rdfpb": "rdf-patch-thrift"}

formats = pytest.mark.parametrize("extension", FORMATS)
features = pytest.mark.parametrize("name", FEATURES)
statement_types = pytest.mark.parametrize("statements", ["TRIPLES", "QUADS"])


def write(operations: list[Plain], extension: str) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, format=FORMATS[extension]) as writer:
        writer.write_all(map(operation, operations))
    return file.getvalue()


def read(data: bytes, extension: str) -> list[Plain]:
    rows = jr.read_operations(data, normalize=False, format=FORMATS[extension])
    return list(map(plain_operation, rows))


def expected(operations: list[Plain]) -> list[Plain]:
    return without_last_end(without_default_graph(seen_by_jena(operations)))


def check(peer: Peer, operations: list[Plain], extension: str) -> None:
    ours = write(operations, extension)
    found = peer.read_changes(ours, extension)
    assert without_last_end(without_default_graph(found)) == expected(operations)

    theirs = peer.write_changes(operations, extension)
    assert without_last_end(read(theirs, extension)) == expected(operations)


@features
@statement_types
@formats
def test_features(peer: Peer, name: str, statements: str, extension: str) -> None:
    check(peer, feature(name, quads=statements == "QUADS"), extension)


@pytest.mark.parametrize("history", [brick, schema_org])
@formats
def test_real_histories(peer: Peer, history: Any, extension: str) -> None:
    check(peer, history(), extension)

"""Tests that emptying the table of nodes when it is full has no visible effect."""

import io
import itertools
from collections.abc import Iterable

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

P = URIRef("urn:p")
# This is more than the size of the larger table, which is for repeated nodes.
COUNT = 20_000


def kept() -> Iterable[jr.Operation]:
    """Return statements whose nodes occur twice, as objects that stay alive."""
    nodes = [URIRef(f"urn:{number}") for number in range(COUNT + 1)]
    return [(Op.A, s, P, o, None) for s, o in itertools.pairwise(nodes)]


def thrown_away() -> Iterable[jr.Operation]:
    """Yield statements with new nodes, which often reuse the addresses of earlier nodes."""
    for number in range(COUNT):
        yield (Op.A, URIRef(f"urn:{number}"), P, URIRef(f"urn:{number + 1}"), None)


@pytest.mark.parametrize("format", ["jelly-patch", "rdf-patch", "rdf-patch-thrift"])
def test_more_nodes_than_a_table_has(format: str) -> None:
    for operations in (kept(), thrown_away()):
        file = io.BytesIO()
        with jr.PatchWriter(file, format=format) as writer:
            writer.write_all(operations)
        read = [row[1:4] for row in jr.read_operations(file.getvalue()) if row[0] == Op.A]
        assert read == [row[1:4] for row in kept()]

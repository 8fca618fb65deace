"""One patch and its methods."""

from __future__ import annotations

import pytest
from rdflib import Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op

S, G = URIRef("urn:s"), URIRef("urn:g")


def test_repr() -> None:
    patch = jr.Patch([(Op.H, "id", S), (Op.TX,), (Op.TC,)])
    assert repr(patch) == "<Patch: 3 operations, header {'id': <urn:s>}>"


@pytest.mark.parametrize("arguments", [{}, {"atomic": True}, {"atomic": False}])
def test_apply_undoes_unless_told_otherwise(arguments: dict[str, bool]) -> None:
    graph = Graph()
    patch = jr.Patch([(Op.TX,), (Op.A, S, S, S, None), (Op.A, S, S, S, G), (Op.TC,)])
    with pytest.raises(jr.ApplyError, match="no named graphs"):
        patch.apply(graph, **arguments)
    assert len(graph) == (0 if arguments.get("atomic", True) else 1)

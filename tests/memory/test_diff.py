"""Tests that a difference needs memory for its result, but not for copies of the graphs."""

import json

import pytest

from tests.support import run

CODE = """
import gc, json, tracemalloc
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.plugins.stores.memory import SimpleMemory
import jelly_rdflib as jr
from jelly_rdflib import Op

def make(kind, store, label, change):
    graph = kind(SimpleMemory() if store == "SimpleMemory" else store)
    def operations():
        for number in range(20_000):
            text = f"value {number}" + (" new" if change and number % 1000 == 0 else "")
            yield Op.A, URIRef(f"urn:s{number // 8}"), URIRef("urn:p"), Literal(text), None
        for number in range(400):
            node = BNode(f"{label}{number}")
            text = f"value {number}" + (" new" if change and number % 100 == 0 else "")
            yield Op.A, URIRef(f"urn:s{number}"), URIRef("urn:q"), node, None
            yield Op.A, node, URIRef("urn:p"), Literal(text), None
    jr.apply(operations(), graph, atomic=False)
    return graph

kind, store, canonical = json.loads(sys.argv[1])
kind = {"Graph": Graph, "Dataset": Dataset}[kind]
old = make(kind, store, "a", False)
new = make(kind, store, "b" if canonical else "a", True)
jr.diff(kind(), kind(), canonical=canonical)
gc.collect()
tracemalloc.start()
patch = jr.diff(old, new, canonical=canonical)
print(json.dumps([len(patch), tracemalloc.get_traced_memory()[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "store"), [("Graph", "default"), ("Dataset", "default"), ("Graph", "SimpleMemory")]
)
@pytest.mark.parametrize("canonical", [False, True])
def test_no_copy_of_the_graphs(kind: str, store: str, canonical: bool) -> None:
    count, peak = json.loads(run(CODE, json.dumps([kind, store, canonical])))
    assert count == 2 + 2 * (20 + 4)
    # A copy of either set of triples would be 1 MB. For canonical labels, a list of the triples is
    # searched, and each of the 800 triples with blank nodes needs some hundred bytes.
    assert peak < (1 << 20 if canonical else 1 << 18)

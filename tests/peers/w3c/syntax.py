"""Negative tests: what a syntax does not allow must not come into a store.

rdflib's Memory store, with rdflib's own parsers, is tried beside a `JellyStore`: what rdflib takes,
too, is a difference that is told, but known.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from rdflib import Dataset, Graph

from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c.manifest import MF, entries, has_type, path_of

# Folders of the checkout, the types of its negative tests, and rdflib's names of the syntaxes.
SYNTAXES = {
    "rdf-n-triples": ("TestNTriplesNegativeSyntax", "nt"),
    "rdf-n-quads": ("TestNQuadsNegativeSyntax", "nquads"),
    "rdf-turtle": ("TestTurtleNegative", "turtle"),
    "rdf-trig": ("TestTrigNegative", "trig"),
    "rdf-xml": ("TestXMLNegativeSyntax", "xml"),
}
STORES = {"JellyStore": "Jelly", "Memory": "Memory"}

KNOWN = [
    Known("*: Memory", "rdflib's own parser takes it into its own store"),
]


def run(folder: Path) -> Iterator[Outcome]:
    """Parse each file that must be refused into each store."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    for syntax, (kind, format) in SYNTAXES.items():
        for name, manifest, test in entries(folder / syntax):
            kinds = (kind, f"{kind}Syntax", f"{kind}Eval")
            if any(has_type(manifest, test, each) for each in kinds):
                path = path_of(manifest.value(test, MF.action))
                for store, plugin in STORES.items():
                    is_refused = _is_refused(path, format, plugin)
                    difference = None if is_refused else "it is taken, though it is malformed"
                    yield Outcome(f"{syntax}/{name}: {store}", difference)


def _is_refused(path: Path, format: str, store: str) -> bool:
    graph: Graph = Dataset(store=store) if format in ("nquads", "trig") else Graph(store=store)
    try:
        graph.parse(path, format=format, publicID=path.as_uri())
    except Exception:  # rdflib's parsers raise errors of many types
        return True
    return False

"""Runs tests of syntaxes: a store accepts valid files and refuses invalid ones.

The tests use a `JellyStore`, and rdflib's Memory store with rdflib's own parsers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from xml.sax import SAXParseException

from rdflib import Dataset, Graph
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.notation3 import BadSyntax

from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c.manifest import MF, entries, has_type, path_of

# Folders of the checkout; a part of the names of their test types, and rdflib's format name.
SYNTAXES = {
    "rdf-n-triples": ("NTriples", "nt"),
    "rdf-n-quads": ("NQuads", "nquads"),
    "rdf-turtle": ("Turtle", "turtle"),
    "rdf-trig": ("Trig", "trig"),
    "rdf-xml": ("XML", "xml"),
}
NEGATIVE = ("NegativeSyntax", "NegativeEval")
POSITIVE = ("PositiveSyntax", "Eval")
STORES = {"JellyStore": "Jelly", "Memory": "Memory"}

KNOWN = [
    Known("rdf*: Memory", "rdflib's own parsers take what is malformed, or need blanks"),
    Known("rdf12/rdf-xml/*", "rdflib parses RDF/XML into either store, and knows RDF 1.1"),
]


def run(folder: Path, *, only_bad: bool = False) -> Iterator[Outcome]:
    """Parse each file, or only each malformed file, into each store."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    for syntax, (kind, format) in SYNTAXES.items():
        for name, manifest, test in entries(folder / syntax):
            is_bad = any(has_type(manifest, test, f"Test{kind}{each}") for each in NEGATIVE)
            kinds = () if only_bad else POSITIVE
            if is_bad or any(has_type(manifest, test, f"Test{kind}{each}") for each in kinds):
                path = path_of(manifest.value(test, MF.action))
                for store, plugin in STORES.items():
                    difference = _difference(path, format, plugin, is_bad=is_bad)
                    yield Outcome(f"{folder.name}/{syntax}/{name}: {store}", difference)


def _difference(path: Path, format: str, store: str, *, is_bad: bool) -> str | None:
    """Return the fault of a store's result for a file, or None."""
    graph: Graph = Dataset(store=store) if format in ("nquads", "trig") else Graph(store=store)
    try:
        graph.parse(path, format=format, publicID=path.as_uri())
    except (BadSyntax, ParserError, SAXParseException) as error:
        return None if is_bad else f"it is refused: {error}"
    except Exception as error:
        # rdflib's own parsers raise errors of many types.
        return None if is_bad and store == "Memory" else f"it raises {error!r}"
    return "it is taken, though it is malformed" if is_bad else None

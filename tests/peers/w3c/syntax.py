"""What a syntax allows comes into a store, and nothing else.

rdflib's Memory store, with rdflib's own parsers, is tried beside a `JellyStore`.
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

# Folders of the checkout, what the types of its tests have in them, and rdflib's names of syntaxes.
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
    Known("rdf-*: Memory", "rdflib's own parsers take what is malformed, or need blanks"),
]


def run(folder: Path) -> Iterator[Outcome]:
    """Parse each file into each store."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    for syntax, (kind, format) in SYNTAXES.items():
        for name, manifest, test in entries(folder / syntax):
            is_bad = any(has_type(manifest, test, f"Test{kind}{each}") for each in NEGATIVE)
            if is_bad or any(has_type(manifest, test, f"Test{kind}{each}") for each in POSITIVE):
                path = path_of(manifest.value(test, MF.action))
                for store, plugin in STORES.items():
                    difference = _difference(path, format, plugin, is_bad=is_bad)
                    yield Outcome(f"{syntax}/{name}: {store}", difference)


def _difference(path: Path, format: str, store: str, *, is_bad: bool) -> str | None:
    """Return what is wrong with what a store makes of a file, or None."""
    graph: Graph = Dataset(store=store) if format in ("nquads", "trig") else Graph(store=store)
    try:
        graph.parse(path, format=format, publicID=path.as_uri())
    except (BadSyntax, ParserError, SAXParseException) as error:
        return None if is_bad else f"it is refused: {error}"
    except Exception as error:
        # rdflib's own parsers raise errors of many types.
        return None if is_bad and store == "Memory" else f"it raises {error!r}"
    return "it is taken, though it is malformed" if is_bad else None

"""Runs the W3C's tests of syntaxes, updates (which are recorded) and queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c import query, syntax, update

KNOWN: list[Known] = [*syntax.KNOWN, *update.KNOWN, *query.KNOWN]


def run(checkout: Path) -> Iterator[Outcome]:
    """Run the tests of syntaxes (for RDF 1.2 only the negative ones), updates and queries."""
    yield from syntax.run(checkout / "rdf" / "rdf11")
    yield from syntax.run(checkout / "rdf" / "rdf12", only_bad=True)
    yield from update.run(checkout / "sparql" / "sparql11")
    for version in ("sparql10", "sparql11"):
        yield from query.run(checkout / "sparql" / version)
